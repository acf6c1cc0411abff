"""The loads of the long run: each uses loaders in its own way, with its own faults, and checks every row it gets.

A load is a function of a `Run`; it raises FindingError when something is wrong. LOADS lists them: a new fault is a
function here and a line there.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import tarfile
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import penstock
import stalled_pages
from soak_data import SAMPLES, SHARDS, SIZE, Sources, number_of, row_of, rows_of, transforms

EPOCHS = 4  # of which there is a reference
FORK_SECONDS = 60.0
KILL_SECONDS = 60.0


class FindingError(Exception):
    """Something that must not happen."""


class References:
    """What one worker delivers; made when first asked for. Any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rows: dict[tuple[str, str, int, bool], list[bytes]] = {}

    def rows(self, source: str, on_error: str, epoch: int, *, with_python: bool = False) -> list[bytes]:
        with self._lock:
            wanted = (source, on_error, epoch, with_python)
            if wanted not in self._rows:
                stages = {"transforms": PYTHON_STAGES, "num_workers": 0} if with_python else {"num_workers": 1}
                with open_loader(source, on_error=on_error, prefetch=1, batch_size=16, **stages) as loader:
                    loader.set_epoch(epoch)
                    self._rows[wanted] = [row for batch in loader for row in rows_of(batch)]
            return self._rows[wanted]


@dataclass
class Run:
    """What a load works with. `choose` is this load's own."""

    choose: random.Random
    sources: Sources
    references: References
    folder: Path
    rows: int = field(default=0)  # checked so far

    def settings(self) -> dict[str, object]:
        """Options that must not change what comes."""
        return {
            "num_workers": self.choose.choice([0, 1, 2, 3]),
            "prefetch": self.choose.randint(0, 4),
            "batch_size": self.choose.randint(1, 24),
            "persistent_workers": self.choose.random() < 0.7,
            "output": self.choose.choice(["numpy", "torch"]),
        }

    def source(self) -> tuple[str, str]:
        """A source and what is done with its bad samples."""
        source = self.choose.choice(list(vars(self.sources).values()))
        return source, self.choose.choice(["skip", "replace"])

    def check(self, got: list[bytes], expected: list[bytes], what: str) -> None:
        """Both in order."""
        if got != expected:
            place = next((i for i, pair in enumerate(zip(got, expected, strict=False)) if pair[0] != pair[1]), -1)
            raise FindingError(f"{what}: {len(got)} rows, {len(expected)} expected; first difference at {place}")
        self.rows += len(got)

    def check_set(self, got: list[bytes], expected: list[bytes], what: str) -> None:
        """Each as often, in any order."""
        if Counter(got) != Counter(expected):
            raise FindingError(f"{what}: {len(got)} rows, {len(expected)} expected, and not the same ones")
        self.rows += len(got)


def open_loader(source: str, **options: object) -> penstock.Loader:
    return penstock.Loader(source, **{"transforms": transforms(), "shuffle": True, "seed": 9, **options})


def slowly_inverted(array: np.ndarray) -> np.ndarray:
    """Takes long enough that helper processes run it."""
    time.sleep(0.003)
    return 255 - array


def rows_of_samples(samples: list[dict[str, object]]) -> list[bytes]:
    """A collate_fn."""
    return [row_of(sample["index"], sample["image"], sample["label"], sample["key"]) for sample in samples]


PYTHON_STAGES = [penstock.transforms.RandomResizedCrop(SIZE), slowly_inverted]


def rows_until_end(iterator: Iterator[penstock.Batch]) -> list[bytes]:
    return [row for batch in iterator for row in rows_of(batch)]


# --- loads ------------------------------------------------------------------------------------------------------------


def whole_epochs(run: Run) -> None:
    """Epochs of bad and good sources, in order or as batches are ready."""
    (source, on_error), settings = run.source(), run.settings()
    mode = run.choose.choice(["ordered", "as_ready"])
    with open_loader(source, on_error=on_error, loading_mode=mode, **settings) as loader:
        for epoch in range(run.choose.randint(1, EPOCHS)):
            got = rows_until_end(iter(loader))
            compare = run.check if mode == "ordered" else run.check_set
            compare(got, run.references.rows(source, on_error, epoch), f"{source}, {settings}, {mode}")


def several_ranks(run: Run) -> None:
    """Ranks in step: together they deliver the order of one."""
    (source, on_error), settings = run.source(), run.settings()
    world = run.choose.randint(2, 4)
    ranks = [
        open_loader(source, on_error=on_error, shard_rank=rank, shard_world_size=world, **settings)
        for rank in range(world)
    ]
    got = [row for batches in zip(*ranks, strict=True) for batch in batches for row in rows_of(batch)]
    expected = run.references.rows(source, on_error, 0)
    if ranks[0].stats()["repeated"] or ranks[-1].stats()["repeated"]:
        got = got[: len(expected)]  # a tail smaller than the number of ranks is filled up
    for loader in ranks:
        loader.close()
    run.check(got, expected, f"{source}, {world} ranks, {settings}")


