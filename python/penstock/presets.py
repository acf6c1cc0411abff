"""Lists of operations that training usually needs."""

from __future__ import annotations

from . import _core
from .transforms import Transform, make


def imagenet_train(size: int = 224) -> list[Transform]:
    """RandomResizedCrop(size), RandomHorizontalFlip, ToFloat, Normalize with ImageNet's mean and std."""
    return [make(handle.name, handle.params) for handle in _core.imagenet_train(size)]


def imagenet_val(size: int = 224) -> list[Transform]:
    """Resize(size * 256 / 224), CenterCrop(size), ToFloat, Normalize with ImageNet's mean and std."""
    return [make(handle.name, handle.params) for handle in _core.imagenet_val(size)]
