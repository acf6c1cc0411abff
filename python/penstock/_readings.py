"""How chosen fields are read: what stands in `fields` in place of an extension."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .errors import InvalidError

_MODES = ("RGB", "L", "I;16", "RGBA", "unchanged")
_MASK_TYPES = ("uint8", "int32")
_BOX_FORMATS = ("xyxy", "xywh", "cxcywh")

#: Kind, mode or type or format, path, path of labels: what the core takes.
CoreReading = tuple[str, str, str, str]


def _one_of(name: str, value: object, known: tuple[str, ...]) -> None:
    if value not in known:
        raise InvalidError(f"{name} must be one of {', '.join(map(repr, known))}, got {value!r}")


def _text(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise InvalidError(f"{name} must be a string, got {value!r}")


@dataclass(frozen=True)
class Image:
    """An image in a mode of Pillow's: [H, W, C] of uint8, or of uint16 where values have 16 bits.

    ext: extension of the file in each sample, as "depth.png".
    mode: "RGB", "L" (gray), "I;16" (16-bit gray), "RGBA", or "unchanged": whichever of these the file is.
    """

    ext: str
    mode: str = "RGB"

    def __post_init__(self) -> None:
        _text("ext", self.ext)
        _one_of("mode", self.mode, _MODES)

    def _core(self) -> CoreReading:
        return ("image", self.mode, "", "")


@dataclass(frozen=True)
class Mask:
    """The values that a gray or palette file stores, not scaled and not as colours: [H, W].

    ext: extension of the file in each sample, as "seg.png".
    dtype: "uint8", or "int32", which holds values of 16 bits too.
    """

    ext: str
    dtype: str = "uint8"

    def __post_init__(self) -> None:
        _text("ext", self.ext)
        _one_of("dtype", self.dtype, _MASK_TYPES)

    def _core(self) -> CoreReading:
        return ("image", self.dtype, "", "")


@dataclass(frozen=True)
class Boxes:
    """Boxes of a json field: float32 [N, 4], left, top, right and bottom of each.

    ext: extension of the json file in each sample.
    path: names, places in lists and * (every element), joined by dots: "annotations.*.bbox".
    format: what the file has: "xyxy", "xywh" (left, top, width, height) or "cxcywh" (the centre first).
    labels: path to a whole number for each box, which the field <name>_labels has: int64 [N].
    """

    ext: str
    path: str
    format: str = "xyxy"
    labels: str | None = None

    def __post_init__(self) -> None:
        _text("ext", self.ext)
        _text("path", self.path)
        _one_of("format", self.format, _BOX_FORMATS)
        if self.labels is not None and (not isinstance(self.labels, str) or not self.labels):
            raise InvalidError(f"labels must be a path or None, got {self.labels!r}")

    def _core(self) -> CoreReading:
        return ("boxes", self.format, self.path, self.labels or "")


@dataclass(frozen=True)
class Keypoints:
    """Key points of a json field: float32 [N, 2], x and y of each. A third number of each, COCO's visibility, is
    left out.

    ext: extension of the json file in each sample.
    path: as that of Boxes: "annotations.*.keypoints".
    """

    ext: str
    path: str

    def __post_init__(self) -> None:
        _text("ext", self.ext)
        _text("path", self.path)

    def _core(self) -> CoreReading:
        return ("keypoints", "", self.path, "")


Reading = Image | Mask | Boxes | Keypoints

#: What a field may be chosen by.
FieldChoice = Mapping[str, str | Reading]


def field_choice(fields: FieldChoice | None) -> tuple[dict[str, str], dict[str, Reading]]:
    """{name: extension} as the core takes it, empty without a choice, and how some of them are read."""
    if fields is not None and (not isinstance(fields, Mapping) or not fields):
        raise InvalidError(f"fields must be {{name: extension}} or None, got {fields!r}")
    extensions: dict[str, str] = {}
    readings: dict[str, Reading] = {}
    for name, choice in (fields or {}).items():
        if isinstance(choice, Reading):
            readings[str(name)] = choice
        extension: Any = choice.ext if isinstance(choice, Reading) else choice
        extensions[str(name)] = str(extension).removeprefix(".")
    return extensions, readings
