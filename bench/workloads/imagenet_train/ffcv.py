"""FFCV, from its own file of copies re-encoded at JPEG quality 90, page cache, one Loader for all epochs; its batches
are NCHW in shape and keep NHWC strides, which saves it a copy."""

import numpy as np
from ffcv.fields.basics import IntDecoder
from ffcv.fields.rgb_image import RandomResizedCropRGBImageDecoder
from ffcv.loader import Loader, OrderOption
from ffcv.transforms import NormalizeImage, RandomHorizontalFlip, Squeeze, ToTensor, ToTorchImage

from common import CROP, MEAN_LEVELS, STD_LEVELS, Epoch, Settings, Tolerance

CHECK = "augmented"
TOLERANCE = Tolerance(0.0, "random crops: see imagenet_val")


def build(settings: Settings) -> Epoch:
    image = [
        RandomResizedCropRGBImageDecoder((CROP, CROP)),
        RandomHorizontalFlip(),
        NormalizeImage(np.array(MEAN_LEVELS), np.array(STD_LEVELS), np.float32),
        ToTensor(),
        ToTorchImage(),
    ]
    loader = Loader(
        settings.data.beton,
        batch_size=settings.batch_size,
        num_workers=settings.workers,
        order=OrderOption.RANDOM,
        seed=settings.seed,
        os_cache=True,
        drop_last=False,
        pipelines={"image": image, "label": [IntDecoder(), ToTensor(), Squeeze()]},
    )
    return lambda _: loader
