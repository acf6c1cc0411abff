"""FFCV's training pipeline from one of its files: page cache, one Loader for all epochs. Its batches are NCHW in shape
and keep NHWC strides, which saves it a copy."""

from __future__ import annotations

import numpy as np
from ffcv.fields.basics import IntDecoder
from ffcv.fields.rgb_image import RandomResizedCropRGBImageDecoder
from ffcv.loader import Loader, OrderOption
from ffcv.transforms import NormalizeImage, RandomHorizontalFlip, Squeeze, ToTensor, ToTorchImage

from common import CROP, MEAN_LEVELS, STD_LEVELS, Epoch, Settings


def train_epochs(settings: Settings, beton: str) -> Epoch:
    image = [
        RandomResizedCropRGBImageDecoder((CROP, CROP)),
        RandomHorizontalFlip(),
        NormalizeImage(np.array(MEAN_LEVELS), np.array(STD_LEVELS), np.float32),
        ToTensor(),
        ToTorchImage(),
    ]
    loader = Loader(
        beton,
        batch_size=settings.batch_size,
        num_workers=settings.workers,
        order=OrderOption.RANDOM,
        seed=settings.seed,
        os_cache=True,
        drop_last=False,
        pipelines={"image": image, "label": [IntDecoder(), ToTensor(), Squeeze()]},
    )
    return lambda _: loader
