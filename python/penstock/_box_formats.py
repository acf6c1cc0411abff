"""Boxes in other formats: torchvision's arithmetic, for arrays and tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._image_kinds import is_tensor, like
from ._pixel_types import as_type, source_name
from .errors import InvalidError

_FORMATS = ("xyxy", "xywh", "cxcywh")


def _format(name: str, given: Any) -> str:
    known = str(getattr(given, "value", given)).lower()  # torchvision's are an enumeration
    if known not in _FORMATS:
        raise InvalidError(f"convert_bounding_box_format: {name} must be one of {', '.join(_FORMATS)}, got {given!r}")
    return known


def boxes_as(boxes: Any, old_format: Any, new_format: Any) -> Any:
    """The boxes [..., 4] in the new format."""
    old, new = _format("old_format", old_format), _format("new_format", new_format)
    boxes = boxes if is_tensor(boxes) else np.asarray(boxes)
    if boxes.ndim < 1 or boxes.shape[-1] != 4:
        raise InvalidError(f"convert_bounding_box_format: boxes must have the shape [..., 4], got {list(boxes.shape)}")
    if old == new:
        return boxes
    floating = boxes.is_floating_point() if is_tensor(boxes) else boxes.dtype.kind == "f"
    first, last = boxes[..., :2], boxes[..., 2:]
    if old == "cxcywh":
        corner = first - last / 2
        end = as_type(corner + last, source_name(boxes))
        corner = as_type(corner, source_name(boxes))
        # Where corners of integers were cut off, the size is what lies between them.
        return _joined(corner, end if new == "xyxy" else last if floating else end - corner)
    size = last if old == "xywh" else last - first
    if new == "cxcywh":
        twice = first * 2 + size
        return _joined(twice / 2 if floating else twice // 2, size)
    return _joined(first, size if new == "xywh" else first + last)


def _own_format(boxes: Any) -> str | None:
    """The format that torchvision's BoundingBoxes name; None for others."""
    if not is_tensor(boxes) or not hasattr(boxes, "canvas_size"):
        return None
    known = str(boxes.format.value).lower()
    if known not in _FORMATS:
        raise InvalidError(f"boxes must be of a format {', '.join(_FORMATS)}, got {known}; rotated boxes do not move")
    return known


def corners_of(boxes: Any) -> Any:
    """torchvision's BoundingBoxes as an array of corners; others, which are corners, as they are."""
    known = _own_format(boxes)
    if known is None:
        return boxes
    return boxes_as(boxes.detach().cpu().numpy().astype(np.float32), known, "xyxy")


def boxes_like(given: Any, corners: np.ndarray[Any, Any], size: Sequence[int]) -> Any:
    """Corners in the plane of images of that height and width, as the boxes that were given: several
    BoundingBoxes are a tuple."""
    known = _own_format(given)
    if known is None:
        return like(given, corners)
    if corners.ndim == 3:
        return tuple(boxes_like(given, each, size) for each in corners)
    named = {name: getattr(given, name) for name in ("format", "clamping_mode") if hasattr(given, name)}
    height, width = size
    return type(given)(
        boxes_as(corners, "xyxy", known), canvas_size=(int(height), int(width)), device=given.device, **named
    )


def _joined(first: Any, last: Any) -> Any:
    if is_tensor(first):
        import torch

        return torch.cat([first, last], -1)
    return np.concatenate([first, last], -1)
