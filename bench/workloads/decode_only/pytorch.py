"""PyTorch DataLoader with Pillow, from class folders, persistent workers."""

from typing import Any

import torch
from torch.utils.data import DataLoader

from common import Epoch, Settings, Tolerance
from support.torchvision import datasets, transforms

CHECK = "full_decodes"
TOLERANCE = Tolerance(0.0, "Pillow itself")


def together(rows: list[tuple[torch.Tensor, int]]) -> tuple[Any, list[int]]:
    return [image for image, _ in rows], [label for _, label in rows]


def build(settings: Settings) -> Epoch:
    torch.set_num_threads(1)
    torch.multiprocessing.set_sharing_strategy("file_system")
    dataset = datasets.ImageFolder(settings.data.folders, transforms.PILToTensor())
    loader = DataLoader(
        dataset,
        batch_size=settings.batch_size,
        num_workers=settings.workers,
        persistent_workers=True,
        collate_fn=together,
    )
    return lambda _: loader
