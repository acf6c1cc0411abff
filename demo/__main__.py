"""Runs the whole demo: python -m demo [--out FOLDER] [--epochs N] [--samples N] [--smoke]."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import torch

import penstock
from demo.charts import Panel, Series, contact_sheet, run_plot
from demo.dataset import CLASSES, write_dataset
from demo.training import Epoch, SmallNet, train
from penstock import transforms

IMAGE_SIZE = 64
SHEET_SIZE = 112
SHEET_IMAGES = 32
BATCH_SIZE = 32
BAR_WIDTH = 28
ON_TERMINAL = sys.stdout.isatty()


def augmentation(size: int) -> list[transforms.Transform]:
    return [transforms.RandomResizedCrop(size, scale=(0.5, 1.0)), transforms.RandomHorizontalFlip()]


def to_model_input() -> list[transforms.Transform]:
    return [transforms.ToFloat(), transforms.Normalize(mean=[0.5, 0.5, 0.5], std=[0.25, 0.25, 0.25])]


def short_form(transform: transforms.Transform) -> str:
    """The operation with the parameters that differ from their defaults."""
    defaults = {parameter["name"]: parameter["default"] for parameter in transform.info["parameters"]}
    chosen = [f"{name}={value}" for name, value in transform.params.items() if value != defaults[name]]
    return f"{type(transform).__name__}({', '.join(chosen)})"


def show_progress(epoch: int, epochs: int, step: int, steps: int, images_per_second: float) -> None:
    """A bar on a terminal; elsewhere the line at the end of each epoch says it all."""
    if ON_TERMINAL:
        done = BAR_WIDTH * (step + 1) // steps
        bar = "#" * done + "-" * (BAR_WIDTH - done)
        print(f"\repoch {epoch + 1}/{epochs} [{bar}] {images_per_second:6.0f} images/s", end="", flush=True)


def show_epoch(number: int, epochs: int, epoch: Epoch) -> None:
    clear = "\r\033[K" if ON_TERMINAL else ""
    print(
        f"{clear}epoch {number}/{epochs}: loss {epoch.loss:.3f}, training accuracy {epoch.train_accuracy:.1%}, "
        f"held-out accuracy {epoch.val_accuracy:.1%}, {epoch.images_per_second:.0f} images/s, "
        f"{epoch.waiting_share:.0%} of the time waiting for data",
        flush=True,
    )


def write_contact_sheet(path: Path, shards: list[str]) -> None:
    """One augmented batch as the loader delivers it, larger than the model sees it."""
    augment = augmentation(SHEET_SIZE)
    with penstock.Loader(shards, batch_size=SHEET_IMAGES, shuffle=True, transforms=augment, output="numpy") as loader:
        batch = next(iter(loader))
    images = [np.ascontiguousarray(image.transpose(1, 2, 0)) for image in batch["image"]]
    contact_sheet(
        path,
        images,
        [CLASSES[label] for label in batch["label"]],
        f"One batch from penstock.Loader: {len(images)} images, shuffled and augmented",
        " + ".join(short_form(transform) for transform in augment),
    )


def write_plot(path: Path, history: list[Epoch], train_count: int, val_count: int) -> None:
    rates = [epoch.images_per_second for epoch in history]
    losses = [epoch.loss for epoch in history]
    run_plot(
        path,
        "Training a small network from tar shards",
        f"{train_count} training images, {val_count} held out, {len(CLASSES)} classes; "
        f"batches of {BATCH_SIZE}, {IMAGE_SIZE} x {IMAGE_SIZE} pixels, CPU",
        [
            Panel("Loss", [Series("training", losses)], top=max(losses) * 1.1),
            Panel(
                "Accuracy",
                [
                    Series("training", [100 * epoch.train_accuracy for epoch in history]),
                    Series("held out", [100 * epoch.val_accuracy for epoch in history]),
                ],
                top=100,
                unit=" %",
            ),
            Panel("Images per second", [Series("loading + training", rates)], top=max(rates) * 1.2),
        ],
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="demo", description="Trains a small network from drawn images through penstock."
    )
    parser.add_argument("--out", type=Path, default=Path("demo-out"), help="folder for data and images")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--samples", type=int, default=3000, help="images to draw, held-out ones included")
    parser.add_argument("--smoke", action="store_true", help="a run of seconds that only shows that everything works")
    arguments = parser.parse_args()
    epochs, samples = (4, 720) if arguments.smoke else (arguments.epochs, arguments.samples)
    torch.manual_seed(0)

    start = time.perf_counter()
    data = arguments.out / "data"
    print(f"Drawing {samples} images of {len(CLASSES)} classes: {', '.join(CLASSES)}", flush=True)
    train_shards, val_shards = ([str(path) for path in paths] for paths in write_dataset(data, samples))
    print(f"Wrote {len(train_shards)} training and {len(val_shards)} held-out tar shards to {data}", flush=True)

    train_transforms = augmentation(IMAGE_SIZE) + to_model_input()
    val_transforms = [transforms.Resize((IMAGE_SIZE, IMAGE_SIZE)), *to_model_input()]
    train_loader = penstock.Loader(
        train_shards, batch_size=BATCH_SIZE, shuffle=True, drop_last=True, transforms=train_transforms
    )
    val_loader = penstock.Loader(val_shards, batch_size=BATCH_SIZE, transforms=val_transforms)
    with train_loader, val_loader:
        steps = len(train_loader)
        history: list[Epoch] = []

        def on_step(epoch: int, step: int, images_per_second: float) -> None:
            show_progress(epoch, epochs, step, steps, images_per_second)

        for epoch in train(SmallNet(len(CLASSES)), train_loader, val_loader, epochs, on_step):
            history.append(epoch)
            show_epoch(len(history), epochs, epoch)
        verdict = train_loader.stats()["verdict"]
        train_count, val_count = len(penstock.Dataset(train_shards)), len(penstock.Dataset(val_shards))

    sheet, plot = arguments.out / "contact_sheet.png", arguments.out / "run.png"
    write_contact_sheet(sheet, train_shards)
    write_plot(plot, history, train_count, val_count)

    print(f"The loader says: {verdict}")
    print(f"Held-out accuracy {history[-1].val_accuracy:.1%} on {val_count} images; chance is {1 / len(CLASSES):.1%}")
    print(f"One augmented batch: {sheet}")
    print(f"Loss, accuracy and images per second: {plot}")
    print(f"All in {time.perf_counter() - start:.0f} s")
    # A loader that mixed up images and labels would leave the model at chance.
    if history[-1].val_accuracy < 2 / len(CLASSES):
        print("The model has not learned: something is wrong", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
