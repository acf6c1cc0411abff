"""penstock's training pipeline from whatever holds the pictures."""

from __future__ import annotations

import torch

import penstock
from common import CROP, Epoch, Settings


def train_epochs(settings: Settings, source: str | list[str]) -> Epoch:
    torch.set_num_threads(1)
    loader = penstock.Loader(
        source,
        batch_size=settings.batch_size,
        shuffle=True,
        seed=settings.seed,
        num_workers=settings.workers,
        output="torch",
        transforms=penstock.presets.imagenet_train(CROP),
    )
    return lambda _: ((batch["image"], batch["label"]) for batch in loader)
