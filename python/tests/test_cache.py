"""Loader(cache=FOLDER): epochs of the source, and of the store that is built beside them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest
import torch
from conftest import draw, encode, write_tar

import penstock
from penstock import transforms as T  # noqa: N812 - the usual short name

OPTIONS = {"batch_size": 7, "shuffle": True, "seed": 5, "num_workers": 2}
JPEG = encode(draw(1, 40, 40))


def open_loader(source: str | Path, cache: Path | None, **options: object) -> penstock.Loader:
    return penstock.Loader(
        source, cache=cache, transforms=penstock.presets.imagenet_train(32), **{**OPTIONS, **options}
    )


def wait_until_built(loader: penstock.Loader) -> str:
    """The state of the cache when it is no longer being built."""
    deadline = time.monotonic() + 300  # builds give way to whatever else runs
    while loader.stats()["cache"].startswith("being built"):
        assert time.monotonic() < deadline, loader.stats()["cache"]
        time.sleep(0.01)
    return loader.stats()["cache"]


def epoch_of(loader: penstock.Loader, number: int) -> list[torch.Tensor]:
    loader.set_epoch(number)
    return [tensor for batch in loader for tensor in (batch["image"], batch["label"], batch["index"])]


def equal(a: list[torch.Tensor], b: list[torch.Tensor]) -> bool:
    return len(a) == len(b) and all(torch.equal(x, y) for x, y in zip(a, b, strict=True))


@pytest.fixture
def built(shards: str, tmp_path: Path) -> Path:
    """The store of a cache in tmp_path."""
    with open_loader(shards, tmp_path) as loader:
        wait_until_built(loader)
    (store,) = tmp_path.glob("*.store")
    return store


def damage(store: Path) -> None:
    """Changes a bit of the first image, and not the time of the file."""
    shard = next(store.glob("shard-*"))
    before = shard.stat()
    data = bytearray(shard.read_bytes())
    data[500] ^= 4
    shard.write_bytes(data)
    os.utime(shard, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_later_epochs_read_the_store_and_are_the_same(shards, tmp_path):
    plain, cached = open_loader(shards, None), open_loader(shards, tmp_path / "cache")
    assert equal(epoch_of(cached, 0), epoch_of(plain, 0))
    state = wait_until_built(cached)
    (store,) = (tmp_path / "cache").glob("*.store")
    assert state == f"complete: {store}"
    assert equal(epoch_of(cached, 1), epoch_of(plain, 1))
    assert cached.stats()["decoded"].keys() == {"JPEG", "repacked"}
    assert penstock.verify(store, shards)
    again = open_loader(shards, tmp_path / "cache")
    assert again.stats()["cache"] == state
    list(again)
    assert again.stats()["decoded"].keys() == {"repacked"}


def test_the_first_epoch_counts_on(make_tar, tmp_path):
    good = encode(draw(1, 30, 20))
    path = make_tar([("a.jpg", good), ("b.jpg", good[: len(good) // 2]), ("c.jpg", good)])
    loader = penstock.Loader(path, on_error="skip", cache=tmp_path / "cache", transforms=[T.CenterCrop(16)])
    for _ in range(2):
        (batch,) = loader
        assert batch["index"].tolist() == [0, 2]
        assert wait_until_built(loader).startswith("complete: ")
    assert (loader.stats()["samples"], loader.stats()["errors"]) == (4, 2)
    first, second = loader.errors()
    assert str(first) == str(second)  # the cache's errors name the source


def test_the_epoch_after_a_whole_one_reads_the_store(shards, tmp_path):
    with open_loader(shards, tmp_path) as loader:
        list(loader)
        next(iter(loader))
        assert loader.stats()["cache"].startswith("complete: ")
        assert "repacked" in loader.stats()["decoded"]


def test_a_source_that_was_written_again_is_read_again(tmp_path):
    """The same keys and sizes, other labels: neither the old cache nor one of the same name elsewhere is used."""

    def write(first: int) -> Path:
        members = [part for i in range(8) for part in ((f"{i}.jpg", JPEG), (f"{i}.cls", str(first + i).encode()))]
        return write_tar(tmp_path / "train.tar", members)

    def labels(source: Path) -> list[int]:
        with open_loader(source, tmp_path / "cache") as loader:
            wait_until_built(loader)
            return sorted(int(label) for batch in loader for label in batch["label"])

    source = write(20)
    assert labels(source)[0] == 20
    (tmp_path / "other").mkdir()
    copied = tmp_path / "other" / "train.tar"
    copied.write_bytes(source.read_bytes())
    write(60)
    assert labels(source)[0] == 60
    assert labels(copied)[0] == 20


def test_no_epoch_waits_for_ever(shards, tmp_path):
    """Another process holds the right to build, and never does."""
    with open_loader(shards, tmp_path) as loader:
        wait_until_built(loader)
    (store,) = tmp_path.glob("*.store")
    lock = Path(f"{store}.lock")
    (store / "manifest.json").unlink()
    program = """
