"""Draws a small image data set and writes it as WebDataset tar shards.

Eight classes that differ in shape or pattern only: colours, sizes, places, angles, backgrounds and noise are drawn at
random for every image, so a model has to look at the form. Every image is a pure function of its number.

    python -m demo.dataset FOLDER [--samples N] [--folders]
"""

from __future__ import annotations

import argparse
import io
import math
import tarfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

Colour = tuple[int, int, int]
Points = list[tuple[float, float]]

OVERSAMPLING = 2  # shapes are drawn this much larger and scaled down, for smooth edges
SAMPLES_PER_SHARD = 256
VAL_SHARE = 6  # one image in this many is held out
FORMATS = ("JPEG",) * 8 + ("PNG", "WEBP")  # as often as each stands here
EXTENSIONS = {"JPEG": "jpg", "PNG": "png", "WEBP": "webp"}


def polygon(corners: int, depth: float = 1.0) -> Callable[[float], Points]:
    """A regular polygon; with depth < 1 every second corner lies further in, which makes a star."""

    def points(angle: float) -> Points:
        result = []
        for i in range(corners):
            radius = depth if depth < 1.0 and i % 2 else 1.0
            turn = angle + 2 * math.pi * i / corners
            result.append((radius * math.cos(turn), radius * math.sin(turn)))
        return result

    return points


def cross(angle: float) -> Points:
    arm = 0.34
    outline = [(arm, 1.0), (arm, arm), (1.0, arm), (1.0, -arm), (arm, -arm), (arm, -1.0)]
    outline += [(-x, -y) for x, y in outline]
    c, s = math.cos(angle), math.sin(angle)
    return [(c * x - s * y, s * x + c * y) for x, y in outline]


OUTLINES: dict[str, Callable[[float], Points]] = {
    "triangle": polygon(3),
    "square": polygon(4),
    "star": polygon(10, depth=0.45),
    "cross": cross,
    "disc": polygon(72),
}
CLASSES = (*OUTLINES, "ring", "stripes", "checks")


def colours(rng: np.random.Generator) -> tuple[Colour, Colour, Colour]:
    """Two background colours and one that stands out from both."""
    while True:
        picks = rng.integers(20, 236, size=(3, 3))
        if min(np.abs(picks[2] - picks[0]).sum(), np.abs(picks[2] - picks[1]).sum()) > 200:
            start, end, front = (tuple(row) for row in picks.tolist())
            return start, end, front


def background(rng: np.random.Generator, width: int, height: int, start: Colour, end: Colour) -> Image.Image:
    """A gradient in a random direction."""
    angle = rng.uniform(0, 2 * math.pi)
    y, x = np.mgrid[0:height, 0:width]
    ramp = math.cos(angle) * x / width + math.sin(angle) * y / height
    ramp = ((ramp - ramp.min()) / np.ptp(ramp))[..., None]
    pixels = (1 - ramp) * np.array(start) + ramp * np.array(end)
    return Image.fromarray(pixels.astype(np.uint8))


def pattern_mask(name: str, rng: np.random.Generator, width: int, height: int) -> Image.Image:
    """Stripes or checks over the whole image, turned by a random angle."""
    period = min(width, height) * rng.uniform(0.12, 0.22)
    angle = rng.uniform(0, 2 * math.pi)
    y, x = np.mgrid[0:height, 0:width]
    along = (math.cos(angle) * x + math.sin(angle) * y) / period
    across = (math.cos(angle) * y - math.sin(angle) * x) / period
    on = np.floor(along) % 2 if name == "stripes" else (np.floor(along) + np.floor(across)) % 2
    return Image.fromarray((on * 255).astype(np.uint8))


def shape_mask(name: str, rng: np.random.Generator, width: int, height: int) -> Image.Image:
    radius = min(width, height) * rng.uniform(0.24, 0.40)
    cx = rng.uniform(radius, width - radius)
    cy = rng.uniform(radius, height - radius)
    mask = Image.new("L", (width, height))
    draw = ImageDraw.Draw(mask)
    if name == "ring":
        box = (cx - radius, cy - radius, cx + radius, cy + radius)
        draw.ellipse(box, outline=255, width=round(radius * rng.uniform(0.22, 0.38)))
    else:
        outline = OUTLINES[name](rng.uniform(0, 2 * math.pi))
        draw.polygon([(cx + radius * x, cy + radius * y) for x, y in outline], fill=255)
    return mask


