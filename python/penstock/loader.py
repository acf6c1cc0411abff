"""Batches of a data set, epoch after epoch."""

from __future__ import annotations

import atexit
import hashlib
import json
import operator
import warnings
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import SimpleNamespace, TracebackType
from typing import Any

from . import _core
from ._collate import Collate, Collator, Sent
from ._device import Transfer, transfer_for
from ._distributed import rank_and_world
from ._functions import Python
from ._helpers import refuse_to_be_run_by_helper
from ._output import converters
from ._stages import Stages
from .batch import Batch
from .dataset import Dataset, Source
from .errors import Error, InvalidError
from .options import LoaderOptions
from .samplers import Given
from .transforms import Transform

Operation = Transform | Python | Callable[..., Any]
Transforms = Iterable[Operation] | Mapping[str, Iterable[Operation]]

_open_loaders: weakref.WeakSet[Loader] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for loader in list(_open_loaders):
        loader.close()


def _transform_lists(
    transforms: Transforms | None, kinds: Mapping[str, str], stages: Stages
) -> list[tuple[str, list[_core.Transform]]]:
    sounds = [name for name, kind in kinds.items() if kind == "audio"]
    usual = sounds[0] if sounds and "image" not in kinds.values() else "image"
    lists = transforms if isinstance(transforms, Mapping) else {usual: transforms}
    handles = []
    for field, given in lists.items():
        if isinstance(given, Transform | Python) or not isinstance(given or [], Iterable):
            raise InvalidError(f"transforms = {given!r} cannot be; give a list of penstock.transforms and functions")
        operations = list(given or [])
        handles.append((str(field), [_handle(operation, str(field), stages) for operation in operations]))
    return handles


def _handle(operation: Any, field: str, stages: Stages) -> _core.Transform:
    if isinstance(operation, Transform):
        return operation.handle
    if not isinstance(operation, Python) and (isinstance(operation, type) or not callable(operation)):
        raise InvalidError(
            f"transforms: {operation!r} is no transform; use those of penstock.transforms, or a function of an array"
        )
    return stages.add(operation, field)


