"""PyTorch DataLoader + torchvision with Pillow, from class folders, persistent workers."""

import torch
from torch.utils.data import DataLoader

from common import CROP, MEAN, STD, Epoch, Settings, Tolerance
from support.torchvision import datasets, transforms

CHECK = "augmented"
TOLERANCE = Tolerance(0.0, "random crops: see imagenet_val")


def build(settings: Settings) -> Epoch:
    torch.set_num_threads(1)
    torch.manual_seed(settings.seed)
    steps = [
        transforms.RandomResizedCrop(CROP),
        transforms.RandomHorizontalFlip(),
        transforms.ToTensor(),
        transforms.Normalize(MEAN, STD),
    ]
    dataset = datasets.ImageFolder(settings.data.folders, transforms.Compose(steps))
    loader = DataLoader(
        dataset,
        batch_size=settings.batch_size,
        shuffle=True,
        num_workers=settings.workers,
        persistent_workers=True,
    )
    return lambda _: loader
