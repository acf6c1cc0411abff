"""What an earlier version made, and what it made of it: data/version_<n>, written by write_earlier_version.py.

Each case is a source and the options of a loader. Its record holds the digest of every step of two epochs, a state in
the middle of the first, and the fingerprint of the data set: a later version must give the same, and continue from the
state.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import penstock
from penstock import presets, transforms

FOLDER = Path(__file__).parent / "data" / "version_0.1"
STOPS_AFTER = 2  # steps of the first epoch, when the state is taken

IMAGENET = presets.imagenet_train(32)
CROPS = [transforms.Resize(40), transforms.RandomCrop(24, padding=2), transforms.RandomHorizontalFlip()]
WAVES = [
    transforms.ToMono(),
    transforms.RandomTimeCrop(2048),
    transforms.PadTime(2048),
    transforms.RandomGain(),
    transforms.RandomPolarity(),
    transforms.TimeMasking(200),
]

#: name: (source in FOLDER, options of the loader)
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "train": ("images.tar", {"shuffle": True, "seed": 7, "transforms": IMAGENET}),
    "train_of_a_class_folder": ("classes", {"shuffle": True, "seed": 7, "transforms": IMAGENET}),
    "train_of_repacked": ("repack.store", {"shuffle": True, "seed": 7, "transforms": IMAGENET}),
    "train_of_repacked_pixels": ("repack_pixels.store", {"shuffle": True, "seed": 8, "transforms": IMAGENET}),
    "train_of_kept": ("keep.store", {"shuffle": True, "seed": 9, "transforms": IMAGENET}),
    "train_of_raw": ("raw.store", {"shuffle": True, "seed": 10, "transforms": IMAGENET}),
    "validation": ("images.tar", {"transforms": presets.imagenet_val(32)}),
    "channels_last": ("images.tar", {"transforms": CROPS, "seed": 3, "memory_format": "channels_last"}),
    "as_they_are": ("images.tar", {"shuffle": True, "seed": 11}),
    "not_decoded": ("images.tar", {"shuffle": True, "seed": 12, "decode": False}),
    "drawn_by_weight": (
        "images.tar",
        {"sampler": penstock.samplers.Weighted([1.0 + i for i in range(24)]), "seed": 13, "transforms": CROPS},
    ),
    "one_rank_of_three": (
        "images.tar",
        {"shuffle": True, "seed": 14, "transforms": CROPS, "shard_rank": 1, "shard_world_size": 3, "batch_size": 2},
    ),
    "waves": ("waves.tar", {"shuffle": True, "seed": 15, "transforms": {"audio": WAVES}}),
    "features_in_hdf5": ("features.h5", {"shuffle": True, "seed": 16}),
}
#: Draws of lists for several fields have the field in their address since 0.2: a state of before is refused.
SEVERAL_LISTS: tuple[str, dict[str, Any]] = (
    "masks.tar",
    {"shuffle": True, "seed": 17, "transforms": {"image": CROPS, "seg.png": CROPS}},
)


def open_loader(root: Path, case: tuple[str, dict[str, Any]]) -> penstock.Loader:
    source, options = case
    return penstock.Loader(str(root / source), **{"batch_size": 5, "num_workers": 1, "output": "numpy", **options})


def digest(batch: Mapping[str, Any]) -> str:
    """Of everything in a batch: names, types, shapes and bytes."""
    sha = hashlib.sha256()

    def add(value: Any) -> None:
        if isinstance(value, np.ndarray):
            sha.update(f"{value.dtype.str} {value.shape}".encode())
            sha.update(np.ascontiguousarray(value).tobytes())
        elif isinstance(value, (list, tuple)):
            sha.update(f"list {len(value)}".encode())
            for item in value:
                add(item)
        elif isinstance(value, bytes):
            sha.update(value)
        else:
            sha.update(json.dumps(value, sort_keys=True).encode())

    for name in sorted(batch):
        sha.update(f"{name}\n".encode())
        add(batch[name])
    return sha.hexdigest()[:16]


def digests(batches: Iterable[Mapping[str, Any]]) -> list[str]:
    return [digest(batch) for batch in batches]
