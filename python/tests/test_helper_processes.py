"""Helper processes: when they can be had, and that they end with whoever they work for."""

from __future__ import annotations

import functools
import gc
import os
import signal
import time
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest
from python_stages import (
    alive,
    blocked_signals,
    collate_slowly,
    contents,
    die_once,
    end_at_once,
    ends_soon,
    loader_of,
    run_program,
    session_of,
    who,
)

import penstock
from penstock import _helpers
from penstock.transforms import CenterCrop


@pytest.mark.usefixtures("in_helpers")
def test_helpers_hear_signals_whoever_started_them(shards):
    loader = loader_of(shards, [CenterCrop(8), blocked_signals], num_workers=2)
    assert {int(count) for batch in loader for count in batch["image"][:, 0]} == {0}
    assert loader.stats()["helpers"]["started"] == 2
    loader.close()


@pytest.mark.usefixtures("in_helpers")
def test_a_fork_of_this_process_leaves_its_helpers_alone(shards):
    loader = loader_of(shards, [CenterCrop(8), who], num_workers=1)
    iterator = iter(loader)
    (helper,) = {int(pid) for pid in next(iterator)["image"][:, 0]}
    child = os.fork()
    if child == 0:
        code = 1
        try:
            next(iterator)
        except penstock.InvalidError:
            loader.close()
            del loader, iterator
            gc.collect()
            code = 0
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    assert {int(pid) for batch in iterator for pid in batch["image"][:, 0]} == {helper}
    assert loader.stats()["helpers"]["replaced"] == 0
    loader.close()


@pytest.fixture
def a_fork_at_each_start(monkeypatch):
    """While a helper is started, the program forks for its own ends: the fork holds both sides of the socket."""
    forks = []
    start = BaseProcess.start

    def start_and_fork(process):
        start(process)
        forks.append(os.fork())
        if forks[-1] == 0:
            time.sleep(1000)
            os._exit(0)

    monkeypatch.setattr(BaseProcess, "start", start_and_fork)
    yield
    for fork in forks:
        os.kill(fork, signal.SIGKILL)
        os.waitpid(fork, 0)


@pytest.mark.usefixtures("in_helpers", "a_fork_at_each_start")
def test_the_end_of_a_helper_is_noticed_though_a_fork_holds_its_socket(shards, tmp_path):
    dying = functools.partial(die_once, marker=tmp_path / "died")
    operations = [CenterCrop(8), penstock.transforms.Python(dying, (8, 8, 3), "uint8")]
    (tmp_path / "died").touch()  # not when it is tried here
    loader = loader_of(shards, operations, num_workers=1, timeout_seconds=60)
    (tmp_path / "died").unlink()
    iterator = iter(loader)
    next(iterator)
    assert loader.stats()["helpers"]["replaced"] == 1, "at work"
    os.kill(loader.stats()["helpers"]["pids"][0], signal.SIGKILL)
    assert len(list(iterator)) == len(loader) - 1
    assert contents(loader)
    assert loader.stats()["helpers"]["replaced"] == 2, "idle, or at work"
    loader.close()


@pytest.mark.usefixtures("a_fork_at_each_start")
def test_the_end_of_a_helper_of_collate_fn_is_noticed_though_a_fork_holds_its_socket(shards):
    operations, options = [CenterCrop(8)], {"collate_fn": collate_slowly, "collate_in": "process"}
    loader = loader_of(shards, operations, num_workers=1, timeout_seconds=60, **options)
    os.kill(loader.stats()["collate"]["pids"][0], signal.SIGKILL)
    with pytest.raises(penstock.IoError, match="was killed by signal 9"):
        next(iter(loader))
    loader.close()


@pytest.mark.usefixtures("a_fork_at_each_start")
def test_a_helper_that_ends_before_it_is_ready_is_not_waited_for_though_a_fork_holds_its_socket():
    processes = _helpers.Helpers("spawn")
    with pytest.raises(penstock.IoError, match="could not start: it ended with exit code 3"):
        processes.start(end_at_once, None)


