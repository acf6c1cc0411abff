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


#: Images and labels of a whole batch are mixed too.
MIXED = [
    transforms.RandomResizedCrop(64),
    transforms.RandomHorizontalFlip(),
    *penstock.presets.imagenet_val(64)[-2:],
    transforms.RandomChoice([transforms.MixUp(num_classes=1000), transforms.CutMix(num_classes=1000)]),
]


def record_of(source: str, operations: Any, batch: penstock.Batch) -> dict[str, Any]:
    """Plain values, from which the batch can be made again."""
    return {
        "source": source,
        "transforms": transforms.to_config(operations),
        "rows": [
            {"index": int(index), "params": drawn}
            for index, drawn in zip(batch["index"], batch.params or [], strict=True)
        ],
    }


def images_of(data: penstock.Dataset, operations: Any, rows: list[Any], view: str) -> np.ndarray[Any, Any]:
    """What a list makes of the samples, with what was drawn for each."""
    images = [transforms.apply(operations, data[row["index"]]["image"], row["params"][view]) for row in rows]
    return np.stack(images).transpose(0, 3, 1, 2)  # as batches are by default: channels first


def made_again(record: dict[str, Any]) -> dict[str, np.ndarray[Any, Any]]:
    """The images of each view, or the mixed images and labels, from the source and what was drawn."""
    data, rows = penstock.Dataset(record["source"]), record["rows"]
    operations = transforms.from_config(record["transforms"])
    if isinstance(operations, penstock.Views):
        return {view: images_of(data, own, rows, view) for view, (_, own) in operations.lists.items()}
    labels = [data[row["index"]]["label"] for row in rows]
    params = [row["params"] for row in rows]
    images, targets = transforms.apply_batch(operations, images_of(data, operations, rows, ""), labels, params)
    return {"image": images, "label": targets}


def replay(source: str, operations: Any, path: Path) -> None:
    """Keeps what was drawn for a batch, makes the batch again, and compares."""
    with penstock.Loader(source, batch_size=32, shuffle=True, transforms=operations, output="numpy") as loader:
        loader.set_epoch(3)
        batch = next(iter(loader))
    path.write_text(json.dumps(record_of(source, operations, batch), indent=1))
    again = made_again(json.loads(path.read_text()))
    size = sum(batch[name].nbytes for name in again)
    print(f"{path.name}: {path.stat().st_size} bytes for {size} bytes of arrays")
    for name, array in again.items():
        if array.tobytes() != batch[name].tobytes():
            raise SystemExit(f"{name}: it differs from that of the batch")
        print(f"{name}: {len(array)} rows made again, byte for byte")


def main() -> None:
    parser = argparse.ArgumentParser(description="Keeps what was drawn for a batch, and makes the batch again.")
    parser.add_argument("data")
    parser.add_argument("--record", type=Path, help="where the record is kept")
    arguments = parser.parse_args()
    source = training_source(arguments.data)
    with tempfile.TemporaryDirectory() as folder:
        replay(source, AUGMENTED, arguments.record or Path(folder) / "views.json")
        replay(source, MIXED, Path(folder) / "mixed.json")


if __name__ == "__main__":
    main()
