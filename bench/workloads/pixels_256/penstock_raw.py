"""penstock, from a store of pixels whose shorter side is 256."""

from common import Epoch, Settings, Tolerance
from support.penstock_epochs import train_epochs

CHECK = "augmented"
TOLERANCE = Tolerance(0.0, "random crops of pixels that were made smaller once")


def build(settings: Settings) -> Epoch:
    return train_epochs(settings, settings.data.pixel_store)
