"""The same training input twice, side by side: torch's DataLoader, and penstock in its place.

    python examples/pytorch_replacement.py DATA

DATA is a folder of train-*.tar shards (images with .cls labels) or of class folders. The script walks both loaders
together and checks that they give the same bits.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch
from torch.utils.data import DataLoader
from torch_input import MEAN, STD, Images, Squeeze, index_of

import penstock


def main() -> None:
    parser = argparse.ArgumentParser(description="Compares torch's DataLoader with penstock, batch by batch.")
    parser.add_argument("data", type=Path)
    parser.add_argument("--size", type=int, default=64)
    arguments = parser.parse_args()
    size = arguments.size
    source = f"{arguments.data}/train-*.tar" if any(arguments.data.glob("train-*.tar")) else str(arguments.data)

    # Before: torch, with the Dataset class of torch_input.py.
    before = DataLoader(Images(index_of(arguments.data), Squeeze(size)), batch_size=32, num_workers=2)

    # After: penstock. No Dataset class, no worker processes, no collate function.
    transforms = [
        penstock.transforms.Resize((size, size)),
        penstock.transforms.ToFloat(),
        penstock.transforms.Normalize(mean=MEAN, std=STD),
    ]
    after = penstock.Loader(source, batch_size=32, num_workers=2, transforms=transforms)

    batches = count = 0
    with after:
        for (images, labels), batch in zip(before, after, strict=True):
            if not torch.equal(images, batch["image"]) or not torch.equal(labels, batch["label"]):
                raise SystemExit(f"batch {batches} differs")
            batches += 1
            count += len(labels)
    print(f"{images} images in {batches} batches: torch's DataLoader and penstock gave the same bits")


if __name__ == "__main__":
    main()
