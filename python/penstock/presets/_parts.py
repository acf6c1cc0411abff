"""What presets have in common."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import SupportsIndex

from .. import _core
from .. import transforms as t
from ..errors import InvalidError
from ..transforms import Transform

Statistics = float | Sequence[float]

_NORMALIZE = _core.imagenet_train(224)[-1].params
#: ImageNet's, on the scale of 0 to 1.
IMAGENET_MEAN: tuple[float, ...] = _NORMALIZE["mean"]
IMAGENET_STD: tuple[float, ...] = _NORMALIZE["std"]


def side_of(size: SupportsIndex, name: str = "size") -> int:
    try:
        side = operator.index(size)
    except TypeError:
        raise InvalidError(f"{name} must be an integer, the side of square images, got {size!r}") from None
    if not 1 <= side <= 1 << 16:
        raise InvalidError(f"{name} must be between 1 and 65536 pixels, got {size!r}")
    return side


def grid_of(size: SupportsIndex, patch_size: SupportsIndex) -> int:
    """How many patches stand beside each other in an image of that side."""
    side, patch = side_of(size), side_of(patch_size, "patch_size")
    if side % patch:
        raise InvalidError(f"size must be a multiple of patch_size, got {side} and {patch}")
    return side // patch


def floats(mean: Statistics | None, std: Statistics) -> list[Transform]:
    return [t.ToFloat()] if mean is None else [t.ToFloat(), t.Normalize(mean, std)]
