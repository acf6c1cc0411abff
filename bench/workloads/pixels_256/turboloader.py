"""TurboLoader, from its own .tbl file of pixels, 256 x 256 whatever the shape of the image."""

from common import Epoch, Settings, Tolerance
from support.turboloader import epochs

CHECK = "augmented"
TOLERANCE = Tolerance(0.0, "random crops of pixels that were made smaller once")


def build(settings: Settings) -> Epoch:
    return epochs(settings, train_aug=True, file=settings.data.tbl)
