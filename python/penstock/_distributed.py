"""Which part of each epoch is this process's, and whether all processes share the same order."""

from __future__ import annotations

import logging
import os
import sys
from collections import Counter
from typing import Any

from .dataset import Dataset
from .errors import InvalidError
from .options import LoaderOptions

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


class OrderCheck:
    """Whether all ranks have the same order, of which each takes its part: otherwise samples would be left out.

    The first rank to begin an epoch writes down its order in the key-value store of torch.distributed, and the others
    compare theirs. Nobody waits, so a loader that one rank alone makes holds up nobody.
    """

    _made: Counter[str] = Counter()  # loaders of this process that can be told apart by their number alone

    def __init__(self, dataset: Dataset, options: LoaderOptions) -> None:
        self._dataset = dataset
        self._options = options
        self._name: str | None = None  # the same on all ranks
        self._begun: Counter[int] = Counter()  # how often each epoch was

    def compare(self, epoch: int, order: str | None = None) -> None:
        """Raises InvalidError if another rank has another order. `order`: a digest of what a sampler of the caller
        gave; without it the options say what the order is."""
        store = self._store()
        order = order or self._declared()
        if store is None or order is None:
            return
        if self._name is None:
            told = f"{self._dataset.fingerprint} {self._options.batch_size} {type(self._options.sampler).__name__}"
            self._name = f"penstock/{told}/{self._made[told]}"
            self._made[told] += 1
        key = f"{self._name}/{epoch}/{self._begun[epoch]}"
        self._begun[epoch] += 1
        first = store.compare_set(key, "", order).decode()
        if first != order:
            raise InvalidError(
                f"the ranks have different orders for epoch {epoch} ({first} and {order}), and each takes its slice of "
                "its own: some samples would be left out and others seen twice; use the same seed on all ranks, also "
                "for a sampler's generator, and shard_world_size=1 for a loader that only one rank has"
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

    def _declared(self) -> str | None:
        """What decides a permutation; None for orders that do not depend on the seed, or whose samples are drawn
        independently."""
        options = self._options
        sampler = options.sampler
        shuffles = options.shuffle if sampler is None else getattr(sampler, "replacement", None) is False
        return f"seed {options.seed}" if shuffles else None
