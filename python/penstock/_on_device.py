"""Operations of a list on a batch of images that lies on a device, by torch's own operations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._operations import Transform, refuse_what_is_no_list
from .errors import InvalidError

if TYPE_CHECKING:
    import torch

Drawn = Sequence[Mapping[str, Any]]  # what one operation drew for each row
Step = Callable[["torch.Tensor", Transform, Drawn], "torch.Tensor"]


class OnDevice:
    """What on_device() returns: a function of a batch's images and of what was drawn for them.

    It can be called from any thread, prints, and compares by its list.
    """

    def __init__(self, operations: Iterable[Transform]) -> None:
        refuse_what_is_no_list("on_device: transforms", operations)
        self.transforms = tuple(operations)
        for operation in self.transforms:
            if not isinstance(operation, Transform) or type(operation).__name__ not in (*STEPS, *MIXES):
                known = ", ".join([*STEPS, *MIXES])
                raise InvalidError(f"on_device: {operation!r} has no form for devices; those that have are {known}")

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
        if params is None or len(params) != len(images):
            raise InvalidError(f"params must be batch.params, a row for each of the {len(images)} images")
        rows = [_entries(row) for row in params]
        taken = [0] * len(rows)
        for operation in self.transforms:
            name = type(operation).__name__
            drawn = [_next(rows[row], taken, row, name) for row in range(len(rows))]
            if name in STEPS:
                images = STEPS[name](images, operation, drawn)
            elif len(images):
                images, labels = _mixed(images, labels, operation, drawn[0])
        return images if labels is None else (images, labels)


def on_device(transforms: Iterable[Transform]) -> OnDevice:
    """A list of colour operations, flips, ToFloat, Normalize, MixUp, CutMix, TimmMixup and OneHot as a function of a
    batch on its device: on_device(list)(images, batch.params), with what a loader drew. The work is done by torch's
    operations where the tensor lies. Bytes become what the engine makes of them; floats agree to about 1e-6. Tested on
    CPU tensors only: nobody has run it on a GPU."""
    return OnDevice(transforms)


def _entries(row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What the only list drew for a row, then what was drawn for the whole batch."""
    lists = [drawn for view, drawn in row.items() if view != "batch"]
    if len(lists) > 1 or any(not isinstance(entry, Mapping) for drawn in lists for entry in drawn):
        raise InvalidError(f"params has the views {list(row)}; pass {{'': drawn}} of one of them for each row")
    return [*(lists[0] if lists else []), *row.get("batch", [])]


def _next(entries: Sequence[Mapping[str, Any]], taken: list[int], row: int, name: str) -> Mapping[str, Any]:
    for number in range(taken[row], len(entries)):
        if entries[number].get("op") == name:
            taken[row] = number + 1
            return entries[number]
    raise InvalidError(f"params of row {row} have nothing that {name} drew; the loader's list must hold it")


def _column(images: torch.Tensor, values: Iterable[float]) -> torch.Tensor:
    """A number for each row, as float32, which is what Pillow takes."""
    import torch

    return torch.tensor(list(values), dtype=torch.float32, device=images.device).view(-1, 1, 1, 1)


def _bytes(images: torch.Tensor, operation: Transform) -> torch.Tensor:
    import torch

    if images.dtype != torch.uint8:
        raise InvalidError(f"on_device: {operation!r} takes bytes; put it before ToFloat and Normalize")
    return images


# --- flips and colours ------------------------------------------------------------------------------------------------


def _where_applied(images: torch.Tensor, drawn: Drawn, changed: torch.Tensor) -> torch.Tensor:
    import torch

    applied = torch.tensor([bool(each["apply"]) for each in drawn], device=images.device).view(-1, 1, 1, 1)
    return torch.where(applied, changed, images)


def _flip(images: torch.Tensor, operation: Transform, drawn: Drawn) -> torch.Tensor:
    return _where_applied(images, drawn, images.flip(3))


def _solarize(images: torch.Tensor, operation: Transform, drawn: Drawn) -> torch.Tensor:
    import torch

    values = _bytes(images, operation)
    inverted = torch.where(values < operation.params["threshold"], values, 255 - values)
    return _where_applied(images, drawn, inverted)


def _gray(images: torch.Tensor) -> torch.Tensor:
    import torch

    red, green, blue = images.to(torch.int32).unbind(1)
    return ((19595 * red + 38470 * green + 7471 * blue + 32768) >> 16).unsqueeze(1)


def _blend(first: torch.Tensor, second: torch.Tensor, factor: torch.Tensor) -> torch.Tensor:
    """Pillow's: a float32 after the multiplication and after the sum, then cut off."""
    import torch

    product = factor * (second.to(torch.float32) - first.to(torch.float32))
    return (first.to(torch.float32) + product).clamp(0, 255).to(torch.uint8)


def _brightness(images: torch.Tensor, factor: torch.Tensor) -> torch.Tensor:
    import torch

    return _blend(torch.zeros_like(images), images, factor)


