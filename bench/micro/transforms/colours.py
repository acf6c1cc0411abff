"""Operations on values, each beside those of others."""

from __future__ import annotations

import io

import albumentations as alb
import kornia
import torch
from PIL import Image, ImageFilter

from common import MEAN, STD
from penstock import transforms as t
from rows import ALBUMENTATIONS, EXACT, KORNIA, PIL, ROUNDED, TENSOR, Row
from support.torchvision import v2

F = v2.functional
ONE, NO_HUE = (1.0, 1.0), (0.0, 0.0)
FACTOR, HUE = 1.4, 0.1
MEANS, STDS = torch.tensor(MEAN), torch.tensor(STD)


def rows(height: int, width: int) -> list[Row]:
    del height, width
    return [*jitter(), *tables(), *pixels(), *erasing(), *types()]


def alb_jitter(**parts: tuple[float, float]) -> alb.ColorJitter:
    neutral = {"brightness": ONE, "contrast": ONE, "saturation": ONE, "hue": NO_HUE}
    return alb.ColorJitter(**(neutral | parts), p=1.0)


def jitter() -> list[Row]:
    factor = (FACTOR, FACTOR)
    return [
        Row(
            "ColorJitter, brightness",
            [t.ColorJitter(brightness=factor)],
            lambda image: F.adjust_brightness(image, FACTOR),
            albumentations=alb_jitter(brightness=factor),
            kornia=lambda image: kornia.enhance.adjust_brightness_accumulative(image, FACTOR),
            within=ROUNDED | {ALBUMENTATIONS: 1.0, KORNIA: 1.0},
        ),
        Row(
            "ColorJitter, contrast",
            [t.ColorJitter(contrast=factor)],
            lambda image: F.adjust_contrast(image, FACTOR),
            albumentations=alb_jitter(contrast=factor),
            kornia=lambda image: kornia.enhance.adjust_contrast_with_mean_subtraction(image, FACTOR),
            within=ROUNDED | {ALBUMENTATIONS: 1.5, KORNIA: 1.5},
        ),
        Row(
            "ColorJitter, saturation",
            [t.ColorJitter(saturation=factor)],
            lambda image: F.adjust_saturation(image, FACTOR),
            albumentations=alb_jitter(saturation=factor),
            kornia=lambda image: kornia.enhance.adjust_saturation_with_gray_subtraction(image, FACTOR),
            within=ROUNDED | {ALBUMENTATIONS: 1.5, KORNIA: 1.5},
        ),
        Row(
            "ColorJitter, hue",
            [t.ColorJitter(hue=(HUE, HUE))],
            lambda image: F.adjust_hue(image, HUE),
            albumentations=alb_jitter(hue=(HUE, HUE)),
            kornia=lambda image: kornia.enhance.adjust_hue(image, 2 * torch.pi * HUE),
            within={PIL: 0.0, TENSOR: 3.0, ALBUMENTATIONS: 3.0, KORNIA: 3.0},
        ),
        Row(
            "ColorJitter, all four",
            [t.ColorJitter(0.4, 0.4, 0.4, 0.1)],
            v2.ColorJitter(0.4, 0.4, 0.4, 0.1),
            albumentations=alb.ColorJitter((0.6, 1.4), (0.6, 1.4), (0.6, 1.4), (-0.1, 0.1), p=1.0),
            kornia=kornia.augmentation.ColorJitter(0.4, 0.4, 0.4, 0.1, p=1.0),
        ),
        Row(
            "RandomColorJitterHSV",
            [t.RandomColorJitterHSV(1.0, 0.1, 0.4, 0.4, 0.4)],
            albumentations=alb.HueSaturationValue(p=1.0),
        ),
        Row("RandomColorJitterYIQ", [t.RandomColorJitterYIQ(1.0, 30.0, 0.4, 0.4, 0.4, 0.4)]),
        Row(
            "RandomPhotometricDistort",
            [t.RandomPhotometricDistort(p=1.0)],
            v2.RandomPhotometricDistort(p=1.0),
        ),
        Row(
            "RandomBrightness",
            [t.RandomBrightness()],
            albumentations=alb.RandomBrightnessContrast(contrast_limit=NO_HUE, p=1.0),
        ),
        Row(
            "RandomContrast",
            [t.RandomContrast()],
            albumentations=alb.RandomBrightnessContrast(brightness_limit=NO_HUE, p=1.0),
        ),
    ]


