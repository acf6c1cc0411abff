"""What the long runs work on: images as tars, class folders and a store, some of them bad in every way we know.

Small images: the runs are about threads, files and order, not about decoding.
"""

from __future__ import annotations

import hashlib
import io
import shutil
import tarfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

import penstock

SAMPLES = 203  # no multiple of any batch size or number of ranks in use
SHARDS = 4
SIZE = 16


def transforms() -> list[penstock.transforms.Transform]:
    """Augmentation with as much randomness as users have."""
    return penstock.presets.imagenet_train(SIZE)


def draw(number: int) -> bytes:
    """A JPEG that no other number gives."""
    rng = np.random.default_rng(number)
    width, height = 24 + number * 7 % 40, 24 + number * 11 % 48
    y, x = np.mgrid[0:height, 0:width]
    base = np.stack([x * 5, y * 5, x + y + 37 * number], -1) + rng.integers(0, 40, (height, width, 3))
    buffer = io.BytesIO()
    Image.fromarray((base % 256).astype(np.uint8)).save(buffer, "JPEG", quality=85, subsampling=number % 3)
    return buffer.getvalue()


def spoil(image: bytes, number: int) -> bytes:
    """The image made bad: each number in another way."""
    half = len(image) // 2
    ways = [
        b"",
        b"no image",
        image[:half],
        image[:20],
        image[:half] + b"\xff\xd9",
        b"\xff" * len(image),
        b"\x89PNG\r\n\x1a\n" + image,
        b"RIFF\x10\x00\x00\x00WEBPVP8 " + image[:40],
    ]
    return ways[number % len(ways)]


def is_bad(number: int) -> bool:
    return number % 13 == 5


def write_tars(folder: Path, *, bad: bool) -> str:
    """Shards of all samples; returns their pattern."""
    folder.mkdir()
    for shard in range(SHARDS):
        with tarfile.open(folder / f"{shard}.tar", "w") as archive:
            for number in range(SAMPLES * shard // SHARDS, SAMPLES * (shard + 1) // SHARDS):
                image = spoil(draw(number), number // 13) if bad and is_bad(number) else draw(number)
                for ending, data in (("jpg", image), ("cls", str(number % 10).encode())):
                    member = tarfile.TarInfo(f"s{number:04d}.{ending}")
                    member.size = len(data)
                    archive.addfile(member, io.BytesIO(data))
    return str(folder / "*.tar")


def write_folders(folder: Path) -> str:
    """The same images as files in class folders, some of them bad."""
    for number in range(SAMPLES):
        path = folder / str(number % 10) / f"s{number:04d}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(spoil(draw(number), number // 13) if is_bad(number) else draw(number))
    return str(folder)


def damage_store(store: Path, copy: Path) -> str:
    """A copy of a store with a few pages of its largest shard overwritten."""
    shutil.copytree(store, copy)
    shard = max((path for path in copy.rglob("*") if path.is_file()), key=lambda path: path.stat().st_size)
    data = bytearray(shard.read_bytes())
    for part in range(1, 6):
        at = len(data) * part // 6
        data[at : at + 600] = bytes(600)
    shard.write_bytes(data)
    return str(copy)


@dataclass(frozen=True)
class Sources:
    """Patterns and paths; `tars` and `store` hold the same good samples and have the same fingerprint."""

    tars: str
    store: str
    bad_tars: str
    bad_folders: str
    bad_store: str


def make_sources(folder: Path) -> Sources:
    tars = write_tars(folder / "tars", bad=False)
    store = folder / "store"
    penstock.build(tars, store, progress=False)
    return Sources(
        tars=tars,
        store=str(store),
        bad_tars=write_tars(folder / "bad_tars", bad=True),
        bad_folders=write_folders(folder / "bad_folders"),
        bad_store=damage_store(store, folder / "bad_store"),
    )


def rows_of(batch: penstock.Batch) -> list[bytes]:
    """Each row of a batch, as bytes."""
    images, labels = np.asarray(batch["image"]), np.asarray(batch["label"])
    numbers = np.asarray(batch["index"]).tolist()
    return [
        row_of(index, images[row], labels[row], key)
        for row, (index, key) in enumerate(zip(numbers, batch["key"], strict=True))
    ]


def row_of(index: int, image: np.ndarray, label: int, key: str) -> bytes:
    """One row: its sample's number, then a digest of all that it holds."""
    digest = hashlib.blake2b(image.tobytes(), digest_size=16)
    digest.update(f"{label} {key}".encode())
    return index.to_bytes(8, "little") + digest.digest()


def number_of(row: bytes) -> int:
    return int.from_bytes(row[:8], "little")