def draw_image(label: int, rng: np.random.Generator) -> Image.Image:
    width, height = (int(v) for v in rng.integers(120, 261, size=2))
    start, end, front = colours(rng)
    name = CLASSES[label]
    make_mask = pattern_mask if name in ("stripes", "checks") else shape_mask
    mask = make_mask(name, rng, width * OVERSAMPLING, height * OVERSAMPLING).resize(
        (width, height), Image.Resampling.BOX
    )
    image = background(rng, width, height, start, end)
    image.paste(Image.new("RGB", image.size, front), mask=mask)
    if rng.random() < 0.3:
        image = image.filter(ImageFilter.GaussianBlur(rng.uniform(0.5, 1.5)))
    noise = rng.normal(0, rng.uniform(4, 22), size=(height, width, 3))
    return Image.fromarray(np.clip(np.asarray(image) + noise, 0, 255).astype(np.uint8))


def make_sample(number: int) -> tuple[str, bytes, int]:
    """(file extension, encoded image, label) of one sample."""
    rng = np.random.default_rng(number)
    label = number % len(CLASSES)
    form = FORMATS[int(rng.integers(len(FORMATS)))]
    buffer = io.BytesIO()
    draw_image(label, rng).save(buffer, form, quality=int(rng.integers(75, 96)))
    return EXTENSIONS[form], buffer.getvalue(), label


def add_member(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    tar.addfile(info, io.BytesIO(data))


def write_shards(
    folder: Path, split: str, numbers: Sequence[int], samples: Iterator[tuple[str, bytes, int]]
) -> list[Path]:
    """Packs the samples into <split>-000000.tar, <split>-000001.tar, ..."""
    shards: list[Path] = []
    for start in range(0, len(numbers), SAMPLES_PER_SHARD):
        shards.append(folder / f"{split}-{len(shards):06d}.tar")
        with tarfile.open(shards[-1], "w") as tar:
            for number in numbers[start : start + SAMPLES_PER_SHARD]:
                extension, image, label = next(samples)
                add_member(tar, f"{number:06d}.{extension}", image)
                add_member(tar, f"{number:06d}.cls", str(label).encode())
    return shards


def write_dataset(folder: Path, samples: int) -> tuple[list[Path], list[Path]]:
    """Draws `samples` images on all cores; returns the training shards and the held-out ones."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.tar"):
        old.unlink()
    # Whole rounds of the classes are held out, so that every class is in both sets.
    held_out = [n for n in range(samples) if n // len(CLASSES) % VAL_SHARE == VAL_SHARE - 1]
    train = sorted(set(range(samples)) - set(held_out))
    with ThreadPoolExecutor() as pool:
        return (
            write_shards(folder, "train", train, pool.map(make_sample, train)),
            write_shards(folder, "val", held_out, pool.map(make_sample, held_out)),
        )


def unpack_to_folders(shards: list[Path], folder: Path) -> None:
    """The same images as files, in a folder per class."""
    for shard in shards:
        with tarfile.open(shard) as tar:
            members = tar.getmembers()
            for image, label in zip(members[::2], members[1::2], strict=True):
                image_file, label_file = tar.extractfile(image), tar.extractfile(label)
                assert image_file is not None and label_file is not None
                target = folder / CLASSES[int(label_file.read())] / image.name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(image_file.read())


def main() -> None:
    parser = argparse.ArgumentParser(description="Writes the demo's data set as tar shards.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--samples", type=int, default=3000)
    parser.add_argument("--folders", action="store_true", help="also as files: train/ and val/ with a folder per class")
    arguments = parser.parse_args()
    train, val = write_dataset(arguments.folder, arguments.samples)
    if arguments.folders:
        unpack_to_folders(train, arguments.folder / "train")
        unpack_to_folders(val, arguments.folder / "val")
    print(f"{arguments.samples} images of {len(CLASSES)} classes in {len(train)} + {len(val)} held-out shards")


if __name__ == "__main__":
    main()
