"""What batches and data sets look like: their images on a contact sheet."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._lists import Transforms
from ._sheet import Cell, as_bytes, sheet
from .errors import InvalidError
from .loader import Loader
from .samplers import Indices
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
    if isinstance(value, bool) or not hasattr(value, "__index__") or operator.index(value) < 1:
        raise InvalidError(f"{name} must be a positive integer, got {value!r}")
    return operator.index(value)


# --- batches ----------------------------------------------------------------------------------------------------------


def _channels_last(image: np.ndarray[Any, Any]) -> np.ndarray[Any, Any] | None:
    """An image [C, H, W] or [H, W, C] as the latter; None for what is none."""
    if image.ndim != 3 or image.dtype.kind not in "uf" or image.dtype.itemsize > 4 or not image.size:
        return None
    answers = image.dtype.kind == "f" and image.shape[0] in (2, 5) and min(image.shape[1:]) > 5  # of cells: no colours
    if image.shape[0] in (1, 3, 4) or answers:
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
    """What lies in the plane of a batch's images: which of these columns, by type and shape."""

    def __init__(self, batch: Batch, names: Iterable[str]) -> None:
        self._values = {name: _rows(batch[name]) for name in names}
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


def _beside(batch: Batch, field: str) -> list[str]:
    """The columns that may lie in the plane of this one."""
    prefix = f"{field}." if any(name.startswith(f"{field}.") for name in batch) else ""
    names = [name for name in batch if name.startswith(prefix) and (prefix or "." not in name)]
    return [name for name in names if name not in (field, "key", "index", "label")]


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
    images_of_row = max((len(_images(values[0])) for values in fields.values()), default=0)
    fields = {name: values for name, values in fields.items() if not _are_boxes(values[0], images_of_row)}
    if not fields:
        raise InvalidError(f"this batch has no images to show; it has {', '.join(batch)}")
    height = min(rows, len(next(iter(fields.values()))))
    lines: list[list[Cell]] = [[] for _ in range(height)]
    several = len(fields) > 1 or len(_images(next(iter(fields.values()))[0])) > 1
    for name, values in fields.items():
        planes = _Planes(batch, _beside(batch, name))
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


def _are_boxes(row: Any, images: int) -> bool:
    """Whether a row has boxes [N, 4] for each of several images, which look like an image of four channels."""
    if images < 2 or isinstance(row, list | tuple):
        return False
    array = _array(row)
    return array.ndim == 3 and array.shape[::2] == (images, 4) and array.dtype.kind == "f"


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
    if not isinstance(samples, Iterable):
        count = min(_count("samples", samples), len(dataset))
        numbers = [number * len(dataset) // count for number in range(count)]
    else:
        try:
            numbers = [dataset._number(number) for number in samples]
        except TypeError:
            raise InvalidError(f"samples must be a count or a list of sample numbers, got {samples!r}") from None
    if not numbers:
        raise InvalidError("there are no samples to show")
    return numbers


def show_dataset(
    dataset: Dataset,
    samples: int | Iterable[int],
    transforms: Transforms | None,
    draws: int | None,
    seed: int,
    columns: int | None,
    side: int,
    mean: Numbers | None,
    std: Numbers | None,
) -> PilImage.Image:
    """A sheet of samples; with transforms a row for each: the image itself, then what was drawn."""
    field = _shown_field(dataset, transforms)
    found = dataset._core.planes
    planes = {
        kind: next((name for name, plane in found.items() if plane == kind), None)
        for kind in ("mask", "boxes", "keypoints")
    }
    if draws is not None and transforms is None:
        raise InvalidError("draws are those of transforms: pass transforms too, or leave draws out")
    draws = 4 if draws is None else _count("draws", draws)
    chosen = _chosen(dataset, samples)
    originals = [_original(dataset, field, sample, planes) for sample in chosen]
    lines: list[list[Cell]] = [[] for _ in chosen]
    if transforms is not None:
        beside = [name for name in planes.values() if name is not None]
        lines = _draw(dataset, field, chosen, transforms, draws, seed, [*beside, f"{planes['boxes']}_labels"])
    for cells, numbers in (([cell for line in lines for cell in line], (mean, std)), (originals, (None, None))):
        for cell, pixels in zip(cells, as_bytes([cell.image for cell in cells], *numbers), strict=True):
            cell.image = pixels
    return sheet(_folded([[first, *line] for first, line in zip(originals, lines, strict=True)], columns), side)


def _shown_field(dataset: Dataset, transforms: Transforms | None) -> str:
    """The images that are shown: those called image, or the only ones, or those that the transforms are for."""
    images = [name for name, kind in dataset.fields.items() if kind == "image"]
    if isinstance(transforms, Mapping):
        if len(transforms) != 1:
            raise InvalidError(f"show takes one list of transforms, or Views, got lists for {list(transforms)}")
        chosen = list(transforms)
    else:
        chosen = ["image"] if "image" in images else images
    if len(chosen) != 1 or chosen[0] not in images:
        raise InvalidError(
            "show needs a field called image, a single field of images, or transforms={field: list} that says which; "
            f"the fields are {dataset.fields}"
        )
    return str(chosen[0])


def _original(dataset: Dataset, field: str, sample: int, planes: Mapping[str, str | None]) -> Cell:
    values = dataset[sample]
    mask, boxes, keypoints = (None if (name := planes[kind]) is None else values[name] for kind in planes)
    labels = values.get(f"{planes['boxes']}_labels")
    caption = _name(int(values["label"]), dataset.classes) if "label" in values else dataset.key(sample)
    return Cell(values[field], caption, mask, boxes, None if labels is None else labels.tolist(), keypoints)


def _draw(
    dataset: Dataset,
    field: str,
    chosen: Sequence[int],
    transforms: Transforms,
    draws: int,
    seed: int,
    beside: Sequence[str],
) -> list[list[Cell]]:
    """What a loader makes of each sample in as many epochs, one view after the other."""
    views = list(transforms.lists) if isinstance(transforms, Views) else [""]
    lines: list[dict[str, list[Cell]]] = [{view: [] for view in views} for _ in chosen]
    with Loader(
        dataset,
        transforms=transforms,
        batch_size=len(chosen),
        sampler=Indices(chosen),
        seed=seed,
        num_workers=0,
        prefetch=0,
        shard_rank=0,
        shard_world_size=1,
        output="numpy",
        memory_format="channels_last",
    ) as loader:
        loader._warned_of.update(f"field {name}" for name in dataset.fields)  # the data set has told
        for draw in range(draws):
            loader.set_epoch(draw)
            (batch,) = loader
            for view in views:
                values = batch[view or field]
                names = [f"{view}.{name}" if view else name for name in beside]
                planes = _Planes(batch, [name for name in names if name in batch])
                for row, line in enumerate(lines):
                    line[view] += _cells(values[row], view, draw, planes, row)
    return [[cell for cells in line.values() for cell in cells] for line in lines]


def _cells(value: Any, view: str, draw: int, planes: _Planes, row: int) -> list[Cell]:
    """One of an image, several of a counted view or of what makes several images of one."""
    counted = isinstance(value, list) or value.ndim == 4
    cells = []
    for number, image in enumerate(value if counted else [value]):
        if image.ndim not in (2, 3) or image.dtype.kind not in "buif":
            raise InvalidError(f"show draws images, and these transforms make {image.dtype} {image.shape} of them")
        cell = Cell(image, " ".join([*filter(None, [view]), *([str(number)] if counted else []), f"draw {draw}"]))
        planes.add_to(cell, row, number, counted)
        cells.append(cell)
    return cells
