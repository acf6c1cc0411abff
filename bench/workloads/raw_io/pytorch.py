"""PyTorch DataLoader as it is usually written: class folders, one file per sample, torch's own collate function."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader

from common import Epoch, Settings, Tolerance
from support.torchvision import datasets

CHECK = "stored_bytes"
TOLERANCE = Tolerance(0.0, "the stored bytes")


def read_file(path: str) -> bytes:
    return Path(path).read_bytes()


def build(settings: Settings) -> Epoch:
    torch.set_num_threads(1)
    torch.manual_seed(settings.seed)
    loader = DataLoader(
        datasets.ImageFolder(settings.data.folders, loader=read_file),
        batch_size=settings.batch_size,
        shuffle=True,
        num_workers=settings.workers,
        persistent_workers=True,
    )

    def epoch(_: int) -> Iterator[tuple[Any, Any]]:
        for files, labels in loader:
            yield [np.frombuffer(file, np.uint8) for file in files], labels

    return epoch
