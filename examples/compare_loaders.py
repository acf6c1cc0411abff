"""How fast are penstock and torch's DataLoader on your own images?

    python examples/compare_loaders.py DATA [--workers N] [--rounds N]

DATA is a folder of train-*.tar shards (images with .cls labels) or of class folders. Both loaders do the same work
(RandomResizedCrop, mirror, normalise to float32) with the same number of workers, in turn, for several rounds; the best
round of each counts. For more loaders and more measures see bench/.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch
from torch.utils.data import DataLoader
from torch_input import Images, RandomResizedCropAndFlip, index_of

import penstock


def images_per_second(batches: Iterable[Any], images: int) -> float:
    """One pass; every batch is touched, and their number is checked."""
    start = time.perf_counter()
    seen = sum(len(batch["label"] if isinstance(batch, penstock.Batch) else batch[1]) for batch in batches)
    seconds = time.perf_counter() - start
    if seen != images:
        raise SystemExit(f"{seen} images came, {images} were expected")
    return images / seconds


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures penstock beside torch's DataLoader on your own data.")
    parser.add_argument("data", type=Path)
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # the loaders are measured, not torch
    source = f"{arguments.data}/train-*.tar" if any(arguments.data.glob("train-*.tar")) else str(arguments.data)

    theirs = DataLoader(
        Images(index_of(arguments.data), RandomResizedCropAndFlip(arguments.size)),
        batch_size=arguments.batch_size,
        shuffle=True,
        num_workers=arguments.workers,
        persistent_workers=True,
    )
    ours = penstock.Loader(
        source,
        batch_size=arguments.batch_size,
        shuffle=True,
        num_workers=arguments.workers,
        transforms=penstock.presets.imagenet_train(arguments.size),
    )
    images = len(penstock.Dataset(source))
    best = {"torch DataLoader": 0.0, "penstock": 0.0}
    with ours:
        for number in range(arguments.rounds + 1):  # the first round warms up and is not counted
            for name, loader in (("torch DataLoader", theirs), ("penstock", ours)):
                rate = images_per_second(loader, images)
                if number > 0:
                    best[name] = max(best[name], rate)
    print(f"{images} images, {arguments.workers} workers, best of {arguments.rounds} rounds")
    for name, rate in best.items():
        print(f"  {name:<17}{rate:8.0f} images/s")
    print(f"  ratio            {best['penstock'] / best['torch DataLoader']:8.2f}")


if __name__ == "__main__":
    main()
