"""What the conformance suites work on: small sources, and every operation with parameters that it takes."""

from __future__ import annotations

import functools
import hashlib
import io
import itertools
import json
import re
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
USUAL_FRAMES = [3000 + 211 * number for number in range(SAMPLES)]
HOSTILE_FRAMES = [1, 2, 5, 127, 128, 511, 512, 513, 20000]
HOSTILE_SIZES = [(1, 1), (1, 37), (41, 1), (2, 2), (3, 5), (17, 23), (1999, 3), (2, 1500), (2240, 1400)]
FRAMES_PER_SECOND = 4096

#: How many of the hostile sizes an operation refuses, with what operation() gives it: images without room for a crop,
#: recordings too short for a frame.
REFUSED_HOSTILE = {"FiveCrop": 8, "TenCrop": 8, "RandomCrop": 8} | dict.fromkeys(
    ("MelSpectrogram", "MFCC", "AmplitudeToDB", "FrequencyMasking"), 6
)

#: What a parameter that must be given is given, the first that the operation takes.
CANDIDATES: tuple[Any, ...] = (24, 8, 7, 2, 1, 0.5, 0.1, (0.3, 0.6), (0.4, 0.5, 0.6), (16, 24), "constant", "xywh") + (
    [transforms.RandomHorizontalFlip(), transforms.ColorJitter(brightness=0.5)],
)
#: What operations are given that otherwise do nothing, or always the same.
TO_ACT: dict[str, dict[str, Any]] = {
    "RandomResize": {"min_size": 16, "max_size": 40},
    "RandomShortestSize": {"min_size": (16, 20, 24, 28)},
    "ResizeShortCropLong": {"x_range": (0.0, 1.0), "y_range": (0.0, 1.0)},
    "RandomEmbed": {"canvas_size": 100, "x_range": (0.0, 1.0), "y_range": (0.0, 1.0), "background": "power_law"},
    "OpticalDistortion": {"distortion": (-0.5, 0.5)},
    "ColorJitter": {"brightness": 0.4, "contrast": 0.4, "saturation": 0.4, "hue": 0.1},
    "RandomColorJitterHSV": {"hue": 0.1, "saturation": 0.4, "value": 0.4, "contrast": 0.4},
    "RandomColorJitterYIQ": {"hue": 20, "saturation": 0.4, "value": 0.4, "brightness": 0.4, "contrast": 0.4},
    "Gamma": {"gamma": (0.5, 2.0)},
    "RandomPosterize": {"bits": 3},
    "RandomGrayscale": {"p": 0.5},
    "JPEG": {"quality": (20, 80)},
    "RandomPatchShuffle": {"sizes": 0.25},
    "RandomBackgroundBlend": {"background": "power_law"},
}
#: What must come before an operation, the first list with which it can be planned.
PREFIXES: dict[str, list[list[transforms.Transform]]] = {
    "image": [[], [transforms.CenterCrop(24)], [transforms.CenterCrop(24), transforms.ToFloat()]],
    "plain": [[], [transforms.CenterCrop(24)]],
    "audio": [[], [transforms.MelSpectrogram()]],
    "rgba": [[], [transforms.CenterCrop(24)]],
}
#: What the field of a source is called, where that is not its name.
FIELDS = {"plain": "image", "rgba": "image", "gray16": "image"}
#: What numpy cannot hold: python/tests/test_types.py has them.
OF_TORCH_ALONE = ("ToBfloat16",)

Operation = tuple[str, list[transforms.Transform]]  # the source that it acts on, and the list that ends with it
Sources = Mapping[str, str | penstock.Dataset]


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


