"""TurboLoader, from one tar of the same pictures, its fused path, decoding the crop window only."""

from common import Epoch, Settings, Tolerance
from support.turboloader import epochs

CHECK = "augmented"
TOLERANCE = Tolerance(0.0, "random crops: see imagenet_val")


def build(settings: Settings) -> Epoch:
    return epochs(settings, train_aug=True)
