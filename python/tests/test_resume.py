"""Order and resume: any number of workers and ranks, any batch size, at every step."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
from conftest import draw, encode

import penstock

AUGMENTED = penstock.presets.imagenet_train(16)


def rows_of(batch) -> list[tuple[int, bytes]]:
    images = np.asarray(batch["image"])
    return [(int(index), images[row].tobytes()) for row, index in enumerate(np.asarray(batch["index"]))]


def open_loader(source, **options):
    return penstock.Loader(source, transforms=AUGMENTED, **{"shuffle": True, "seed": 11, "batch_size": 7, **options})


@pytest.fixture(scope="module")
def reference(shards):
    """Three epochs by one worker, row by row."""
    loader = open_loader(shards, num_workers=1, prefetch=1, batch_size=1)
    return [[row for batch in loader for row in rows_of(batch)] for _ in range(3)]


def test_any_setting_gives_the_rows_of_one_worker(shards, reference):
    choose = random.Random(5)
    for _ in range(25):
        world = choose.choice([1, 1, 2, 3, 5])
        batch = choose.randint(1, 20)
        settings = {
            "num_workers": choose.choice([0, 1, 2, 4]),
            "prefetch": choose.randint(0, 5),
            "batch_size": batch,
            "persistent_workers": choose.random() < 0.8,
        }
        epoch = choose.randrange(3)
        streams = []
        for rank in range(world):
            with open_loader(shards, shard_rank=rank, shard_world_size=world, **settings) as loader:
                loader.set_epoch(epoch)
                streams.append([rows_of(b) for b in loader])
                repeated = loader.stats()["repeated"]
                if repeated:
                    streams[-1] = streams[-1][:-1]
                assert len(loader) == len(streams[-1]) + (1 if repeated else 0)
        joined = [row for step in range(max(map(len, streams))) for s in streams if step < len(s) for row in s[step]]
        assert joined == reference[epoch], settings


def test_resume_at_every_step_with_other_workers(shards, reference):
    whole = [row for epoch in reference[:2] for row in epoch]
    loader = open_loader(shards)
    states = [(0, loader.state_dict())]
    done = 0
    for _ in range(2):
        for batch in loader:
            done += len(batch["index"])
            states.append((done, loader.state_dict()))
        states.append((done, loader.state_dict()))
    for number, (done, state) in enumerate(states):
        assert len(json.dumps(state)) < 1000
        with open_loader(shards, num_workers=number % 3, prefetch=number % 4, batch_size=1 + number % 9) as resumed:
            resumed.load_state_dict(json.loads(json.dumps(state)))
            assert resumed.state_dict() == state, "a resume of a resume"
            rest = []
            for _ in range(3):
                rest += [row for batch in resumed for row in rows_of(batch)]
            assert rest[: len(whole) - done] == whole[done:], f"state {number}"


def test_elastic_three_ranks_then_two_then_four(shards, reference):
    state = open_loader(shards).state_dict()
    seen = []
    for world, batch, steps in ((3, 4, 2), (2, 5, 1), (4, 3, 99)):
        after = None
        streams = []
        for rank in range(world):
            with open_loader(shards, shard_rank=rank, shard_world_size=world, batch_size=batch) as loader:
                loader.load_state_dict(state)
                stream = []
                for number, got in enumerate(loader):
                    stream.append(rows_of(got))
                    if number + 1 == steps:
                        break
                streams.append(stream)
                after = after or loader.state_dict()
                assert loader.state_dict() == after, "all ranks are at the same place"
        seen += [row for step in zip(*streams, strict=True) for rows in step for row in rows]
        state = after
    assert seen[:60] == reference[0]
    assert seen[60:] == reference[0][:2], "two samples were left for four ranks: two are repeated"


def test_a_run_moves_from_tars_to_a_store(shards, reference, tmp_path):
    penstock.build(shards, tmp_path / "s", progress=False)
    loader = open_loader(shards)
    iterator = iter(loader)
    seen = [row for _ in range(4) for row in rows_of(next(iterator))]
    moved = open_loader(str(tmp_path / "s"))
    moved.load_state_dict(loader.state_dict())
    seen += [row for batch in moved for row in rows_of(batch)]
    assert seen == reference[0]


@pytest.mark.parametrize("on_error", ["skip", "replace"])
def test_bad_samples_give_the_same_rows_at_any_world_size_and_on_resume(make_tar, on_error):
    members = [(f"{i:03d}.jpg", b"no picture" if i % 7 == 3 else encode(draw(i, 30, 20))) for i in range(60)]
    source = make_tar(members)
    make = lambda **kw: open_loader(source, on_error=on_error, **kw)  # noqa: E731
    whole = [row for batch in make(batch_size=6) for row in rows_of(batch)]
    assert len(whole) == (51 if on_error == "skip" else 60)
    parts = [[rows_of(b) for b in make(batch_size=3, shard_rank=r, shard_world_size=2)] for r in (0, 1)]
    assert [row for step in zip(*parts, strict=True) for rows in step for row in rows] == whole
    first = make(batch_size=6)
    iterator = iter(first)
    seen = [row for _ in range(4) for row in rows_of(next(iterator))]
    resumed = make(batch_size=5)
    resumed.load_state_dict(first.state_dict())
    assert seen + [row for batch in resumed for row in rows_of(batch)] == whole


def test_states_that_do_not_fit_are_refused_with_the_difference(shards):
    state = open_loader(shards).state_dict()
    for other, words in (
        (open_loader(shards, seed=12), "seed: 11 in the state, 12 here"),
        (open_loader(shards, generator_seed=1), "generator_seed: 11 in the state, 1 here"),
        (open_loader(shards, shuffle=False), "order: shuffled in the state, in order here"),
        (open_loader(shards, on_error="skip"), "on_error"),
        (penstock.Loader(shards, shuffle=True, seed=11), "transforms"),
        (open_loader(shards.replace("000002", "000001")), "samples: 60 in the state, 40 here"),
    ):
        with pytest.raises(penstock.InvalidError, match=words):
            other.load_state_dict(state)
        other.load_state_dict(state, strict=False)
    for nonsense in ({}, {"version": 1}, {"a": object()}, {**state, "position": "x"}, {**state, "version": 9}):
        with pytest.raises(penstock.InvalidError):
            open_loader(shards).load_state_dict(nonsense)
    past = {**state, "position": 10**9}
    with pytest.raises(penstock.InvalidError, match="position"):
        open_loader(shards).load_state_dict(past, strict=False)