def write_annotated(path: Path, sizes: Sequence[tuple[int, int]] = USUAL_SIZES) -> str:
    """Images with boxes and points inside, across the edges and outside, and boxes without an area."""
    members = []
    for number, (w, h) in enumerate(sizes):
        boxes = [[w / 8, h / 8, w / 2 + 0.5, h / 2], [w / 3, h / 4, w, h - 0.25], [-3, h / 2, w + 4, h + 5]]
        boxes += [[w / 2, h / 2, w / 2, h / 2 + 1], [0, 0, 0.5, 0.5], [w + 1, 2, w + 9, 7]]
        points = [[w / 3, h / 3], [w - 0.5, 0.0], [w + 2, h / 2], [-1.5, -0.25], [0.0, h - 1], [w / 2, h + 3]]
        objects = [
            {"box": box, "kind": kind, "points": [point]}
            for kind, (box, point) in enumerate(zip(boxes, points, strict=True))
        ]
        # Smooth, so that what takes longest to read is what is looked at.
        pixels = np.asarray(Image.fromarray(draw(number, w, h)[: h // 9 + 1, : w // 9 + 1]).resize((w, h)))
        image = image_file(draw(number, w, h)) if w * h < 1 << 16 else image_file(pixels, "JPEG")
        members.append((f"{number:02}.{'png' if w * h < 1 << 16 else 'jpg'}", image))
        members.append((f"{number:02}.cls", str(number).encode()))
        members.append((f"{number:02}.json", json.dumps({"objects": objects}).encode()))
    return write_tar(path, members)


def read_annotated(path: str) -> penstock.Dataset:
    boxes = penstock.Boxes("json", "objects.*.box", labels="objects.*.kind")
    points = penstock.Keypoints("json", "objects.*.points")
    return penstock.Dataset(path, fields={"image": "image", "label": "cls", "boxes": boxes, "keypoints": points})


def write_audio(path: Path, frames: Sequence[int]) -> str:
    return write_tar(path, ((f"{i:02}.wav", audio_file(i, length)) for i, length in enumerate(frames)))


def write_rgba(path: Path, sizes: Sequence[tuple[int, int]] = USUAL_SIZES) -> str:
    """Images with transparency."""
    members = []
    for number, (width, height) in enumerate(sizes):
        alpha = np.random.default_rng(number).integers(0, 256, (height, width, 1), dtype=np.uint8)
        pixels = np.concatenate([draw(number, width, height), alpha], axis=-1)
        members.append((f"{number:02}.png", image_file(pixels)))
    return write_tar(path, members)


def write_gray16(path: Path, sizes: Sequence[tuple[int, int]] = USUAL_SIZES) -> str:
    """Gray images of 16 bits."""
    members = []
    for number, size in enumerate(sizes):
        pixels = draw(number, *size).astype(np.uint16)
        members.append((f"{number:02}.png", image_file(pixels[..., 0] << 8 | pixels[..., 1])))
    return write_tar(path, members)


def write_sources(
    folder: Path, sizes: Sequence[tuple[int, int]] = USUAL_SIZES, frames: Sequence[int] = USUAL_FRAMES
) -> Sources:
    """A source of each kind that operations act on."""
    write_annotated(folder / "images.tar", sizes)
    write_images(folder / "plain.tar", sizes)
    write_audio(folder / "audio.tar", frames)
    # The noise behind a large image with transparency takes half a minute.
    write_rgba(folder / "rgba.tar", [size if size[0] * size[1] < 1 << 20 else (640, 480) for size in sizes])
    write_gray16(folder / "gray16.tar", sizes)
    return read_sources(folder)


def read_sources(folder: Path) -> Sources:
    return {
        "image": read_annotated(str(folder / "images.tar")),
        "plain": str(folder / "plain.tar"),
        "audio": str(folder / "audio.tar"),
        "rgba": penstock.Dataset(str(folder / "rgba.tar"), fields={"image": penstock.Image("png", mode="RGBA")}),
        "gray16": penstock.Dataset(str(folder / "gray16.tar"), fields={"image": penstock.Image("png", mode="I;16")}),
    }


@functools.cache
def operation(name: str) -> transforms.Transform:
    """The operation of that name, with values that it takes for every parameter that must be given."""
    make = getattr(transforms, name)
    given = TO_ACT.get(name, {})
    needed = [each["name"] for each in make.info["parameters"] if each["required"] and each["name"] not in given]
    for values in itertools.product(CANDIDATES, repeat=len(needed)):
        try:
            return make(**dict(zip(needed, values, strict=True)), **given)
        except penstock.InvalidError:
            continue
    raise AssertionError(f"no value of CANDIDATES suits the parameters {needed} of {name}: add one that does")


def operation_names() -> list[str]:
    return [str(info["name"]) for info in _core.transform_catalog()]


def field_of(source: str) -> str:
    return FIELDS.get(source, source)


def takes_16_bits(name: str) -> bool:
    try:
        transforms.Compose([operation(name)])(np.zeros((64, 64), np.uint16))
    except penstock.InvalidError:
        return False
    return True


def placed(name: str, sources: Sources, only: str = "") -> Operation:
    """Where the operation can stand: the source it acts on, or the only one that is asked for, and the list that ends
    with it."""
    refusals = []
    for source, prefixes in {only: [[]]}.items() if only else PREFIXES.items():
        for prefix in prefixes:
            operations = [*prefix, operation(name)]
            try:
                with penstock.Loader(sources[source], transforms=operations) as loader:
                    loader.plan()
            except penstock.InvalidError as refused:
                refusals.append(str(refused))
            else:
                return source, operations
    raise AssertionError(f"{name} can be placed nowhere: {refusals}")


def open_loader(sources: Sources, placed: Operation, **options: Any) -> penstock.Loader:
    source, operations = placed
    settings = {"batch_size": 2, "shuffle": True, "seed": 5, "num_workers": 1, "output": "numpy", **options}
    return penstock.Loader(sources[source], transforms=operations, **settings)


def in_plane(sample: Mapping[str, Any]) -> dict[str, Any]:
    """What lies in the image of a sample, as arguments of Compose; each box has one point."""
    names = {"boxes": "boxes", "boxes_labels": "labels", "keypoints": "keypoints"}
    found = {names[name]: value for name, value in sample.items() if name in names}
    return found | ({"keypoints": found["keypoints"][:, None]} if found else {})


def rows(batch: Mapping[str, Any], field: str) -> list[np.ndarray]:
    return list(batch[field])


_TYPE = r"u?int\d+|float\d+|bool"
#: What a plan says of a column, and of the last step to it: type, and the sides that it knows.
_COLUMN = re.compile(rf"(?m)^(\S+) \(\w+\): .*?\b({_TYPE})\b(?: \(([\d, ]+)\)| rows of (\d+) (?:classes|frames))?")
_WRITTEN = re.compile(rf"(?m)-> (?:any size|(\d+) x (\d+)) ({_TYPE}) CHW$")
_FRAMES = re.compile(r"(?m): \[([\dT, ]+)\]$")


def described(plan: str) -> dict[str, tuple[str, list[int | None]]]:
    """What a plan says of each column of arrays: the type, and the last sides of the shape, None where they vary."""
    found: dict[str, tuple[str, list[int | None]]] = {}
    for column in _COLUMN.finditer(plan):
        name, dtype, shape, last = column.groups()
        found[name] = dtype, [int(side) for side in (shape or last or "").split(",") if side.strip()]
    for height, width, dtype in _WRITTEN.findall(plan):
        assert found["image"][0] == dtype
        found["image"] = dtype, found["image"][1] or [int(height) if height else None, int(width) if width else None]
    for sides in _FRAMES.findall(plan)[-1:]:
        found["audio"] = found["audio"][0], [None if side.strip() == "T" else int(side) for side in sides.split(",")]
    return found


def fields_of(made: Any) -> dict[str, Any]:
    """What a Compose gives, an image or a dict, by the names of a batch."""
    fields = dict(made) if isinstance(made, dict) else {"image": made}
    if "boxes" in fields:
        fields["keypoints"] = fields["keypoints"].squeeze(-2)
        fields["boxes_labels"] = fields.pop("labels")
    return fields


def digest(batch: Mapping[str, Any]) -> str:
    """Of everything in a batch but the keys."""
    sha = hashlib.sha256()
    for name in sorted(batch):
        for value in batch[name] if isinstance(batch[name], list) else [batch[name]]:
            if isinstance(value, np.ndarray):
                sha.update(f"{name} {value.dtype.str} {value.shape}".encode())
                sha.update(np.ascontiguousarray(value).tobytes())
    return sha.hexdigest()
