"""Order and resume: any number of workers and ranks, any batch size, at every step."""

from __future__ import annotations

import json
from dataclasses import dataclass

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest
import torch
from conftest import draw, encode, write_tar

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


@dataclass
class Uneven:
    """Samples of which some take far longer than others, so that batches come early."""

    source: str
    rows: list[tuple[int, bytes]]


@pytest.fixture(scope="module")
def uneven(tmp_path_factory):
    small, large = (encode(draw(1, width, width)) for width in (30, 1500))
    members = [(f"{number:02}.jpg", large if number % 13 == 4 else small) for number in range(40)]
    source = str(write_tar(tmp_path_factory.mktemp("uneven") / "uneven.tar", members))
    return Uneven(source, [row for batch in open_loader(source, num_workers=1) for row in rows_of(batch)])


# Nothing of this may change what comes.
SETTINGS = st.fixed_dictionaries(
    {
        "num_workers": st.integers(0, 4),
        "prefetch": st.integers(0, 5),
        "persistent_workers": st.booleans(),
        "output": st.sampled_from(["torch", "numpy"]),
    }
)
EXAMPLES = hypothesis.settings(
    max_examples=30,
    deadline=None,
    derandomize=True,  # CI tries the same examples every time
    suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture],
)


@EXAMPLES
@hypothesis.given(
    settings=SETTINGS,
    batch=st.integers(1, 20),
    world=st.integers(1, 5),
    epochs=st.lists(st.integers(0, 2), min_size=1, max_size=2),
    drop_last=st.booleans(),
    mode=st.sampled_from(["ordered", "as_ready"]),
)
def test_any_setting_gives_the_rows_of_one_worker(shards, reference, settings, batch, world, epochs, drop_last, mode):
    step = world * batch
    streams: list[list[list]] = [[] for _ in epochs]  # of each epoch: the steps of each rank
    for rank in range(world):
        where = {"shard_rank": rank, "shard_world_size": world}
        options = {"batch_size": batch, "drop_last": drop_last, "loading_mode": mode}
        with open_loader(shards, **where, **options, **settings) as loader:
            for number, epoch in enumerate(epochs):
                loader.set_epoch(epoch)
                batches = {got.step: rows_of(got) for got in loader}
                assert len(batches) == len(loader) == (60 // step if drop_last else -(-60 // step))
                streams[number].append([batches[at] for at in range(len(loader))])
    for epoch, ranks in zip(epochs, streams, strict=True):
        joined = [row for rows in zip(*ranks, strict=True) for part in rows for row in part]
        whole = reference[epoch][: 60 // step * step if drop_last else 60]
        assert joined[: len(whole)] == whole
        # Only where fewer samples than ranks are left are some repeated: the first of the epoch.
        repeated = world - 60 % step if not drop_last and 0 < 60 % step < world else 0
        assert joined[len(whole) :] == reference[epoch][:repeated]


@EXAMPLES
@hypothesis.given(
    parts=st.lists(st.tuples(SETTINGS, st.integers(1, 12), st.integers(1, 5), st.integers(0, 9)), max_size=7),
    end=st.tuples(SETTINGS, st.integers(1, 12)),
)
def test_any_change_of_ranks_and_workers_on_the_way_joins_to_one_stream(shards, reference, parts, end):
    """Each part: settings, batch size, ranks, and the steps it takes before it is stopped, over the ends of epochs."""
    whole = [row for epoch in reference for row in epoch]
    seen: list[tuple[int, bytes]] = []
    state = None
    for settings, batch, world, steps in [*parts, (*end, 1, 10**6)]:
        loaders = [
            open_loader(shards, batch_size=batch, shard_rank=rank, shard_world_size=world, **settings)
            for rank in range(world)
        ]
        for loader in loaders:
            if state is not None:
                loader.load_state_dict(state)
        taken = 0
        while taken < steps and len(seen) < len(whole):
            for batches in zip(*loaders, strict=True):
                rows = [row for got in batches for row in rows_of(got)]
                seen += rows[: 60 - len(seen) % 60]  # what is more was repeated to fill up the ranks
                taken += 1
                if taken == steps:
                    break
        states = [loader.state_dict() for loader in loaders]
        for loader in loaders:
            loader.close()
        assert all(each == states[0] for each in states), "all ranks are at the same place"
        state = json.loads(json.dumps(states[0]))
    assert seen == whole


@EXAMPLES
@hypothesis.given(
    parts=st.lists(st.tuples(SETTINGS, st.integers(1, 5)), min_size=1, max_size=5),
    batch=st.integers(1, 12),
    world=st.integers(1, 3),
)
def test_as_ready_resumes_to_the_same_set(uneven, parts, batch, world):
    seen = []
    for rank in range(world):
        state = None
        for settings, steps in [*parts, (parts[0][0], 10**6)]:
            where = {"shard_rank": rank, "shard_world_size": world, "batch_size": batch}
            with open_loader(uneven.source, loading_mode="as_ready", **where, **settings) as loader:
                if state is not None:
                    loader.load_state_dict(state)
                    if loader.state_dict()["epoch"] > 0:
                        break
                for _, got in zip(range(steps), loader, strict=False):
                    seen += rows_of(got)
                state = loader.state_dict()
                assert len(json.dumps(state)) < 1000
    left = 40 % (world * batch)
    repeated = world - left if 0 < left < world else 0
    assert sorted(seen) == sorted(uneven.rows + uneven.rows[:repeated])


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
    members = [(f"{i:03d}.jpg", b"no image" if i % 7 == 3 else encode(draw(i, 30, 20))) for i in range(60)]
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


class EvenSamples:
    """A sampler as users write them: its order depends on the epoch alone."""

    epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        return iter(np.random.default_rng(self.epoch).permutation(30) * 2)


def test_a_sampler_of_the_caller_resumes_if_its_order_is_the_same(shards):
    def steps(loader):
        return [batch["index"].tolist() for batch in loader]

    def make(sampler):
        return penstock.Loader(shards, sampler=sampler, batch_size=4, decode=False)

    loader = make(EvenSamples())
    iterator = iter(loader)
    first = [next(iterator)["index"].tolist() for _ in range(3)]
    state = json.loads(json.dumps(loader.state_dict()))
    rest = steps(iterator)
    assert sorted(index for step in first + rest for index in step) == list(range(0, 60, 2))
    resumed = make(EvenSamples())
    resumed.load_state_dict(state)
    assert resumed.state_dict() == state
    iter(resumed)
    assert steps(resumed) == rest
    assert steps(resumed) == steps(loader), "the epoch after it"

    torch.manual_seed(0)
    drawn_anew = torch.utils.data.SubsetRandomSampler(range(0, 60, 2))
    loader = make(drawn_anew)
    iterator = iter(loader)
    next(iterator)
    state = loader.state_dict()
    resumed = make(drawn_anew)
    resumed.load_state_dict(state)
    with pytest.raises(penstock.InvalidError, match="sampler: its order of epoch 0 is not what it was"):
        iter(resumed)
    resumed.load_state_dict(state, strict=False)
    assert len(steps(resumed)) == 7
    assert len(steps(resumed)) == 8, "an epoch from its start may be any"


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
