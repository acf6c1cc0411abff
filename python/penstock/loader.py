"""Batches of a data set, epoch after epoch."""

from __future__ import annotations

import atexit
import inspect
import json
import operator
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, overload

from . import _core
from ._caller import caller_level
from ._collate import collator_for
from ._columns import RAW, ColumnNames
from ._device import transfer_for
from ._distributed import OrderCheck, digest_of, rank_and_world
from ._iteration import Iteration
from ._lists import Transforms, transform_lists
from ._option_list import OPTIONS, option_lines, with_option_parameters
from ._output import check_types, converters
from ._renamed import RenamedKeys
from ._stages import Stages
from ._steps import EpochNamer, Steps, only_batch
from .batch import Batch
from .dataset import Dataset, Source
from .errors import Error, InvalidError
from .options import LoaderOptions
from .samplers import Given
from .views import Views

if TYPE_CHECKING:
    from typing_extensions import TypeVar, Unpack

    from ._option_types import OptionKeywords

    T_co = TypeVar("T_co", covariant=True, default=Batch)
else:
    from typing import TypeVar

    T_co = TypeVar("T_co", covariant=True)

Samples = list[dict[str, Any]]

_open_loaders: weakref.WeakSet[Loader[Any]] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for loader in list(_open_loaders):
        loader.close()


