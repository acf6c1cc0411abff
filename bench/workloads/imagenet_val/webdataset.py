"""WebDataset + torchvision with Pillow, from the tar shards, batches made in the workers."""

import torch
import webdataset as wds

from common import CROP, MEAN, SHORT_SIDE, STD, Epoch, Settings, Tolerance
from support.torchvision import transforms

CHECK = "centre_crops"
TOLERANCE = Tolerance(0.001, "Pillow itself; float32 rounding of the normalisation only")


def build(settings: Settings) -> Epoch:
    torch.set_num_threads(1)
    steps = [
        transforms.Resize(SHORT_SIDE),
        transforms.CenterCrop(CROP),
        transforms.ToTensor(),
        transforms.Normalize(MEAN, STD),
    ]
    dataset = (
        wds.WebDataset(settings.data.tars, shardshuffle=False)
        .decode("pilrgb")
        .to_tuple("jpg", "cls")
        .map_tuple(transforms.Compose(steps), int)
        .batched(settings.batch_size, partial=True)
    )
    loader = wds.WebLoader(dataset, batch_size=None, num_workers=settings.workers, persistent_workers=True)
    return lambda _: loader
