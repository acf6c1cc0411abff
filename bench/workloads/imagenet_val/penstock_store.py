"""penstock, from a store of the same pictures repacked without loss."""

import torch

import penstock
from common import CROP, Epoch, Settings, Tolerance

CHECK = "centre_crops"
TOLERANCE = Tolerance(0.001, "the same pixels as Pillow; float32 rounding of the normalisation only")


def build(settings: Settings) -> Epoch:
    torch.set_num_threads(1)
    loader = penstock.Loader(
        settings.data.store,
        batch_size=settings.batch_size,
        num_workers=settings.workers,
        output="torch",
        transforms=penstock.presets.imagenet_val(CROP),
    )
    return lambda _: ((batch["image"], batch["label"]) for batch in loader)
