"""Images with masks or boxes."""

from __future__ import annotations

from typing import Literal

from .. import transforms as t
from ..errors import InvalidError
from ..transforms import Transform
from ..transforms.functional import Interpolation
from ._parts import IMAGENET_MEAN, IMAGENET_STD, Statistics, floats, side_of

#: ImageNet's mean as pixels, with which detection fills.
_MEAN_COLOR = (123, 117, 104)


def segmentation(
    size: int = 480,
    *,
    base_size: int = 520,
    mean: Statistics | None = IMAGENET_MEAN,
    std: Statistics = IMAGENET_STD,
    interpolation: Interpolation = "bilinear",
) -> list[Transform]:
    """The shorter side resized to 0.5 to 2 times base_size, flipped, and a square of it kept: torchvision's reference
    training for segmentation. Images that are smaller are padded with black and masks with 255, which it ignores; they
    lie anywhere in the square, where torchvision has them in the upper left corner."""
    side, base = side_of(size), side_of(base_size, "base_size")
    return [
        t.RandomResize(max(base // 2, 1), base * 2, interpolation),
        t.RandomHorizontalFlip(),
        t.RandomCrop(side, pad_if_needed=True, mask_fill=255),
        *floats(mean, std),
    ]


def detection(
    policy: Literal["hflip", "multiscale", "lsj", "ssd", "ssdlite"] = "hflip",
    *,
    size: int | None = None,
    mean: Statistics | None = None,
    std: Statistics = IMAGENET_STD,
    interpolation: Interpolation = "bilinear",
) -> list[Transform]:
    """torchvision's reference training for detection, by its names: hflip; multiscale, a shorter side of 480 to 800;
    lsj, large scale jitter to a square of 1024; ssd and ssdlite, crops that overlap boxes. An image that lsj has made
    smaller lies anywhere in the square, where torchvision has it in the upper left corner. Its models normalise, so
    mean is None; size resizes to squares, so that images make one tensor."""
    flip = t.RandomHorizontalFlip()
    policies: dict[str, list[Transform]] = {
        "hflip": [flip],
        "multiscale": [t.RandomShortestSize(range(480, 801, 32), 1333, interpolation), flip],
        "lsj": [
            t.ScaleJitter(1024, interpolation=interpolation),
            t.RandomCrop(1024, pad_if_needed=True, fill=_MEAN_COLOR),
            flip,
        ],
        "ssd": [t.RandomPhotometricDistort(), t.RandomZoomOut(_MEAN_COLOR), t.RandomIoUCrop(), flip],
        "ssdlite": [t.RandomIoUCrop(), flip],
    }
    if policy not in policies:
        raise InvalidError(f"policy must be one of {', '.join(policies)}, got {policy!r}")
    square = [] if size is None else [t.Resize((side_of(size), side_of(size)), interpolation)]
    return [*policies[policy], *square, t.SanitizeBoundingBoxes(), *floats(mean, std)]