import fcntl, sys, time
file = open(sys.argv[1], "w")
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(600)
"""
    holder = subprocess.Popen([sys.executable, "-c", program, lock], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with open_loader(shards, tmp_path, timeout_seconds=6) as loader:
            for _ in loader:  # abandoned
                break
            for _ in range(2):
                assert sum(len(batch["index"]) for batch in loader) == 60
            assert loader.stats()["cache"].startswith("being built, 0 of 60 samples")
    finally:
        holder.kill()
        holder.communicate()


def test_damage_is_read_from_the_source_and_the_next_loader_builds_again(shards, tmp_path, built):
    damage(built)
    plain, cached = open_loader(shards, None), open_loader(shards, tmp_path)
    assert cached.stats()["cache"].startswith("complete")
    with pytest.warns(RuntimeWarning, match="the cache is damaged") as caught:
        for number in range(2):
            assert equal(epoch_of(cached, number), epoch_of(plain, number))
    assert len(caught) == 1
    assert "went to the source instead" in cached.stats()["cache"]
    cached.close()
    with open_loader(shards, tmp_path) as loader:
        assert wait_until_built(loader).startswith("complete")
        assert penstock.verify(built, shards)


def test_a_shortened_cache_is_built_again(shards, tmp_path, built):
    shard = next(built.glob("shard-*"))
    shard.write_bytes(shard.read_bytes()[:-5])
    with open_loader(shards, tmp_path) as loader:
        assert wait_until_built(loader).startswith("complete")
        assert penstock.verify(built, shards)


def test_several_processes_build_one_cache(shards, tmp_path):
    program = """
import sys, time, penstock
loader = penstock.Loader(sys.argv[1], cache=sys.argv[2], batch_size=7, transforms=[penstock.transforms.CenterCrop(16)])
for epoch in range(2):
    assert sum(len(batch["index"]) for batch in loader) == 60
    while loader.stats()["cache"].startswith("being built"):
        time.sleep(0.01)
print(loader.stats()["cache"])
"""
    running = [
        subprocess.Popen([sys.executable, "-c", program, shards, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    assert all(process.communicate(timeout=120)[0].startswith("complete: ") for process in running)
    assert [path.suffix for path in tmp_path.iterdir()] == [".store"]


def test_a_cache_that_cannot_be_written_only_costs_the_speed(shards, tmp_path):
    (tmp_path / "file").write_text("in the way")
    loader = open_loader(shards, tmp_path / "file" / "cache")
    state = wait_until_built(loader)
    assert state.startswith("could not be built")
    with pytest.warns(RuntimeWarning, match="the cache could not be built, .*file/cache") as caught:
        assert sum(len(batch["index"]) for batch in loader) == 60
    assert [warning.filename for warning in caught] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # told once
        assert sum(len(batch["index"]) for batch in loader) == 60
