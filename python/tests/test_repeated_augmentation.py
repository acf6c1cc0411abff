"""samplers.RepeatedAugmentation: timm's RepeatAugSampler, dealt out to ranks, resumed by other ranks."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any

import numpy as np
import pytest
from conftest import flat

import penstock
from penstock import LoaderOptions, samplers, transforms

CROP = [transforms.RandomResizedCrop(16)]


def open_loader(source: str, **options: Any) -> penstock.Loader:
    settings = {"sampler": samplers.RepeatedAugmentation(), "seed": 11, "num_workers": 2, "output": "numpy"}
    return penstock.Loader(source, **{"transforms": CROP} | settings | options)


def rows_of(batch: penstock.Batch) -> list[tuple[int, bytes]]:
    return [(int(number), image.tobytes()) for number, image in zip(batch["index"], batch["image"], strict=True)]


def timms_order(permutation: list[int], rank: int, world: int, repeats: int) -> list[int]:
    """RepeatAugSampler.__iter__ of timm 1.0.31 for fewer than 256 samples, which it does not round."""
    indices = list(itertools.chain.from_iterable(itertools.repeat(number, repeats) for number in permutation))
    samples = math.ceil(len(permutation) * repeats / world)
    selected = min(math.ceil(len(permutation) / world), samples)
    return [indices[i % len(indices)] for i in range(rank, samples * world, world)[:selected]]


@pytest.mark.parametrize("repeats", [1, 3])
@pytest.mark.parametrize("world", [1, 2, 3, 5])
def test_each_rank_gets_the_places_that_timm_deals_it(shards: str, world: int, repeats: int) -> None:
    permutation = flat(penstock.Loader(shards, shuffle=True, seed=11))
    assert sorted(permutation) == list(range(60))
    sampler = samplers.RepeatedAugmentation(repeats)
    for rank, batch in itertools.product(range(world), (1, 4)):
        loader = open_loader(shards, sampler=sampler, shard_rank=rank, shard_world_size=world, batch_size=batch)
        assert flat(loader) == timms_order(permutation, rank, world, repeats)


def test_copies_are_augmented_each_for_itself_on_ranks_of_their_own(shards: str) -> None:
    ranks = [
        [row for batch in open_loader(shards, shard_rank=rank, shard_world_size=3) for row in rows_of(batch)]
        for rank in range(3)
    ]
    assert len(ranks[0]) == 20
    for copies in zip(*ranks, strict=True):
        assert len({number for number, _ in copies}) == 1
        assert len({image for _, image in copies}) == 3


def test_any_ranks_join_to_one_stream_also_when_resumed_by_others(shards: str) -> None:
    loader = open_loader(shards, num_workers=0)
    whole = [row for _ in range(2) for batch in loader for row in rows_of(batch)]
    assert len(whole) == 120
    seen: list[tuple[int, bytes]] = []
    state = None
    for world, batch, steps, workers in ((2, 4, 3, 1), (3, 3, 2, 3), (1, 7, 1, 0), (2, 3, 10**6, 2)):
        loaders = [
            open_loader(shards, batch_size=batch, shard_rank=rank, shard_world_size=world, num_workers=workers)
            for rank in range(world)
        ]
        for loader in loaders:
            if state is not None:
                loader.load_state_dict(state)
        taken = 0
        while taken < steps and len(seen) < len(whole):
            for batches in zip(*loaders, strict=True):
                dealt = itertools.zip_longest(*map(rows_of, batches))
                seen += [row for rows in dealt for row in rows if row is not None]
                taken += 1
                if taken == steps:
                    break
        state = json.loads(json.dumps(loaders[0].state_dict()))
        for loader in loaders:
            loader.close()
    assert seen == whole


def test_it_is_a_value_whose_epochs_differ(shards: str) -> None:
    sampler = samplers.RepeatedAugmentation(num_repeats=2, num_samples=90)
    assert repr(sampler) == "RepeatedAugmentation(num_repeats=2, num_samples=90)"
    options = LoaderOptions(sampler=sampler)
    assert LoaderOptions.from_dict(json.loads(json.dumps(options.to_dict()))) == options
    loader = open_loader(shards, sampler=sampler, batch_size=10)
    first, second = flat(loader), flat(loader)
    assert len(first) == 90 and first != second
    assert first[0::2] == first[1::2]
    windows = open_loader(shards, sampler=sampler, shuffle_mode="window", shuffle_window=8)
    assert np.abs(np.array(flat(windows)) - np.arange(90) // 2).max() < 32
    state = loader.state_dict()
    with pytest.raises(penstock.InvalidError):
        open_loader(shards, sampler=samplers.RepeatedAugmentation(3, 90)).load_state_dict(state)


def test_what_cannot_be_is_refused(shards: str) -> None:
    for wrong in (0, -1, 1.5, None):
        with pytest.raises(penstock.InvalidError, match="num_repeats must be a positive integer"):
            samplers.RepeatedAugmentation(wrong)  # type: ignore[arg-type]
    for options, words in (
        ({"sampler": samplers.RepeatedAugmentation(2, 121)}, "60 samples, 2 times each, do not make 121"),
        ({"shuffle": True}, "shuffle"),
        ({"length_window": 8}, "length_window and this sampler cannot be combined"),
    ):
        with pytest.raises(penstock.InvalidError, match=words):
            open_loader(shards, **options)
