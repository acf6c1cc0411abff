"""FFCV, from its own file of the same bytes, page cache; rows are padded, and the consumer reads each to its size."""

from collections.abc import Iterator
from typing import Any

from ffcv.fields.basics import IntDecoder
from ffcv.fields.bytes import BytesDecoder
from ffcv.loader import Loader, OrderOption

from common import Epoch, Settings, Tolerance

CHECK = "stored_bytes"
TOLERANCE = Tolerance(0.0, "the stored bytes")


def build(settings: Settings) -> Epoch:
    loader = Loader(
        settings.data.bytes_beton,
        batch_size=settings.batch_size,
        num_workers=settings.workers,
        order=OrderOption.RANDOM,
        seed=settings.seed,
        os_cache=True,
        drop_last=False,
        pipelines={"data": [BytesDecoder()], "label": [IntDecoder()], "size": [IntDecoder()]},
    )

    def epoch(_: int) -> Iterator[tuple[Any, Any]]:
        for rows, labels, sizes in loader:
            yield [row[:size] for row, size in zip(rows, sizes.ravel(), strict=True)], labels

    return epoch
