"""FFCV, from its own file of copies re-encoded at JPEG quality 90; NHWC strides."""

from common import Epoch, Settings, Tolerance
from support.ffcv_train import train_epochs

CHECK = "augmented"
TOLERANCE = Tolerance(0.0, "random crops: see imagenet_val")


def build(settings: Settings) -> Epoch:
    return train_epochs(settings, settings.data.beton)
