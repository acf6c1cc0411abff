"""The shortest useful training script: class folders or tar shards in, a trained model out.

    python examples/simple_training.py DATA [--epochs N] [--size PIXELS]

DATA is a folder of class folders, a folder of train-*.tar (and val-*.tar), or any path or pattern that
penstock.Dataset takes.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import torch
from torch import nn

import penstock


def make_model(classes: int) -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(3, 16, 5, stride=4, padding=2),
        nn.ReLU(),
        nn.Conv2d(16, 32, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.AdaptiveMaxPool2d(1),
        nn.Flatten(),
        nn.Linear(32, classes),
    )


def training_source(data: str) -> str:
    """`data` itself, or the training shards in it."""
    return f"{data}/train-*.tar" if any(Path(data).glob("train-*.tar")) else data


def main() -> None:
    parser = argparse.ArgumentParser(description="Trains a small network from images through penstock.")
    parser.add_argument("data")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--size", type=int, default=128, help="side of the images that the model sees")
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--smoke", action="store_true", help="two short epochs of small images")
    arguments = parser.parse_args()
    epochs, size = (2, 64) if arguments.smoke else (arguments.epochs, arguments.size)

    dataset = penstock.Dataset(training_source(arguments.data))
    classes = len(dataset.classes or {dataset.raw(i)["label"] for i in range(len(dataset))})
    print(f"{len(dataset)} images, {classes} classes")

    model = make_model(classes)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    transforms = penstock.presets.imagenet_train(size)
    with penstock.Loader(dataset, batch_size=arguments.batch_size, shuffle=True, transforms=transforms) as loader:
        for epoch in range(epochs):
            start = time.perf_counter()
            total = 0.0
            for batch in loader:  # each loop is the next epoch, newly shuffled and newly augmented
                loss = nn.functional.cross_entropy(model(batch["image"]), batch["label"])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += float(loss.detach())
            rate = len(dataset) / (time.perf_counter() - start)
            print(f"epoch {epoch + 1}: loss {total / len(loader):.3f}, {rate:.0f} images/s")
        print(loader.stats()["verdict"])


if __name__ == "__main__":
    main()
