"""Contact sheets: images beside each other, with masks, boxes and points drawn over them and a line of text below."""

from __future__ import annotations

import colorsys
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import InvalidError, UnsupportedError

if TYPE_CHECKING:
    from PIL import Image as PilImage

_GAP = 6
_TEXT = 12  # height of a line
_PAPER = (255, 255, 255)
_INK = (40, 40, 40)
_MASK_SHARE = 0.5
_MAX_SIDE = 1 << 16  # of a sheet, in pixels
_MARGIN = 4  # how far outside of an image lines and points may be to reach into it


@dataclass
class Cell:
    """One image of a sheet; boxes, points and the mask are in its own pixels."""

    image: np.ndarray[Any, Any]  # [H, W, C] or [H, W] of uint8
    caption: str = ""
    mask: np.ndarray[Any, Any] | None = None  # [H, W] of integers; 0 is not drawn
    boxes: np.ndarray[Any, Any] | None = None  # [N, 4], left, top, right, bottom
    labels: Sequence[int] | None = None  # of the boxes
    points: np.ndarray[Any, Any] | None = None  # [..., 2]


def color_of(label: int) -> tuple[int, int, int]:
    """A colour that neighbours of the label do not have; white for 255, which masks use for "nothing to say"."""
    if label == 255:
        return (255, 255, 255)
    red, green, blue = colorsys.hsv_to_rgb((0.02 + 0.618034 * label) % 1.0, 0.85, 1.0)
    return round(red * 255), round(green * 255), round(blue * 255)


def as_bytes(
    images: Sequence[np.ndarray[Any, Any]], mean: Sequence[float] | None = None, std: Sequence[float] | None = None
) -> list[np.ndarray[Any, Any]]:
    """Images [H, W, C] of any type as uint8. Floats are taken as they are where all lie between 0 and 1, perhaps
    after `mean` and `std` were undone; else the smallest of all becomes black and the largest white."""
    if not images or images[0].dtype == np.uint8:
        return list(images)
    if images[0].dtype == np.uint16:
        return [(image >> 8).astype(np.uint8) for image in images]
    floats = [image.astype(np.float32) for image in images]
    if mean is not None or std is not None:
        shift = np.asarray(0.0 if mean is None else mean, np.float32)
        scale = np.asarray(1.0 if std is None else std, np.float32)
        floats = [image * scale + shift for image in floats]
    low, high = min(float(image.min()) for image in floats), max(float(image.max()) for image in floats)
    if low < -0.01 or high > 1.01:
        floats = [(image - low) / max(high - low, 1e-12) for image in floats]
    return [np.rint(image.clip(0, 1) * 255).astype(np.uint8) for image in floats]


def sheet(rows: Sequence[Sequence[Cell]], side: int = 160) -> PilImage.Image:
    """Rows of cells, each image made to fit a square of that side; small ones keep their pixels visible."""
    if isinstance(side, bool) or not hasattr(side, "__index__") or not 16 <= operator.index(side) <= 4096:
        raise InvalidError(f"side must be an integer between 16 and 4096, got {side!r}")
    side = operator.index(side)
    image_module, draw_module, font_module = _pillow()
    columns = max((len(row) for row in rows), default=0)
    if columns == 0:
        raise InvalidError("there is nothing to show: no images")
    captions = any(cell.caption for row in rows for cell in row)
    cell_height = side + (_TEXT + 4 if captions else 0)
    width, height = _GAP + columns * (side + _GAP), _GAP + len(rows) * (cell_height + _GAP)
    if max(width, height) > _MAX_SIDE:
        raise InvalidError(f"a sheet of {width} x {height} pixels is too large; show fewer images, or a smaller side")
    paper: PilImage.Image = image_module.new("RGB", (width, height), _PAPER)
    draw = draw_module.Draw(paper)
    font = font_module.load_default()
    for y, row in enumerate(rows):
        for x, cell in enumerate(row):
            left, top = _GAP + x * (side + _GAP), _GAP + y * (cell_height + _GAP)
            drawn = _drawn(cell, side)
            paper.paste(drawn, (left, top + side - drawn.height))
            if cell.caption:
                draw.text((left, top + side + 2), _fitting(draw, font, cell.caption, side), fill=_INK, font=font)
    return paper


def _pillow() -> tuple[Any, Any, Any]:
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError:
        raise UnsupportedError("show needs Pillow, which is not installed: pip install pillow") from None
    return Image, ImageDraw, ImageFont


def _drawn(cell: Cell, side: int) -> PilImage.Image:
    image_module, draw_module, _ = _pillow()
    pixels = cell.image
    if pixels.ndim == 3 and pixels.shape[2] not in (1, 3, 4):  # no colours
        pixels = np.rint(pixels.mean(axis=2)).astype(np.uint8)
    image = image_module.fromarray(pixels[:, :, 0] if pixels.ndim == 3 and pixels.shape[2] == 1 else pixels)
    if image.mode == "RGBA":
        image = image_module.alpha_composite(image_module.new("RGBA", image.size, (*_PAPER, 255)), image)
    image = image.convert("RGB")
    if cell.mask is not None:
        image = image_module.fromarray(_with_mask(np.asarray(image), cell.mask))
    longest = max(image.size)
    scale = float(side // longest) if 2 * longest <= side else side / longest
    size = (max(round(image.width * scale), 1), max(round(image.height * scale), 1))
    resampling = image_module.Resampling
    image = image.resize(size, resampling.NEAREST if scale >= 2 else resampling.BICUBIC)
    draw = draw_module.Draw(image)
    if cell.boxes is not None:
        limits = np.array([image.width, image.height] * 2) + _MARGIN
        for number, box in enumerate((np.asarray(cell.boxes, float).reshape(-1, 4) * scale).clip(-_MARGIN, limits)):
            label = int(cell.labels[number]) if cell.labels is not None and number < len(cell.labels) else 0
            left, top, right, bottom = box
            if right > left and bottom > top:  # those without area are cut off altogether, and NaN is nowhere
                far = [max(right - 1, left), max(bottom - 1, top)]
                draw.rectangle([left, top, *far], outline=color_of(label), width=2)
    if cell.points is not None:
        for number, (x, y) in enumerate((np.asarray(cell.points, float).reshape(-1, 2) + 0.5) * scale):
            if -_MARGIN < x < image.width + _MARGIN and -_MARGIN < y < image.height + _MARGIN:
                draw.ellipse([x - 3, y - 3, x + 3, y + 3], fill=color_of(number), outline=(0, 0, 0))
    return image  # type: ignore[no-any-return]


def _with_mask(image: np.ndarray[Any, Any], mask: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if mask.shape != image.shape[:2]:
        raise InvalidError(f"the mask has the shape {mask.shape}, and its image {image.shape[:2]}")
    mixed = image.astype(np.float32)
    for label in np.unique(mask):
        if label != 0:
            where = mask == label
            mixed[where] = mixed[where] * (1 - _MASK_SHARE) + np.asarray(color_of(int(label))) * _MASK_SHARE
    return mixed.astype(np.uint8)


def _fitting(draw: Any, font: Any, text: str, width: int) -> str:
    """As much of the text as fits; what the font cannot hold is a question mark."""
    text = " ".join(text.split()).encode("latin-1", "replace").decode("latin-1")
    if draw.textlength(text, font=font) <= width:
        return text
    while text and draw.textlength(text + "..", font=font) > width:
        text = text[:-1]
    return text + ".."
