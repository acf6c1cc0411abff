"""WebDataset + torchvision with Pillow, from the tar shards, batches made in the workers."""

import torch
import webdataset as wds

from common import CROP, MEAN, STD, Epoch, Settings, Tolerance
from support.torchvision import transforms

CHECK = "augmented"
TOLERANCE = Tolerance(0.0, "random crops: see imagenet_val")


def build(settings: Settings) -> Epoch:
    torch.set_num_threads(1)
    steps = transforms.Compose(
        [
            transforms.RandomResizedCrop(CROP),
            transforms.RandomHorizontalFlip(),
            transforms.ToTensor(),
            transforms.Normalize(MEAN, STD),
        ]
    )
    dataset = (
        wds.WebDataset(settings.data.tars, shardshuffle=len(settings.data.tars), seed=settings.seed)
        .shuffle(1000)
        .decode("pilrgb")
        .to_tuple("jpg", "cls")
        .map_tuple(steps, int)
        .batched(settings.batch_size, partial=True)
    )
    loader = wds.WebLoader(dataset, batch_size=None, num_workers=settings.workers, persistent_workers=True)
    return lambda _: loader
