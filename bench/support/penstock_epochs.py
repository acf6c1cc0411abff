"""penstock's training and validation pipelines from whatever holds the images."""

from __future__ import annotations

from typing import Any

import torch

import penstock
from common import CROP, Epoch, Settings


def train_epochs(settings: Settings, source: str | list[str]) -> Epoch:
    return _epochs(settings, source, shuffle=True, seed=settings.seed, transforms=penstock.presets.imagenet_train(CROP))


def val_epochs(settings: Settings, source: str | list[str]) -> Epoch:
    return _epochs(settings, source, transforms=penstock.presets.imagenet_val(CROP))


def _epochs(settings: Settings, source: str | list[str], **options: Any) -> Epoch:
    torch.set_num_threads(1)
    loader = penstock.Loader(
        source, batch_size=settings.batch_size, num_workers=settings.workers, output="torch", **options
    )
    return lambda _: ((batch["image"], batch["label"]) for batch in loader)
