"""What each option does: one test for each, found by its name."""

from __future__ import annotations

import inspect
import json
import multiprocessing
import os
import re
import threading
import wave
from pathlib import Path

import numpy as np
import pytest
import torch
from conftest import draw, encode, slow_function

import penstock
from penstock import LoaderOptions, samplers

AUGMENTED = penstock.presets.imagenet_train(24)


def indices(loader) -> list[list[int]]:
    return [np.asarray(batch["index"]).tolist() for batch in loader]


def flat(loader) -> list[int]:
    return [index for batch in indices(loader) for index in batch]


def contents(loader) -> list[tuple[list[int], bytes]]:
    return [(np.asarray(b["index"]).tolist(), np.asarray(b["image"]).tobytes()) for b in loader]


@pytest.fixture
def damaged(make_tar):
    """60 samples, of which 12, 13, 14 and 40 are no pictures."""
    return make_tar(
        [(f"{i:03d}.jpg", b"no picture" if i in (12, 13, 14, 40) else encode(draw(i, 30, 20))) for i in range(60)]
    )


def test_every_option_has_a_test_of_what_it_does():
    names = set(LoaderOptions().to_dict())
    tests = {name.removeprefix("test_option_") for name in globals() if name.startswith("test_option_")}
    assert names - tests == set(), "options without a test"
    assert tests - names == set(), "tests of options that are not there"


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
    with pytest.raises(penstock.InvalidError, match="no shards"):
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
    sounds = tmp_path / "sounds"
    sounds.mkdir()
    rng = np.random.default_rng(0)
    lengths = rng.integers(100, 4000, 60).tolist()
    for i, frames in enumerate(lengths):
        with wave.open(str(sounds / f"{i:02}.wav"), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(8000)
            file.writeframes(bytes(2 * frames))

    def run(**options):
        with penstock.Loader(sounds, shuffle=True, seed=3, output="numpy", **options) as loader:
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

    # Neither batches, workers nor ranks change the order, so a run goes on with others.
    assert run(batch_size=7, length_window=20, num_workers=0)[0] == order
    loader = penstock.Loader(sounds, shuffle=True, seed=3, length_window=20, batch_size=7)
    iterator = iter(loader)
    next(iterator)
    resumed = penstock.Loader(sounds, shuffle=True, seed=3, length_window=20, batch_size=4)
    resumed.load_state_dict(loader.state_dict())
    assert flat(resumed) == order[7:]
    shares = [run(batch_size=5, length_window=20, shard_rank=rank, shard_world_size=2)[0] for rank in range(2)]
    assert sorted(shares[0] + shares[1]) == list(range(60))
    with pytest.raises(penstock.InvalidError, match="sorted by length within 20"):
        penstock.Loader(sounds, shuffle=True, seed=3).load_state_dict(loader.state_dict())

    with pytest.raises(penstock.InvalidError, match="no field of kind audio"):
        penstock.Loader(shards, length_window=20)
    for wrong in ({"length_window": 1}, {"length_window": 8, "sampler": penstock.samplers.Indices([1, 2])}):
        with pytest.raises(penstock.InvalidError, match="length_window"):
            penstock.Loader(sounds, **wrong)


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


def test_option_num_workers(shards):
    def threads() -> int:
        return sum(1 for _ in Path("/proc/self/task").iterdir())

    before = threads()
    for workers in (0, 1, 3):
        with penstock.Loader(shards, num_workers=workers) as loader:
            flat(loader)
            assert threads() - before == workers
    with penstock.Loader(shards) as loader:
        assert loader.stats()["workers"] == len(os.sched_getaffinity(0))


def test_option_auto_tune(shards):
    plain = penstock.Loader(shards, batch_size=4, shuffle=True, transforms=AUGMENTED)
    tuned = penstock.Loader(shards, batch_size=4, shuffle=True, transforms=AUGMENTED, auto_tune=True)
    assert plain.stats()["auto_tune"] is None
    for _ in range(5000):
        assert contents(tuned) == contents(plain), "order and pixels do not change"
        tune = tuned.stats()["auto_tune"]
        if tune["settled"]:
            break
    assert tune["settled"]
    assert 1 <= tuned.stats()["workers"] == tune["workers"] <= tune["most_workers"] == len(os.sched_getaffinity(0))
    assert all(step["batches_per_second"] > 0 and step["decision"] for step in tune["steps"])
    for wrong in ({"num_workers": 0}, {"prefetch": 0}):
        with pytest.raises(penstock.InvalidError, match="auto_tune"):
            penstock.Loader(shards, auto_tune=True, **wrong)


def test_option_cpu_budget(shards):
    cores = len(os.sched_getaffinity(0))
    assert penstock.Loader(shards, cpu_budget=0.5).stats()["workers"] == max(1, cores // 2)
    assert penstock.Loader(shards, cpu_budget=0.01, auto_tune=True).stats()["auto_tune"]["most_workers"] == 1
    for wrong in ({"cpu_budget": 0}, {"cpu_budget": 1.1}, {"cpu_budget": 0.5, "num_workers": 2}):
        with pytest.raises(penstock.InvalidError, match="cpu_budget"):
            penstock.Loader(shards, **wrong)


def test_option_prefetch(shards):
    for prefetch in (1, 3):
        with penstock.Loader(shards, batch_size=4, prefetch=prefetch, num_workers=2) as loader:
            iterator = iter(loader)
            next(iterator)
            for _ in range(200):
                if loader.stats()["decoded"].get("JPEG", 0) == 4 * (1 + prefetch):
                    break
                threading.Event().wait(0.01)
            assert loader.stats()["decoded"]["JPEG"] == 4 * (1 + prefetch), "that many batches ahead, and no more"


def test_option_decode(shards):
    batch = next(iter(penstock.Loader(shards, batch_size=2, decode=False)))
    assert bytes(np.asarray(batch["data"])[:2]) == b"\xff\xd8"


def test_option_enable_transforms(shards, pillow_pictures):
    batch = next(iter(penstock.Loader(shards, batch_size=2, transforms=AUGMENTED, enable_transforms=False)))
    np.testing.assert_array_equal(np.asarray(batch["image"][1]), pillow_pictures[1].transpose(2, 0, 1))


def test_option_memory_format(shards):
    make = lambda form: next(iter(penstock.Loader(shards, batch_size=2, transforms=AUGMENTED, memory_format=form)))  # noqa: E731
    assert make("channels_first")["image"].is_contiguous()
    assert make("channels_last")["image"].is_contiguous(memory_format=torch.channels_last)
    assert make("auto")["image"].is_contiguous()
    assert penstock.Loader(shards, memory_format="auto").stats()["memory_format"] == "channels_first"
    assert penstock.Loader(shards, memory_format="channels_last").stats()["memory_format"] == "channels_last"
    decided = lambda **kw: LoaderOptions(memory_format="auto", **kw).for_core()["memory_format"]  # noqa: E731
    assert [decided(), decided(device="cuda:1"), decided(device="cuda", output="numpy")] == [
        "channels_first",
        "channels_last",
        "channels_first",
    ]


def test_option_output(shards):
    make = lambda output: next(iter(penstock.Loader(shards, transforms=AUGMENTED, output=output)))["image"]  # noqa: E731
    assert isinstance(make("torch"), torch.Tensor)
    assert isinstance(make("numpy"), np.ndarray)
    assert torch.equal(torch.from_dlpack(make("dlpack")), make("torch"))


def test_option_max_pixels(make_tar):
    source = make_tar([("a.jpg", encode(draw(1, 100, 50)))])
    assert flat(penstock.Loader(source, max_pixels=5000)) == [0]
    with pytest.raises(penstock.UnsupportedError, match="max_pixels|pixels"):
        flat(penstock.Loader(source, max_pixels=4999))


def test_option_cache(shards, tmp_path):
    loader = penstock.Loader(shards, transforms=AUGMENTED, shuffle=True, cache=str(tmp_path / "stores"))
    plain = penstock.Loader(shards, transforms=AUGMENTED, shuffle=True)
    for _ in range(3):
        assert contents(loader) == contents(plain)
    assert loader.stats()["decoded"]["repacked"] > 0


def test_option_on_error(damaged):
    with pytest.raises(penstock.CorruptError):
        flat(penstock.Loader(damaged))
    assert sorted(set(range(60)) - set(flat(penstock.Loader(damaged, on_error="skip")))) == [12, 13, 14, 40]
    assert len(flat(penstock.Loader(damaged, on_error="replace"))) == 60


def test_option_max_errors(damaged):
    for most, fails in ((4, False), (3, True), (0, True), (1.0, False)):
        loader = penstock.Loader(damaged, on_error="skip", max_errors=most, batch_size=1)
        if fails:
            with pytest.raises(penstock.CorruptError, match="more than max_errors allows"):
                flat(loader)
        else:
            assert len(flat(loader)) == 56
    loader = penstock.Loader(damaged, on_error="skip", max_errors=0.05)
    flat(loader)  # a share counts from the 100th sample on
    with pytest.raises(penstock.CorruptError, match="samples are bad"):
        flat(loader)


def test_option_max_error_run(damaged):
    assert len(flat(penstock.Loader(damaged, on_error="skip", max_error_run=3))) == 56
    with pytest.raises(penstock.CorruptError, match="3 samples in a row"):
        flat(penstock.Loader(damaged, on_error="skip", max_error_run=2))


def test_option_error_report(damaged, tmp_path):
    path = tmp_path / "bad.jsonl"
    loader = penstock.Loader(damaged, on_error="skip", error_report=path)
    flat(loader)
    assert len(path.read_text().splitlines()) == 4
    flat(loader)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [(line["epoch"], line["index"], line["key"], line["kind"]) for line in lines[3:5]] == [
        (0, 40, "040", "corrupt"),
        (1, 12, "012", "corrupt"),
    ]
    assert {line["shard"] for line in lines} == {damaged}
    assert all(line["offset"] > 0 and line["stage"] and line["message"] for line in lines)
    broken = penstock.Loader(damaged, on_error="skip", error_report=tmp_path / "missing" / "bad.jsonl")
    with pytest.warns(RuntimeWarning, match="missing/bad.jsonl.*No such file") as caught:
        assert len(flat(broken)) == 56
    assert len(caught) == 1
    assert len(flat(broken)) == 56


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
        ([60], "no sample 60"),
        ([-1], "no sample -1"),
        ([0.5], "sample numbers"),
        (samplers.Weighted([1.0]), "1 weights for 60 samples"),
    ):
        with pytest.raises(penstock.InvalidError, match=reason):
            penstock.Loader(shards, sampler=bad)
    with pytest.raises(penstock.InvalidError, match="contradict"):
        penstock.Loader(shards, shuffle=True, sampler="sequential")
    assert len(penstock.Loader(shards, sampler=torch.utils.data.RandomSampler(range(60)))) == 2


def test_option_loading_mode(shards):
    ordered = penstock.Loader(shards, batch_size=7, shuffle=True)
    ready = penstock.Loader(shards, batch_size=7, shuffle=True, loading_mode="as_ready", prefetch=4, num_workers=2)
    assert sorted(indices(ordered)) == sorted(indices(ready))
    with pytest.raises(penstock.InvalidError, match="'ordered' or 'as_ready'"):
        penstock.Loader(shards, loading_mode="fast")


def test_option_timeout_seconds(shards):
    # What a stalled source does is tested in src/pipeline/options_test.cpp; a slow consumer is none.
    loader = penstock.Loader(shards, batch_size=20, timeout_seconds=0.05)
    for _ in loader:
        threading.Event().wait(0.1)
    for wrong in (0, -1, float("nan"), "soon"):
        with pytest.raises(penstock.InvalidError, match="timeout_seconds"):
            penstock.Loader(shards, timeout_seconds=wrong)
    assert penstock.Loader(shards, timeout_seconds=None).options.timeout_seconds is None


def test_option_persistent_workers(shards):
    def workers() -> set[str]:
        ids = set()
        for task in Path("/proc/self/task").iterdir():
            if (task / "comm").read_text().startswith("penstock-"):
                ids.add(task.name)
        return ids

    with penstock.Loader(shards, num_workers=2) as loader:
        flat(loader)
        first = workers()
        flat(loader)
        assert len(first) == 2
        assert workers() == first
    with penstock.Loader(shards, num_workers=2, persistent_workers=False) as loader:
        assert [len(flat(loader)), len(workers()), len(flat(loader)), len(workers())] == [60, 0, 60, 0]


def test_option_pin_memory(shards):
    if torch.cuda.is_available():
        assert next(iter(penstock.Loader(shards, transforms=AUGMENTED, pin_memory=True)))["image"].is_pinned()
        return
    with pytest.warns(RuntimeWarning, match="pin_memory=True has no effect: (this torch|torch sees)"):
        loader = penstock.Loader(shards, pin_memory=True)
    assert flat(loader) == list(range(60)), "and all goes on without"
    with pytest.raises(penstock.InvalidError, match="output='numpy' contradict"):
        penstock.Loader(shards, pin_memory=True, output="numpy")


def test_option_multiprocessing_context(shards):
    # fork, which this process cannot do once it has threads: test_python_stages.py.
    operations = [penstock.transforms.CenterCrop(8), slow_function]
    plain = contents(penstock.Loader(shards, transforms=operations, num_workers=0))
    for options, program in ((LoaderOptions(), "spawn_main"), (LoaderOptions().use_forkserver(), "forkserver")):
        with penstock.Loader(shards, transforms=operations, num_workers=1, options=options) as loader:
            (helper,) = multiprocessing.active_children()
            assert program in Path(f"/proc/{helper.pid}/cmdline").read_text()
            assert contents(loader) == plain
            assert loader.stats()["python_stages"][0]["runs_in"] == "helper"
        assert multiprocessing.active_children() == []
    assert LoaderOptions().use_fork().use_spawn().multiprocessing_context == "spawn"
    assert LoaderOptions(multiprocessing_context=multiprocessing.get_context("fork")) == LoaderOptions().use_fork()
    with pytest.raises(penstock.InvalidError, match="'spawn' or 'forkserver' or 'fork'"):
        LoaderOptions(multiprocessing_context="thread")


def test_option_device(shards):
    plain = penstock.Loader(shards, batch_size=7, shuffle=True, transforms=AUGMENTED)
    moved = penstock.Loader(shards, batch_size=7, shuffle=True, transforms=AUGMENTED, device="meta")
    iterator = iter(moved)
    for number, batch in enumerate(plain):
        other = next(iterator)
        assert other["image"].device.type == other["label"].device.type == "meta"
        assert other["image"].shape == batch["image"].shape
        assert other["key"] == batch["key"]
        assert moved.state_dict() == plain.state_dict(), f"what was received, not what was sent ahead: {number}"
    with pytest.raises(StopIteration):
        next(iterator)
    assert moved.state_dict()["epoch"] == 1
    for wrong in ("nowhere", "cuda" if not torch.cuda.is_available() else "cuda:99999"):
        with pytest.raises(penstock.InvalidError, match="device"):
            penstock.Loader(shards, device=wrong)
    assert next(iter(penstock.Loader(shards, transforms=AUGMENTED, device="cpu")))["image"].device.type == "cpu"


def test_option_non_blocking(shards, monkeypatch):
    seen = []
    to = torch.Tensor.to
    noted = lambda self, *a, **kw: seen.append(kw["non_blocking"]) or to(self, *a, **kw)  # noqa: E731
    monkeypatch.setattr(torch.Tensor, "to", noted)
    for value in (False, True):
        next(iter(penstock.Loader(shards, transforms=AUGMENTED, device="meta", non_blocking=value)))
        assert set(seen) == {value}
        seen.clear()


def test_presets_are_lists_of_settings_that_later_calls_override():
    base = LoaderOptions(batch_size=5)
    gpu = base.gpu_optimized()
    assert (gpu.pin_memory, gpu.non_blocking, gpu.memory_format, gpu.batch_size) == (True, True, "channels_last", 5)
    assert gpu.with_pin_memory(False).pin_memory is False
    ranks = base.distributed_optimized(1, 4)
    assert (ranks.shard_rank, ranks.shard_world_size, ranks.drop_last) == (1, 4, True)
    debug = gpu.with_shuffle(True).debug_mode()
    assert (debug.num_workers, debug.prefetch, debug.shuffle, debug.pin_memory) == (0, 0, False, False)
    assert base.with_timeout(9).timeout_seconds == 9


def test_option_collate_buffer_size(shards):
    batch_bytes = 4 * (24 * 24 * 3 * 4)
    settings = {"batch_size": 4, "prefetch": 8, "collate_buffer_size": 3 * batch_bytes}
    loader = penstock.Loader(shards, transforms=AUGMENTED, **settings)
    held = list(loader)
    assert len(held) == 15
    assert 0 < loader.stats()["undelivered_bytes"] <= 3 * batch_bytes


def test_option_shard_rank(shards):
    parts = [
        flat(penstock.Loader(shards, shuffle=True, batch_size=4, shard_rank=r, shard_world_size=3)) for r in range(3)
    ]
    assert [len(part) for part in parts] == [20, 20, 20]
    assert sorted(sum(parts, [])) == list(range(60))
    with pytest.raises(penstock.InvalidError, match="shard_rank"):
        penstock.Loader(shards, shard_rank=3, shard_world_size=3)


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


def test_options_survive_being_plain_values():
    options = LoaderOptions(
        batch_size=7,
        sampler=samplers.Weighted([1.0, 2.0]),
        on_error="skip",
        max_errors=0.25,
        timeout_seconds=9,
        collate_buffer_size=1 << 20,
    )
    plain = options.to_dict()
    assert plain["sampler"] == {"kind": "weighted", "weights": [1.0, 2.0], "replacement": True, "num_samples": None}
    assert LoaderOptions.from_dict(plain) == options
    assert hash(LoaderOptions.from_dict(plain)) == hash(options)
    assert options.random_sampling(replacement=True).sampler == samplers.Random(replacement=True)
    assert repr(options.sampler) == "Weighted(weights=<2 values>, replacement=True, num_samples=None)"


def test_the_migration_page_maps_every_argument_of_torchs_data_loader():
    page = (Path(__file__).resolve().parents[2] / "docs" / "migration.md").read_text()
    mapped = {
        name
        for line in page.splitlines()
        if line.startswith("| `")
        for name in re.findall(r"`(\w+)", line.split("|")[1])
    }
    assert set(inspect.signature(torch.utils.data.DataLoader).parameters) <= mapped
