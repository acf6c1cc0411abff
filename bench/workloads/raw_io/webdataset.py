"""WebDataset, from the tar shards, one shared-memory buffer per batch."""

import torch
import webdataset as wds

from common import Epoch, Settings, Tolerance
from support.torch_bytes import one_buffer

CHECK = "stored_bytes"
TOLERANCE = Tolerance(0.0, "the stored bytes")


def build(settings: Settings) -> Epoch:
    torch.set_num_threads(1)
    dataset = (
        wds.WebDataset(settings.data.tars, shardshuffle=len(settings.data.tars), seed=settings.seed)
        .shuffle(1000)
        .to_tuple("jpg", "cls")
        .batched(settings.batch_size, collation_fn=one_buffer, partial=True)
    )
    loader = wds.WebLoader(dataset, batch_size=None, num_workers=settings.workers, persistent_workers=True)
    return lambda _: loader
