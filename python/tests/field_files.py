"""Images of every mode, and tars of them."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import penstock

MODES = ["RGB", "L", "I;16", "RGBA"]
CHANNELS = {"RGB": 3, "L": 1, "I;16": 1, "RGBA": 4}
SIZES = [(40, 30), (1, 1), (1, 23), (23, 1), (33, 47), (2, 2), (51, 17), (64, 64)]


def image_of(mode: str, size: tuple[int, int], seed: int) -> Image.Image:
    """Smooth with noise, so that neither resizing nor decoding has it easy."""
    random = np.random.default_rng(seed)
    width, height = size
    y, x = np.mgrid[0:height, 0:width]
    top = 65535 if mode == "I;16" else 255
    channels = [
        (np.sin(x / random.uniform(3, 15)) + np.cos(y / random.uniform(3, 15)) + 2) * top / 5
        + random.integers(0, top // 5 + 1, (height, width))
        for _ in range(CHANNELS[mode])
    ]
    array = np.stack(channels, axis=-1).astype(np.uint16 if mode == "I;16" else np.uint8)
    return Image.fromarray(array[..., 0] if array.shape[2] == 1 else array)


def file_of(image: Image.Image, kind: str = "PNG") -> bytes:
    file = io.BytesIO()
    image.save(file, kind)
    return file.getvalue()


def write_tar(path: Path, samples: Iterable[Mapping[str, bytes]]) -> Path:
    with tarfile.open(path, "w") as tar:
        for number, files in enumerate(samples):
            for extension, content in files.items():
                member = tarfile.TarInfo(f"{number:04}.{extension}")
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
    return path


def as_array(image: Image.Image) -> Any:
    array = np.asarray(image)
    return array[..., None] if array.ndim == 2 else array


def palette_image(number: int, transparency: bool = False) -> bytes:
    random = np.random.default_rng(number)
    image = Image.fromarray(random.integers(0, 9, (11, 13), dtype=np.uint8), "P")
    image.putpalette(random.integers(0, 256, 27, dtype=np.uint8).tobytes())
    file = io.BytesIO()
    image.save(file, "PNG", **({"transparency": 3} if transparency else {}))
    return file.getvalue()


def rich(tmp_path: Path) -> Path:
    """Every kind of field, each sample with all."""
    samples = [
        {
            "png": file_of(image_of("RGB", (20 + n, 15), n)),
            "depth.png": file_of(image_of("I;16", (20 + n, 15), n)),
            "gray.png": file_of(image_of("L", (9, 15 + n), n)),
            "alpha.png": file_of(image_of("RGBA", (17, 5 + n), n)),
            "seg.png": palette_image(n),
            "wide.png": file_of(image_of("I;16", (7, 7), n)),
            "any.png": file_of(image_of(MODES[n % 4], (8, 6), n)),
        }
        for n in range(6)
    ]
    return write_tar(tmp_path / "rich.tar", samples)


FIELDS = {
    "image": "png",
    "depth": penstock.Image("depth.png", mode="I;16"),
    "gray": penstock.Image("gray.png", mode="L"),
    "alpha": penstock.Image("alpha.png", mode="RGBA"),
    "seg": penstock.Mask("seg.png"),
    "wide": penstock.Mask("wide.png", dtype="int32"),
    "any": penstock.Image("any.png", mode="unchanged"),
}


def same(a: Any, b: Any) -> None:
    if isinstance(a, list):
        assert isinstance(b, list) and len(a) == len(b)
        for one, other in zip(a, b, strict=True):
            same(one, other)
    else:
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)
