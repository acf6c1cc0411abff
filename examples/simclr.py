"""SimCLR: features without labels, from two views of each image, then how well they tell the classes apart.

    python examples/simclr.py DATA [--epochs N] [--size PIXELS]

DATA is a folder of train-*.tar, a folder of class folders, or any path or pattern that penstock.Dataset takes. The
network learns to find the other view of an image among those of all images of the batch. Labels are used at the end
alone: how often do the images with the nearest features tell the label of an image?
"""

from __future__ import annotations

import argparse
import time

import torch
from simple_training import training_source
from torch import nn
from torch.nn import functional

import penstock

NEIGHBOURS = 5


class Encoder(nn.Module):
    """A small convolutional network; `head` is what SimCLR throws away after training."""

    def __init__(self, width: int = 16) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        before = 3
        for channels, stride in ((width, 2), (width, 1), (2 * width, 2), (2 * width, 1), (4 * width, 2)):
            layers += [nn.Conv2d(before, channels, 3, stride, 1, bias=False), nn.BatchNorm2d(channels), nn.ReLU()]
            before = channels
        self.features = nn.Sequential(*layers, nn.AdaptiveMaxPool2d(1), nn.Flatten())
        self.head = nn.Sequential(nn.Linear(before, before), nn.ReLU(), nn.Linear(before, 64))

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return functional.normalize(self.head(self.features(images)), dim=1)


def contrastive_loss(first: torch.Tensor, second: torch.Tensor, temperature: float = 0.2) -> torch.Tensor:
    """NT-Xent: each view has to find the other one of its image among all views of the batch."""
    both = torch.cat([first, second])
    likeness = both @ both.T / temperature
    likeness.fill_diagonal_(float("-inf"))
    partner = torch.arange(len(both)).roll(len(first))
    return functional.cross_entropy(likeness, partner)


def features_of(model: Encoder, source: str, size: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Of every image, with its label."""
    model.eval()
    features, labels = [], []
    transforms = penstock.presets.imagenet_val(size)
    with torch.inference_mode(), penstock.Loader(source, batch_size=128, transforms=transforms) as loader:
        for batch in loader:
            features.append(functional.normalize(model.features(batch["image"]), dim=1))
            labels.append(batch["label"].clone())
    model.train()
    return torch.cat(features), torch.cat(labels)


def labels_found(model: Encoder, source: str, size: int) -> float:
    """Share of the images whose label is the most frequent one among the images with the nearest features."""
    features, labels = features_of(model, source, size)
    nearest = (features @ features.T).fill_diagonal_(-1.0).topk(NEIGHBOURS, dim=1).indices
    return float((labels[nearest].mode(dim=1).values == labels).float().mean())


def main() -> None:
    parser = argparse.ArgumentParser(description="Trains a small network without labels through penstock.")
    parser.add_argument("data")
    parser.add_argument("--epochs", type=int, default=200)
    parser.add_argument("--size", type=int, default=48, help="side of the images that the model sees")
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--smoke", action="store_true", help="fewer epochs of smaller images")
    arguments = parser.parse_args()
    epochs, size = (50, 32) if arguments.smoke else (arguments.epochs, arguments.size)

    torch.manual_seed(0)
    model = Encoder()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-4)
    source = training_source(arguments.data)
    chance = 1 / len(torch.unique(features_of(model, source, size)[1]))
    print(f"before: {labels_found(model, source, size):.1%} of the labels found; by chance {chance:.1%}")
    views = penstock.presets.simclr(size, strength=0.5, scale=(0.3, 1.0))  # one decode, two images
    losses = []
    with penstock.Loader(
        source, batch_size=arguments.batch_size, shuffle=True, seed=0, drop_last=True, transforms=views
    ) as loader:
        start = time.perf_counter()
        for epoch in range(epochs):
            total = 0.0
            for batch in loader:
                loss = contrastive_loss(model(batch["view1"]), model(batch["view2"]))
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += float(loss.detach())
            losses.append(total / len(loader))
            if (epoch + 1) % 10 == 0:
                rate = (epoch + 1) * len(loader) * arguments.batch_size / (time.perf_counter() - start)
                print(f"epoch {epoch + 1}: loss {losses[-1]:.3f}, {rate:.0f} images/s")
    found = labels_found(model, source, size)
    print(f"after: {found:.1%} of the labels found")
    if losses[-1] > 0.85 * losses[0] or found < 2 * chance:
        raise SystemExit("the network learned nothing")


if __name__ == "__main__":
    main()
