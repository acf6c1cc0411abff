"""TurboLoader, from one tar of the same pictures, its fused path. It cannot keep the sides' ratio: the whole picture is
resized to 224 x 224, and compared with Pillow doing the same."""

from common import Epoch, Settings, Tolerance
from support.turboloader import epochs

CHECK = "squashed"
TOLERANCE = Tolerance(4.0, "it decodes pictures at a reduced DCT scale where that is still large enough, then resizes")


def build(settings: Settings) -> Epoch:
    return epochs(settings, train_aug=False)
