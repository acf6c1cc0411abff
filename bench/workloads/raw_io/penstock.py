"""penstock, from the tar shards as they are, one buffer per batch."""

import penstock
from common import Epoch, Settings, Tolerance

CHECK = "stored_bytes"
TOLERANCE = Tolerance(0.0, "the stored bytes")


def build(settings: Settings) -> Epoch:
    loader = penstock.Loader(
        settings.data.tars,
        batch_size=settings.batch_size,
        shuffle=True,
        seed=settings.seed,
        num_workers=settings.workers,
        output="numpy",
        decode=False,
    )
    return lambda _: (([batch["data"]], batch["label"]) for batch in loader)
