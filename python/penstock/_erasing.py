"""A rectangle of an image with other values, as torchvision's erase() puts them there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ._image_kinds import is_tensor, pixels_of
from ._one_operation import dimensions_of, integer, plain
from .errors import InvalidError


def erased(image: Any, place: Mapping[str, Any], v: Any) -> Any:
    """A copy of the image with v in the rectangle. place: i, j, h and w."""
    channels, height, width = dimensions_of("erase", image)
    top, left, rows, columns = (integer("erase", name, value) for name, value in place.items())
    if min(top, left, rows, columns) < 0 or top + rows > height or left + columns > width:
        raise InvalidError(
            f"erase: i, j, h and w must be a rectangle inside the image of {width} x {height}, "
            f"got {tuple(place.values())}"
        )
    down, across = slice(top, top + rows), slice(left, left + columns)
    if is_tensor(image):
        import torch

        tensor = image.clone()
        range_of_tensor = None if tensor.is_floating_point() else torch.iinfo(tensor.dtype)
        values = torch.as_tensor(_block(v, (channels, rows, columns), range_of_tensor).copy())
        tensor[..., down, across] = values.to(tensor.device, tensor.dtype)
        return tensor
    is_pil = hasattr(image, "getbands")
    array = np.array(pixels_of(image)[0] if is_pil else image)
    range_of_array = None if array.dtype.kind == "f" else np.iinfo(array.dtype)
    if is_pil:
        channels = array.shape[2] if array.ndim == 3 else 1  # images of a palette are RGB now
    block = _block(v, (channels, rows, columns), range_of_array)
    array.reshape(height, width, -1)[down, across] = np.moveaxis(block, 0, -1)
    if not is_pil:
        return array
    from PIL import Image

    return Image.fromarray(array)


def _block(v: Any, shape: tuple[int, int, int], limits: Any) -> np.ndarray[Any, Any]:
    """The values as [C, h, w]; refuses what an image of integers cannot hold."""
    try:
        values = np.asarray(plain(v))
    except ValueError:
        values = np.asarray(None)
    if values.dtype.kind not in "biuf":
        raise InvalidError(f"erase: v must be one number, one for each channel, or [C, h, w], got {v!r}")
    if limits is not None and values.size and not (values.min() >= limits.min and values.max() <= limits.max):
        raise InvalidError(f"erase: v must be between {limits.min} and {limits.max}, got {v!r}")
    try:
        return np.broadcast_to(values.reshape(-1, 1, 1) if values.ndim < 2 else values, shape)
    except ValueError:
        raise InvalidError(
            f"erase: v must be one number, one for each channel, or of the shape {list(shape)}, got the shape "
            f"{list(values.shape)}"
        ) from None
