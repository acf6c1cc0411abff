"""Options that decide how a loader runs and change nothing that comes: one test for each, found by its name."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from pathlib import Path

import pytest
import torch
from conftest import HoldFirst, contents, flat, slow_function
from python_stages import collate_slowly

import penstock
from penstock import LoaderOptions

AUGMENTED = penstock.presets.imagenet_train(24)


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
    assert 1 <= tuned.stats()["workers"] == tune["workers"] <= tune["max_workers"] == len(os.sched_getaffinity(0))
    assert all(step["batches_per_second"] > 0 and step["decision"] for step in tune["steps"])
    for wrong in ({"num_workers": 0}, {"prefetch": 0}):
        with pytest.raises(penstock.InvalidError, match="auto_tune"):
            penstock.Loader(shards, auto_tune=True, **wrong)


def test_option_cpu_budget(shards):
    cores = len(os.sched_getaffinity(0))
    assert penstock.Loader(shards, cpu_budget=0.5).stats()["workers"] == max(1, cores // 2)
    assert penstock.Loader(shards, cpu_budget=0.01, auto_tune=True).stats()["auto_tune"]["max_workers"] == 1
    for wrong in ({"cpu_budget": 0}, {"cpu_budget": 1.1}, {"cpu_budget": 0.5, "num_workers": 2}):
        with pytest.raises(penstock.InvalidError, match="cpu_budget"):
            penstock.Loader(shards, **wrong)


def test_option_prefetch(shards):
    for prefetch in (1, 3):
        with penstock.Loader(shards, batch_size=4, prefetch=prefetch, num_workers=2) as loader:
            iterator = iter(loader)
            next(iterator)
            for _ in range(6000):
                if loader.stats()["decoded"].get("JPEG", 0) == 4 * (1 + prefetch):
                    break
                threading.Event().wait(0.01)
            assert loader.stats()["decoded"]["JPEG"] == 4 * (1 + prefetch), "that many batches ahead, and no more"


def test_option_timeout_seconds(shards):
    hold = HoldFirst(shards)
    with hold.loader(timeout_seconds=0.3) as loader:
        iterator = iter(loader)
        start = time.monotonic()
        with pytest.raises(penstock.TimeoutError, match="wait for Python .longest: hold_first of sample 0, for "):
            next(iterator)
        assert time.monotonic() - start >= 0.3
        hold.resume.set()
        seen = []
        while len(seen) < 60:
            try:
                seen += next(iterator)["index"].tolist()
            except penstock.TimeoutError:
                continue  # a loaded machine may need longer
        assert seen == list(range(60)), "nothing is lost"
    # What a stalled source does is tested in src/pipeline/plan/options_test.cpp; a slow consumer is none.
    iterator = iter(penstock.Loader(shards, batch_size=20, timeout_seconds=2))
    next(iterator)
    threading.Event().wait(2.5)
    next(iterator)
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
    assert flat(loader) == list(range(60)), "and all continues without"
    with pytest.raises(penstock.InvalidError, match="output='numpy' cannot be combined"):
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
    with pytest.raises(penstock.InvalidError, match="must be 'spawn', 'forkserver' or 'fork', got"):
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
    older = iter(moved)
    next(older)
    newer = iter(moved)
    next(newer)
    time.sleep(0.2)
    next(newer)
    state = moved.state_dict()
    with pytest.raises(penstock.CancelledError):
        next(older)
    assert moved.state_dict() == state, "an iterator that is over has no say in it"
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
    with pytest.warns(RuntimeWarning, match="non_blocking=True has no effect without device"):
        penstock.Loader(shards, non_blocking=True)


def test_option_collate_buffer_size(shards):
    batch_bytes = 4 * (24 * 24 * 3 * 4)
    settings = {"batch_size": 4, "prefetch": 8, "collate_buffer_size": 3 * batch_bytes}
    loader = penstock.Loader(shards, transforms=AUGMENTED, **settings)
    held = list(loader)
    assert len(held) == 15
    assert 0 < loader.stats()["undelivered_bytes"] <= 3 * batch_bytes


def test_option_collate_in(shards):
    """More of it: test_collate_helper.py."""
    options = LoaderOptions(batch_size=30)
    for place, is_here in (("thread", True), ("process", False)):
        chosen = options.with_collate_in(place)
        with penstock.Loader(shards, transforms=AUGMENTED, collate_fn=collate_slowly, options=chosen) as loader:
            pids = {batch["pid"] for batch in loader}
            assert (pids == {os.getpid()}) == is_here
            assert loader.stats()["collate"]["runs_in"] == place
    with pytest.raises(penstock.InvalidError, match="collate_in must be 'thread' or 'process', got 'helper'"):
        LoaderOptions(collate_in="helper")
    assert options.with_collate_in("process").debug_mode().collate_in == "thread"
    with pytest.warns(RuntimeWarning, match="collate_in='process' has no effect without collate_fn") as warned:
        penstock.Loader(shards, collate_in="process")
    assert warned[0].filename == __file__


def test_option_cache(shards, tmp_path):
    loader = penstock.Loader(shards, transforms=AUGMENTED, shuffle=True, cache=str(tmp_path / "stores"))
    plain = penstock.Loader(shards, transforms=AUGMENTED, shuffle=True)
    for _ in range(3):
        assert contents(loader) == contents(plain)
    assert loader.stats()["decoded"]["repacked"] > 0


def test_option_cache_trust(shards, tmp_path):
    """A folder in which a group can write is used if the group is named. Of several users: test_shared_folders.py."""
    group = 61500 if os.geteuid() == 0 else next((group for group in os.getgroups() if group != os.getegid()), None)
    if group is None:
        pytest.skip("this user is in one group alone")
    folder = tmp_path / "team"
    folder.mkdir()
    os.chown(folder, -1, group)
    folder.chmod(0o2770)
    with pytest.warns(RuntimeWarning, match=f"can be written by group {group}.*cache_trust="):
        list(penstock.Loader(shards, transforms=AUGMENTED, cache=folder))
    loader = penstock.Loader(shards, transforms=AUGMENTED, cache=folder, cache_trust=f"group:{group}")
    for _ in range(3):
        list(loader)
    assert loader.stats()["cache"].startswith("complete")
    with pytest.raises(penstock.InvalidError, match="there is no user 'nobody of this name'"):
        penstock.Loader(shards, cache=folder, cache_trust="user:nobody of this name")
