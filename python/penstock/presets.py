"""Lists of operations that training usually needs."""

from __future__ import annotations

import operator
from typing import SupportsIndex

from . import _core
from .errors import InvalidError
from .transforms import Transform, make


def _side(size: SupportsIndex) -> int:
    try:
        side = operator.index(size)
    except TypeError:
        raise InvalidError(f"size must be an integer, the side of square images, got {size!r}") from None
    if not 1 <= side <= 1 << 16:
        raise InvalidError(f"size must be between 1 and 65536 pixels, got {size!r}")
    return side


def imagenet_train(size: int = 224) -> list[Transform]:
    """RandomResizedCrop(size), RandomHorizontalFlip, ToFloat, Normalize with ImageNet's mean and std."""
    return [make(handle.name, handle.params) for handle in _core.imagenet_train(_side(size))]


def imagenet_val(size: int = 224) -> list[Transform]:
    """Resize(size * 256 / 224), CenterCrop(size), ToFloat, Normalize with ImageNet's mean and std."""
    return [make(handle.name, handle.params) for handle in _core.imagenet_val(_side(size))]
