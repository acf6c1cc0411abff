"""Operations of a list on a batch of images that lies on a device, by torch's own operations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._compose import at_end_for_batches
from ._device_colors import COLORS, Drawn, Step, bytes_of, column
from ._operations import Transform, flat, refuse_what_is_no_list
from .errors import InvalidError

if TYPE_CHECKING:
    import torch


class OnDevice:
    """What on_device() returns: a function of a batch's images and of what was drawn for them.

    It can be called from any thread, prints, and compares by its list.
    """

    def __init__(self, operations: Iterable[Transform]) -> None:
        refuse_what_is_no_list("on_device: transforms", operations)
        self.transforms = tuple(flat(operations))
        for operation in self.transforms:
            _refuse_what_has_no_form(operation)

    def __repr__(self) -> str:
        return f"on_device({list(self.transforms)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OnDevice) and self.transforms == other.transforms

    def __hash__(self) -> int:
        return hash(self.transforms)

    def __call__(self, images: Any, params: Sequence[Mapping[str, Any]] | None, labels: Any = None) -> Any:
        """The images [B, C, H, W] after the list, or (images, labels) where labels are given, which operations on
        whole batches make one-hot.

        params: batch.params, in which the operations of this list are found by their names, in their order. Others
        in it, that the loader did, are passed over.
        """
        import torch

        if not isinstance(images, torch.Tensor) or images.ndim != 4:
            raise InvalidError("on_device takes a tensor of images, [B, C, H, W]")
        if images.shape[1] not in (1, 3):
            raise InvalidError(f"on_device takes images of 1 or 3 channels, got {images.shape[1]}")
        if params is None or len(params) != len(images):
            raise InvalidError(f"params must be batch.params, a row for each of the {len(images)} images")
        rows = [_entries(row) for row in params]
        of_batch = params[0].get("batch", []) if len(params) else []
        taken, taken_of_batch = [0] * len(rows), [0]
        for operation in self.transforms if len(images) else ():
            name = type(operation).__name__
            if _is_mix(operation):
                images, labels = _mixed(images, labels, operation, _next(of_batch, taken_of_batch, 0, name))
            else:
                drawn = [_next(rows[row], taken, row, name) for row in range(len(rows))]
                images = STEPS[name](images, operation, drawn)
        return images if labels is None else (images, labels)


def on_device(transforms: Iterable[Transform]) -> OnDevice:
    """A list of flips, colours, ToFloat, Normalize, MixUp, CutMix, TimmMixup and OneHot, and of RandomApply,
    RandomChoice, RandomOrder and Sequential of these, as a function of a batch on its device: on_device(list)(images,
    batch.params), with what a loader drew. The work is done by torch's operations where the tensor lies. Bytes become
    what the engine makes of them; floats agree to about 1e-6. Blurs, sharpness, jitter in HSV and YIQ, noise, erasing,
    policies and all other geometry have no such form: the loader does them. Tested on CPU tensors only: nobody has run
    it on a GPU."""
    return OnDevice(transforms)


def _is_mix(operation: Transform) -> bool:
    """Whether it works on whole batches: what holds others holds such alone, or none."""
    held = operation.params.get("transforms", ())
    return type(operation).__name__ in MIXES or (len(held) > 0 and _is_mix(held[0]))


def _refuse_what_has_no_form(operation: Any) -> None:
    known = (*STEPS, *MIXES)
    if not isinstance(operation, Transform) or type(operation).__name__ not in known:
        raise InvalidError(f"on_device: {operation!r} has no form for devices; those that have are {', '.join(known)}")
    for held in operation.params.get("transforms", ()):
        _refuse_what_has_no_form(held)


def _entries(row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What the only list drew for a row."""
    lists = [drawn for view, drawn in row.items() if view != "batch"]
    if len(lists) > 1 or any(not isinstance(entry, Mapping) for drawn in lists for entry in drawn):
        raise InvalidError(f"params has the views {list(row)}; pass {{'': drawn}} of one of them for each row")
    return list(lists[0]) if lists else []


def _next(entries: Sequence[Mapping[str, Any]], taken: list[int], row: int, name: str) -> Mapping[str, Any]:
    for number in range(taken[row], len(entries)):
        if entries[number].get("op") == name:
            taken[row] = number + 1
            return entries[number]
    raise InvalidError(f"params of row {row} have nothing that {name} drew; the loader's list must hold it")


# --- values and mixes -------------------------------------------------------------------------------------------------


def _to_float(images: torch.Tensor, operation: Transform, drawn: Drawn) -> torch.Tensor:
    import torch

    return bytes_of(images, operation).to(torch.float32) / 255


def _normalize(images: torch.Tensor, operation: Transform, drawn: Drawn) -> torch.Tensor:
    import torch

    if not images.is_floating_point():
        images = images.to(torch.float32) / 255
    for name in ("mean", "std"):
        count = len(operation.params[name])
        if images.shape[1] == 1 and count != 1:
            raise InvalidError(f"Normalize: {name} has {count} numbers, the images one channel; pass one number")
    mean, std = (
        torch.as_tensor(operation.params[name], dtype=torch.float32, device=images.device).view(-1, 1, 1)
        for name in ("mean", "std")
    )
    return (images - mean) / std