class Loader:
    """Iterate over it: each loop is the next epoch, newly shuffled if asked for.

    A bad sample raises at its batch (on_error="raise"); next() of the iterator then goes on after it.

    source: a Dataset, or anything that Dataset takes.
    transforms: operations for the pictures, or where there are none for the sounds, or {field: operations}; functions
    of an array are operations too.
    collate_fn: makes of the list of a batch's samples what is delivered in place of the Batch.
    options: a LoaderOptions; keywords are options too and win over it.
    """

    def __init__(
        self,
        source: Source | Dataset,
        *,
        transforms: Transforms | None = None,
        options: LoaderOptions | None = None,
        collate_fn: Collate | None = None,
        **keywords: Any,
    ) -> None:
        if options is not None and not isinstance(options, LoaderOptions):
            raise InvalidError(f"options = {options!r} cannot be; give a LoaderOptions, or the options as keywords")
        self._options = options.replace(**keywords) if options is not None else LoaderOptions(**keywords)
        self._dataset = source if isinstance(source, Dataset) else Dataset(source)
        for_core = self._options.for_core()
        self._converters = converters(self._options.output, for_core["memory_format"])
        self._transfer = transfer_for(self._options)
        self._collator = self._collator_for(collate_fn)
        self._stages = Stages(self._options)
        try:
            lists = _transform_lists(transforms, self._dataset.fields, self._stages)
            self._core = _core.Loader.open(self._dataset._core, lists, for_core)
            self._stages.warn(stacklevel=2)
        except BaseException:
            self._stages.close()
            raise
        # What had been received when the batch on its way was asked for, or the one that could not be collated.
        self._state_ahead: str | None = None
        self._order: tuple[int, str] | None = None  # epoch and digest of what a sampler of the caller gave last
        self._resumed_order: tuple[int, str] | None = None  # what it gave when the state was taken
        self._iteration: weakref.ref[_Iteration] | None = None  # the newest
        self._knows_shard = self._options.shard_world_size is not None
        self._warned_of: set[str] = set()
        self._closed = False
        _open_loaders.add(self)

    def _collator_for(self, collate_fn: Collate | None) -> Collator | None:
        if collate_fn is None:
            return None
        if not callable(collate_fn):
            raise InvalidError(f"collate_fn = {collate_fn!r} cannot be; give a function of a list of samples")
        if self._transfer is not None:
            raise InvalidError(
                "collate_fn and device or pin_memory contradict each other; send what your function returns yourself"
            )
        if self._options.num_workers != 0:
            refuse_to_be_run_by_helper()
        return Collator(collate_fn, self._options)

    @property
    def dataset(self) -> Dataset:
        """The data set it reads."""
        return self._dataset

    @property
    def options(self) -> LoaderOptions:
        """All options, those not given at their defaults."""
        return self._options

    def __len__(self) -> int:
        sampler = self._options.sampler
        if isinstance(sampler, Given) and not sampler.is_sized():
            raise TypeError("this Loader has no len(): its sampler has none")
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
        order = self._resumed_order or self._order
        if order is not None and order[0] == state["epoch"] and state["position"] > 0:
            state["sampler"] = order[1]
        return state

    def load_state_dict(self, state: Mapping[str, Any], strict: bool = True) -> None:
        """The next loop goes on where the state was taken: it finishes the interrupted epoch.

        A state of another data set, order, seed or pipeline raises InvalidError with the difference; strict=False
        goes on at its position all the same.
        """
        self._find_shard()
        try:
            fields = dict(state)
            order = fields.pop("sampler", None)
            text = json.dumps(fields)
        except (TypeError, ValueError):
            raise InvalidError("this is no state of a Loader; give what state_dict() returned") from None
        self._core.load_state(text, bool(strict))
        self._state_ahead = None
        self._resumed_order = (self._core.next_epoch, str(order)) if strict and order is not None else None

    def set_epoch(self, epoch: int) -> None:
        """Names the epoch of the next iteration, or of an iterator that was made and not yet asked for a batch."""
        try:
            number = operator.index(epoch)
        except TypeError:
            number = -1
        if not 0 <= number < 2**63:
            raise InvalidError(f"epoch = {epoch!r} cannot be; give a whole number, 0 or more")
        self._core.set_epoch(number)
        iteration = None if self._iteration is None else self._iteration()
        if iteration is not None:
            iteration.begin_again_if_untouched()

    @property
    def batch_sampler(self) -> SimpleNamespace:
        """What frameworks look for at a torch DataLoader: Lightning names each epoch by batch_sampler.sampler."""
        sampler = SimpleNamespace(set_epoch=self.set_epoch)
        return SimpleNamespace(batch_size=self._options.batch_size, drop_last=self._options.drop_last, sampler=sampler)

    def stats(self) -> dict[str, Any]:
        """Where the time goes: rates, per-stage times, who waits for whom, and a verdict in one sentence."""
        collate = {} if self._collator is None else {"collate": self._collator.stats()}
        return {**self._core.stats(), **self._stages.stats(), **collate}

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
        return self._core.start_epoch(self._ask(sampler))

    def _ask(self, sampler: Given) -> Any:
        """The order of the next epoch. One that is drawn anew, as torch's random samplers do, cannot be resumed."""
        epoch = self._core.next_epoch
        order = sampler.of_epoch(epoch)
        given = (epoch, hashlib.blake2b(order.tobytes(), digest_size=8).hexdigest())
        resumed = self._resumed_order
        if resumed is not None and resumed[0] == epoch and resumed != given:
            raise InvalidError(
                f"sampler: its order of epoch {epoch} is not what it was when the state was taken; give one whose "
                "order depends on the epoch alone (set_epoch), as those of penstock.samplers do, or pass strict=False"
            )
        self._order = given
        return order

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
        self._closed = True
        self._stages.stop()
        if self._collator is not None:
            self._collator.stop()
        self._core.close()
        self._stages.reap()
        if self._collator is not None:
            self._collator.close()
        self._warn()

    def __del__(self) -> None:
        core: _core.Loader | None = getattr(self, "_core", None)
        if core is not None:  # opening may have failed
            self.close()  # without the GIL, unlike the end of the object itself

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a Loader has threads and cannot be pickled; make it in the process that iterates over it")

    def __enter__(self) -> Loader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        sampler = self._options.sampler
        steps = "" if isinstance(sampler, Given) and not sampler.is_sized() else f"{len(self)} "
        return f"<penstock.Loader of {self._dataset!r}: {steps}steps of {self._options.batch_size}>"


class _Iteration:
    """One pass over an epoch."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader
        self._ticket = loader._start_epoch()
        loader._state_ahead = None
        self._untouched = True
        self._finished = False
        self._on_its_way: Batch | None = None
        self._being_collated: deque[Sent] = deque()
        if loader._collator is not None:
            loader._collator.begin()
        loader._iteration = weakref.ref(self)

    def begin_again_if_untouched(self) -> None:
        """Takes the epoch that has been named meanwhile, if nobody has asked for a batch of this one."""
        if self._untouched:
            self._ticket = self._loader._start_epoch()

    def __iter__(self) -> _Iteration:
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
        return batch

    def _take(self) -> Batch | None:
        core = self.take_core()
        return None if core is None else Batch(core, *self._loader._converters)

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
        """The next batch if it is there, and sound."""
        return self._loader._core.next_if_ready(self._ticket)

    def take_core(self) -> _core.Batch | None:
        """The next batch, or None at the end."""
        loader = self._loader
        core = None if self._finished else loader._core.next(self._ticket)
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
            self._on_its_way = transfer.send(Batch(following, *loader._converters))
            self.received_until(state)
        return transfer.receive(sent)
