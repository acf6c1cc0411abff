"""penstock, from the tar shards as they are."""

import torch

import penstock
from common import Epoch, Settings, Tolerance

CHECK = "full_decodes"
TOLERANCE = Tolerance(0.0, "the same pixels as Pillow")


def build(settings: Settings) -> Epoch:
    torch.set_num_threads(1)
    loader = penstock.Loader(
        settings.data.tars, batch_size=settings.batch_size, num_workers=settings.workers, output="torch"
    )
    return lambda _: ((batch["image"], batch["label"]) for batch in loader)
