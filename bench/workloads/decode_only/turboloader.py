"""TurboLoader, from one tar of the same images, its per-sample path, which alone gives whole images."""

from collections.abc import Iterator
from typing import Any

import turboloader

from common import Epoch, Settings, Tolerance

CHECK = "full_decodes"
TOLERANCE = Tolerance(2.0, "it uses libjpeg-turbo's fast, less exact settings")


def build(settings: Settings) -> Epoch:
    loader = turboloader.DataLoader(
        settings.data.one_tar, batch_size=settings.batch_size, num_workers=settings.workers, shuffle=False
    )

    def epoch(_: int) -> Iterator[tuple[Any, Any]]:
        for samples in loader:
            yield [sample["image"] for sample in samples], [sample["index"] for sample in samples]

    return epoch