def stop_and_resume(run: Run) -> None:
    """A loader is left after some steps; another, set otherwise, continues from its state."""
    (source, on_error), epoch = run.source(), run.choose.randrange(EPOCHS)
    got: list[bytes] = []
    state = None
    while True:
        loader = open_loader(source, on_error=on_error, **run.settings())
        loader.set_epoch(epoch) if state is None else loader.load_state_dict(state)
        iterator = iter(loader)
        for _ in range(run.choose.randint(1, 20)):
            batch = next(iterator, None)
            if batch is None:
                break
            got += rows_of(batch)
        if batch is None:
            break
        state = loader.state_dict()
    run.check(got, run.references.rows(source, on_error, epoch), f"{source}, resumed in epoch {epoch}")


def abandoned(run: Run) -> None:
    """Iterators and loaders that nobody closes, and parts of batches that outlive them."""
    (source, on_error), settings = run.source(), run.settings()
    kept = []
    for _ in range(run.choose.randint(1, 5)):
        loader = open_loader(source, on_error=on_error, **settings)
        for epoch in range(run.choose.randint(1, EPOCHS)):
            kept.append((epoch, next(iter(loader))))
    for epoch, batch in kept:
        rows = rows_of(batch)
        run.check(rows, run.references.rows(source, on_error, epoch)[: len(rows)], f"{source}, abandoned")


def errors_raised(run: Run) -> None:
    """on_error="raise": a batch with a bad sample raises, naming one, and the others come as ever."""
    source, settings = run.choose.choice([run.sources.bad_tars, run.sources.bad_folders]), run.settings()
    good = run.references.rows(source, "skip", 0)
    good_numbers = {number_of(row) for row in good}
    got: list[bytes] = []
    raised = 0
    with open_loader(source, **settings) as loader:
        iterator = iter(loader)
        while True:
            try:
                got += rows_of(next(iterator))
            except StopIteration:
                break
            except penstock.CorruptError as error:
                raised += 1
                if error.index is None or error.index in good_numbers or not error.key:
                    raise FindingError(f"{source}: {error} is about no bad sample") from error
        batch_size = loader.options.batch_size
    delivered = {number_of(row) for row in got}
    run.check(got, [row for row in good if number_of(row) in delivered], f"{source}, raising")
    if not raised or SAMPLES - len(got) > raised * batch_size:
        raise FindingError(f"{source}: {SAMPLES - len(got)} rows are missing after {raised} errors")


def shard_cut_short(run: Run) -> None:
    """A shard is truncated while it is read: its lost samples are errors, the others come, nothing else does."""
    settings = run.settings()
    with tempfile.TemporaryDirectory(dir=run.folder) as folder:
        shutil.copytree(Path(run.sources.tars).parent, folder, dirs_exist_ok=True)
        source = str(Path(folder) / "*.tar")
        with open_loader(source, on_error="skip", **settings) as loader:
            iterator = iter(loader)
            got = rows_of(next(iterator))
            shard = Path(folder) / f"{run.choose.randrange(SHARDS)}.tar"
            os.truncate(shard, run.choose.randrange(shard.stat().st_size))
            got += rows_until_end(iterator)
            lost = {error.index for error in loader.errors()}
    rows = run.references.rows(run.sources.tars, "skip", 0)
    # The next epoch is prepared ahead, so that there may be errors of samples which this one delivered.
    delivered = {number_of(row) for row in got}
    if not {number_of(row) for row in rows} - delivered <= lost:
        raise FindingError("a shard cut short: rows are missing that no error tells of")
    run.check(got, [row for row in rows if number_of(row) in delivered], "a shard cut short")


def stalled_source(run: Run) -> None:
    """Pages of a shard do not come for a while: the consumer waits, or is told, and loses nothing."""
    settings = {**run.settings(), "num_workers": run.choose.randint(1, 3)}
    impatient = run.choose.random() < 0.5
    with tempfile.TemporaryDirectory(dir=run.folder) as folder:
        shutil.copytree(Path(run.sources.tars).parent, folder, dirs_exist_ok=True)
        shard = Path(folder) / "2.tar"
        with tarfile.open(shard) as archive:
            member = run.choose.choice([member for member in archive if member.name.endswith("jpg")])
        loader = open_loader(str(Path(folder) / "*.tar"), timeout_seconds=0.1 if impatient else 300, **settings)
        with stalled_pages.StalledPages(shard, member.offset_data, member.size) as stalled:
            timer = threading.Timer(run.choose.uniform(0.0, 0.4), stalled.release)
            timer.start()
            got: list[bytes] = []
            iterator = iter(loader)
            while True:
                try:
                    got += rows_of(next(iterator))
                except StopIteration:
                    break
                except penstock.TimeoutError as error:
                    if not impatient or "sample" not in str(error):
                        raise FindingError(f"a stalled source: {error}") from error
            timer.join()
        loader.close()
    run.check(got, run.references.rows(run.sources.tars, "skip", 0), f"a stalled source, {settings}")


