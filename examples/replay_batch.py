"""A batch that can be made again: what was drawn for it is kept as JSON, and gives the same bytes from the source.

    python examples/replay_batch.py DATA [--record FILE.json]

Useful where a batch has to be looked at later: the one with the highest loss, the one before a NaN. The record names
the source, the transforms and, for each row, the sample's index and what was drawn; it holds no pixels.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from simple_training import training_source

import penstock
from penstock import transforms

AUGMENTED = penstock.Views(
    clean=[transforms.Resize(72), transforms.CenterCrop(64), *penstock.presets.imagenet_val(64)[-2:]],
    hard=[
        transforms.RandomResizedCrop(64),
        transforms.RandomHorizontalFlip(),
        transforms.RandomRotation(20, interpolation="bilinear"),
        transforms.ColorJitter(0.4, 0.4, 0.4, 0.1),
        transforms.RandomApply([transforms.GaussianBlur(5)], p=0.5),
        transforms.GaussianNoise(sigma=0.05),
        *penstock.presets.imagenet_val(64)[-2:],
        transforms.RandomErasing(),
    ],
)


def record_of(source: str, batch: penstock.Batch) -> dict[str, Any]:
    """Plain values, from which the images can be made again."""
    return {
        "source": source,
        "transforms": transforms.to_config(AUGMENTED),
        "rows": [
            {"index": int(index), "params": drawn}
            for index, drawn in zip(batch["index"], batch.params or [], strict=True)
        ],
    }


def made_again(record: dict[str, Any]) -> dict[str, np.ndarray[Any, Any]]:
    """The images of each view, from the source and what was drawn."""
    data = penstock.Dataset(record["source"])
    views = transforms.from_config(record["transforms"])
    images: dict[str, np.ndarray[Any, Any]] = {}
    for view, (_, operations) in views.lists.items():
        rows = [
            transforms.apply(operations, data[row["index"]]["image"], row["params"][view]) for row in record["rows"]
        ]
        images[view] = np.stack(rows).transpose(0, 3, 1, 2)  # as batches are by default: channels first
    return images


def main() -> None:
    parser = argparse.ArgumentParser(description="Keeps what was drawn for a batch, and makes the batch again.")
    parser.add_argument("data")
    parser.add_argument("--record", type=Path, help="where the record is kept")
    arguments = parser.parse_args()
    source = training_source(arguments.data)
    with penstock.Loader(source, batch_size=32, shuffle=True, transforms=AUGMENTED, output="numpy") as loader:
        loader.set_epoch(3)
        batch = next(iter(loader))
    with tempfile.TemporaryDirectory() as folder:
        path = arguments.record or Path(folder) / "batch.json"
        path.write_text(json.dumps(record_of(source, batch), indent=1))
        size = sum(batch[view].nbytes for view in AUGMENTED.lists)
        print(f"{path.name}: {path.stat().st_size} bytes for {size} bytes of images")
        again = made_again(json.loads(path.read_text()))
    for view, images in again.items():
        if images.tobytes() != batch[view].tobytes():
            raise SystemExit(f"{view}: the images differ from those of the batch")
        print(f"{view}: {len(images)} images made again, byte for byte")


if __name__ == "__main__":
    main()
