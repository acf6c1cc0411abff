"""FFCV, from its own file of pixels whose shorter side is 256, page cache, one Loader for all epochs; NHWC strides."""

import numpy as np
from ffcv.fields.basics import IntDecoder
from ffcv.fields.rgb_image import RandomResizedCropRGBImageDecoder
from ffcv.loader import Loader, OrderOption
from ffcv.transforms import NormalizeImage, RandomHorizontalFlip, Squeeze, ToTensor, ToTorchImage

from common import CROP, MEAN_LEVELS, STD_LEVELS, Epoch, Settings, Tolerance

CHECK = "augmented"
TOLERANCE = Tolerance(0.0, "random crops of pixels that were made smaller once")


def build(settings: Settings) -> Epoch:
    image = [
        RandomResizedCropRGBImageDecoder((CROP, CROP)),
        RandomHorizontalFlip(),
        NormalizeImage(np.array(MEAN_LEVELS), np.array(STD_LEVELS), np.float32),
        ToTensor(),
        ToTorchImage(),
    ]
    loader = Loader(
        settings.data.pixel_beton,
        batch_size=settings.batch_size,
        num_workers=settings.workers,
        order=OrderOption.RANDOM,
        seed=settings.seed,
        os_cache=True,
        drop_last=False,
        pipelines={"image": image, "label": [IntDecoder(), ToTensor(), Squeeze()]},
    )
    return lambda _: loader