@pytest.mark.usefixtures("in_helpers")
def test_helpers_end_with_the_epoch_or_the_loader_and_leave_nothing(shards):
    names = set(Path("/dev/shm").iterdir())
    loader = loader_of(shards, [CenterCrop(8), who], num_workers=1, persistent_workers=False)
    first = {int(pid) for batch in loader for pid in batch["image"][:, 0]}
    assert set(Path("/dev/shm").iterdir()) == names
    assert loader.stats()["helpers"]["alive"] == 0
    assert not any(alive(pid) for pid in first)
    second = {int(pid) for batch in loader for pid in batch["image"][:, 0]}
    assert not first & second
    descriptors = len(list(Path("/proc/self/fd").iterdir()))
    loader = loader_of(shards, [CenterCrop(8), who], num_workers=1)
    third = {int(pid) for batch in loader for pid in batch["image"][:, 0]}
    assert all(alive(pid) for pid in third)
    assert third == {int(pid) for batch in loader for pid in batch["image"][:, 0]}
    assert set(Path("/dev/shm").iterdir()) == names
    del loader
    gc.collect()
    assert ends_soon(*third)
    assert len(list(Path("/proc/self/fd").iterdir())) <= descriptors


def test_helpers_die_with_a_parent_that_is_killed(shards, tmp_path):
    program = run_program(
        tmp_path,
        f"""
        import os, sys, time
        import penstock
        from penstock.transforms import CenterCrop, Python

        def hang(array):
            if os.getpid() != int(os.environ.get("PARENT", "0")):
                time.sleep(1000)
            return array

        if __name__ == "__main__":
            os.environ["PARENT"] = str(os.getpid())
            penstock._stages.round_trip_seconds = lambda array: 0.0
            loader = penstock.Loader({shards!r}, num_workers=2, output="numpy", timeout_seconds=None,
                                     transforms=[CenterCrop(8), Python(hang, (8, 8, 3), "uint8")])
            iterator = iter(loader)
            while loader.stats()["helpers"]["alive"] < 2:
                time.sleep(0.05)
            print(*loader.stats()["helpers"]["pids"], flush=True)
            next(iterator)
        """,
        start_new_session=True,
    )
    helpers = [int(pid) for pid in program.stdout.readline().split()]
    assert len(helpers) == 2, program.communicate()
    assert all(alive(pid) for pid in helpers)
    family = session_of(program.pid)
    assert {program.pid, *helpers} <= family
    program.kill()
    program.wait()
    try:
        assert ends_soon(*family)
    finally:
        for pid in filter(alive, family):
            os.kill(pid, signal.SIGKILL)
        program.communicate()


@pytest.mark.parametrize("ending", ["pass", "loader.cycle = loader"])
def test_a_program_may_end_in_the_middle(shards, tmp_path, ending):
    program = run_program(
        tmp_path,
        f"""
        import sys, time
        import penstock

        def slow(array):
            time.sleep(0.002)
            return 255 - array

        if __name__ == "__main__":
            loader = penstock.Loader({shards!r}, num_workers=2, batch_size=4, output="numpy",
                                     transforms=[penstock.transforms.CenterCrop(8), slow])
            iterator = iter(loader)
            next(iterator)
            print(loader.stats()["python_stages"][0]["runs_in"], flush=True)
            {ending}
        """,
    )
    out, err = program.communicate(timeout=120)
    assert (program.returncode, out, err) == (0, "helper\n", "")


def test_interrupt_works_while_a_helper_starts(shards, tmp_path):
    program = run_program(
        tmp_path,
        f"""
        import os, signal, time
        import penstock

        def slow(array):
            time.sleep(0.01)
            return array

        if __name__ != "__main__":
            os.kill(os.getppid(), signal.SIGINT)  # a program that takes long to be imported
            time.sleep(1000)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            penstock.Loader({shards!r}, num_workers=1, transforms=[penstock.transforms.CenterCrop(8), slow])
        except KeyboardInterrupt:
            print("interrupted")
        """,
    )
    out, err = program.communicate(timeout=120)
    assert (program.returncode, out) == (0, "interrupted\n"), err


def test_a_helper_that_starts_while_the_loader_closes_is_quiet(shards, tmp_path):
    program = run_program(
        tmp_path,
        f"""
        import os, time
        import penstock

        if __name__ != "__main__" and os.path.exists({str(tmp_path / "second")!r}):
            time.sleep(1)
        open({str(tmp_path / "second")!r}, "w").close()

        def slow(array):
            time.sleep(0.05)
            return array

        if __name__ == "__main__":
            os.unlink({str(tmp_path / "second")!r})
            loader = penstock.Loader({shards!r}, num_workers=2, output="numpy",
                                     transforms=[penstock.transforms.CenterCrop(8), slow])
            iterator = iter(loader)
            while len(loader.stats()["helpers"]["pids"]) < 2:
                time.sleep(0.01)
            loader.close()
            print("closed")
        """,
    )
    out, err = program.communicate(timeout=120)
    assert (program.returncode, out, err) == (0, "closed\n", "")
