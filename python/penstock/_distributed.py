"""Which part of each epoch is this process's."""

from __future__ import annotations

import logging
import os
import sys

from .errors import InvalidError

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
            f"the environment has RANK={rank!r} and WORLD_SIZE={world!r}, which cannot be; mend them, or pass "
            "shard_rank and shard_world_size (shard_world_size=1: every process reads everything)"
        )
    return _announce("the environment", *found)


def _announce(source: str, rank: int, world: int) -> tuple[int, int]:
    if (source, rank, world) not in _announced:
        _announced.add((source, rank, world))
        _log.info("this process reads part %d of %d of each epoch (from %s)", rank, world, source)
    return rank, world
