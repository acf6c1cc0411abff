"""PyTorch DataLoader + torchvision with Pillow, from class folders, persistent workers; each image is decoded once."""

from common import CROP, Epoch, Settings, Tolerance
from support.torchvision import transforms
from support.torchvision_views import colours, crop, epochs, floats

CHECK = "simclr_views"
TOLERANCE = Tolerance(0.0, "random crops and colours: see imagenet_val")


def build(settings: Settings) -> Epoch:
    blur = transforms.RandomApply([transforms.GaussianBlur(23, (0.1, 2.0))], p=0.5)
    view = [crop(CROP, (0.08, 1.0)), *colours(0.8, 0.8, 0.8, 0.2), blur, *floats()]
    return epochs(settings, [view, view])
