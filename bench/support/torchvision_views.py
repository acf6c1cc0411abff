"""Several views of each image by torchvision on PIL images, from class folders, with the numbers of the presets."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import torch
from PIL import Image, ImageFilter, ImageOps
from torch.utils.data import DataLoader

from common import MEAN, STD, Epoch, Settings
from support.torchvision import datasets, transforms

BICUBIC = transforms.InterpolationMode.BICUBIC


class Views:
    """An image to one tensor for each list."""

    def __init__(self, lists: Sequence[Sequence[Callable[[Any], Any]]]) -> None:
        self.lists = [transforms.Compose(steps) for steps in lists]

    def __call__(self, image: Image.Image) -> list[torch.Tensor]:
        return [steps(image) for steps in self.lists]


class PillowBlur:
    """DINO's."""

    def __init__(self, p: float) -> None:
        self.p = p

    def __call__(self, image: Image.Image) -> Image.Image:
        if random.random() >= self.p:
            return image
        return image.filter(ImageFilter.GaussianBlur(random.uniform(0.1, 2.0)))


class Solarize:
    """DINO's."""

    def __init__(self, p: float) -> None:
        self.p = p

    def __call__(self, image: Image.Image) -> Image.Image:
        return ImageOps.solarize(image) if random.random() < self.p else image


def colours(brightness: float, contrast: float, saturation: float, hue: float) -> list[Callable[[Any], Any]]:
    jitter = transforms.ColorJitter(brightness, contrast, saturation, hue)
    return [
        transforms.RandomHorizontalFlip(),
        transforms.RandomApply([jitter], p=0.8),
        transforms.RandomGrayscale(0.2),
    ]


def floats() -> list[Callable[[Any], Any]]:
    return [transforms.ToTensor(), transforms.Normalize(MEAN, STD)]


def crop(size: int, scale: tuple[float, float]) -> Callable[[Any], Any]:
    cropped: Callable[[Any], Any] = transforms.RandomResizedCrop(size, scale, interpolation=BICUBIC)
    return cropped


def epochs(settings: Settings, lists: Sequence[Sequence[Callable[[Any], Any]]]) -> Epoch:
    torch.set_num_threads(1)
    torch.manual_seed(settings.seed)
    loader = DataLoader(
        datasets.ImageFolder(settings.data.folders, Views(lists)),
        batch_size=settings.batch_size,
        shuffle=True,
        num_workers=settings.workers,
        persistent_workers=True,
    )
    return lambda _: loader
