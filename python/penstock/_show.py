"""What batches and data sets look like: their images on a contact sheet."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._compose import Compose
from ._operations import Transform
from ._sheet import Cell, as_bytes, sheet
from .errors import InvalidError
from .views import Views

if TYPE_CHECKING:
    from PIL import Image as PilImage

    from .batch import Batch
    from .dataset import Dataset

Numbers = Sequence[float]


def _array(value: Any) -> np.ndarray[Any, Any]:
    if hasattr(value, "untyped_storage"):
        value = value.detach().cpu()
        value = (value.float() if value.is_floating_point() else value).numpy()
    return np.from_dlpack(value) if hasattr(value, "__dlpack__") and not hasattr(value, "shape") else np.asarray(value)


def _rows(values: Any) -> Any:
    """The rows of a field: a list, or an array of numpy's whatever it is an array of."""
    return values if isinstance(values, list) else _array(values)


def _count(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InvalidError(f"{name} must be a positive integer, got {value!r}")
    return value


# --- batches ----------------------------------------------------------------------------------------------------------


def _channels_last(image: np.ndarray[Any, Any]) -> np.ndarray[Any, Any] | None:
    """An image [C, H, W] or [H, W, C] as the latter; None for what is none."""
    if image.ndim != 3 or image.dtype.kind not in "uf" or image.dtype.itemsize > 4 or not image.size:
        return None
    if image.shape[0] in (1, 3, 4):
        return np.moveaxis(image, 0, -1)
    return image if image.shape[2] in (1, 3, 4) else None


def _images(row: Any) -> list[np.ndarray[Any, Any]]:
    """The images that one row of a field has: one, or as many as a counted view; none where it holds others."""
    if isinstance(row, str | bytes | dict) or row is None:
        return []
    if isinstance(row, list | tuple):
        parts: list[Any] = list(row)
    else:
        array = _array(row)
        parts = list(array) if array.ndim == 4 else [array]
    images = [_channels_last(_array(part)) for part in parts]
    return [] if any(image is None for image in images) else images  # type: ignore[return-value]


def _part(values: Any, row: int, number: int, counted: bool) -> np.ndarray[Any, Any]:
    return _array(values[row][number] if counted else values[row])


class _Planes:
    """What lies in the plane of a batch's images: found by type and shape."""

    def __init__(self, batch: Batch, field: str) -> None:
        prefix = f"{field}." if any(name.startswith(f"{field}.") for name in batch) else ""
        names = [name for name in batch if name.startswith(prefix) and (prefix or "." not in name)]
        self._values = {name: _rows(batch[name]) for name in names if name not in (field, "key", "index", "label")}
        self._columns = batch._columns

    def add_to(self, cell: Cell, row: int, number: int, counted: bool) -> None:
        for name, values in self._values.items():
            try:
                value = _part(values, row, number, counted)
            except (TypeError, IndexError, KeyError, ValueError):
                continue
            if value.shape == cell.image.shape[:2] and value.dtype.kind in "iub":
                cell.mask = value
            elif value.ndim == 2 and value.shape[1] == 4 and value.dtype.kind == "f":
                cell.boxes = _corners(value, self._format_of(name))
                labels = self._values.get(f"{name}_labels")
                cell.labels = None if labels is None else _part(labels, row, number, counted).tolist()
            elif value.ndim in (2, 3) and value.shape[-1] == 2 and value.dtype.kind == "f":
                cell.points = value

    def _format_of(self, name: str) -> str:
        known = self._columns is not None and name in self._columns.core.columns
        return self._columns.core.box_format(name) if self._columns is not None and known else "xyxy"


def _corners(boxes: np.ndarray[Any, Any], kind: str) -> np.ndarray[Any, Any]:
    """Boxes of that format as left, top, right and bottom."""
    if kind == "xyxy":
        return boxes
    first, size = boxes[..., :2], boxes[..., 2:]
    first = first - size / 2 if kind == "cxcywh" else first
    return np.concatenate([first, first + size], axis=-1)


def _format_after(transforms: Iterable[Transform]) -> str:
    named = [
        operation.params["format"] for operation in transforms if operation.handle.name == "ConvertBoundingBoxFormat"
    ]
    return str(named[-1]) if named else "xyxy"


def _caption(batch: Batch, row: int, classes: Sequence[str] | None) -> str:
    if "label" in batch:
        label = np.asarray(_rows(batch["label"])[row])
        if label.ndim == 1 and label.size:  # mixed: the largest shares
            order = np.argsort(-label, kind="stable")[:2]
            return ", ".join(f"{_name(int(k), classes)} {label[k]:.2f}" for k in order if label[k] > 0)
        return _name(int(label), classes)
    return str(batch["key"][row]) if "key" in batch else ""


def _name(label: int, classes: Sequence[str] | None) -> str:
    return classes[label] if classes and 0 <= label < len(classes) else str(label)


def show_batch(
    batch: Batch,
    rows: int,
    columns: int | None,
    side: int,
    classes: Sequence[str] | None,
    mean: Numbers | None,
    std: Numbers | None,
) -> PilImage.Image:
    """A sheet of a batch's rows; where there are several views, those of a row beside each other."""
    _count("rows", rows)
    names = [name for name in batch if name not in ("key", "index", "label") and "." not in name]
    fields = {name: rows_ for name, rows_ in ((name, _rows(batch[name])) for name in names) if _holds_images(rows_)}
    if not fields:
        raise InvalidError(f"this batch has no images to show; it has {', '.join(batch)}")
    height = min(rows, len(next(iter(fields.values()))))
    lines: list[list[Cell]] = [[] for _ in range(height)]
    several = len(fields) > 1 or len(_images(next(iter(fields.values()))[0])) > 1
    for name, values in fields.items():
        planes = _Planes(batch, name)
        each = [_images(values[row]) for row in range(height)]
        shown = iter(as_bytes([image for images in each for image in images], mean, std))
        for row, images in enumerate(each):
            for number in range(len(images)):
                view = f"{name} {number}" if len(images) > 1 else name
                texts = ([_caption(batch, row, classes)] if not lines[row] else []) + ([view] if several else [])
                cell = Cell(next(shown), ": ".join(texts))
                planes.add_to(cell, row, number, len(images) > 1)
                lines[row].append(cell)
    return sheet(_folded(lines, columns), side)


def _holds_images(values: Any) -> bool:
    if isinstance(values, list):
        return bool(values) and bool(_images(values[0]))
    return values.ndim in (4, 5) and len(values) > 0 and bool(_images(values[0]))


def _folded(lines: list[list[Cell]], columns: int | None) -> list[list[Cell]]:
    """Rows of one cell each are laid out in columns."""
    if any(len(line) != 1 for line in lines):
        return lines
    cells = [line[0] for line in lines]
    width = _count("columns", columns) if columns is not None else min(8, math.ceil(math.sqrt(len(cells))))
    return [cells[begin : begin + width] for begin in range(0, len(cells), width)]


# --- data sets --------------------------------------------------------------------------------------------------------


def _chosen(dataset: Dataset, samples: int | Iterable[int]) -> list[int]:
    """A number of samples is spread over the data set, which may have one class after the other."""
    if isinstance(samples, int):
        count = min(_count("samples", samples), len(dataset))
        return [number * len(dataset) // count for number in range(count)]
    return [int(number) for number in samples]


def _lists(transforms: Any) -> list[tuple[str, Compose]]:
    if transforms is None:
        return []
    if isinstance(transforms, Views):
        return [(name, Compose(operations)) for name, (_, operations) in transforms.lists.items()]
    if isinstance(transforms, Mapping):
        raise InvalidError("show takes one list of transforms, or Views, got a list for each field")
    return [("", transforms if isinstance(transforms, Compose) else Compose(transforms))]


def show_dataset(
    dataset: Dataset,
    samples: int | Iterable[int],
    transforms: Iterable[Transform] | Views | None,
    draws: int,
    seed: int,
    columns: int | None,
    side: int,
    mean: Numbers | None,
    std: Numbers | None,
) -> PilImage.Image:
    """A sheet of samples; with transforms a row for each: the image itself, then what was drawn."""
    if dataset.fields.get("image") != "image":
        raise InvalidError(f"show needs a field called image; the fields are {dataset.fields}")
    found = dataset._core.planes
    planes = {
        kind: next((name for name, plane in found.items() if plane == kind), None)
        for kind in ("mask", "boxes", "keypoints")
    }
    lists = _lists(transforms)
    _count("draws", draws)
    lines = []
    for sample in _chosen(dataset, samples):
        values = dataset[sample]
        given = {kind: values[name] for kind, name in planes.items() if name is not None}
        if (labels := values.get(f"{planes['boxes']}_labels")) is not None:
            given["labels"] = labels
        caption = _name(int(values["label"]), dataset.classes) if "label" in values else dataset.key(sample)
        line = [_cell(values["image"], caption, given)]
        for number, (name, compose) in enumerate(lists):
            for draw in range(draws):
                address = (seed << 40) + (number << 32) + sample * draws + draw
                made = compose(values["image"], seed=address % (1 << 64), **given)
                made = made if isinstance(made, dict) else {"image": made}
                if "boxes" in made:
                    made["boxes"] = _corners(made["boxes"], _format_after(compose))
                line += [_cell(part["image"], f"{name} draw {draw}".strip(), part) for part in _parts(made)]
        lines.append(line)
    cells = [cell for line in lines for cell in line[1:]]
    for cell, pixels in zip(cells, as_bytes([cell.image for cell in cells], mean, std), strict=True):
        cell.image = pixels
    originals = [line[0] for line in lines]
    for cell, pixels in zip(originals, as_bytes([cell.image for cell in originals]), strict=True):
        cell.image = pixels
    return sheet(_folded(lines, columns), side)


def _parts(made: dict[str, Any]) -> list[dict[str, Any]]:
    """One for each of several images that were made of one."""
    if made["image"].ndim == 3:
        return [made]
    return [
        {name: value if name == "labels" else value[number] for name, value in made.items()}
        for number in range(len(made["image"]))
    ]


def _cell(image: np.ndarray[Any, Any], caption: str, planes: Mapping[str, Any]) -> Cell:
    labels = None if planes.get("labels") is None else [int(label) for label in planes["labels"]]
    return Cell(image, caption, planes.get("mask"), planes.get("boxes"), labels, planes.get("keypoints"))
