"""TurboLoader, from one tar of the same images, its fused path. It cannot keep the sides' ratio: the whole image is
resized to 224 x 224, and compared with Pillow doing the same."""

from common import Epoch, Settings, Tolerance
from support.turboloader import epochs

CHECK = "squashed"
TOLERANCE = Tolerance(4.0, "it decodes images at a reduced DCT scale where that is still large enough, then resizes")


def build(settings: Settings) -> Epoch:
    return epochs(settings, train_aug=False)
