"""Batches made by a function of the user."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from . import _core
from .batch import Batch

Collate = Callable[[list[dict[str, Any]]], Any]


def _as_is(array: Any) -> Any:
    return array


def samples_of(core: _core.Batch) -> list[dict[str, Any]]:
    """The rows of a batch, one dict each: numpy arrays and plain values. Pictures are views of the batch."""
    batch = Batch(core, True, _as_is, _as_is)
    columns = {name: batch[name] for name in batch}
    numbers = {name: values.tolist() for name, values in columns.items() if getattr(values, "ndim", 0) == 1}
    if core.is_raw:
        data = columns.pop("data")
        numbers.pop("data")
        spans = zip(numbers.pop("offsets"), numbers.pop("sizes"), strict=True)
        columns = {"data": [data[begin : begin + size] for begin, size in spans], **columns}
        del columns["offsets"], columns["sizes"]
    columns.update(numbers)
    return [{name: values[row] for name, values in columns.items()} for row in range(core.rows)]


class Collator:
    """Calls collate_fn in the consumer's thread, and counts what it costs there."""

    def __init__(self, function: Collate) -> None:
        self._function = function
        self._calls = 0
        self._seconds = 0.0

    def __call__(self, core: _core.Batch) -> Any:
        start = time.perf_counter()
        try:
            return self._function(samples_of(core))
        except Exception as raised:
            if hasattr(raised, "add_note"):  # Python 3.11
                raised.add_note(f"in collate_fn, for step {core.step} of epoch {core.epoch}")
            raise
        finally:
            self._calls += 1
            self._seconds += time.perf_counter() - start

    def stats(self) -> dict[str, Any]:
        """What it did so far."""
        return {"runs_in": "consumer's thread", "calls": self._calls, "seconds": self._seconds}
