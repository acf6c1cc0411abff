"""Functions of the user that go wrong: errors that explain, helpers that are replaced."""

from __future__ import annotations

import functools
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest
from conftest import draw, encode
from PIL import Image
from python_stages import (
    contents,
    die_at_bright,
    die_once,
    ends_soon,
    fail_at_odd,
    hang,
    invert,
    leave,
    loader_of,
)

import penstock
from penstock.transforms import CenterCrop, Python


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
    assert "python_stages.py" in str(error)
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
    helpers = loader.stats()["helpers"]["pids"]
    for helper in helpers:
        os.kill(helper, signal.SIGKILL)
    assert ends_soon(*helpers)
    deadline = time.monotonic() + 30
    while loader.stats()["helpers"]["pids"] and time.monotonic() < deadline:
        time.sleep(0.01)  # their last threads may be at ending
    assert loader.stats()["helpers"]["pids"] == []
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
    (helper,) = loader.stats()["helpers"]["pids"]
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
        timeout=300,
        check=False,
    )
    assert done.stdout == "interrupted\n", done.stderr
