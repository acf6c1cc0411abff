"""WebDataset with Pillow, from the tar shards, batches made in the workers."""

from typing import Any

import torch
import webdataset as wds

from common import Epoch, Settings, Tolerance
from support.torchvision import transforms

CHECK = "full_decodes"
TOLERANCE = Tolerance(0.0, "Pillow itself")


def together(rows: list[tuple[torch.Tensor, int]]) -> tuple[Any, list[int]]:
    return [image for image, _ in rows], [label for _, label in rows]


def build(settings: Settings) -> Epoch:
    torch.set_num_threads(1)
    torch.multiprocessing.set_sharing_strategy("file_system")
    dataset = (
        wds.WebDataset(settings.data.tars, shardshuffle=False)
        .decode("pilrgb")
        .to_tuple("jpg", "cls")
        .map_tuple(transforms.PILToTensor(), int)
        .batched(settings.batch_size, collation_fn=together, partial=True)
    )
    loader = wds.WebLoader(dataset, batch_size=None, num_workers=settings.workers, persistent_workers=True)
    return lambda _: loader
