"""Epochs from a DALI pipeline, which deals in whole batches and starts the next epoch where the last batch ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from common import Epoch, Settings


def epochs(define: Callable[..., Any], settings: Settings) -> Epoch:
    """Epoch 0 pads its last batch and drops the padding, so that it holds every sample once, as the checks want it.
    Later epochs come from a pipeline without padding, which decodes nothing for nothing: an epoch ends with the batch
    that completes it, and the next one is that much shorter."""
    count = int(settings.data.manifest()["count"])
    built: dict[bool, Any] = {}

    def pipeline(pad: bool) -> Any:
        if pad not in built:
            built.clear()
            built[pad] = define(
                settings.data.folders,
                settings.seed,
                pad,
                batch_size=settings.batch_size,
                num_threads=settings.workers,
                device_id=None,
                prefetch_queue_depth=2,
            )
            built[pad].build()
        return built[pad]

    ahead = 0

    def epoch(number: int) -> Iterator[tuple[Any, Any]]:
        nonlocal ahead
        missing = count - ahead
        while missing > 0:
            images, labels = pipeline(pad=number == 0).run()
            if isinstance(images, list) or not images.is_dense_tensor():
                arrays: Any = [images.at(row) for row in range(len(images))]
            else:
                arrays = images.as_array()
            numbers = labels.as_array().ravel()
            if number == 0:
                yield arrays[:missing], numbers[:missing]
            else:
                yield arrays, numbers
            missing -= len(numbers)
        ahead = 0 if number == 0 else -missing

    return epoch
