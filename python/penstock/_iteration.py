"""One pass over an epoch."""

from __future__ import annotations

import weakref
from collections import deque
from typing import TYPE_CHECKING, Any

from . import _core
from ._collate import Taken
from ._columns import ColumnNames, Columns
from ._device import Transfer
from .batch import Batch

if TYPE_CHECKING:
    from .loader import Loader


class Iteration:
    """One pass over an epoch."""

    def __init__(self, loader: Loader[Any]) -> None:
        self._loader = loader
        self._ticket = loader._start_epoch()
        loader._state_ahead = None
        self._untouched = True
        self._finished = False
        self._began = False
        self._on_its_way: Batch | None = None
        self._being_collated: deque[Taken] = deque()
        if loader._collator is not None:
            loader._collator.begin()
        loader._iteration = weakref.ref(self)

    def begin_again_if_untouched(self) -> None:
        """Takes the epoch that has been named meanwhile, if nobody has asked for a batch of this one."""
        if self._untouched:
            self._ticket = self._loader._start_epoch()

    def __iter__(self) -> Iteration:
        return self

    def __next__(self) -> Any:
        loader = self._loader
        if self._untouched:
            self._untouched = False
            loader._resumed_order = None
        if loader._collator is not None:
            return loader._collator.take(self, self._being_collated)
        batch = self._take() if loader._transfer is None else self._take_sent(loader._transfer)
        if batch is None:
            raise StopIteration
        return batch if loader._as_tuple is None else tuple(batch[name] for name in loader._as_tuple)

    def _take(self) -> Batch | None:
        core = self.take_core()
        return None if core is None else self._batch_of(core)

    def _batch_of(self, core: _core.Batch) -> Batch:
        loader = self._loader
        if loader._column_names is None:
            loader._column_names = ColumnNames(core)
        return Batch._of(Columns(core, loader._column_names, *loader._converters))

    def is_newest(self) -> bool:
        """Whether the loader has begun no other iteration, and is open."""
        newest = self._loader._iteration
        return newest is not None and newest() is self and not self._loader._closed

    def state(self) -> str:
        """What has been received if nothing is ahead."""
        return self._loader._core.state()

    def received_until(self, state: str | None) -> None:
        """What counts as received: this, or all that was taken. An iteration that is over has no say in it."""
        if self.is_newest():
            self._loader._state_ahead = state

    def take_core_if_ready(self) -> _core.Batch | None:
        """The next batch if it is there, and intact."""
        return self._loader._core.next_if_ready(self._ticket)

    def take_core(self) -> _core.Batch | None:
        """The next batch, or None at the end."""
        loader = self._loader
        core = None if self._finished else loader._core.next(self._ticket)
        if core is not None and (core.rows < loader._options.batch_size or not self._began):
            loader._warn()  # on_error="skip" may have left out rows; the first images may lose something as RGB
        self._began = True
        loader._stages.warn_about_unchanged(at_end=core is None)
        if core is None and not self._finished:
            self._finished = True
            loader._warn()
            if not loader._options.persistent_workers:
                loader._stages.reap()
                if loader._collator is not None:
                    loader._collator.close()
        return core

    def _take_sent(self, transfer: Transfer) -> Batch | None:
        """A batch that is on the device, and the next one sent there if it is ready."""
        loader = self._loader
        sent, self._on_its_way = self._on_its_way, None
        if not self.is_newest():
            sent = None  # and take_core() says why
        self.received_until(None)
        if sent is None:
            batch = self._take()
            if batch is None:
                return None
            sent = transfer.send(batch)
        state = loader._core.state()
        following = self.take_core_if_ready()
        if following is not None:
            self._on_its_way = transfer.send(self._batch_of(following))
            self.received_until(state)
        return transfer.receive(sent)
