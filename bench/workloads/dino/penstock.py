"""penstock, from the tar shards as they are; each image is decoded once."""

import penstock
from common import CROP, Epoch, Settings, Tolerance
from support.penstock_epochs import view_epochs

CHECK = "dino_views"
TOLERANCE = Tolerance(0.0, "random crops and colours: see imagenet_val")


def build(settings: Settings) -> Epoch:
    return view_epochs(settings, settings.data.tars, penstock.presets.dino(CROP))
