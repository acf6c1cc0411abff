"""One image with masks of its patches."""

from __future__ import annotations

from collections.abc import Sequence

from .. import transforms as t
from ..transforms import Transform
from ..transforms.functional import Interpolation
from ._parts import IMAGENET_MEAN, IMAGENET_STD, Statistics, floats, grid_of, side_of


def mae(
    size: int = 224,
    *,
    patch_size: int = 16,
    mask_ratio: float = 0.75,
    scale: Sequence[float] = (0.2, 1.0),
    mean: Statistics | None = IMAGENET_MEAN,
    std: Statistics = IMAGENET_STD,
    interpolation: Interpolation = "bicubic",
) -> list[Transform]:
    """Crop and flip of MAE's pretraining (arXiv 2111.06377, as its main_pretrain.py has them), and
    batch["patch_mask"]."""
    return [
        t.RandomResizedCrop(side_of(size), scale, interpolation=interpolation),
        t.RandomHorizontalFlip(),
        *floats(mean, std),
        t.RandomPatchMask(grid_of(size, patch_size), mask_ratio),
    ]


def ijepa(
    size: int = 224,
    *,
    patch_size: int = 14,
    scale: Sequence[float] = (0.3, 1.0),
    mean: Statistics | None = IMAGENET_MEAN,
    std: Statistics = IMAGENET_STD,
    interpolation: Interpolation = "bilinear",
) -> list[Transform]:
    """The crop of I-JEPA (arXiv 2301.08243, as its code runs ViT-H/14), without a flip, and its masks:
    batch["context_mask"] and batch["target_mask"]."""
    return [
        t.RandomResizedCrop(side_of(size), scale, interpolation=interpolation),
        *floats(mean, std),
        t.IJEPAMask(grid_of(size, patch_size)),
    ]