def pillow_jpeg(image: Image.Image) -> Image.Image:
    file = io.BytesIO()
    image.save(file, "JPEG", quality=50)
    again = Image.open(file)
    again.load()
    return again


def tables() -> list[Row]:
    return [
        Row(
            "Gamma",
            [t.Gamma(0.8)],
            lambda image: F.adjust_gamma(image, 0.8),
            albumentations=alb.RandomGamma((80, 80), p=1.0),
            kornia=lambda image: kornia.enhance.adjust_gamma(image, 0.8),
            within=ROUNDED | {ALBUMENTATIONS: 1.0, KORNIA: 1.0},
        ),
        Row(
            "RandomAutocontrast",
            [t.RandomAutocontrast(1.0)],
            F.autocontrast,
            albumentations=alb.AutoContrast(method="pil", p=1.0),
            kornia=kornia.enhance.normalize_min_max,
            within=ROUNDED | {ALBUMENTATIONS: 1.0, KORNIA: 1.0},
        ),
        Row(
            "RandomEqualize",
            [t.RandomEqualize(1.0)],
            F.equalize,
            albumentations=alb.Equalize(mode="pil", p=1.0),
            kornia=kornia.enhance.equalize,
            within=ROUNDED | {KORNIA: 2.0},  # albumentations rounds another way
        ),
        Row(
            "RandomInvert",
            [t.RandomInvert(1.0)],
            F.invert,
            albumentations=alb.InvertImg(p=1.0),
            kornia=kornia.enhance.invert,
            within={PIL: 0.0, TENSOR: 0.0, ALBUMENTATIONS: 0.0, KORNIA: 0.01},
        ),
        Row(
            "RandomPosterize",
            [t.RandomPosterize(4, 1.0)],
            lambda image: F.posterize(image, 4),
            albumentations=alb.Posterize(4, p=1.0),
            kornia=lambda image: kornia.enhance.posterize(image, 4),
            within={PIL: 0.0, TENSOR: 0.0, ALBUMENTATIONS: 0.0, KORNIA: 0.5},
        ),
        Row(
            "RandomSolarize",
            [t.RandomSolarize(128, 1.0)],
            lambda image: F.solarize(image, 128),
            albumentations=alb.Solarize((128 / 255, 128 / 255), p=1.0),
            kornia=lambda image: kornia.enhance.solarize(image, 128 / 255),
            within={PIL: 0.0, TENSOR: 0.0, ALBUMENTATIONS: 0.0, KORNIA: 0.01},
        ),
        Row(
            "RandomChannelPermutation",
            [t.RandomChannelPermutation()],
            v2.RandomChannelPermutation(),
            albumentations=alb.ChannelShuffle(p=1.0),
        ),
    ]


