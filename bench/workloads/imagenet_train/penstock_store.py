"""penstock, from a store of the same images repacked without loss."""

from common import Epoch, Settings, Tolerance
from support.penstock_epochs import train_epochs

CHECK = "augmented"
TOLERANCE = Tolerance(0.0, "random crops: see imagenet_val")


def build(settings: Settings) -> Epoch:
    return train_epochs(settings, settings.data.store)
