"""One image with a label, mixed with others of its batch: recipes of whole trainings."""

from __future__ import annotations

from typing import Literal

from .. import transforms as t
from ..errors import InvalidError
from ..transforms import Transform
from ..transforms.functional import Interpolation
from ._parts import IMAGENET_MEAN, IMAGENET_STD, Statistics, floats, side_of


def _mixes(mixup_alpha: float, label_smoothing: float, num_classes: int | None) -> list[Transform]:
    """MixUp or CutMix for every batch, each as likely."""
    if num_classes is None:
        return []
    return [t.TimmMixup(mixup_alpha, 1.0, label_smoothing=label_smoothing, num_classes=num_classes)]


def deit3(
    size: int = 224,
    *,
    simple_random_crop: bool = False,
    color_jitter: float = 0.3,
    num_classes: int | None = 1000,
    mean: Statistics | None = IMAGENET_MEAN,
    std: Statistics = IMAGENET_STD,
    interpolation: Interpolation = "bicubic",
) -> list[Transform]:
    """DeiT III on ImageNet-1k (arXiv 2204.07118, as its augment.py has it): a crop, a flip, ThreeAugment with
    color_jitter, then MixUp of alpha 0.8 or CutMix; num_classes=None leaves mixing out. simple_random_crop resizes the
    shorter side and moves the square by up to 4 pixels, as the paper does on ImageNet-21k. It is trained with
    sampler=penstock.samplers.RepeatedAugmentation()."""
    side = side_of(size)
    crop: list[Transform] = [t.RandomResizedCrop(side, interpolation=interpolation)]
    if simple_random_crop:
        crop = [t.Resize(side, interpolation), t.RandomCrop(side, padding=4, padding_mode="reflect")]
    return [
        *crop,
        t.RandomHorizontalFlip(),
        t.ThreeAugment(color_jitter or None),
        *floats(mean, std),
        *_mixes(0.8, 0.0, num_classes),
    ]


#: Of each procedure: side of the images, RandAugment, alpha of MixUp, label smoothing.
_PROCEDURES = {
    "A1": (224, "rand-m7-mstd0.5-inc1", 0.2, 0.1),
    "A2": (224, "rand-m7-mstd0.5-inc1", 0.1, 0.0),
    "A3": (160, "rand-m6-mstd0.5-inc1", 0.1, 0.0),
}


def resnet_strikes_back(
    procedure: Literal["A1", "A2", "A3"] = "A1",
    *,
    size: int | None = None,
    num_classes: int | None = 1000,
    mean: Statistics | None = IMAGENET_MEAN,
    std: Statistics = IMAGENET_STD,
    interpolation: Interpolation = "bicubic",
) -> list[Transform]:
    """ResNet strikes back (arXiv 2110.00476, table 2): timm's RandAugment, then MixUp or CutMix; num_classes=None
    leaves mixing out. A1, of 600 epochs, and A2, of 300, see 224 pixels and are trained with
    sampler=penstock.samplers.RepeatedAugmentation(); A3, of 100, sees 160. All are tested by
    supervised_val(224, crop_ratio=0.95, interpolation="bicubic")."""
    if procedure not in _PROCEDURES:
        raise InvalidError(f"procedure must be one of {', '.join(_PROCEDURES)}, got {procedure!r}")
    own_size, augment, mixup_alpha, label_smoothing = _PROCEDURES[procedure]
    return [
        t.RandomResizedCrop(side_of(own_size if size is None else size), interpolation=interpolation),
        t.RandomHorizontalFlip(),
        t.TimmRandAugment(augment),
        *floats(mean, std),
        *_mixes(mixup_alpha, label_smoothing, num_classes),
    ]
