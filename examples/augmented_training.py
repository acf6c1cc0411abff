"""Training with RandAugment and MixUp, which has to do well on images that were held out.

    python examples/augmented_training.py DATA [--epochs N] [--size PIXELS]

DATA is a folder of train-*.tar and val-*.tar, as `python -m demo.dataset DATA` draws it. RandAugment changes each image
for itself; MixUp, at the end of the list, mixes each image of a batch and its label with those of another, so that a
label is a share of each class. Ends with an error where fewer of the held-out images are named rightly than --bar says.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import torch
from simclr import Encoder
from torch import nn

import penstock
from penstock import transforms


def accuracy(model: nn.Module, source: str, size: int) -> float:
    """Share of the images that the model names rightly."""
    model.eval()
    right = seen = 0
    with (
        torch.inference_mode(),
        penstock.Loader(source, batch_size=128, transforms=penstock.presets.imagenet_val(size)) as loader,
    ):
        for batch in loader:
            right += int((model(batch["image"]).argmax(1) == batch["label"]).sum())
            seen += len(batch["label"])
    model.train()
    return right / seen


def main() -> None:
    parser = argparse.ArgumentParser(description="Trains a small network with RandAugment and MixUp through penstock.")
    parser.add_argument("data")
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--size", type=int, default=64, help="side of the images that the model sees")
    parser.add_argument("--batch-size", type=int, default=40)
    parser.add_argument("--bar", type=float, default=0.35, help="share of the held-out images that has to be right")
    parser.add_argument("--smoke", action="store_true", help="fewer epochs of smaller images")
    arguments = parser.parse_args()
    epochs, size = (30, 48) if arguments.smoke else (arguments.epochs, arguments.size)

    train, held_out = (str(Path(arguments.data) / f"{split}-*.tar") for split in ("train", "val"))
    dataset = penstock.Dataset(train)
    classes = len({dataset.raw(number)["label"] for number in range(len(dataset))})
    listed = [
        transforms.RandomResizedCrop(size, scale=(0.5, 1.0)),
        transforms.RandomHorizontalFlip(),
        transforms.RandAugment(num_ops=2, magnitude=5),
        transforms.Normalize(penstock.presets.IMAGENET_MEAN, penstock.presets.IMAGENET_STD),
        transforms.MixUp(alpha=0.2, num_classes=classes),
    ]
    torch.manual_seed(0)
    model = nn.Sequential(Encoder().features, nn.Linear(64, classes))
    with penstock.Loader(
        dataset, batch_size=arguments.batch_size, shuffle=True, seed=0, drop_last=True, transforms=listed
    ) as loader:
        optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=0.02)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=4e-3, total_steps=epochs * len(loader))
        start = time.perf_counter()
        for epoch in range(epochs):
            total = 0.0
            for batch in loader:
                loss = nn.functional.cross_entropy(model(batch["image"]), batch["label"])  # of labels that are shares
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                schedule.step()
                total += float(loss.detach())
            if (epoch + 1) % 10 == 0:
                rate = (epoch + 1) * len(loader) * arguments.batch_size / (time.perf_counter() - start)
                print(f"epoch {epoch + 1}: loss {total / len(loader):.3f}, {rate:.0f} images/s")
    right = accuracy(model, held_out, size)
    print(f"{right:.1%} of the held-out images are named rightly; by chance {1 / classes:.1%}")
    if right < arguments.bar:
        raise SystemExit(f"less than {arguments.bar:.0%}: the network learned too little")


if __name__ == "__main__":
    main()
