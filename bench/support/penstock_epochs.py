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


def view_epochs(settings: Settings, source: str | list[str], views: penstock.Views) -> Epoch:
    """Images are a list with a tensor for each view."""
    loader = _loader(settings, source, shuffle=True, seed=settings.seed, transforms=views)
    return lambda _: (([batch[view] for view in views.lists], batch["label"]) for batch in loader)


def _epochs(settings: Settings, source: str | list[str], **options: Any) -> Epoch:
    loader = _loader(settings, source, **options)
    return lambda _: ((batch["image"], batch["label"]) for batch in loader)


def _loader(settings: Settings, source: str | list[str], **options: Any) -> penstock.Loader:
    torch.set_num_threads(1)
    return penstock.Loader(
        source, batch_size=settings.batch_size, num_workers=settings.workers, output="torch", **options
    )
