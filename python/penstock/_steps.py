"""The steps of a loader's epochs, for those who make a torch DataLoader of the parts of a loader.

accelerate.skip_first_batches(loader, n) makes one of loader.dataset, loader.batch_sampler and loader.collate_fn, and
leaves out the first n of what the batch_sampler gives. That gives steps: the DataLoader asks the data set for each of
them, which asks the loader. What is left out is never read, and the rest are the loader's own batches.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, SupportsIndex

if TYPE_CHECKING:
    from .loader import Loader


class Step:
    """A batch that has not been asked for."""

    __slots__ = ("_number", "_pass")

    def __init__(self, one_pass: _Pass, number: int) -> None:
        self._pass = one_pass
        self._number = number

    def take(self) -> list[Any]:
        """What the loader delivers at this step, alone in a list. Raises StopIteration after the last."""
        return [self._pass.take(self._number)]

    def __repr__(self) -> str:
        return f"<step {self._number} of a penstock.Loader>"


class _Pass:
    """One pass over an epoch, which begins at the first step that is asked for."""

    def __init__(self, loader: Loader[Any]) -> None:
        self._loader = loader
        self._batches: Iterator[Any] | None = None
        self._next = 0

    def take(self, number: int) -> Any:
        if self._batches is None:
            self._loader._core.skip(number)
            self._batches = iter(self._loader)
            self._next = number
        while self._next < number:
            next(self._batches)
            self._next += 1
        self._next += 1
        return next(self._batches)


class EpochNamer:
    """What frameworks look for as `sampler`, in order to name the epoch."""

    def __init__(self, loader: Loader[Any]) -> None:
        self._loader = loader

    def set_epoch(self, epoch: SupportsIndex) -> None:
        """As the loader's own."""
        self._loader.set_epoch(operator.index(epoch))


class Steps(EpochNamer):
    """What frameworks look for as `batch_sampler`: the steps of the epoch that comes next."""

    @property
    def sampler(self) -> EpochNamer:
        """What names the epoch."""
        return EpochNamer(self._loader)

    @property
    def batch_size(self) -> int:
        """That of the loader."""
        return self._loader.options.batch_size

    @property
    def drop_last(self) -> bool:
        """That of the loader."""
        return self._loader.options.drop_last

    def __len__(self) -> int:
        return len(self._loader)

    def __iter__(self) -> Iterator[Step]:
        one_pass = _Pass(self._loader)
        try:
            numbers: Iterator[int] = iter(range(len(self._loader)))
        except TypeError:  # its sampler tells no length: StopIteration of the last step is the end
            numbers = itertools.count()
        return (Step(one_pass, number) for number in numbers)


def only_batch(batches: list[Any]) -> Any:
    """Of what Step.take() returned."""
    (batch,) = batches
    return batch
