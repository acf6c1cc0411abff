"""What run.py, make_data.py, measure.py and the workload files share. Standard library only."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BENCH = Path(__file__).resolve().parent
REPOSITORY = BENCH.parent
WORKLOADS = BENCH / "workloads"
RESULTS = BENCH / "results"
SAMPLE = REPOSITORY.parent / "shared" / "data" / "imagenet-sample"

# ImageNet statistics on the 0..1 scale, as torchvision writes them.
MEAN = (0.485, 0.456, 0.406)
STD = (0.229, 0.224, 0.225)
# The same on the 0..255 scale, for libraries that normalise uint8 levels directly.
MEAN_LEVELS = tuple(255.0 * m for m in MEAN)
STD_LEVELS = tuple(255.0 * s for s in STD)
# What is taken of a data set: references of all of them are held in memory, 0.3 MB each.
MAX_IMAGES = 5000
CROP = 224
LOCAL_CROP = 96  # DINO's small views, and how many there are
LOCAL_CROPS = 8
SHORT_SIDE = 256


@dataclass(frozen=True)
class Data:
    """The prepared data set: one set of images in the form that each library reads.

    Labels are unique, so a label names its image whatever order a library delivers in; where those of the source are
    not, the sample's number stands for it.
    """

    root: Path

    @staticmethod
    def default_root() -> Path:
        return Path(os.environ.get("PENSTOCK_BENCH_DATA", BENCH / ".data")).resolve()

    @property
    def manifest_path(self) -> Path:
        return self.root / "manifest.json"

    def manifest(self) -> dict[str, Any]:
        loaded: dict[str, Any] = json.loads(self.manifest_path.read_text())
        return loaded

    @property
    def tars(self) -> list[str]:
        """The WebDataset shards."""
        return [str(path) for path in self.manifest()["tars"]]

    @property
    def numbered_tars(self) -> str:
        """The folder of the shards that were written again, with numbers as labels."""
        return str(self.root / "tars")

    @property
    def one_tar(self) -> str:
        """All samples in a single shard, images only, for libraries that take one file."""
        return str(self.root / "all.tar")

    @property
    def folders(self) -> str:
        """Class folders named by label, in digits of one length, one file per image."""
        return str(self.root / "folders")

    @property
    def beton(self) -> str:
        """FFCV file of images re-encoded at their own size."""
        return str(self.root / "images.beton")

    @property
    def bytes_beton(self) -> str:
        """FFCV file of the original compressed bytes."""
        return str(self.root / "bytes.beton")

    @property
    def pixel_beton(self) -> str:
        """FFCV file of pixels with a shorter side of 256."""
        return str(self.root / "pixels.beton")

    @property
    def tbl(self) -> str:
        """TurboLoader's file of pixels, resized to 256 x 256."""
        return str(self.root / "pixels.tbl")

    @property
    def store(self) -> str:
        """penstock store of the same images, repacked without loss."""
        return str(self.root / "repacked.store")

    @property
    def pixel_store(self) -> str:
        """penstock store of pixels with a shorter side of 256."""
        return str(self.root / "pixels.store")

    @property
    def reference(self) -> Path:
        """Arrays made by Pillow that every library is compared with."""
        return self.root / "reference"

    def image_paths(self) -> tuple[list[str], list[int]]:
        """The files of the class folders and their labels, in label order."""
        paths = sorted(Path(self.folders).glob("*/*"))
        return [str(path) for path in paths], [int(path.parent.name) for path in paths]


@dataclass(frozen=True)
class Settings:
    """What a workload file is asked to build."""

    data: Data
    workers: int
    batch_size: int
    seed: int = 0


# A workload file has `build(settings) -> Epoch`; calling the epoch with 0, 1, 2, ... gives that epoch's batches as
# (images, labels). Building is part of the time to the first batch; importing the file is not.
Epoch = Callable[[int], Iterable[tuple[Any, Any]]]


@dataclass(frozen=True)
class Tolerance:
    """How far a library's images may be from Pillow's, in 8-bit levels, and why that far."""

    levels: float  # mean absolute difference over all images
    reason: str
