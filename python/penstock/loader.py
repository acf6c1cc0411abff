"""Batches of a data set, epoch after epoch."""

from __future__ import annotations

import atexit
import json
import operator
import warnings
import weakref
from collections.abc import Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any

from . import _core
from ._device import Transfer, transfer_for
from ._distributed import rank_and_world
from ._output import converters
from .batch import Batch
from .dataset import Dataset, Source
from .errors import Error, InvalidError
from .options import LoaderOptions
from .samplers import Given
from .transforms import Transform

Transforms = Iterable[Transform] | Mapping[str, Iterable[Transform]]

_open_loaders: weakref.WeakSet[Loader] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for loader in list(_open_loaders):
        loader.close()


def _transform_lists(transforms: Transforms | None) -> list[tuple[str, list[_core.Transform]]]:
    lists = transforms if isinstance(transforms, Mapping) else {"image": transforms}
    handles = []
    for field, given in lists.items():
        if isinstance(given, Transform) or not isinstance(given or [], Iterable):
            raise InvalidError(f"transforms = {given!r} cannot be; give a list of penstock.transforms")
        operations = list(given or [])
        for operation in operations:
            if not isinstance(operation, Transform):
                raise InvalidError(f"transforms: {operation!r} is no transform; use those of penstock.transforms")
        handles.append((str(field), [operation.handle for operation in operations]))
    return handles


class Loader:
    """Iterate over it: each loop is the next epoch, newly shuffled if asked for.

    A bad sample raises at its batch (on_error="raise"); next() of the iterator then goes on after it.

    source: a Dataset, or anything that Dataset takes.
    transforms: operations for the field image, or {field: operations}.
    options: a LoaderOptions; keywords are options too and win over it.
    """

    def __init__(
        self,
        source: Source | Dataset,
        *,
        transforms: Transforms | None = None,
        options: LoaderOptions | None = None,
        **keywords: Any,
    ) -> None:
        if options is not None and not isinstance(options, LoaderOptions):
            raise InvalidError(f"options = {options!r} cannot be; give a LoaderOptions, or the options as keywords")
        self._options = options.replace(**keywords) if options is not None else LoaderOptions(**keywords)
        self._dataset = source if isinstance(source, Dataset) else Dataset(source)
        for_core = self._options.for_core()
        self._converters = converters(self._options.output, for_core["memory_format"])
        self._core = _core.Loader.open(self._dataset._core, _transform_lists(transforms), for_core)
        self._transfer = transfer_for(self._options)
        self._state_ahead: str | None = None  # what had been received when the batch on its way was asked for
        self._knows_shard = self._options.shard_world_size is not None
        self._warned_of: set[str] = set()
        _open_loaders.add(self)

    @property
    def dataset(self) -> Dataset:
        """The data set it reads."""
        return self._dataset

    @property
    def options(self) -> LoaderOptions:
        """All options, those not given at their defaults."""
        return self._options

    def __len__(self) -> int:
        self._find_shard()
        return self._core.steps

    def __iter__(self) -> Iterator[Batch]:
        self._find_shard()
        self._core.await_cache()
        self._warn()
        return _Iteration(self)

    def state_dict(self) -> dict[str, Any]:
        """What has been received so far: plain JSON of less than 1 kB. Any number of ranks and workers, and any
        batch size, can go on from it."""
        self._find_shard()
        state: dict[str, Any] = json.loads(self._state_ahead or self._core.state())
        return state

    def load_state_dict(self, state: Mapping[str, Any], strict: bool = True) -> None:
        """The next loop goes on where the state was taken: it finishes the interrupted epoch.

        A state of another data set, order, seed or pipeline raises InvalidError with the difference; strict=False
        goes on at its position all the same.
        """
        self._find_shard()
        try:
            text = json.dumps(dict(state))
        except (TypeError, ValueError):
            raise InvalidError("this is no state of a Loader; give what state_dict() returned") from None
        self._core.load_state(text, bool(strict))
        self._state_ahead = None

    def set_epoch(self, epoch: int) -> None:
        """Names the epoch of the next iteration."""
        try:
            number = operator.index(epoch)
        except TypeError:
            number = -1
        if not 0 <= number < 2**63:
            raise InvalidError(f"epoch = {epoch!r} cannot be; give a whole number, 0 or more")
        self._core.set_epoch(number)

    def stats(self) -> dict[str, Any]:
        """Where the time goes: rates, per-stage times, who waits for whom, and a verdict in one sentence."""
        return self._core.stats()

    def errors(self) -> list[Error]:
        """Errors of samples that were skipped or replaced, oldest first; the first 1,000 are kept."""
        return list(self._core.errors())

    def plan(self) -> str:
        """What will run, for people."""
        return self._core.plan()

    def _find_shard(self) -> None:
        """At the first use, not when the loader is made: training may be set up in between."""
        if not self._knows_shard:
            rank, world = rank_and_world()
            if world > 1:
                self._core.set_shard(rank, world)
            self._knows_shard = True

    def _start_epoch(self) -> int:
        sampler = self._options.sampler
        if not isinstance(sampler, Given):
            return self._core.start_epoch()
        return self._core.start_epoch(sampler.of_epoch(self._core.next_epoch))

    def _warn(self) -> None:
        """Says once each what goes wrong without ending the iteration: a cache of no use, a report not written."""
        for about, problem in self._core.problems():
            if about not in self._warned_of:
                self._warned_of.add(about)
                warnings.warn(problem, RuntimeWarning, stacklevel=3)  # where the loop is

    def close(self) -> None:
        """Ends the workers, and the build of a cache, which the next loader resumes. Delivered batches stay valid.

        Threads that the source holds up for longer than 5 s are left behind, and a RuntimeWarning says so.
        """
        self._core.close()
        self._warn()

    def __del__(self) -> None:
        core: _core.Loader | None = getattr(self, "_core", None)
        if core is not None:  # opening may have failed
            core.close()  # without the GIL, unlike the end of the object itself

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a Loader has threads and cannot be pickled; make it in the process that iterates over it")

    def __enter__(self) -> Loader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<penstock.Loader of {self._dataset!r}: {len(self)} steps of {self._options.batch_size}>"


class _Iteration:
    """One pass over an epoch."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader
        loader._state_ahead = None
        self._ticket = loader._start_epoch()
        self._finished = False
        self._on_its_way: Batch | None = None

    def __iter__(self) -> _Iteration:
        return self

    def __next__(self) -> Batch:
        transfer = self._loader._transfer
        batch = self._take() if transfer is None else self._take_sent(transfer)
        if batch is None:
            raise StopIteration
        return batch

    def _take(self) -> Batch | None:
        loader = self._loader
        core = None if self._finished else loader._core.next(self._ticket)
        if core is None:
            if not self._finished:
                self._finished = True
                loader._warn()
            return None
        return Batch(core, *loader._converters)

    def _take_sent(self, transfer: Transfer) -> Batch | None:
        """A batch that is on the device, and the next one sent there if it is ready."""
        loader = self._loader
        sent, self._on_its_way, loader._state_ahead = self._on_its_way, None, None
        if sent is None:
            batch = self._take()
            if batch is None:
                return None
            sent = transfer.send(batch)
        state = loader._core.state()
        following = loader._core.next_if_ready(self._ticket)
        if following is not None:
            self._on_its_way = transfer.send(Batch(following, *loader._converters))
            loader._state_ahead = state
        return transfer.receive(sent)
