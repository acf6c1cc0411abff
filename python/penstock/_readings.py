"""How chosen fields are read: what stands in `fields` in place of an extension."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .errors import InvalidError

_MODES = ("RGB", "L", "I;16", "RGBA", "unchanged")
_MASK_TYPES = ("uint8", "int32")
_BOX_FORMATS = ("xyxy", "xywh", "cxcywh")

#: Kind, mode or type or format or "visibility", path, path of labels: what the core takes.
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
    """The values that a gray or palette file stores, not scaled and not as colours: [H, W]. Geometry of a loader's list
    moves it with the image.

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
    """Boxes of a json field: float32 [N, 4], left, top, right and bottom of each. Geometry of a loader's list moves
    them with the image, and cuts them off at its edges.

    ext: extension of the json file in each sample.
    path: names, places in lists and * (every element), joined by dots: "annotations.*.bbox".
    format: what the file has: "xyxy", "xywh" (left, top, width, height) or "cxcywh" (the centre first).
    labels: path to an integer for each box, which the field <name>_labels has: int64 [N].
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
    """Key points of a json field: float32 [N, 2], x and y of each. Geometry of a loader's list moves them with the
    image.

    A list of two numbers is one point. Any other list of numbers is COCO's: x, y and visibility of one point after the
    other, so that six numbers are two points, never three. Lists may stand in lists.

    ext: extension of the json file in each sample.
    path: as that of Boxes: "annotations.*.keypoints".
    visibility: whether the field <name>_visibility has the third number of each, COCO's visibility (0 not labelled, 1
    hidden, 2 seen), as the file has it: int64 [N].
    """

    ext: str
    path: str
    visibility: bool = False

    def __post_init__(self) -> None:
        _text("ext", self.ext)
        _text("path", self.path)
        if not isinstance(self.visibility, bool):
            raise InvalidError(f"visibility must be True or False, got {self.visibility!r}")

    def _core(self) -> CoreReading:
        return ("keypoints", "visibility" if self.visibility else "", self.path, "")


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
        elif not isinstance(choice, str):
            raise InvalidError(f"fields[{name!r}] must be an extension, or how it is read: {_example(choice)}")
        extension = choice.ext if isinstance(choice, Reading) else choice
        extensions[str(name)] = extension.removeprefix(".")
    return extensions, readings


def _example(choice: object) -> str:
    """What to write in place of something that is neither."""
    examples = {
        Image: 'penstock.Image("depth.png", mode="I;16")',
        Mask: 'penstock.Mask("seg.png")',
        Boxes: 'penstock.Boxes("json", "annotations.*.bbox")',
        Keypoints: 'penstock.Keypoints("json", "annotations.*.keypoints")',
    }
    for kind, example in examples.items():
        if choice is kind:
            return f"{example}, got the class {kind.__name__} itself"
    return f"{examples[Mask]}, got {choice!r}"
