"""FFCV, from its own file of pixels whose shorter side is 256; NHWC strides."""

from common import Epoch, Settings, Tolerance
from support.ffcv_train import train_epochs

CHECK = "augmented"
TOLERANCE = Tolerance(0.0, "random crops of pixels that were made smaller once")


def build(settings: Settings) -> Epoch:
    return train_epochs(settings, settings.data.pixel_beton)
