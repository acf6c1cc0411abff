"""One image with a label."""

from __future__ import annotations

from typing import Any

from .. import _core
from .. import transforms as t
from ..errors import InvalidError
from ..transforms import Transform, make
from ..transforms.functional import Interpolation
from ._parts import IMAGENET_MEAN, IMAGENET_STD, Statistics, floats, side_of


def _changed(handles: list[_core.Transform], **params: Any) -> list[Transform]:
    """The operations with other values where they have parameters of these names; no Normalize if mean is None."""
    return [
        make(handle.name, {name: params.get(name, value) for name, value in handle.params.items()})
        for handle in handles
        if params["mean"] is not None or handle.name != "Normalize"
    ]


def imagenet_train(
    size: int = 224,
    *,
    mean: Statistics | None = IMAGENET_MEAN,
    std: Statistics = IMAGENET_STD,
    interpolation: Interpolation = "bilinear",
) -> list[Transform]:
    """RandomResizedCrop(size), RandomHorizontalFlip, ToFloat, Normalize with ImageNet's mean and std: torchvision's
    reference training."""
    return _changed(_core.imagenet_train(side_of(size)), mean=mean, std=std, interpolation=interpolation)


def imagenet_val(
    size: int = 224,
    *,
    mean: Statistics | None = IMAGENET_MEAN,
    std: Statistics = IMAGENET_STD,
    interpolation: Interpolation = "bilinear",
) -> list[Transform]:
    """Resize(size * 256 / 224), CenterCrop(size), ToFloat, Normalize with ImageNet's mean and std."""
    return _changed(_core.imagenet_val(side_of(size)), mean=mean, std=std, interpolation=interpolation)


def supervised_train(
    size: int = 224,
    *,
    mean: Statistics | None = IMAGENET_MEAN,
    std: Statistics = IMAGENET_STD,
    interpolation: Interpolation = "bilinear",
) -> list[Transform]:
    """RandomResizedCrop(size), ToFloat, Normalize, without a flip: slipstream's preset of this name, in float32; append
    ToFloat16() for its type."""
    return [t.RandomResizedCrop(side_of(size), interpolation=interpolation), *floats(mean, std)]


def supervised_val(
    size: int = 224,
    *,
    crop_ratio: float = 0.875,
    mean: Statistics | None = IMAGENET_MEAN,
    std: Statistics = IMAGENET_STD,
    interpolation: Interpolation = "bilinear",
) -> list[Transform]:
    """Resize to size / crop_ratio (rounded down, as timm does), CenterCrop(size), ToFloat, Normalize."""
    if not 0 < crop_ratio <= 1:
        raise InvalidError(f"crop_ratio must be above 0 and at most 1, got {crop_ratio!r}")
    shorter = side_of(int(side_of(size) / crop_ratio), "size / crop_ratio")
    return [t.Resize(shorter, interpolation), t.CenterCrop(size), *floats(mean, std)]