def pixels() -> list[Row]:
    return [
        Row(
            "Grayscale, 3 channels",
            [t.Grayscale(3)],
            lambda image: F.rgb_to_grayscale(image, 3),
            albumentations=alb.ToGray(p=1.0),
            kornia=lambda image: kornia.color.rgb_to_grayscale(image).repeat(1, 3, 1, 1),
            within=ROUNDED | {ALBUMENTATIONS: 1.0, KORNIA: 1.0},
        ),
        Row(
            "RandomGrayscale",
            [t.RandomGrayscale(1.0)],
            v2.RandomGrayscale(1.0),
            albumentations=alb.ToGray(p=1.0),
            within=ROUNDED | {ALBUMENTATIONS: 1.0},
        ),
        Row(
            "RandomAdjustSharpness",
            [t.RandomAdjustSharpness(2.0, 1.0)],
            lambda image: F.adjust_sharpness(image, 2.0),
            albumentations=alb.Sharpen(p=1.0),  # another kernel
            kornia=lambda image: kornia.enhance.sharpness(image, 2.0),
            within=ROUNDED | {KORNIA: 1.0},
        ),
        *(
            Row(
                f"GaussianBlur, {size}",
                [t.GaussianBlur(size, 1.5)],
                lambda image, size=size: F.gaussian_blur(image, [size, size], [1.5, 1.5]),
                albumentations=alb.GaussianBlur((size, size), (1.5, 1.5), p=1.0),
                kornia=lambda image, size=size: kornia.filters.gaussian_blur2d(image, (size, size), (1.5, 1.5)),
                within={PIL: 0.01, TENSOR: 0.01, ALBUMENTATIONS: 1.0, KORNIA: 1.0},
            )
            for size in (5, 23)
        ),
        Row(
            "PillowGaussianBlur",
            [t.PillowGaussianBlur(1.5, p=1.0)],
            lambda image: image.filter(ImageFilter.GaussianBlur(1.5)),
            tensors=False,
            within=EXACT,
        ),
        Row(
            "GaussianNoise",
            [t.GaussianNoise()],
            v2.Compose([v2.ToImage(), v2.GaussianNoise()]),
            albumentations=alb.GaussNoise((0.1, 0.1), p=1.0),
            kornia=kornia.augmentation.RandomGaussianNoise(std=0.1, p=1.0),
        ),
        Row(
            "JPEG, quality 50",
            [t.JPEG(50)],
            pillow_jpeg,  # torchvision's own needs a library that its wheel cannot load here
            tensors=False,
            albumentations=alb.ImageCompression(quality_range=(50, 50), p=1.0),
        ),
        Row("SRGBToLMS", [t.SRGBToLMS()]),
        Row("LMSToParvo", [t.SRGBToLMS(), t.LMSToParvo()]),
        Row("LMSToMagno", [t.SRGBToLMS(), t.LMSToMagno()]),
        Row("LMSToKonio", [t.SRGBToLMS(), t.LMSToKonio()]),
        Row("RGBToLGN", [t.RGBToLGN()]),
        Row("RGBToMagno", [t.RGBToMagno()]),
        Row("NormalizeLGN", [t.RGBToLGN(), t.NormalizeLGN()]),
    ]


def erasing() -> list[Row]:
    return [
        Row(
            "RandomErasing",
            [t.RandomErasing(p=1.0)],
            v2.Compose([v2.ToImage(), v2.RandomErasing(p=1.0)]),
            albumentations=alb.Erasing(p=1.0),
            kornia=kornia.augmentation.RandomErasing(p=1.0),
        ),
        Row(
            "Cutout",
            [t.Cutout(64)],
            albumentations=alb.CoarseDropout((1, 1), (64, 64), (64, 64), p=1.0),
        ),
        Row("GridMask", [t.GridMask(p=1.0)], albumentations=alb.GridDropout(p=1.0)),
        Row("CircularMask", [t.CircularMask()]),
    ]


def types() -> list[Row]:
    to_float = v2.Compose([v2.ToImage(), v2.ToDtype(torch.float32, scale=True)])
    normalize = v2.Compose([v2.ToImage(), v2.ToDtype(torch.float32, scale=True), v2.Normalize(MEAN, STD)])
    return [
        Row(
            "ToFloat",
            [t.ToFloat()],
            to_float,
            albumentations=alb.ToFloat(255.0),
            within={PIL: 0.001, TENSOR: 0.001, ALBUMENTATIONS: 0.001},
        ),
        Row("ToFloat16", [t.ToFloat(), t.ToFloat16()]),
        Row("ToUint8", [t.ToFloat(), t.ToUint8()]),
        Row(
            "Normalize",
            [t.ToFloat(), t.Normalize(MEAN, STD)],
            normalize,
            albumentations=alb.Normalize(MEAN, STD),
            kornia=lambda image: kornia.enhance.normalize(image, MEANS, STDS),
            within={PIL: 0.001, TENSOR: 0.001, ALBUMENTATIONS: 0.001, KORNIA: 0.001},
        ),
    ]