class Loader(Generic[T_co]):
    """Iterate over it: each loop is the next epoch, newly shuffled if asked for.

    A bad sample raises at its batch (on_error="raise"); next() of the iterator then continues after it.

    source: a Dataset, or anything that Dataset takes.
    transforms: a list of operations for the sample: for its image, their geometry also for masks, boxes and keypoints;
    where there are no images, for the recordings. {field: operations}: lists of their own, which move nothing else.
    Functions of an array are operations too, and objects of torchvision and albumentations. Views: several lists for
    one image.
    collate_fn: makes of the list of a batch's samples what is delivered in place of the Batch.
    as_tuple: names of fields: a tuple of them is delivered in place of the Batch.
    options: a LoaderOptions; keywords are options too and win over it:
    """

    @overload
    def __init__(
        self: Loader[Batch],
        source: Source | Dataset,
        *,
        transforms: Transforms | None = None,
        options: LoaderOptions | None = None,
        collate_fn: None = None,
        as_tuple: None = None,
        **keywords: Unpack[OptionKeywords],
    ) -> None: ...

    @overload
    def __init__(
        self: Loader[tuple[Any, ...]],
        source: Source | Dataset,
        *,
        transforms: Transforms | None = None,
        options: LoaderOptions | None = None,
        collate_fn: None = None,
        as_tuple: Sequence[str],
        **keywords: Unpack[OptionKeywords],
    ) -> None: ...

    @overload
    def __init__(
        self,
        source: Source | Dataset,
        *,
        transforms: Transforms | None = None,
        options: LoaderOptions | None = None,
        collate_fn: Callable[[Samples], T_co],
        as_tuple: None = None,
        **keywords: Unpack[OptionKeywords],
    ) -> None: ...

    @with_option_parameters
    def __init__(
        self,
        source: Source | Dataset,
        *,
        transforms: Transforms | None = None,
        options: LoaderOptions | None = None,
        collate_fn: Callable[[Samples], Any] | None = None,
        as_tuple: Sequence[str] | None = None,
        **keywords: Unpack[OptionKeywords],
    ) -> None:
        if options is not None and not isinstance(options, LoaderOptions):
            raise InvalidError(f"options must be a LoaderOptions, got {options!r}; single options are keywords")
        self._options = options.replace(**keywords) if options is not None else LoaderOptions(**keywords)
        self._dataset = source if isinstance(source, Dataset) else Dataset(source)
        for_core = self._options.for_core()
        self._column_names: ColumnNames | None = None  # once there is a batch
        self._converters = converters(self._options.output, for_core["memory_format"])
        self._transfer = transfer_for(self._options)
        self._stages = Stages(self._options)
        self._collator = collator_for(collate_fn, self._options, self._transfer is not None)
        try:
            views: list[tuple[str, int, list[_core.Transform]]] = []
            lists: list[tuple[str, list[_core.Transform]]] = []
            if isinstance(transforms, Views):
                for name, (count, operations) in transforms.lists.items():
                    views.append((name, count or 0, [operation.handle for operation in operations]))
            else:
                lists = transform_lists(transforms, self._dataset, self._stages)
            handles = [handle for _, listed in lists for handle in listed]
            handles += [handle for _, _, listed in views for handle in listed]
            check_types(handles, self._options.output, self._collator is not None)
            self._core = _core.Loader.open(self._dataset._core, lists, for_core, views)
            self._as_tuple = self._names_for(as_tuple)
            self._stages.warn(stacklevel=2)
        except BaseException:
            self._stages.close()
            if self._collator is not None:
                self._collator.close()
            raise
        # What had been received when the batch on its way was asked for, or the one that could not be collated.
        self._state_ahead: str | None = None
        self._order: tuple[int, str] | None = None  # epoch and digest of what a sampler of the caller gave last
        self._resumed_order: tuple[int, str] | None = None  # what it gave when the state was taken
        self._iteration: weakref.ref[Iteration] | None = None  # the newest
        self._knows_shard = self._options.shard_world_size is not None
        self._order_check = OrderCheck(self._dataset, self._options, self._core)
        self._warned_of: set[str] = set()
        self._closed = False
        self._warn()
        _open_loaders.add(self)

    if not TYPE_CHECKING:  # which knows that there are no such attributes

        def __setattr__(self, name: str, value: Any) -> None:
            if name in OPTIONS or name in ("transforms", "as_tuple"):
                option = f"options=loader.options.with_{name}({value!r})" if name in OPTIONS else f"{name}=..."
                other = f"Loader(loader.dataset, {option})"
                raise AttributeError(f"{name} of a Loader cannot be changed; create another one: {other}")
            super().__setattr__(name, value)

    def _names_for(self, as_tuple: Sequence[str] | None) -> tuple[str, ...] | None:
        if as_tuple is None:
            return None
        if isinstance(as_tuple, str) or not all(isinstance(name, str) for name in as_tuple):
            raise InvalidError(f"as_tuple must be names of fields, such as ('image', 'label'), got {as_tuple!r}")
        if self._collator is not None:
            raise InvalidError("as_tuple and collate_fn cannot be combined; return a tuple from collate_fn")
        kinds = dict(self._core.columns)
        lengths = [f"{name}_length" for name, kind in kinds.items() if kind == "audio"]
        sizes = [f"{name}_size" for name, kind in kinds.items() if kind == "image" and self._options.pad_images]
        known = [*kinds, *([*lengths, *sizes] if self._options.decode else RAW), "index", "key"]
        if unknown := [name for name in as_tuple if name not in known]:
            raise InvalidError(f"as_tuple: no field {unknown[0]!r}; the fields are {', '.join(known)}")
        return tuple(as_tuple)

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
        if isinstance(sampler, Given) and sampler.num_samples is None:
            raise TypeError("this Loader has no len(), because its sampler has none")
        self._find_shard()
        return self._core.steps

    def __iter__(self) -> Iterator[T_co]:
        self._find_shard()
        self._core.await_cache()
        self._warn()
        return Iteration(self)

    def state_dict(self) -> dict[str, Any]:
        """What has been received so far: plain JSON of less than 1 kB. Any number of ranks and workers, and any
        batch size, can continue from it."""
        self._find_shard()
        state: dict[str, Any] = json.loads(self._state_ahead or self._core.state())
        order = self._resumed_order or self._order
        if order is not None and order[0] == state["epoch"] and state["position"] > 0:
            state["sampler"] = order[1]
        return state

    def load_state_dict(self, state: Mapping[str, Any], strict: bool = True) -> None:
        """The next loop continues where the state was taken: it finishes the interrupted epoch.

        A state of another data set, order, seed or pipeline raises InvalidError with the difference; strict=False
        continues at its position anyway.
        """
        self._find_shard()
        try:
            fields = dict(state)
            order = fields.pop("sampler", None)
            text = json.dumps(fields)
        except (TypeError, ValueError):
            raise InvalidError("expected the state of a Loader, as state_dict() returns it") from None
        self._core.load_state(text, bool(strict))
        self._order_check.name()
        self._state_ahead = None
        self._resumed_order = (self._core.next_epoch, str(order)) if strict and order is not None else None

    def set_epoch(self, epoch: int) -> None:
        """Names the epoch of the next iteration, or of an iterator that was made and not yet asked for a batch."""
        try:
            number = operator.index(epoch)
        except TypeError:
            number = -1
        if not 0 <= number < 2**63:
            raise InvalidError(f"epoch must be a non-negative integer, got {epoch!r}")
        self._core.set_epoch(number)
        self._order_check.name()
        iteration = None if self._iteration is None else self._iteration()
        if iteration is not None:
            iteration.begin_again_if_untouched()

    # What frameworks look for at a torch DataLoader: Lightning names each epoch by batch_sampler.sampler,
    # accelerate.skip_first_batches makes a DataLoader of the parts, and prepare_data_loader leaves alone what has this:
    _is_accelerate_prepared = True  # the loader takes the part of its rank by itself

    @property
    def sampler(self) -> EpochNamer:
        """Names the epoch: loader.sampler.set_epoch(e) is loader.set_epoch(e)."""
        return EpochNamer(self)

    @property
    def batch_sampler(self) -> Steps:
        """The steps of the epoch that comes next, for a torch DataLoader over loader.dataset."""
        return Steps(self)

    @property
    def collate_fn(self) -> Callable[[list[Any]], Any]:
        """What hands on the batch of a step in such a DataLoader."""
        return only_batch

    @property
    def drop_last(self) -> bool:
        """As options.drop_last, for such a DataLoader."""
        return self._options.drop_last

    @property
    def prefetch_factor(self) -> None:
        """None: such a DataLoader has no workers of its own. How far this loader is ahead: options.prefetch."""
        return None

    def stats(self) -> dict[str, Any]:
        """Where the time goes: rates, per-stage times, who waits for whom, and a verdict in one sentence."""
        collate = {} if self._collator is None else {"collate": self._collator.stats()}
        stats = self._core.stats()
        if stats["auto_tune"] is not None:
            old = {"most_workers": "max_workers"}  # deprecated name
            stats["auto_tune"] = RenamedKeys(stats["auto_tune"], old, "stats()['auto_tune']")
        return {**stats, **self._stages.stats(), **collate}

    def errors(self) -> list[Error]:
        """Errors of samples that were skipped or replaced, oldest first; the first 1,000 are kept."""
        return list(self._core.errors())

    def plan(self) -> str:
        """What will run, human-readable."""
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
            self._order_check.compare()
            return self._core.start_epoch()
        return self._core.start_epoch(self._ask(sampler))

    def _ask(self, sampler: Given) -> Any:
        """The order of the next epoch. One that is drawn again, as torch's random samplers do, cannot be resumed."""
        epoch = self._core.next_epoch
        order = sampler.of_epoch(epoch, len(self._dataset))
        if order.size == 0 and sampler.num_samples != 0:
            raise InvalidError(
                f"sampler: no samples for epoch {epoch}; use one that can be iterated over again, every epoch"
            )
        given = (epoch, digest_of(order))
        resumed = self._resumed_order
        if resumed is not None and resumed[0] == epoch and resumed != given:
            raise InvalidError(
                f"sampler: its order of epoch {epoch} is not what it was when the state was saved; use one whose "
                "order depends on the epoch alone (set_epoch), as those of penstock.samplers do, or pass strict=False"
            )
        self._order_check.compare(order)
        self._order = given
        return order

    def _warn(self) -> None:
        """Says once each what goes wrong without ending the iteration: a cache of no use, a report not written."""
        for about, problem in self._core.problems():
            if about not in self._warned_of:
                self._warned_of.add(about)
                warnings.warn(problem, RuntimeWarning, stacklevel=caller_level())

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
        raise TypeError("a Loader owns threads and cannot be pickled; create it in the process that iterates over it")

    def __enter__(self) -> Loader[T_co]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        sampler = self._options.sampler
        steps = "" if isinstance(sampler, Given) and sampler.num_samples is None else f"{len(self)} "
        return f"<penstock.Loader of {self._dataset!r}: {steps}steps of {self._options.batch_size}>"


Loader.__doc__ = f"{inspect.cleandoc(Loader.__doc__ or '')}\n\n{option_lines()}"
