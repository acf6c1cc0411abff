"""What the conformance suites work on: small sources, and every operation with parameters that it takes."""

from __future__ import annotations

import functools
import hashlib
import io
import itertools
import tarfile
import wave
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import penstock
from penstock import _core, transforms

SAMPLES = 9
#: Width and height: ordinary ones, and those at which code goes wrong.
USUAL_SIZES = [(40 + 7 * number, 90 - 5 * number) for number in range(SAMPLES)]
HOSTILE_SIZES = [(1, 1), (1, 37), (41, 1), (2, 2), (3, 5), (17, 23), (1999, 3), (2, 1500), (640, 480)]
FRAMES_PER_SECOND = 4096

#: What a parameter that must be given is given, the first that the operation takes.
CANDIDATES: tuple[Any, ...] = (24, 8, 7, 2, 1, 0.5, 0.1, (0.3, 0.6), (0.4, 0.5, 0.6), (16, 24), "constant") + (
    [transforms.RandomHorizontalFlip(), transforms.ColorJitter(brightness=0.5)],
)
#: What operations are given that do nothing by default.
TO_ACT: dict[str, dict[str, Any]] = {
    "ColorJitter": {"brightness": 0.4, "contrast": 0.4, "saturation": 0.4, "hue": 0.1},
}
#: What must come before an operation, the first list with which it can be planned.
PREFIXES: dict[str, list[list[transforms.Transform]]] = {
    "image": [[], [transforms.CenterCrop(24)], [transforms.CenterCrop(24), transforms.ToFloat()]],
    "audio": [[], [transforms.MelSpectrogram()]],
}

Operation = tuple[str, list[transforms.Transform]]  # the field it acts on, and the list that ends with it


def draw(number: int, width: int, height: int) -> np.ndarray:
    """Pixels that no other number gives: gradients with noise."""
    rng = np.random.default_rng(number)
    y, x = np.mgrid[0:height, 0:width]
    base = np.stack([x * 255 // max(width - 1, 1), y * 255 // max(height - 1, 1), (x + y + 37 * number) % 256], -1)
    return ((base + rng.integers(0, 40, base.shape)) % 256).astype(np.uint8)


def image_file(pixels: np.ndarray, kind: str = "PNG", **options: Any) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, kind, **options)
    return buffer.getvalue()


def audio_file(number: int, frames: int, channels: int = 2) -> bytes:
    rng = np.random.default_rng(number)
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(FRAMES_PER_SECOND)
        file.writeframes(rng.integers(-20000, 20000, (frames, channels)).astype("<i2").tobytes())
    return buffer.getvalue()


def write_tar(path: Path, members: Iterable[tuple[str, bytes]]) -> str:
    with tarfile.open(path, "w") as archive:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return str(path)


def write_images(path: Path, sizes: Sequence[tuple[int, int]] = USUAL_SIZES) -> str:
    members = []
    for number, size in enumerate(sizes):
        members.append((f"{number:02}.png", image_file(draw(number, *size))))
        members.append((f"{number:02}.cls", str(number).encode()))
    return write_tar(path, members)


def write_audio(path: Path, frames: Sequence[int]) -> str:
    return write_tar(path, ((f"{i:02}.wav", audio_file(i, length)) for i, length in enumerate(frames)))


def write_sources(folder: Path) -> dict[str, str]:
    """A source of each field that operations act on."""
    return {
        "image": write_images(folder / "images.tar"),
        "audio": write_audio(folder / "audio.tar", [3000 + 211 * number for number in range(SAMPLES)]),
    }


@functools.cache
def operation(name: str) -> transforms.Transform:
    """The operation of that name, with values that it takes for every parameter that must be given."""
    make = getattr(transforms, name)
    needed = [parameter["name"] for parameter in make.info["parameters"] if parameter["required"]]
    for values in itertools.product(CANDIDATES, repeat=len(needed)):
        try:
            return make(**dict(zip(needed, values, strict=True)), **TO_ACT.get(name, {}))
        except penstock.InvalidError:
            continue
    raise AssertionError(f"no value of CANDIDATES suits the parameters {needed} of {name}: add one that does")


def operation_names() -> list[str]:
    return [str(info["name"]) for info in _core.transform_catalog()]


def placed(name: str, sources: Mapping[str, str]) -> Operation:
    """Where the operation can stand: the field it acts on and the list that ends with it."""
    refusals = []
    for field, prefixes in PREFIXES.items():
        for prefix in prefixes:
            try:
                with penstock.Loader(sources[field], transforms={field: [*prefix, operation(name)]}) as loader:
                    loader.plan()
            except penstock.InvalidError as refused:
                refusals.append(str(refused))
            else:
                return field, [*prefix, operation(name)]
    raise AssertionError(f"{name} can be placed nowhere: {refusals}")


def open_loader(sources: Mapping[str, str], placed: Operation, **options: Any) -> penstock.Loader:
    field, operations = placed
    settings = {"batch_size": 2, "shuffle": True, "seed": 5, "num_workers": 1, "output": "numpy", **options}
    return penstock.Loader(sources[field], transforms={field: operations}, **settings)


def rows(batch: Mapping[str, Any], field: str) -> list[np.ndarray]:
    return list(batch[field])


def digest(batch: Mapping[str, Any]) -> str:
    """Of everything in a batch but the keys."""
    sha = hashlib.sha256()
    for name in sorted(batch):
        for value in batch[name] if isinstance(batch[name], list) else [batch[name]]:
            if isinstance(value, np.ndarray):
                sha.update(f"{name} {value.dtype.str} {value.shape}".encode())
                sha.update(np.ascontiguousarray(value).tobytes())
    return sha.hexdigest()
