"""FFCV, from its own file of copies re-encoded at JPEG quality 90, page cache, one Loader for all epochs; its batches
are NCHW in shape and keep NHWC strides, which saves it a copy."""

import numpy as np
from ffcv.fields.basics import IntDecoder
from ffcv.fields.rgb_image import CenterCropRGBImageDecoder
from ffcv.loader import Loader, OrderOption
from ffcv.transforms import NormalizeImage, Squeeze, ToTensor, ToTorchImage

from common import CROP, MEAN_LEVELS, SHORT_SIDE, STD_LEVELS, Epoch, Settings, Tolerance

CHECK = "centre_crops"
TOLERANCE = Tolerance(
    8.0,
    "its file holds copies re-encoded at quality 90; its window is whole pixels, reduced by an area filter",
)


def build(settings: Settings) -> Epoch:
    image = [
        CenterCropRGBImageDecoder((CROP, CROP), ratio=CROP / SHORT_SIDE),
        NormalizeImage(np.array(MEAN_LEVELS), np.array(STD_LEVELS), np.float32),
        ToTensor(),
        ToTorchImage(),
    ]
    loader = Loader(
        settings.data.beton,
        batch_size=settings.batch_size,
        num_workers=settings.workers,
        order=OrderOption.SEQUENTIAL,
        os_cache=True,
        drop_last=False,
        pipelines={"image": image, "label": [IntDecoder(), ToTensor(), Squeeze()]},
    )
    return lambda _: loader
