"""Functions of the user as stages: same results wherever they run, errors that explain, helpers that end."""

from __future__ import annotations

import functools
import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from conftest import draw, encode
from PIL import Image

import penstock
from penstock import _stages
from penstock.transforms import CenterCrop, Normalize, Python, RandomHorizontalFlip, RandomResizedCrop, ToFloat

CROP = RandomResizedCrop(24)


def add_noise(array, rng):
    return array + rng.integers(0, 9, array.shape, dtype=np.uint8)


def invert(array):
    return 255 - array


def to_gray(array, rng=None):
    assert rng is None or isinstance(rng, np.random.Generator)
    return array.mean(axis=-1, dtype=np.float64)


def fail_at_odd(array):
    if int(array.sum()) % 2 == 1:
        raise ValueError("how odd")
    return array


def die_once(array, *, marker):
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return array
    return os.kill(os.getpid(), signal.SIGKILL)


def die_at_bright(array):
    if array[0, 0, 1] > 100 and os.environ.get("HELPER_TEST_PID") != str(os.getpid()):
        os._exit(7)
    return array


def hang(array):
    if os.environ.get("HELPER_TEST_PID") != str(os.getpid()):
        time.sleep(1000)
    return array


def blocked_signals(array):
    time.sleep(0.005)
    return np.array([len(signal.pthread_sigmask(signal.SIG_BLOCK, ()))])


def leave(array):
    raise SystemExit(3)


def who(array):
    return np.array([os.getpid()])


@pytest.fixture
def in_helpers(monkeypatch):
    """However fast a function is, a helper runs it."""
    monkeypatch.setattr(_stages, "ROUND_TRIP_SECONDS", 0.0)
    monkeypatch.setenv("HELPER_TEST_PID", str(os.getpid()))


def loader_of(source, operations, **options):
    return penstock.Loader(source, **{"transforms": operations, "output": "numpy", "batch_size": 8, **options})


def contents(loader):
    images = [(batch["index"].tolist(), np.asarray(batch["image"]).tobytes()) for batch in loader]
    assert images
    return images


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def ends_soon(*pids: int) -> bool:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and any(alive(pid) for pid in pids):
        time.sleep(0.05)
    return not any(alive(pid) for pid in pids)


def session_of(leader: int) -> set[int]:
    """Every process that descends from it."""
    members = set()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue  # it has ended meanwhile
        if int(fields[3]) == leader:
            members.add(int(entry.name))
    return members