def _contrast(images: torch.Tensor, factor: torch.Tensor) -> torch.Tensor:
    import torch

    gray = _gray(images) if images.shape[1] == 3 else images.to(torch.int32)
    count = gray.shape[2] * gray.shape[3]
    total = gray.sum(dim=(1, 2, 3), keepdim=True, dtype=torch.int64)
    return _blend((2 * total + count) // (2 * count), images, factor)


def _saturation(images: torch.Tensor, factor: torch.Tensor) -> torch.Tensor:
    return _blend(_gray(images), images, factor) if images.shape[1] == 3 else images


def _hue(images: torch.Tensor, shift: torch.Tensor) -> torch.Tensor:
    """RGB to HSV as Pillow computes it, the hue moved around the circle, and back in integers."""
    import torch

    if images.shape[1] != 3:
        return images
    red, green, blue = images.to(torch.int32).unbind(1)
    value = torch.maximum(torch.maximum(red, green), blue)
    chroma = value - torch.minimum(torch.minimum(red, green), blue)
    safe = chroma.clamp(min=1).to(torch.float32)
    reds, greens, blues = ((value - each).to(torch.float32) / safe for each in (red, green, blue))
    r, g, b = (part.to(torch.float64) for part in (reds, greens, blues))
    turn = torch.where(green == value, 2 + r - b, 4 + g - r)
    turn = torch.where(red == value, (blues - greens).to(torch.float64), turn)
    turn = torch.fmod(turn.to(torch.float32).to(torch.float64) / 6.0 + 1.0, 1.0).to(torch.float32)
    hue = (turn.to(torch.float64) * 255.0).to(torch.int32).clamp(0, 255)
    hue = torch.where(chroma == 0, 0, hue)
    saturation = 255 * chroma // value.clamp(min=1)
    steps = (shift.view(-1, 1, 1).to(torch.float64) * 255.0).to(torch.int32)  # cut off towards zero
    hue = (hue + steps) % 256
    sector, rest = 6 * hue // 255, 6 * hue % 255

    def over(number: torch.Tensor, divisor: int) -> torch.Tensor:
        return (2 * number + divisor) // (2 * divisor)  # halves are rounded up

    low = over(value * (255 - saturation), 255)
    falling = over(value.to(torch.int64) * (65025 - saturation * rest), 65025).to(torch.int32)
    rising = over(value.to(torch.int64) * (65025 - saturation * (255 - rest)), 65025).to(torch.int32)
    orders = [
        (value, rising, low),
        (falling, value, low),
        (low, value, rising),
        (low, falling, value),
        (rising, low, value),
        (value, low, falling),
    ]
    channels = []
    for channel in range(3):
        chosen = value
        for number, order in enumerate(orders):
            chosen = torch.where(sector % 6 == number, order[channel], chosen)
        channels.append(torch.where(saturation == 0, value, chosen))
    return torch.stack(channels, 1).to(torch.uint8)


_PARTS: tuple[tuple[str, Callable[[Any, Any], Any]], ...] = (
    ("brightness", _brightness),
    ("contrast", _contrast),
    ("saturation", _saturation),
    ("hue", _hue),
)


def _jitter(images: torch.Tensor, operation: Transform, drawn: Drawn) -> torch.Tensor:
    """Rows with one order of the parts are done together."""
    images = _bytes(images, operation).clone()
    taken = [name for name, _ in _PARTS if _has_range(operation.params[name], 0.0 if name == "hue" else 1.0)]
    groups: dict[tuple[int, ...], list[int]] = {}
    for row, each in enumerate(drawn):
        groups.setdefault(tuple(each["order"]), []).append(row)
    for order, rows in groups.items():
        part = images[rows]
        for number in order:
            name, change = _PARTS[number]
            if name in taken:
                part = change(part, _column(images, (drawn[row][name] for row in rows)))
        images[rows] = part
    return images


def _has_range(given: Any, center: float) -> bool:
    """Whether ColorJitter takes this part at all."""
    if given is None:
        return False
    numbers = list(given) if isinstance(given, Sequence) else [given]
    return numbers != [0] if len(numbers) == 1 else numbers != [center, center]


# --- values and mixes -------------------------------------------------------------------------------------------------


def _to_float(images: torch.Tensor, operation: Transform, drawn: Drawn) -> torch.Tensor:
    import torch

    return _bytes(images, operation).to(torch.float32) / 255


def _normalize(images: torch.Tensor, operation: Transform, drawn: Drawn) -> torch.Tensor:
    import torch

    if not images.is_floating_point():
        images = images.to(torch.float32) / 255
    mean, std = (
        torch.as_tensor(operation.params[name], dtype=torch.float32, device=images.device).view(-1, 1, 1)
        for name in ("mean", "std")
    )
    return (images - mean) / std


def _mixed(images: torch.Tensor, labels: Any, operation: Transform, drawn: Mapping[str, Any]) -> tuple[Any, Any]:
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
    share, rest = _column(images, lam), _column(images, (1.0 - each for each in lam))
    before = images[partners]
    if boxes:
        inside = _inside(images, [boxes[4 * unit : 4 * unit + 4] for unit in units])
        images = torch.where(inside, before, images)
    if not all(cuts):
        mixed = before * rest + images * share
        if not images.is_floating_point():
            mixed = mixed.round().to(images.dtype)
        kept = _column(images, (float(cuts[unit] or lam[row] == 1) for row, unit in enumerate(units)))
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


STEPS: dict[str, Step] = {
    "RandomHorizontalFlip": _flip,
    "ColorJitter": _jitter,
    "RandomSolarize": _solarize,
    "ToFloat": _to_float,
    "Normalize": _normalize,
}
MIXES = ("MixUp", "CutMix", "TimmMixup", "OneHot")
