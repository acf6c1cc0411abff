"""PyTorch DataLoader + torchvision with Pillow, from class folders, persistent workers; each image is decoded once."""

from common import CROP, LOCAL_CROP, LOCAL_CROPS, Epoch, Settings, Tolerance
from support.torchvision_views import PillowBlur, Solarize, colours, crop, epochs, floats

CHECK = "dino_views"
TOLERANCE = Tolerance(0.0, "random crops and colours: see imagenet_val")


def build(settings: Settings) -> Epoch:
    large, small = crop(CROP, (0.4, 1.0)), crop(LOCAL_CROP, (0.05, 0.4))
    changed = colours(0.4, 0.4, 0.2, 0.1)
    first = [large, *changed, PillowBlur(1.0), *floats()]
    second = [large, *changed, PillowBlur(0.1), Solarize(0.2), *floats()]
    local = [small, *changed, PillowBlur(0.5), *floats()]
    return epochs(settings, [first, second, *[local] * LOCAL_CROPS])