def run_program(folder: Path, program: str, **options) -> subprocess.Popen:
    path = folder / "program.py"
    path.write_text(textwrap.dedent(program))
    return subprocess.Popen(
        [sys.executable, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


OPERATIONS = [CROP, add_noise, RandomHorizontalFlip(), add_noise, Normalize(0.5, 0.25)]


def test_results_do_not_depend_on_workers(shards):
    alone = contents(loader_of(shards, OPERATIONS, shuffle=True, num_workers=0))
    for workers in (1, 2, 4):
        loader = loader_of(shards, OPERATIONS, shuffle=True, num_workers=workers)
        assert contents(loader) == alone
        assert [stage["runs_in"] for stage in loader.stats()["python_stages"]] == ["here", "here"]


@pytest.mark.usefixtures("in_helpers")
def test_results_do_not_depend_on_where_they_are_made(shards):
    alone = loader_of(shards, OPERATIONS, shuffle=True, num_workers=0)
    loader = loader_of(shards, OPERATIONS, shuffle=True, num_workers=2)
    first, second = contents(alone), contents(alone)
    assert first != second
    assert [contents(loader), contents(loader)] == [first, second]
    stats = loader.stats()
    assert [stage["runs_in"] for stage in stats["python_stages"]] == ["helper", "helper"]
    assert all(stage["calls"] >= 120 and stage["seconds"] > 0 for stage in stats["python_stages"])
    assert 1 <= stats["helpers"]["alive"] <= 2
    assert stats["stages"]["python"]["seconds"] > 0
    assert "add_noise -> uint8 (24, 24, 3), in helper processes (spawn): a call takes" in loader.plan()
    loader.close()
    assert loader.stats()["helpers"]["alive"] == 0
    assert [stage["runs_in"] for stage in alone.stats()["python_stages"]] == ["here", "here"]


def test_the_generator_is_keyed_by_seed_epoch_sample_and_op(shards):
    def drawn(op=1, **options):
        operations = [CenterCrop(4)] * op + [lambda array, rng: rng.integers(0, 1 << 30, (1,))]
        return {
            int(index): int(value)
            for batch in loader_of(shards, operations, num_workers=0, **options)
            for index, value in zip(batch["index"], batch["image"][:, 0], strict=True)
        }

    values = drawn()
    assert len(set(values.values())) == 60
    assert drawn(shuffle=True, batch_size=7) == values
    assert drawn(generator_seed=1) != values
    assert drawn(op=2) != values
    repeated = loader_of(shards, [CenterCrop(4), lambda a, rng: rng.integers(0, 1 << 30, (1,))], num_workers=0,
                         sampler=penstock.samplers.Indices([5, 5, 5]))  # fmt: skip
    assert len({int(value) for batch in repeated for value in batch["image"][:, 0]}) == 3


def test_a_function_stands_anywhere_in_the_list(shards):
    plain = next(iter(loader_of(shards, [CROP], num_workers=0)))["image"]
    last = next(iter(loader_of(shards, [CROP, invert], num_workers=1)))["image"]
    np.testing.assert_array_equal(last, 255 - plain)
    middle = next(iter(loader_of(shards, [CROP, invert, ToFloat()], num_workers=1)))["image"]
    np.testing.assert_array_equal(middle, (255 - plain).astype(np.float32) / np.float32(255))
    floats = next(iter(loader_of(shards, [CROP, ToFloat(), lambda a: a * 2], num_workers=0)))["image"]
    assert floats.shape == (8, 3, 24, 24)
    wide = {"memory_format": "channels_last", "num_workers": 0}
    np.testing.assert_array_equal(
        next(iter(loader_of(shards, [CROP, ToFloat(), lambda a: a * 2], **wide)))["image"],
        floats.transpose(0, 2, 3, 1),
    )
    torch_image = next(iter(loader_of(shards, [CROP, invert], output="torch", **wide)))["image"]
    np.testing.assert_array_equal(torch_image.numpy(), last)


def test_arrays_of_any_shape_are_delivered_as_returned(shards):
    plain = next(iter(loader_of(shards, [CROP], num_workers=0)))["image"]
    loader = loader_of(shards, [CROP, to_gray], num_workers=2)
    gray = next(iter(loader))["image"]
    assert gray.dtype == np.float64
    np.testing.assert_allclose(gray, plain.mean(axis=1))
    assert "rows of float64 (24, 24)" in loader.plan()
    torch_gray = next(iter(loader_of(shards, [CROP, to_gray], num_workers=0, output="torch")))["image"]
    np.testing.assert_array_equal(torch_gray.numpy(), gray)


def test_pictures_without_one_size_are_a_list_unless_declared(shards, pillow_pictures):
    batch = next(iter(loader_of(shards, [invert], num_workers=1)))
    assert isinstance(batch["image"], list)
    np.testing.assert_array_equal(batch["image"][3], 255 - pillow_pictures[3].transpose(2, 0, 1))
    batch = next(iter(loader_of(shards, [to_gray], num_workers=1)))
    np.testing.assert_array_equal(batch["image"][3], pillow_pictures[3].mean(axis=-1))
    declared = Python(lambda array: array[:9, :5], shape=(9, 5, 3), dtype="uint8")
    image = next(iter(loader_of(shards, [declared], num_workers=0)))["image"]
    np.testing.assert_array_equal(image[3], pillow_pictures[3][:9, :5].transpose(2, 0, 1))


def test_what_cannot_be_planned_is_refused(shards):
    for operations, reason in (
        ([CROP, to_gray, Normalize(0.5, 0.5)], "Normalize cannot follow to_gray, which returns float64"),
        ([CROP, lambda a: None], "returned NoneType of object"),
        ([CROP, lambda a, b, c: a], "functools.partial"),
        ([CROP, lambda a: a / (a.size - a.size) if False else int("x")], "called on noise(?s:.*)invalid literal"),
        ([CROP, 5], "5 is no transform"),
        ([CROP, dict], "is no transform"),
        (invert, "give a list"),
    ):
        with pytest.raises(penstock.InvalidError, match=reason):
            loader_of(shards, operations, num_workers=0)
    for arguments in ({"shape": (3,)}, {"shape": (0,), "dtype": "uint8"}, {"shape": (3,), "dtype": "complex64"}):
        with pytest.raises(penstock.InvalidError, match="Python: "):
            Python(invert, **arguments)


def test_another_shape_than_planned_is_an_error_of_the_sample(shards):
    declared = Python(invert, shape=(8, 8, 3), dtype="uint8")
    loader = loader_of(shards, [declared], num_workers=1, batch_size=2)
    with pytest.raises(penstock.InvalidError, match=r"returned uint8 \(\d+, \d+, 3\), and uint8 \(8, 8, 3\) was plan"):
        next(iter(loader))


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.usefixtures("in_helpers")
def test_exceptions_arrive_with_the_traceback(shards, workers):
    operations = [CenterCrop(8), Python(fail_at_odd, shape=(8, 8, 3), dtype="uint8")]
    (plain,) = loader_of(shards, operations[:1], batch_size=60)
    bad = [i for i in range(60) if int(plain["image"][i].sum()) % 2 == 1]
    assert 5 < len(bad) < 55
    with pytest.raises(penstock.CorruptError, match="fail_at_odd raised ValueError: how odd") as caught:
        list(loader_of(shards, operations, num_workers=workers))
    error = caught.value
    assert (error.index, error.key, error.stage) == (bad[0], f"s{bad[0]:04d}", "fail_at_odd")
    assert 'raise ValueError("how odd")' in str(error)
    assert "test_python_stages.py" in str(error)
    assert isinstance(error.__cause__, ValueError)
    loader = loader_of(shards, operations, num_workers=workers, on_error="skip")
    seen = [index for batch in loader for index in batch["index"].tolist()]
    assert seen == [i for i in range(60) if i not in bad]
    assert [error.index for error in loader.errors()] == bad


@pytest.mark.parametrize("workers", [0, 1])
@pytest.mark.usefixtures("in_helpers")
def test_a_function_cannot_end_the_program(shards, workers):
    declared = Python(leave, shape=(8, 8, 3), dtype="uint8")
    with pytest.raises(penstock.CorruptError, match="leave raised SystemExit: 3"):
        next(iter(loader_of(shards, [CenterCrop(8), declared], num_workers=workers)))


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


@pytest.mark.usefixtures("in_helpers")
def test_a_killed_helper_is_replaced_and_no_sample_lost(shards, tmp_path):
    function = functools.partial(die_once, marker=str(tmp_path / "died"))
    declared = Python(function, shape=(8, 8, 3), dtype="uint8")
    (tmp_path / "died").touch()  # not while it is being tried
    loader = loader_of(shards, [CenterCrop(8), declared], num_workers=2)
    (tmp_path / "died").unlink()
    assert contents(loader) == contents(loader_of(shards, [CenterCrop(8)]))
    assert loader.stats()["helpers"]["replaced"] == 1
    while loader.stats()["python_stages"][0]["calls"] < 60 + 2 * 8:
        time.sleep(0.01)  # two batches of the next epoch are prepared, then they are idle
    helpers = list(loader._stages._helpers._processes.values())
    for helper in helpers:
        os.kill(helper.pid, signal.SIGKILL)
        helper.join()
    next_epoch = contents(loader_of(shards, [CenterCrop(8)]))
    assert contents(loader) == next_epoch
    assert loader.stats()["helpers"]["replaced"] == 1 + len(helpers)
    loader.close()


@pytest.mark.usefixtures("in_helpers")
def test_a_sample_that_ends_every_helper_is_reported(make_tar):
    members = [(f"{i}.png", encode(draw(i, 8, 8), "PNG")) for i in range(6)]
    members[2] = ("2.png", encode(Image.new("RGB", (8, 8), "white"), "PNG"))
    declared = Python(die_at_bright, shape=(8, 8, 3), dtype="uint8")
    loader = loader_of(make_tar(members), [CenterCrop(8), declared], num_workers=1, on_error="skip")
    assert [index for batch in loader for index in batch["index"].tolist()] == [0, 1, 3, 4, 5]
    (error,) = loader.errors()
    assert isinstance(error, penstock.IoError)
    assert error.index == 2
    assert "die_at_bright ended two helper processes; the last ended with exit code 7" in str(error)
    loader.close()


@pytest.mark.usefixtures("in_helpers")
def test_a_helper_that_hangs_is_a_timeout_that_says_where(shards):
    declared = Python(hang, shape=(8, 8, 3), dtype="uint8")
    loader = loader_of(shards, [CenterCrop(8), declared], num_workers=1, timeout_seconds=1.0)
    (helper,) = [process.pid for process in loader._stages._helpers._processes.values()]
    with pytest.raises(penstock.TimeoutError, match="hang"):
        next(iter(loader))
    loader.close()
    assert ends_soon(helper)


def test_a_function_that_hangs_here_is_a_timeout_too_and_closing_ends_it(shards):
    calls = []

    def hang_later(array):
        calls.append(1)
        while len(calls) > 20:
            time.sleep(0.01)
        return array

    with pytest.warns(RuntimeWarning, match="hang_later"):
        loader = loader_of(shards, [CenterCrop(8), hang_later], num_workers=2, timeout_seconds=1.0)
    with pytest.raises(penstock.TimeoutError, match="wait for Python .longest: hang_later of sample"):
        list(loader)
    closing = threading.Thread(target=loader.close, daemon=True)
    closing.start()
    closing.join(60)
    assert not closing.is_alive()


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
            penstock._stages.ROUND_TRIP_SECONDS = 0.0
            loader = penstock.Loader({shards!r}, num_workers=2, output="numpy", timeout_seconds=None,
                                     transforms=[CenterCrop(8), Python(hang, (8, 8, 3), "uint8")])
            iterator = iter(loader)
            while loader.stats()["helpers"]["alive"] < 2:
                time.sleep(0.05)
            print(*[p.pid for p in loader._stages._helpers._processes.values()], flush=True)
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
            return array

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
    assert [Path(warning.filename).name for warning in caught] == ["test_python_stages.py"]
    assert contents(loader) == plain
    (stage,) = loader.stats()["python_stages"]
    assert (stage["function"], stage["runs_in"]) == ("<lambda>", "here")
    assert stage["calls"] >= 60
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loader_of(shards, [CROP, lambda array: 255 - array], num_workers=0)


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


def test_a_program_without_a_guard_goes_on_here(shards, tmp_path):
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
    refused = pytest.raises(penstock.InvalidError, match="'fork' cannot be: .* threads of a Loader run")
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


@pytest.mark.usefixtures("in_helpers")
def test_resume_goes_on_with_the_same_bytes(shards):
    make = lambda **options: loader_of(shards, OPERATIONS, shuffle=True, num_workers=1, **options)  # noqa: E731
    whole = contents(make())
    loader = make()
    iterator = iter(loader)
    for _ in range(3):
        next(iterator)
    resumed = make()
    resumed.load_state_dict(loader.state_dict())
    assert contents(resumed) == whole[3:]
    other = loader_of(shards, [CROP, invert, *OPERATIONS[2:]], shuffle=True, num_workers=0)
    with pytest.raises(penstock.InvalidError, match="transforms, fields"):
        other.load_state_dict(loader.state_dict())


@pytest.mark.usefixtures("in_helpers")
def test_functions_go_on_when_a_cache_takes_over(shards, tmp_path):
    plain = loader_of(shards, OPERATIONS, shuffle=True, num_workers=0)
    loader = loader_of(shards, OPERATIONS, shuffle=True, num_workers=1, cache=str(tmp_path / "stores"))
    for _ in range(3):
        assert contents(loader) == contents(plain)
    stats = loader.stats()
    assert stats["decoded"]["repacked"] > 0
    assert stats["helpers"] == {"alive": 1, "started": 1, "replaced": 0}
    loader.close()


def test_interrupts_are_not_errors_of_samples(shards):
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            textwrap.dedent(f"""
                import os, signal, penstock
                signal.signal(signal.SIGINT, signal.default_int_handler)
                calls = []
                def interrupt(array):
                    calls.append(1)
                    if len(calls) == 10:
                        os.kill(os.getpid(), signal.SIGINT)
                        sum(range(100000))
                    return array
                crop = penstock.transforms.CenterCrop(8)
                loader = penstock.Loader({shards!r}, transforms=[crop, interrupt], num_workers=0, output="numpy")
                try:
                    list(loader)
                except KeyboardInterrupt:
                    print("interrupted")
            """),
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout == "interrupted\n", done.stderr
