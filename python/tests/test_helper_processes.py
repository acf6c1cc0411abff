"""Helper processes: when they can be had, and that they end with whoever they work for."""

from __future__ import annotations

import functools
import gc
import os
import signal
import subprocess
import sys
import textwrap
import time
import warnings
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest
from python_stages import (
    CROP,
    alive,
    blocked_signals,
    collate_slowly,
    contents,
    die_once,
    end_at_once,
    ends_soon,
    invert,
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
    with pytest.raises(penstock.IoError, match="could not begin: it ended with exit code 3"):
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


def test_what_cannot_be_sent_runs_here_and_says_so(shards):
    plain = contents(loader_of(shards, [CROP, invert], num_workers=0))
    with pytest.warns(RuntimeWarning, match="<lambda>: it cannot be pickled") as caught:
        loader = loader_of(shards, [CROP, lambda array: 255 - array], num_workers=2)
    assert [Path(warning.filename).name for warning in caught] == ["python_stages.py"]
    assert contents(loader) == plain
    (stage,) = loader.stats()["python_stages"]
    assert (stage["function"], stage["runs_in"]) == ("<lambda>", "here")
    assert stage["calls"] >= 60
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loader_of(shards, [CROP, lambda array: 255 - array], num_workers=0)


def test_a_module_that_a_helper_cannot_import_is_named_in_one_line(shards, tmp_path):
    program = run_program(
        tmp_path,
        f"""
        import sys, types, warnings
        import penstock
        from penstock import _stages

        if __name__ == "__main__":
            sys.modules["ghost"] = ghost = types.ModuleType("ghost")
            exec("def same(array): return array", ghost.__dict__)
            _stages.round_trip_seconds = lambda array: 0.0
            with warnings.catch_warnings(record=True) as caught:
                operations = [penstock.transforms.CenterCrop(8), ghost.same]
                penstock.Loader({shards!r}, num_workers=1, transforms=operations).close()
            print(caught[0].message)
        """,
    )
    out, err = program.communicate(timeout=120)
    first = out.partition("\n")[0]
    assert "could not begin: ModuleNotFoundError: No module named 'ghost'; can the module" in first, out + err
    assert "\nTraceback (most recent call last):\n" in out


def test_functions_of_an_interactive_session_run_here(shards):
    program = f"""
        import penstock, warnings, time
        from penstock.transforms import CenterCrop
        def slow(array):
            time.sleep(0.002)
            return 255 - array
        with warnings.catch_warnings(record=True) as caught:
            loader = penstock.Loader({shards!r}, transforms=[CenterCrop(8), slow], num_workers=2, output="numpy")
        print(len(list(loader)), loader.stats()["python_stages"][0]["runs_in"], *[str(w.message) for w in caught])
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout.startswith("2 here Python functions run in this process"), done.stderr
    assert "interactive session" in done.stdout


def test_a_program_read_from_a_pipe_continues_here(shards):
    program = f"""
        import penstock, warnings
        from conftest import slow_function
        with warnings.catch_warnings(record=True) as caught:
            loader = penstock.Loader({shards!r}, num_workers=2, output="numpy",
                                     transforms=[penstock.transforms.CenterCrop(8), slow_function])
        print(len(list(loader)), loader.stats()["python_stages"][0]["runs_in"], *[str(w.message) for w in caught])
    """
    done = subprocess.run(
        [sys.executable, "-"],
        input=textwrap.dedent(program),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=Path(__file__).parent,
    )
    assert done.stdout.startswith("2 here Python functions run in this process"), done.stderr
    assert "was not read from a file" in done.stdout
    assert done.stderr == ""


def test_a_program_without_a_guard_continues_here(shards, tmp_path):
    program = run_program(
        tmp_path,
        f"""
        import penstock, time
        from penstock.transforms import CenterCrop
        def slow(array):
            time.sleep(0.002)
            return 255 - array
        loader = penstock.Loader({shards!r}, transforms=[CenterCrop(8), slow], num_workers=2, output="numpy")
        print(len(list(loader)), loader.stats()["python_stages"][0]["runs_in"])
        """,
    )
    out, err = program.communicate(timeout=120)
    assert out == "2 here\n", err
    assert "if __name__ == '__main__'" in err


def test_fork_is_refused_where_it_is_unsafe_and_works_where_not(shards, tmp_path):
    refused = pytest.raises(penstock.InvalidError, match="'fork' is not safe here: .* threads of a Loader run")
    with loader_of(shards, [CROP], num_workers=1), refused:
        loader_of(shards, [CROP, invert], num_workers=1, multiprocessing_context="fork")
    program = run_program(
        tmp_path,
        f"""
        import time
        import penstock

        scale = 3
        def make(factor):
            def slow(array):
                time.sleep(0.002)
                return array * factor
            return slow

        options = penstock.LoaderOptions(num_workers=2, output="numpy").use_fork()
        loader = penstock.Loader({shards!r}, transforms=[penstock.transforms.CenterCrop(8), make(2)], options=options)
        plain = penstock.Loader({shards!r}, transforms=[penstock.transforms.CenterCrop(8)], output="numpy")
        same = [((2 * a["image"]) == b["image"]).all() for a, b in zip(plain, loader, strict=True)]
        stats = loader.stats()
        print(same == [True, True], stats["python_stages"][0]["runs_in"], stats["helpers"]["started"])
        """,
    )
    out, err = program.communicate(timeout=120)
    assert out == "True helper 2\n", err


@pytest.mark.parametrize("context", ["fork", "spawn", "forkserver"])
def test_nothing_of_the_current_folder_is_run(shards, tmp_path, context):
    """Data may lie there. The program's own folder, which Python puts on the path, is another."""
    if context != "fork" and sys.version_info < (3, 11):
        pytest.skip("Python 3.10 has no way to start without the current folder")
    here, data = tmp_path / "program", tmp_path / "data"
    here.mkdir()
    data.mkdir()
    note = tmp_path / "ran"
    for module in ("multiprocessing", "numpy", "pickle", "socket", "penstock"):
        (data / f"{module}.py").write_text(f"open({str(note)!r}, 'a').write('{module} ')\nraise SystemExit\n")
    (here / "beside.py").write_text("def invert(array):\n    return 255 - array\n")
    program = f"""
        import beside, penstock
        from penstock import _stages
        from penstock.transforms import CenterCrop

        if __name__ == "__main__":
            _stages.round_trip_seconds = lambda array: 0.0
            options = dict(num_workers=1, multiprocessing_context={context!r})
            with penstock.Loader({shards!r}, transforms=[CenterCrop(8), beside.invert], **options) as loader:
                list(loader)
                print("helpers", loader.stats()["helpers"]["started"])
        """
    (here / "train.py").write_text(textwrap.dedent(program))
    command = [sys.executable, str(here / "train.py")]
    done = subprocess.run(command, cwd=data, capture_output=True, text=True, timeout=300, check=False)
    ran = note.read_text() if note.exists() else ""
    assert ran == "", done.stderr
    assert done.stdout == "helpers 1\n", done.stderr


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
