"""PyTorch DataLoader + torchvision with Pillow, from class folders, persistent workers."""

import torch
from torch.utils.data import DataLoader

from common import CROP, MEAN, SHORT_SIDE, STD, Epoch, Settings, Tolerance
from support.torchvision import datasets, transforms

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
    dataset = datasets.ImageFolder(settings.data.folders, transforms.Compose(steps))
    loader = DataLoader(dataset, batch_size=settings.batch_size, num_workers=settings.workers, persistent_workers=True)
    return lambda _: loader
