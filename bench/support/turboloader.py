"""TurboLoader's fused path, which works on a pool as large as the CPUs that the process may use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from common import CROP, Epoch, Settings


def epochs(settings: Settings, train_aug: bool, file: str | None = None) -> Epoch:
    """Its num_workers does not reach the fused path: the process is held to that many CPUs before the pool starts,
    where it may use more. A sample's index is its label, as the tar holds the samples in label order."""
    allowed = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, allowed[: settings.workers])
    import turboloader

    loader = turboloader.DataLoader(
        file or settings.data.one_tar,
        batch_size=settings.batch_size,
        num_workers=settings.workers,
        shuffle=train_aug,
        seed=settings.seed,
        image_size=CROP,
        output_format="pytorch",
        train_aug=train_aug,
        antialias=True,
        transform=turboloader.ImageNetNormalize(),
    )

    def epoch(number: int) -> Iterator[tuple[Any, Any]]:
        loader.set_epoch(number)
        for images, about in loader:
            yield images, about["indices"]

    return epoch
