"""Options that decide which samples come, and in which order: one test for each, found by its name."""

from __future__ import annotations

import json
import threading
import wave

import numpy as np
import pytest
import torch
from conftest import HoldFirst, contents, draw, flat, indices

import penstock
from penstock import samplers

AUGMENTED = penstock.presets.imagenet_train(24)


def test_option_batch_size(shards):
    assert [len(batch) for batch in indices(penstock.Loader(shards, batch_size=25))] == [25, 25, 10]


def test_option_drop_last(shards):
    assert [len(batch) for batch in indices(penstock.Loader(shards, batch_size=25, drop_last=True))] == [25, 25]


def test_option_shuffle(shards):
    assert flat(penstock.Loader(shards)) == list(range(60))
    loader = penstock.Loader(shards, shuffle=True)
    first, second = flat(loader), flat(loader)
    assert sorted(first) == sorted(second) == list(range(60))
    assert first != second != list(range(60))


def test_option_shuffle_mode(shards, tmp_path):
    order = flat(penstock.Loader(shards, shuffle=True, shuffle_mode="shards", shuffle_shards=1))
    assert sorted(order) == list(range(60))
    assert [len({sample // 20 for sample in order[at : at + 20]}) for at in (0, 20, 40)] == [1, 1, 1]
    assert order[:20] != sorted(order[:20])
    mixed = flat(penstock.Loader(shards, shuffle=True, shuffle_mode="shards"))
    assert len({sample // 20 for sample in mixed[:20]}) == 3, "all shards together"
    loader = penstock.Loader(shards, shuffle=True, shuffle_mode="window", shuffle_window=8, batch_size=7)
    iterator = iter(loader)
    next(iterator)
    resumed = penstock.Loader(shards, shuffle=True, shuffle_mode="window", shuffle_window=8, batch_size=3)
    resumed.load_state_dict(loader.state_dict())
    rest = [np.asarray(batch["index"]).tolist() for batch in iterator]
    assert flat(resumed) == [index for batch in rest for index in batch]
    for other in ({}, {"shuffle_mode": "window"}, {"shuffle_mode": "shards"}):
        with pytest.raises(penstock.InvalidError, match="order: shuffled within 8 places in the state, shuffled"):
            penstock.Loader(shards, shuffle=True, **other).load_state_dict(loader.state_dict())
    (tmp_path / "folders" / "cats").mkdir(parents=True)
    draw(1, 30, 20).save(tmp_path / "folders" / "cats" / "one.jpg")
    with pytest.raises(penstock.InvalidError, match="requires a data set with shards"):
        penstock.Loader(tmp_path / "folders", shuffle=True, shuffle_mode="shards")
    with pytest.raises(penstock.InvalidError, match="shuffle=True"):
        penstock.Loader(shards, shuffle_mode="shards")


def test_option_shuffle_window(shards):
    make = lambda window: flat(  # noqa: E731
        penstock.Loader(shards, shuffle=True, shuffle_mode="window", shuffle_window=window)
    )
    moved = [max(abs(sample - place) for place, sample in enumerate(make(window))) for window in (8, 30)]
    assert 0 < moved[0] < 8 < moved[1] < 30
    assert sorted(make(8)) == list(range(60))
    for wrong in ({"shuffle_window": 3, "shuffle_mode": "window"}, {"shuffle_window": 8}):
        with pytest.raises(penstock.InvalidError, match="shuffle_window"):
            penstock.Loader(shards, shuffle=True, **wrong)


def test_option_length_window(shards, tmp_path):
    recordings = tmp_path / "recordings"
    recordings.mkdir()
    rng = np.random.default_rng(0)
    lengths = rng.integers(100, 4000, 60).tolist()
    for i, frames in enumerate(lengths):
        with wave.open(str(recordings / f"{i:02}.wav"), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(8000)
            file.writeframes(bytes(2 * frames))

    def run(**options):
        with penstock.Loader(recordings, shuffle=True, seed=3, output="numpy", **options) as loader:
            order = flat(loader)
            return order, loader.stats()

    (plain, before), (order, after) = run(batch_size=5), run(batch_size=5, length_window=20)
    assert sorted(order) == list(range(60)) and order != plain
    for at in (0, 20, 40):
        assert set(order[at : at + 20]) == set(plain[at : at + 20])
        window = [lengths[sample] for sample in order[at : at + 20]]
        assert window in (sorted(window), sorted(window, reverse=True))

    def padding(order):
        batches = [[lengths[sample] for sample in order[at : at + 5]] for at in range(0, 60, 5)]
        return 1 - sum(lengths) / sum(5 * max(batch) for batch in batches)

    # The next epoch may not have begun to be counted: only what is delivered is.
    assert before["padding"] == pytest.approx(padding(plain)) and after["padding"] == pytest.approx(padding(order))
    assert after["padding"] < before["padding"] / 2
    assert after["decoded"].keys() == {"WAV"} and after["decoded"]["WAV"] >= 60

    # Neither batches, workers nor ranks change the order, so a run continues with others.
    assert run(batch_size=7, length_window=20, num_workers=0)[0] == order
    loader = penstock.Loader(recordings, shuffle=True, seed=3, length_window=20, batch_size=7)
    iterator = iter(loader)
    next(iterator)
    resumed = penstock.Loader(recordings, shuffle=True, seed=3, length_window=20, batch_size=4)
    resumed.load_state_dict(loader.state_dict())
    assert flat(resumed) == order[7:]
    shares = [run(batch_size=5, length_window=20, shard_rank=rank, shard_world_size=2)[0] for rank in range(2)]
    assert sorted(shares[0] + shares[1]) == list(range(60))
    with pytest.raises(penstock.InvalidError, match="sorted by length within 20"):
        penstock.Loader(recordings, shuffle=True, seed=3).load_state_dict(loader.state_dict())

    with pytest.raises(penstock.InvalidError, match="requires a field of kind audio"):
        penstock.Loader(shards, length_window=20)
    for wrong in ({"length_window": 1}, {"length_window": 8, "sampler": samplers.Indices([1, 2])}):
        with pytest.raises(penstock.InvalidError, match="length_window"):
            penstock.Loader(recordings, **wrong)


def test_option_shuffle_shards(shards):
    order = flat(penstock.Loader(shards, shuffle=True, shuffle_mode="shards", shuffle_shards=2))
    assert sorted(order) == list(range(60))
    assert len({sample // 20 for sample in order[:40]}) == 2
    for wrong in ({"shuffle_shards": 0, "shuffle_mode": "shards"}, {"shuffle_shards": 2}):
        with pytest.raises(penstock.InvalidError, match="shuffle_shards"):
            penstock.Loader(shards, shuffle=True, **wrong)


def test_option_seed(shards):
    make = lambda seed: flat(penstock.Loader(shards, shuffle=True, seed=seed))  # noqa: E731
    assert make(1) == make(1) != make(2)


def test_option_generator_seed(shards):
    make = lambda **kw: contents(penstock.Loader(shards, shuffle=True, transforms=AUGMENTED, **kw))  # noqa: E731
    assert make(seed=3) == make(seed=3, generator_seed=3)
    apart = make(seed=3, generator_seed=4)
    assert [index for index, _ in apart] == [index for index, _ in make(seed=3)]
    assert apart != make(seed=3)


def test_option_sampler(shards):
    assert flat(penstock.Loader(shards, sampler="sequential")) == list(range(60))
    for name in ("random", "distributed_random"):
        assert flat(penstock.Loader(shards, sampler=name)) == flat(penstock.Loader(shards, shuffle=True))
    assert flat(penstock.Loader(shards, sampler=samplers.Indices([5, 3, 5]))) == [5, 3, 5]
    assert flat(penstock.Loader(shards, sampler=range(0, 60, 20))) == [0, 20, 40]
    weights = [0.0] * 60
    weights[7], weights[8] = 1.0, 3.0
    drawn = flat(penstock.Loader(shards, sampler=samplers.Weighted(weights, num_samples=400), decode=False))
    assert set(drawn) == {7, 8}
    assert abs(drawn.count(8) - 300) < 45  # five standard deviations
    assert sorted(flat(penstock.Loader(shards, sampler=samplers.Weighted(weights, replacement=False)))) == [7, 8]
    drawn = flat(penstock.Loader(shards, sampler=samplers.Random(replacement=True)))
    assert len(drawn) == 60 > len(set(drawn))


def test_samplers_of_the_user(shards):
    class Rotating:
        epoch = 0

        def set_epoch(self, epoch):
            self.epoch = epoch

        def __len__(self):
            return 4

        def __iter__(self):
            return iter([(self.epoch + i) % 60 for i in range(4)])

    loader = penstock.Loader(shards, sampler=Rotating(), batch_size=3)
    assert len(loader) == 2
    assert flat(loader) == [0, 1, 2, 3]
    iterator = iter(loader)
    assert np.asarray(next(iterator)["index"]).tolist() == [1, 2, 3]
    resumed = penstock.Loader(shards, sampler=Rotating(), batch_size=3)
    resumed.load_state_dict(loader.state_dict())
    assert flat(resumed) == [4]
    assert flat(resumed) == [2, 3, 4, 5]

    class Endless:
        def __iter__(self):
            return iter([3, 1])

    unsized = penstock.Loader(shards, sampler=Endless(), batch_size=1)
    with pytest.raises(TypeError, match="no len"):
        len(unsized)
    assert "0 steps" not in repr(unsized)
    assert flat(unsized) == [3, 1]
    parts = [penstock.Loader(shards, sampler=[9, 8, 7, 6], shard_rank=r, shard_world_size=2) for r in (0, 1)]
    assert [flat(part) for part in parts] == [[9, 8], [7, 6]]


def test_samplers_that_cannot_be_are_refused(shards):
    sampler = torch.utils.data.DistributedSampler(range(60), num_replicas=2, rank=0)
    with pytest.raises(penstock.InvalidError, match="slices the global order by rank"):
        penstock.Loader(shards, sampler=sampler)
    batches = torch.utils.data.BatchSampler(range(60), 4, False)
    for bad, reason in (
        (batches, "batch_size"),
        (iter([1]), "again"),
        ("shuffled", "sequential"),
        (5, "sample numbers"),
        ([60], "sample 60 .* is out of range"),
        ([-1], "start at 0, got -1"),
        ([0.5], "list of integers"),
        (samplers.Weighted([1.0]), "1 weights for 60 samples"),
    ):
        with pytest.raises(penstock.InvalidError, match=reason):
            penstock.Loader(shards, sampler=bad)
    with pytest.raises(penstock.InvalidError, match="cannot be combined"):
        penstock.Loader(shards, shuffle=True, sampler="sequential")
    assert len(penstock.Loader(shards, sampler=torch.utils.data.RandomSampler(range(60)))) == 2


def test_a_sampler_that_is_empty_after_one_epoch_is_refused(shards):
    class Once:
        def __init__(self):
            self.left = iter(range(60))

        def __iter__(self):
            return self.left

    loader = penstock.Loader(shards, sampler=Once(), num_workers=0)
    assert flat(loader) == list(range(60))
    with pytest.raises(penstock.InvalidError, match="no samples for epoch 1"):
        next(iter(loader))

    class Empty(Once):
        def __len__(self):
            return 0

        def __iter__(self):
            return iter(())

    assert flat(penstock.Loader(shards, sampler=Empty(), num_workers=0)) == []


def test_option_loading_mode(shards):
    ordered = penstock.Loader(shards, batch_size=7, shuffle=True)
    ready = penstock.Loader(shards, batch_size=7, shuffle=True, loading_mode="as_ready", prefetch=4, num_workers=2)
    assert sorted(indices(ordered)) == sorted(indices(ready))
    with pytest.raises(penstock.InvalidError, match="'ordered' or 'as_ready'"):
        penstock.Loader(shards, loading_mode="fast")
    for mode in ("ordered", "as_ready"):
        hold = HoldFirst(shards)
        with hold.loader(loading_mode=mode, prefetch=4) as loader:
            timer = threading.Timer(0.5 if mode == "ordered" else 60, hold.resume.set)
            timer.start()
            iterator = iter(loader)
            first = next(iterator)["index"].tolist()
            assert (first == [0]) == (mode == "ordered"), "a batch that is not ready is overtaken"
            hold.resume.set()
            assert sorted([*first, *(i for batch in iterator for i in batch["index"].tolist())]) == list(range(60))
            timer.cancel()


def test_option_shard_rank(shards):
    parts = [
        flat(penstock.Loader(shards, shuffle=True, batch_size=4, shard_rank=r, shard_world_size=3)) for r in range(3)
    ]
    assert [len(part) for part in parts] == [20, 20, 20]
    assert sorted(sum(parts, [])) == list(range(60))
    with pytest.raises(penstock.InvalidError, match="shard_rank"):
        penstock.Loader(shards, shard_rank=3, shard_world_size=3)
    with pytest.raises(penstock.InvalidError, match="shard_rank requires shard_world_size"):
        penstock.Loader(shards, shard_rank=0)  # torchrun's environment would say something else


def test_option_shard_world_size(shards, monkeypatch):
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    assert len(penstock.Loader(shards, batch_size=10)) == 3, "torchrun's environment"
    assert len(penstock.Loader(shards, batch_size=10, shard_world_size=1)) == 6, "opted out"
    assert len(penstock.Loader(shards, batch_size=10, shard_rank=0, shard_world_size=3)) == 2, "explicit options win"
    monkeypatch.setenv("RANK", "2")
    with pytest.raises(penstock.InvalidError, match="RANK='2'"):
        len(penstock.Loader(shards))


def test_option_worker_id(shards):
    make = lambda worker: penstock.Loader(  # noqa: E731
        shards, batch_size=5, shard_rank=1, shard_world_size=2, num_workers_pytorch=2, worker_id=worker
    )
    assert [make(worker).stats()["rank"] for worker in (0, 1)] == [2, 3]
    assert not set(flat(make(0))) & set(flat(make(1)))


def test_option_num_workers_pytorch(shards):
    every = [
        flat(
            penstock.Loader(
                shards, batch_size=5, shard_rank=r, shard_world_size=2, num_workers_pytorch=2, worker_id=w, shuffle=True
            )
        )
        for r in (0, 1)
        for w in (0, 1)
    ]
    assert [len(part) for part in every] == [15] * 4
    assert sorted(sum(every, [])) == list(range(60))


# --- seed=None --------------------------------------------------------------------------------------------------------


def fresh(source, **options):
    return penstock.Loader(source, shuffle=True, seed=None, batch_size=7, transforms=AUGMENTED, **options)


def test_without_a_seed_every_loader_draws_its_own(shards):
    loader, other = fresh(shards), fresh(shards)
    assert loader.options.seed is None
    assert loader.stats()["seed"] != other.stats()["seed"]
    first = contents(loader)
    assert first != contents(other)
    told = loader.stats()["seed"]
    assert first == contents(penstock.Loader(shards, shuffle=True, seed=told, batch_size=7, transforms=AUGMENTED))
    assert penstock.Loader(shards, seed=5).stats()["seed"] == 5


def test_a_drawn_seed_is_kept_in_the_state(shards):
    loader = fresh(shards)
    iterator = iter(loader)
    seen = [next(iterator) for _ in range(3)]
    state = json.loads(json.dumps(loader.state_dict()))
    assert state["seed"] == loader.stats()["seed"]
    rest = contents(iterator) + contents(loader)
    assert seen
    resumed = fresh(shards, num_workers=1)
    flat(resumed)  # with a seed of its own
    resumed.load_state_dict(state)
    assert resumed.stats()["seed"] == state["seed"]
    assert contents(resumed) + contents(resumed) == rest
    named = penstock.Loader(shards, shuffle=True, seed=3, batch_size=7, transforms=AUGMENTED)
    with pytest.raises(penstock.InvalidError, match="seed"):
        named.load_state_dict(state)


def test_a_seed_is_not_drawn_where_ranks_must_agree(shards):
    for several in ({"shard_rank": 0, "shard_world_size": 2}, {"num_workers_pytorch": 2}):
        with pytest.raises(penstock.InvalidError, match="pass the same seed to all of them"):
            fresh(shards, **several)
