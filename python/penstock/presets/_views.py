"""Several views of one image."""

from __future__ import annotations

from collections.abc import Sequence

from .. import transforms as t
from ..transforms import Transform
from ..transforms.functional import Interpolation
from ..views import Views
from ._parts import IMAGENET_MEAN, IMAGENET_STD, Statistics, floats, grid_of, side_of


def _jitter(brightness: float, contrast: float, saturation: float, hue: float) -> Transform:
    """As all of these methods have it: with a probability of 0.8."""
    return t.RandomApply([t.ColorJitter(brightness, contrast, saturation, hue)], p=0.8)


def _blur(side: int, p: float) -> Transform:
    """That of SimCLR and BYOL, whose kernel is a tenth of the image wide: 23 for 224."""
    return t.RandomApply([t.GaussianBlur(2 * (side // 20) + 1, (0.1, 2.0))], p=p)


def _pillow_blur(p: float) -> Transform:
    return t.PillowGaussianBlur((0.1, 2.0), p=p)


def simclr(
    size: int = 224,
    *,
    asymmetric: bool = False,
    strength: float = 1.0,
    scale: Sequence[float] = (0.08, 1.0),
    mean: Statistics | None = IMAGENET_MEAN,
    std: Statistics = IMAGENET_STD,
    interpolation: Interpolation = "bicubic",
) -> Views:
    """view1 and view2 of SimCLR (arXiv 2002.05709, appendix A), blurred half of the time; asymmetric as slipstream's
    simclr_standard: view1 always blurred, view2 never, and solarized with a probability of 0.2. strength is that of the
    colours, scale the range of the crops' areas."""
    side = side_of(size)
    start = [
        t.RandomResizedCrop(side, scale, interpolation=interpolation),
        t.RandomHorizontalFlip(),
        _jitter(0.8 * strength, 0.8 * strength, 0.8 * strength, 0.2 * strength),
        t.RandomGrayscale(0.2),
    ]
    end = floats(mean, std)
    if asymmetric:
        return Views(view1=[*start, _blur(side, 1.0), *end], view2=[*start, t.RandomSolarize(128, 0.2), *end])
    view = [*start, _blur(side, 0.5), *end]
    return Views(view1=view, view2=view)


def mocov2(
    size: int = 224,
    *,
    scale: Sequence[float] = (0.2, 1.0),
    mean: Statistics | None = IMAGENET_MEAN,
    std: Statistics = IMAGENET_STD,
    interpolation: Interpolation = "bilinear",
) -> Views:
    """view1, the query, and view2, the key, of MoCo v2 (arXiv 2003.04297, as its main_moco.py has them)."""
    view = [
        t.RandomResizedCrop(side_of(size), scale, interpolation=interpolation),
        _jitter(0.4, 0.4, 0.4, 0.1),
        t.RandomGrayscale(0.2),
        _pillow_blur(0.5),
        t.RandomHorizontalFlip(),
        *floats(mean, std),
    ]
    return Views(view1=view, view2=view)


def byol(
    size: int = 224,
    *,
    scale: Sequence[float] = (0.08, 1.0),
    mean: Statistics | None = IMAGENET_MEAN,
    std: Statistics = IMAGENET_STD,
    interpolation: Interpolation = "bicubic",
) -> Views:
    """view1 and view2 of BYOL (arXiv 2006.07733, table 6): blurred always and in a tenth of all cases, view2 solarized
    with a probability of 0.2."""
    side = side_of(size)
    start = [
        t.RandomResizedCrop(side, scale, interpolation=interpolation),
        t.RandomHorizontalFlip(),
        _jitter(0.4, 0.4, 0.2, 0.1),
        t.RandomGrayscale(0.2),
    ]
    end = floats(mean, std)
    return Views(
        view1=[*start, _blur(side, 1.0), *end],
        view2=[*start, _blur(side, 0.1), t.RandomSolarize(128, 0.2), *end],
    )


def _multi_crop(
    sizes: tuple[int, int],
    scales: tuple[Sequence[float], Sequence[float]],
    blurs: tuple[Sequence[Transform], Sequence[Transform], Sequence[Transform]],
    count: int,
    mean: Statistics | None,
    std: Statistics,
    interpolation: Interpolation,
    masks: Sequence[Transform] = (),
) -> Views:
    """global1, global2 and some of local, as DINO and its descendants make them. masks are of the global ones."""
    colors = [t.RandomHorizontalFlip(), _jitter(0.4, 0.4, 0.2, 0.1), t.RandomGrayscale(0.2)]
    end = floats(mean, std)
    large = t.RandomResizedCrop(side_of(sizes[0]), scales[0], interpolation=interpolation)
    small = t.RandomResizedCrop(side_of(sizes[1], "local_size"), scales[1], interpolation=interpolation)
    return Views(
        global1=[large, *colors, *blurs[0], *end, *masks],
        global2=[large, *colors, *blurs[1], t.RandomSolarize(128, 0.2), *end, *masks],
        local=(count, [small, *colors, *blurs[2], *end]),
    )


def dino(
    size: int = 224,
    *,
    local_size: int = 96,
    local_crops: int = 8,
    global_scale: Sequence[float] = (0.4, 1.0),
    local_scale: Sequence[float] = (0.05, 0.4),
    mean: Statistics | None = IMAGENET_MEAN,
    std: Statistics = IMAGENET_STD,
    interpolation: Interpolation = "bicubic",
) -> Views:
    """global1, global2 and 8 of local, of DINO (arXiv 2104.14294, as its main_dino.py has them)."""
    return _multi_crop(
        (size, local_size),
        (global_scale, local_scale),
        ([_pillow_blur(1.0)], [_pillow_blur(0.1)], [_pillow_blur(0.5)]),
        local_crops,
        mean,
        std,
        interpolation,
    )


def ibot(
    size: int = 224,
    *,
    local_size: int = 96,
    local_crops: int = 10,
    patch_size: int = 16,
    global_scale: Sequence[float] = (0.25, 1.0),
    local_scale: Sequence[float] = (0.05, 0.25),
    mean: Statistics | None = IMAGENET_MEAN,
    std: Statistics = IMAGENET_STD,
    interpolation: Interpolation = "bicubic",
) -> Views:
    """global1, global2 and 10 of local, of iBOT (arXiv 2111.07832, as its README runs it), with
    batch["global1.patch_mask"] and batch["global2.patch_mask"]: one image in two has blocks of patches masked."""
    grid = grid_of(size, patch_size)
    return _multi_crop(
        (size, local_size),
        (global_scale, local_scale),
        ([_pillow_blur(1.0)], [_pillow_blur(0.1)], [_pillow_blur(0.5)]),
        local_crops,
        mean,
        std,
        interpolation,
        [t.RandomBlockMask(grid, min_patches=max((grid // 3) ** 2, 1), per_batch=False)],
    )


def dinov2(
    size: int = 224,
    *,
    local_size: int = 96,
    local_crops: int = 8,
    patch_size: int = 16,
    global_scale: Sequence[float] = (0.32, 1.0),
    local_scale: Sequence[float] = (0.05, 0.32),
    mean: Statistics | None = IMAGENET_MEAN,
    std: Statistics = IMAGENET_STD,
    interpolation: Interpolation = "bicubic",
) -> Views:
    """global1, global2 and 8 of local, of DINOv2 (arXiv 2304.07193) as its code runs: its blur takes the complement of
    the probability that it is given, so global1 is never blurred, global2 in nine of ten cases (dinov2 PR 411). Half of
    each of global1 and global2 have blocks of patches masked, batch["global1.patch_mask"] and
    batch["global2.patch_mask"]; its code draws for both together."""
    blur = t.GaussianBlur(9, (0.1, 2.0))
    return _multi_crop(
        (size, local_size),
        (global_scale, local_scale),
        ([], [t.RandomApply([blur], p=0.9)], [t.RandomApply([blur], p=0.5)]),
        local_crops,
        mean,
        std,
        interpolation,
        [t.RandomBlockMask(grid_of(size, patch_size))],
    )


def _slipstream_crop(side: int, scale: Sequence[float], end: list[Transform]) -> list[Transform]:
    """Its augmentation of each crop; it blurs behind Normalize, which is the same but for rounding."""
    return [
        t.RandomResizedCrop(side, scale, (1.0, 1.0)),
        t.RandomHorizontalFlip(),
        t.RandomColorJitterHSV(0.8, hue=0.1, saturation=0.4, value=0.4, contrast=0.4),
        t.RandomGrayscale(0.2),
        t.RandomSolarize(128, 0.2),
        t.RandomApply([t.GaussianBlur(7, (0.1, 2.0))], p=0.2),
        *end,
    ]


def ipcl(
    size: int = 224,
    *,
    num_crops: int = 5,
    scale: Sequence[float] = (0.2, 1.0),
    mean: Statistics | None = IMAGENET_MEAN,
    std: Statistics = IMAGENET_STD,
) -> Views:
    """5 crops, made alike, of instance-prototype contrastive learning (Konkle and Alvarez 2022) as slipstream has it:
    batch["crops"] is [B, 5, 3, size, size]."""
    return Views(crops=(num_crops, _slipstream_crop(side_of(size), scale, floats(mean, std))))


def lejepa(
    size: int = 224,
    *,
    local_size: int = 98,
    local_crops: int = 4,
    global_scale: Sequence[float] = (0.3, 1.0),
    local_scale: Sequence[float] = (0.05, 0.3),
    mean: Statistics | None = IMAGENET_MEAN,
    std: Statistics = IMAGENET_STD,
) -> Views:
    """global1, global2 and 4 of local, made alike, of LeJEPA (arXiv 2511.08544) as slipstream has it."""
    end = floats(mean, std)
    large = _slipstream_crop(side_of(size), global_scale, end)
    small = _slipstream_crop(side_of(local_size, "local_size"), local_scale, end)
    return Views(global1=large, global2=large, local=(local_crops, small))
