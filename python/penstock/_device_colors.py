"""Flips and colours of a batch of images by torch's operations, with what was drawn for each row: the values that the
engine makes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._operations import Transform
from .errors import InvalidError

if TYPE_CHECKING:
    import torch

Drawn = Sequence[Mapping[str, Any]]  # what one operation drew for each row
Step = Callable[["torch.Tensor", Transform, Drawn], "torch.Tensor"]


def column(images: torch.Tensor, values: Iterable[float]) -> torch.Tensor:
    """A number for each row, as float32, which is what Pillow takes."""
    import torch

    return torch.tensor(list(values), dtype=torch.float32, device=images.device).view(-1, 1, 1, 1)


def bytes_of(images: torch.Tensor, operation: Transform) -> torch.Tensor:
    import torch

    if images.dtype != torch.uint8:
        raise InvalidError(f"on_device: {operation!r} takes bytes; put it before ToFloat and Normalize")
    return images


def _where_applied(images: torch.Tensor, drawn: Drawn, changed: torch.Tensor) -> torch.Tensor:
    return _where([each["apply"] for each in drawn], changed, images)


def _where(applied: Iterable[Any], changed: torch.Tensor, images: torch.Tensor) -> torch.Tensor:
    import torch

    rows = torch.tensor([bool(each) for each in applied], device=images.device)
    return torch.where(rows.view(-1, 1, 1, 1), changed, images)


def _mirrored(images: torch.Tensor, operation: Transform, drawn: Drawn) -> torch.Tensor:
    return _where_applied(images, drawn, images.flip(3))


def _flipped(images: torch.Tensor, operation: Transform, drawn: Drawn) -> torch.Tensor:
    return _where_applied(images, drawn, images.flip(2))


def _inverted(images: torch.Tensor, operation: Transform, drawn: Drawn) -> torch.Tensor:
    return _where_applied(images, drawn, 255 - bytes_of(images, operation))


def _posterized(images: torch.Tensor, operation: Transform, drawn: Drawn) -> torch.Tensor:
    return _where_applied(images, drawn, bytes_of(images, operation) & (256 - (1 << (8 - operation.params["bits"]))))


def _solarize(images: torch.Tensor, operation: Transform, drawn: Drawn) -> torch.Tensor:
    import torch

    values = bytes_of(images, operation)
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
    images = bytes_of(images, operation).clone()
    taken = [name for name, _ in _PARTS if _has_range(operation.params[name], 0.0 if name == "hue" else 1.0)]
    groups: dict[tuple[int, ...], list[int]] = {}
    for row, each in enumerate(drawn):
        groups.setdefault(tuple(each["order"]), []).append(row)
    for order, rows in groups.items():
        part = images[rows]
        for number in order:
            name, change = _PARTS[number]
            if name in taken:
                part = change(part, column(images, (drawn[row][name] for row in rows)))
        images[rows] = part
    return images


def _has_range(given: Any, center: float) -> bool:
    """Whether ColorJitter takes this part at all."""
    if given is None:
        return False
    numbers = list(given) if isinstance(given, Sequence) else [given]
    return numbers != [0] if len(numbers) == 1 else numbers != [center, center]


def _factor_step(change: Callable[[Any, Any], Any]) -> Step:
    def step(images: torch.Tensor, operation: Transform, drawn: Drawn) -> torch.Tensor:
        factors = column(images, (each["factor"] for each in drawn))
        return _where_applied(images, drawn, change(bytes_of(images, operation), factors))

    return step


def _distorted(images: torch.Tensor, operation: Transform, drawn: Drawn) -> torch.Tensor:
    images = bytes_of(images, operation)

    def part(name: str, applied: Sequence[Any]) -> torch.Tensor:
        changed = dict(_PARTS)[name](images, column(images, (each[name] for each in drawn)))
        return _where(applied, changed, images)

    contrast = [each["apply_contrast"] for each in drawn]
    before = [each["contrast_before"] for each in drawn]
    images = part("brightness", [each["apply_brightness"] for each in drawn])
    images = part("contrast", [applied and first for applied, first in zip(contrast, before, strict=True)])
    images = part("saturation", [each["apply_saturation"] for each in drawn])
    images = part("hue", [each["apply_hue"] for each in drawn])
    images = part("contrast", [applied and not first for applied, first in zip(contrast, before, strict=True)])
    return _where([each["permute"] for each in drawn], _permuted(images, operation, drawn), images)


def _permuted(images: torch.Tensor, operation: Transform, drawn: Drawn) -> torch.Tensor:
    import torch

    orders = torch.tensor([list(each["permutation"]) for each in drawn], device=images.device)
    rows = torch.arange(len(images), device=images.device).unsqueeze(1)
    return bytes_of(images, operation)[rows, orders]


def _grayscale(images: torch.Tensor, operation: Transform, drawn: Drawn) -> torch.Tensor:
    import torch

    images = bytes_of(images, operation)
    gray = _gray(images).to(torch.uint8) if images.shape[1] == 3 else images
    return gray.repeat(1, operation.params["num_output_channels"], 1, 1)


def _random_grayscale(images: torch.Tensor, operation: Transform, drawn: Drawn) -> torch.Tensor:
    import torch

    if bytes_of(images, operation).shape[1] == 1:
        return images
    return _where_applied(images, drawn, _gray(images).to(torch.uint8).expand_as(images))


# --- tables -----------------------------------------------------------------------------------------------------------


def _looked_up(images: torch.Tensor, tables: torch.Tensor) -> torch.Tensor:
    """Each value by the table of its row and channel, [B, C, 256]."""
    import torch

    found = tables.expand(-1, images.shape[1], -1).gather(2, images.flatten(2).to(torch.int64))
    return found.view(images.shape).to(torch.uint8)


def _gamma(images: torch.Tensor, operation: Transform, drawn: Drawn) -> torch.Tensor:
    import torch

    gain = 255.999 * operation.params["gain"]
    rows = [[int(min(gain * (value / 255.0) ** each["gamma"], 255)) for value in range(256)] for each in drawn]
    tables = torch.tensor(rows, device=images.device).view(-1, 1, 256)
    return _looked_up(bytes_of(images, operation), tables)


def _autocontrast(images: torch.Tensor, operation: Transform, drawn: Drawn) -> torch.Tensor:
    import torch

    values = bytes_of(images, operation).flatten(2)
    low, high = (each.to(torch.float64).unsqueeze(2) for each in (values.amin(2), values.amax(2)))
    scale = torch.full_like(low, 255.0) / (high - low).clamp(min=1)  # 255.0 / tensor rounds twice
    places = torch.arange(256, device=images.device, dtype=torch.float64)
    tables = (places * scale + -low * scale).clamp(0, 255).to(torch.int64)
    tables = torch.where(high > low, tables, places.to(torch.int64))
    return _where_applied(images, drawn, _looked_up(images, tables))


def _equalized(images: torch.Tensor, operation: Transform, drawn: Drawn) -> torch.Tensor:
    import torch

    values = bytes_of(images, operation).flatten(2).to(torch.int64)
    counts = torch.zeros(*values.shape[:2], 256, dtype=torch.int64, device=images.device)
    counts.scatter_add_(2, values, torch.ones_like(values))
    last = counts.gather(2, values.amax(2, keepdim=True))
    step = (values.shape[2] - last) // 255
    tables = ((step // 2 + counts.cumsum(2) - counts) // step.clamp(min=1)).clamp(max=255)
    tables = torch.where(step > 0, tables, torch.arange(256, device=images.device))
    return _where_applied(images, drawn, _looked_up(images, tables))


#: By the names of operations on bytes; flips take floats too.
COLORS: dict[str, Step] = {
    "RandomHorizontalFlip": _mirrored,
    "RandomVerticalFlip": _flipped,
    "ColorJitter": _jitter,
    "RandomBrightness": _factor_step(_brightness),
    "RandomContrast": _factor_step(_contrast),
    "RandomPhotometricDistort": _distorted,
    "RandomChannelPermutation": _permuted,
    "Grayscale": _grayscale,
    "RandomGrayscale": _random_grayscale,
    "RandomInvert": _inverted,
    "RandomPosterize": _posterized,
    "RandomSolarize": _solarize,
    "RandomAutocontrast": _autocontrast,
    "RandomEqualize": _equalized,
    "Gamma": _gamma,
}