def cache_built(run: Run) -> None:
    """A cache is built beside the first epochs, given up in the middle, taken up again, and thrown away."""
    cache = run.folder / "cache"
    for _ in range(run.choose.randint(1, 3)):
        settings = {**run.settings(), "num_workers": run.choose.randint(1, 3)}
        with open_loader(run.sources.tars, cache=str(cache), **settings) as loader:
            for epoch in range(run.choose.randint(1, EPOCHS)):
                iterator = iter(loader)
                if run.choose.random() < 0.3:
                    next(iterator)
                    break
                expected = run.references.rows(run.sources.tars, "skip", epoch)
                run.check(rows_until_end(iterator), expected, f"with a cache, {settings}")
    shutil.rmtree(cache, ignore_errors=True)


def fork_in_between(run: Run) -> None:
    """A fork of the process can do nothing with the loader, and says so; the parent continues."""
    (source, on_error), settings = run.source(), run.settings()
    with open_loader(source, on_error=on_error, **settings) as loader:
        iterator = iter(loader)
        got = rows_of(next(iterator))
        child = os.fork()
        if child == 0:
            code = 3
            try:
                next(iterator)
            except penstock.Error as error:
                code = 0 if "fork" in str(error) else 4
            except BaseException:
                code = 5
            os._exit(code)
        got += rows_until_end(iterator)
        deadline = time.monotonic() + FORK_SECONDS
        done, status = os.waitpid(child, os.WNOHANG)
        while done == 0 and time.monotonic() < deadline:
            time.sleep(0.01)
            done, status = os.waitpid(child, os.WNOHANG)
        if done == 0:
            os.kill(child, 9)
            os.waitpid(child, 0)
            raise FindingError(f"a fork did not end within {FORK_SECONDS:.0f} s")
        if status != 0:
            raise FindingError(f"a fork that used the loader ended with status {status}")
    run.check(got, run.references.rows(source, on_error, 0), f"{source}, forked")


def killed_helpers(run: Run) -> None:
    """A helper process of a Python function is killed: another one takes its place and does its sample again."""
    source, settings = run.sources.tars, {**run.settings(), "num_workers": run.choose.randint(1, 2)}
    with open_loader(source, transforms=PYTHON_STAGES, **settings) as loader:
        for epoch in range(run.choose.randint(1, 2)):
            iterator = iter(loader)
            got = rows_of(next(iterator))
            # One at a time: a sample that ends two helpers is a bad one.
            killed = run.choose.choice(loader.stats()["helpers"]["pids"])
            os.kill(killed, signal.SIGKILL)
            got += rows_until_end(iterator)
            run.check(got, run.references.rows(source, "raise", epoch, with_python=True), f"killed helper, {settings}")
            # It may have been idle, or at starting: then nobody had to replace it.
            deadline = time.monotonic() + KILL_SECONDS
            while killed in loader.stats()["helpers"]["pids"]:
                if time.monotonic() > deadline:
                    raise FindingError(f"process {killed} was killed and counts as a helper still")
                time.sleep(0.01)


def killed_collate_helper(run: Run) -> None:
    """The helper of collate_fn is killed in the middle of an epoch: that is an error of its batch, and the epoch
    continues with another one from the state before it."""
    source, settings = run.sources.tars, {**run.settings(), "num_workers": run.choose.randint(1, 2)}
    with open_loader(source, collate_fn=rows_of_samples, collate_in="process", **settings) as loader:
        for epoch in range(run.choose.randint(1, 2)):
            got: list[bytes] = []
            iterator = iter(loader)
            kills = 1
            while True:
                try:
                    got += next(iterator)
                except StopIteration:
                    break
                except penstock.IoError:
                    loader.load_state_dict(loader.state_dict())
                    iterator = iter(loader)
                if kills > 0 and run.choose.random() < 0.5:
                    os.kill(loader.stats()["collate"]["pids"][0], signal.SIGKILL)
                    kills -= 1
            run.check(got, run.references.rows(source, "skip", epoch), f"killed helper of collate_fn, {settings}")


LOADS: list[Callable[[Run], None]] = [
    whole_epochs,
    several_ranks,
    stop_and_resume,
    abandoned,
    errors_raised,
    shard_cut_short,
    cache_built,
    fork_in_between,
    killed_helpers,
    killed_collate_helper,
    *([] if stalled_pages.why_not() else [stalled_source]),
]
