"""TurboLoader, from one tar of the same images, its fused path, decoding the crop window only; it uses one thread per
CPU, of which it is given as many as workers are asked for, where there are so many."""

from common import Epoch, Settings, Tolerance
from support.turboloader import epochs

CHECK = "augmented"
TOLERANCE = Tolerance(0.0, "random crops: see imagenet_val")


def build(settings: Settings) -> Epoch:
    return epochs(settings, train_aug=True)
