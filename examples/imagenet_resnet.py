"""ResNet-50 on ImageNet, fed by penstock: the usual recipe in one file.

    python examples/imagenet_resnet.py /data/imagenet
    python examples/imagenet_resnet.py --smoke DATA     # a tiny network for two epochs, to see it work

The data folder holds train/ and val/ with a folder per class, or train-*.tar and val-*.tar.
SGD with momentum, a warm-up and a cosine schedule, label smoothing, mixed precision and channels-last on a GPU.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import nn

import penstock


class Bottleneck(nn.Module):
    """ResNet's block: 1x1 down, 3x3, 1x1 up, and a shortcut."""

    expansion = 4

    def __init__(self, before: int, width: int, stride: int) -> None:
        super().__init__()
        after = width * self.expansion
        self.body = nn.Sequential(
            nn.Conv2d(before, width, 1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(inplace=True),
            nn.Conv2d(width, width, 3, stride, 1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(inplace=True),
            nn.Conv2d(width, after, 1, bias=False),
            nn.BatchNorm2d(after),
        )
        self.shortcut: nn.Module = nn.Identity()
        if stride != 1 or before != after:
            self.shortcut = nn.Sequential(nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.relu(self.body(x) + self.shortcut(x))


def resnet(blocks: tuple[int, ...], width: int, classes: int) -> nn.Module:
    """(3, 4, 6, 3) blocks of width 64 make ResNet-50."""
    layers: list[nn.Module] = [
        nn.Conv2d(3, width, 7, 2, 3, bias=False),
        nn.BatchNorm2d(width),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(3, 2, 1),
    ]
    before = width
    for stage, count in enumerate(blocks):
        for block in range(count):
            layers.append(Bottleneck(before, width << stage, stride=2 if stage > 0 and block == 0 else 1))
            before = (width << stage) * Bottleneck.expansion
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(before, classes))


@dataclass(frozen=True)
class Recipe:
    blocks: tuple[int, ...]
    width: int
    size: int
    batch_size: int
    epochs: int
    learning_rate: float


RESNET50 = Recipe(blocks=(3, 4, 6, 3), width=64, size=224, batch_size=256, epochs=90, learning_rate=0.1)
SMOKE = Recipe(blocks=(1, 1), width=8, size=64, batch_size=16, epochs=2, learning_rate=0.05)


def source_of(data: Path, split: str) -> str:
    """<data>/<split>-*.tar, or the class folders in <data>/<split>."""
    return f"{data}/{split}-*.tar" if any(data.glob(f"{split}-*.tar")) else str(data / split)


def count_classes(dataset: penstock.Dataset) -> int:
    if dataset.classes:
        return len(dataset.classes)
    return 1 + max(int(dataset.raw(i)["label"]) for i in range(len(dataset)))


def accuracy(model: nn.Module, loader: penstock.Loader, device: torch.device) -> float:
    model.eval()
    right = seen = 0
    with torch.inference_mode():
        for batch in loader:
            images, labels = batch["image"].to(device), batch["label"].to(device)
            right += int((model(images).argmax(1) == labels).sum())
            seen += len(labels)
    return right / seen


def main() -> None:
    parser = argparse.ArgumentParser(description="Trains ResNet-50 on ImageNet through penstock.")
    parser.add_argument("data", type=Path)
    parser.add_argument("--smoke", action="store_true", help="a tiny network for two epochs")
    parser.add_argument("--epochs", type=int, help="instead of the recipe's")
    parser.add_argument("--batch-size", type=int, help="instead of the recipe's; the learning rate follows it")
    arguments = parser.parse_args()
    recipe = SMOKE if arguments.smoke else RESNET50
    epochs = arguments.epochs or recipe.epochs
    batch_size = arguments.batch_size or recipe.batch_size
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    dataset = penstock.Dataset(source_of(arguments.data, "train"))
    # Damaged images are replaced, and counted, instead of ending a run of days.
    train_loader = penstock.Loader(
        dataset,
        batch_size=batch_size,
        shuffle=True,
        drop_last=True,
        on_error="replace",
        memory_format="channels_last",
        transforms=penstock.presets.imagenet_train(recipe.size),
    )
    val_loader = penstock.Loader(
        source_of(arguments.data, "val"),
        batch_size=batch_size,
        memory_format="channels_last",
        transforms=penstock.presets.imagenet_val(recipe.size),
    )
    model = resnet(recipe.blocks, recipe.width, count_classes(dataset)).to(device)
    model = model.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # missing in torch's annotations
    learning_rate = recipe.learning_rate * batch_size / recipe.batch_size
    optimizer = torch.optim.SGD(model.parameters(), learning_rate, momentum=0.9, weight_decay=1e-4, nesterov=True)
    steps = epochs * len(train_loader)
    warm_up = max(1, steps // 18)
    schedule = torch.optim.lr_scheduler.SequentialLR(
        optimizer,
        [
            torch.optim.lr_scheduler.LinearLR(optimizer, 0.1, total_iters=warm_up),
            torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, max(1, steps - warm_up)),
        ],
        milestones=[warm_up],
    )

    with train_loader, val_loader:
        for epoch in range(epochs):
            model.train()
            start = time.perf_counter()
            total = torch.zeros((), device=device)
            for batch in train_loader:
                images = batch["image"].to(device, non_blocking=True)
                labels = batch["label"].to(device, non_blocking=True)
                with torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda"):
                    loss = nn.functional.cross_entropy(model(images), labels, label_smoothing=0.1)
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                optimizer.step()
                schedule.step()
                total += loss.detach()
            seconds = time.perf_counter() - start
            print(
                f"epoch {epoch + 1}/{epochs}: loss {float(total) / len(train_loader):.3f}, "
                f"accuracy {accuracy(model, val_loader, device):.1%}, "
                f"{len(train_loader) * batch_size / seconds:.0f} images/s",
                flush=True,
            )
        print(train_loader.stats()["verdict"])
        for error in train_loader.errors():
            print(error)


if __name__ == "__main__":
    main()
