"""penstock, from a store of the same images repacked without loss."""

from common import Epoch, Settings, Tolerance
from support.penstock_epochs import val_epochs

CHECK = "centre_crops"
TOLERANCE = Tolerance(0.001, "the same pixels as Pillow; float32 rounding of the normalisation only")


def build(settings: Settings) -> Epoch:
    return val_epochs(settings, settings.data.store)
