"""What people write to feed images to torch without penstock; the other examples compare with it.

An index over tars or class folders, Pillow for the pixels, torch for the arithmetic.
"""

from __future__ import annotations

import io
import math
import random
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from torch.utils.data import Dataset

MEAN = (0.485, 0.456, 0.406)
STD = (0.229, 0.224, 0.225)
EXTENSIONS = {".jpg", ".jpeg", ".png", ".webp"}


@dataclass(frozen=True)
class Stored:
    """Where an image's file lies, and its label."""

    path: Path
    offset: int
    length: int
    label: int


def index_of_tars(shards: list[Path]) -> list[Stored]:
    """Samples that are an image followed by its .cls file."""
    samples = []
    for shard in shards:
        with tarfile.open(shard) as tar:
            members = [member for member in tar if member.isfile()]
            for image, label in zip(members[::2], members[1::2], strict=True):
                text = tar.extractfile(label)
                assert text is not None and label.name.endswith(".cls")
                samples.append(Stored(shard, image.offset_data, image.size, int(text.read())))
    return samples


def index_of_folders(root: Path) -> list[Stored]:
    """A folder per class, numbered in sorted order."""
    classes = sorted(folder for folder in root.iterdir() if folder.is_dir())
    return [
        Stored(path, 0, path.stat().st_size, label)
        for label, folder in enumerate(classes)
        for path in sorted(folder.rglob("*"))
        if path.suffix.lower() in EXTENSIONS
    ]


def index_of(data: Path) -> list[Stored]:
    """Samples of a folder that holds train-*.tar, other *.tar, or class folders."""
    shards = sorted(data.glob("train-*.tar")) or sorted(data.glob("*.tar"))
    return index_of_tars(shards) if shards else index_of_folders(data)


class Images(Dataset[tuple[torch.Tensor, int]]):
    def __init__(self, samples: list[Stored], transform: Callable[[Image.Image], Image.Image]) -> None:
        self.samples = samples
        self.transform = transform
        self.mean = torch.tensor(MEAN).view(3, 1, 1)
        self.std = torch.tensor(STD).view(3, 1, 1)

    def __len__(self) -> int:
        return len(self.samples)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        stored = self.samples[index]
        with stored.path.open("rb") as file:
            file.seek(stored.offset)
            image = Image.open(io.BytesIO(file.read(stored.length))).convert("RGB")
        values = torch.from_numpy(np.array(self.transform(image))).permute(2, 0, 1).to(torch.float32).div(255)
        return values.sub(self.mean).div(self.std), stored.label


@dataclass(frozen=True)
class Squeeze:
    """The whole image, resized to a square."""

    size: int

    def __call__(self, image: Image.Image) -> Image.Image:
        return image.resize((self.size, self.size), Image.Resampling.BILINEAR)


@dataclass(frozen=True)
class RandomResizedCropAndFlip:
    """torchvision's RandomResizedCrop and RandomHorizontalFlip."""

    size: int

    def __call__(self, image: Image.Image) -> Image.Image:
        crop = image.crop(random_box(*image.size)).resize((self.size, self.size), Image.Resampling.BILINEAR)
        return crop.transpose(Image.Transpose.FLIP_LEFT_RIGHT) if random.random() < 0.5 else crop


def random_box(width: int, height: int) -> tuple[int, int, int, int]:
    for _ in range(10):
        area = width * height * random.uniform(0.08, 1.0)
        ratio = math.exp(random.uniform(math.log(3 / 4), math.log(4 / 3)))
        w, h = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
        if 0 < w <= width and 0 < h <= height:
            x, y = random.randint(0, width - w), random.randint(0, height - h)
            return x, y, x + w, y + h
    side = min(width, height)
    x, y = (width - side) // 2, (height - side) // 2
    return x, y, x + side, y + side
