"""penstock, from a store of pixels whose shorter side is 256."""

import torch

import penstock
from common import CROP, Epoch, Settings, Tolerance

CHECK = "augmented"
TOLERANCE = Tolerance(0.0, "random crops of pixels that were made smaller once")


def build(settings: Settings) -> Epoch:
    torch.set_num_threads(1)
    loader = penstock.Loader(
        settings.data.pixel_store,
        batch_size=settings.batch_size,
        shuffle=True,
        seed=settings.seed,
        num_workers=settings.workers,
        output="torch",
        transforms=penstock.presets.imagenet_train(CROP),
    )
    return lambda _: ((batch["image"], batch["label"]) for batch in loader)