def _mixed(images: torch.Tensor, labels: Any, operation: Transform, drawn: Mapping[str, Any]) -> tuple[Any, Any]:
    """The batch after an operation on whole batches, or after those that it chose of what it holds."""
    if type(operation).__name__ in MIXES:
        return _mixed_once(images, labels, operation, drawn)
    _, classes = at_end_for_batches([operation])
    if labels is not None and classes:
        labels = _smoothed(labels, classes, 0.0)
    for number, own in zip(drawn["chosen"], drawn["transforms"], strict=True):
        images, labels = _mixed(images, labels, operation.params["transforms"][number], own)
    return images, labels


def _mixed_once(images: torch.Tensor, labels: Any, operation: Transform, drawn: Mapping[str, Any]) -> tuple[Any, Any]:
    """Each row with the one that it is paired with, as it was drawn for the batch, for pairs or for rows."""
    import torch

    params, rows = operation.params, len(images)
    if labels is not None:
        labels = _smoothed(labels, params["num_classes"], params["label_smoothing"])
    if type(operation).__name__ == "OneHot":
        return images, labels
    mirrors = params.get("pairing", "mirror") == "mirror"
    if mirrors and rows < 2:
        return images, labels
    places = torch.arange(rows, device=images.device)
    partners = places.flip(0) if mirrors else places.roll(1)
    shares, boxes = _numbers(drawn["lam"]), _numbers(drawn.get("box", []))
    cuts = _numbers(drawn.get("cutmix", [int(bool(boxes))] * len(shares)))
    units = [_unit(params["mode"], row, rows) for row in range(rows)]
    alone = rows // 2 if rows % 2 and mirrors else None  # its own mirror
    lam = [1.0 if row == alone else shares[unit] for row, unit in enumerate(units)]
    share, rest = column(images, lam), column(images, (1.0 - each for each in lam))
    before = images[partners]
    if boxes:
        inside = _inside(images, [boxes[4 * unit : 4 * unit + 4] for unit in units])
        images = torch.where(inside, before, images)
    if not all(cuts):
        mixed = before * rest + images * share
        if not images.is_floating_point():
            mixed = mixed.round().to(images.dtype)
        kept = column(images, (float(cuts[unit] or lam[row] == 1) for row, unit in enumerate(units)))
        images = torch.where(kept == 1, images, mixed)
    if labels is not None:
        labels = labels[partners] * rest.view(-1, 1) + labels * share.view(-1, 1)
    return images, labels


def _unit(mode: str, row: int, rows: int) -> int:
    """Which of the draws of a batch is for a row."""
    if mode == "batch":
        return 0
    return row if mode == "elem" else min(row, rows - 1 - row) % (rows // 2)


def _numbers(given: Any) -> list[Any]:
    return list(given) if isinstance(given, Sequence) else [given]


def _smoothed(labels: torch.Tensor, classes: int, smoothing: float) -> torch.Tensor:
    """One-hot labels, of which all classes are given a share alike."""
    import torch

    if not labels.is_floating_point():
        labels = torch.nn.functional.one_hot(labels, classes).to(torch.float32)
    if smoothing == 0:
        return labels
    off = torch.tensor(smoothing / classes, dtype=torch.float32)
    on = torch.tensor(1.0 - smoothing + smoothing / classes, dtype=torch.float32)
    return torch.where(labels == 1, on.to(labels.device), off.to(labels.device) + labels * (on - off).to(labels.device))


def _inside(images: torch.Tensor, boxes: Sequence[Sequence[int]]) -> torch.Tensor:
    """Which pixels lie in the box of each row: left, top, right, bottom."""
    import torch

    left, top, right, bottom = torch.tensor(boxes, device=images.device).view(-1, 4, 1, 1, 1).unbind(1)
    y = torch.arange(images.shape[2], device=images.device).view(1, 1, -1, 1)
    x = torch.arange(images.shape[3], device=images.device).view(1, 1, 1, -1)
    return (left <= x) & (x < right) & (top <= y) & (y < bottom)


def _of_held(images: torch.Tensor, operation: Transform, drawn: Drawn) -> torch.Tensor:
    """Rows of which the same operations were chosen are done together."""
    import torch

    groups: dict[tuple[int, ...], list[int]] = {}
    for row, each in enumerate(drawn):
        groups.setdefault(tuple(each["chosen"]), []).append(row)
    parts = []
    for chosen, rows in groups.items():
        part = images[rows]
        for place, number in enumerate(chosen):
            held = operation.params["transforms"][number]
            part = STEPS[type(held).__name__](part, held, [drawn[row]["transforms"][place] for row in rows])
        parts.append(part)
    places = torch.tensor([row for rows in groups.values() for row in rows], device=images.device)
    return torch.cat(parts)[places.argsort()]


STEPS: dict[str, Step] = {
    **COLORS,
    "ToFloat": _to_float,
    "Normalize": _normalize,
    "RandomApply": _of_held,
    "RandomChoice": _of_held,
    "RandomOrder": _of_held,
    "Sequential": _of_held,
}
MIXES = ("MixUp", "CutMix", "TimmMixup", "OneHot")
