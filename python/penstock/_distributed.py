"""Which part of each epoch is this process's, and whether all processes share the same order."""

from __future__ import annotations

import hashlib
import itertools
import json
import logging
import os
import sys
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from .dataset import Dataset
from .errors import InvalidError
from .options import LoaderOptions
from .samplers import Given, Indices, Random, RepeatedAugmentation, Sequential

_log = logging.getLogger("penstock")
_announced: set[tuple[str, int, int]] = set()


def rank_and_world() -> tuple[int, int]:
    """Of torch.distributed if that is initialised, else of torchrun's environment, else (0, 1)."""
    distributed = sys.modules.get("torch.distributed")
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return _announce("torch.distributed", distributed.get_rank(), distributed.get_world_size())
    rank, world = os.environ.get("RANK"), os.environ.get("WORLD_SIZE")
    if rank is None or world is None:
        return 0, 1
    try:
        found = int(rank), int(world)
    except ValueError:
        found = -1, 0
    if not 0 <= found[0] < found[1]:
        raise InvalidError(
            f"the environment variables RANK={rank!r} and WORLD_SIZE={world!r} are inconsistent; correct them, or pass "
            "shard_rank and shard_world_size (shard_world_size=1: every process reads everything)"
        )
    return _announce("the environment", *found)


def _announce(source: str, rank: int, world: int) -> tuple[int, int]:
    if (source, rank, world) not in _announced:
        _announced.add((source, rank, world))
        _log.info("this process reads part %d of %d of each epoch (from %s)", rank, world, source)
    return rank, world


def digest_of(values: npt.NDArray[Any]) -> str:
    """A short text that other values do not have."""
    return hashlib.blake2b(values.tobytes(), digest_size=8).hexdigest()


class OrderCheck:
    """Whether all ranks have the same order, of which each takes its part: otherwise samples would be left out.

    The first rank to begin an epoch writes down what decides its order in the key-value store of torch.distributed, and
    the others compare theirs. Nobody waits, so a loader that one rank alone makes holds up nobody. Loaders are told
    apart by how many were made before, and epochs by how many were begun: since the loader was made, or since one was
    named or resumed, so that a rank may look at a batch before all of them name the epoch.
    """

    _numbers = itertools.count()  # of loaders that may share their epochs

    def __init__(self, dataset: Dataset, options: LoaderOptions, core: _core.Loader) -> None:
        self._dataset = dataset
        self._options = options
        self._core = core
        self._number = next(self._numbers) if options.shard_world_size != 1 else None
        self._declared: dict[str, Any] | None = None
        self._is_named = False  # the epoch that comes next
        self._named = 0  # epochs that were begun so
        self._begun = 0  # epochs since the last of them

    def name(self) -> None:
        """The epoch that comes next does not follow from what came before: set_epoch() or a state says which it is."""
        self._is_named = True

    def compare(self, given: npt.NDArray[np.uint64] | None = None) -> None:
        """Raises InvalidError if another rank has another order of the epoch that begins. `given`: what a sampler of
        the caller gave for it."""
        if self._is_named:
            self._is_named, self._named, self._begun = False, self._named + 1, 0
        key = f"penstock/{self._number}/{self._named}/{self._begun}"
        self._begun += 1
        store = self._store()
        if store is None:
            return
        if self._declared is None:
            self._declared = self._what_decides()
        here = {"epoch": self._core.next_epoch, **self._declared}
        position = self._core.next_position
        if position is not None:
            here["position"] = position
        if given is not None:
            here |= {"num_samples": given.size, "indices": digest_of(given)}
        else:
            here["steps"] = self._core.steps
        try:
            there = json.loads(store.compare_set(key, "", json.dumps(here)))
        except RuntimeError as problem:  # whoever held the store may have ended, and some kinds of it cannot compare
            _log.warning("the order of this epoch was not compared with that of other ranks: %s", problem)
            return
        # What only one of them has comes of another kind of order, or of a sampler that gives the same as a list.
        names = [name for name in here if name in there and there[name] != here[name]]
        if names:
            told = "; ".join(f"{name} {there[name]} on another rank, {here[name]} on this one" for name in names)
            raise InvalidError(
                f"the ranks have different orders ({told}), and each takes its part of its own: samples would be left "
                "out, and others seen twice; use the same on all ranks, also for a sampler's generator, create "
                "their loaders in the same order, and use shard_world_size=1 for a loader that only one rank has"
            )

    def _store(self) -> Any:
        """The store that all ranks share, or None if this loader does not share its epochs with them."""
        distributed = sys.modules.get("torch.distributed")
        if distributed is None or not distributed.is_available() or not distributed.is_initialized():
            return None
        world = distributed.get_world_size()
        if world == 1 or self._options.shard_world_size not in (None, world):
            return None
        return distributed.distributed_c10d._get_default_store()

    def _what_decides(self) -> dict[str, Any]:
        """What decides the order of every epoch, in values of JSON. The seed is not among it for orders that do not
        depend on it, nor for samples that are drawn independently."""
        options = self._options
        sampler = options.sampler or (Random() if options.shuffle else Sequential())
        decides = {
            "samples": len(self._dataset),
            "batch_size": options.batch_size,
            "drop_last": options.drop_last,
            "length_window": options.length_window,
            **{n: digest_of(v) if isinstance(v, np.ndarray) else v for n, v in sampler.spec().items()},
        }
        if isinstance(sampler, Given):
            decides["kind"] = Indices.kind
        if isinstance(sampler, Indices):
            decides["num_samples"] = sampler.indices.size
        if getattr(sampler, "replacement", None) is False or isinstance(sampler, RepeatedAugmentation):
            for name in ("seed", "shuffle_mode", "shuffle_window", "shuffle_shards"):
                decides[name] = getattr(options, name)
        return {"order": decides.pop("kind"), **decides}
