"""collate_fn in a helper process that is asked for: the same batches, states and errors as in the consumer's thread."""

from __future__ import annotations

import gc
import io
import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from python_stages import (
    alive,
    collate_and_die,
    collate_and_hang,
    collate_slowly,
    collate_to_what_cannot_be_sent,
    ends_soon,
    run_program,
)

import penstock
from penstock import _collate, _packing
from penstock._packing import pack, unpack
from penstock.transforms import CenterCrop


def loader_of(shards, collate_fn, **options):
    settings = {"batch_size": 5, "num_workers": 1, "collate_in": "process", "transforms": [CenterCrop(8)]}
    return penstock.Loader(shards, collate_fn=collate_fn, **{**settings, **options})


def everything(loader):
    """What comes, exceptions included, and what counts as received after each."""
    iterator = iter(loader)
    came = []
    while True:
        try:
            value = next(iterator)
        except StopIteration:
            return came
        except ValueError as raised:
            came.append((str(raised), loader.state_dict()))
        else:
            came.append(((value["index"], value["image"].tobytes()), loader.state_dict()))


@pytest.mark.parametrize("context", ["spawn", "forkserver"])
def test_a_helper_gives_the_same_batches_states_and_errors(shards, context):
    expected = everything(loader_of(shards, collate_slowly, collate_in="thread"))
    assert len(expected) == 12
    loader = loader_of(shards, collate_slowly, multiprocessing_context=context)
    assert everything(loader) == expected
    stats = loader.stats()["collate"]
    assert (stats["runs_in"], stats["calls"]) == ("process", 12)
    (pid,) = stats["pids"]
    iterator = iter(loader)
    assert {next(iterator)["pid"] for _ in range(3)} == {pid}, "it lives across epochs"
    next(iterator)
    with pytest.raises(ValueError, match="no batch of mine") as caught:
        next(iterator)
    assert "in collate_slowly" in str(caught.value.__cause__), "the traceback is the user's"
    assert "_collate.py" not in str(caught.value.__cause__)
    assert "for step 4 of epoch 1" in "".join(getattr(caught.value, "__notes__", ["for step 4 of epoch 1"]))
    loader.close()
    assert not alive(pid)


def test_a_helper_is_ahead_of_the_consumer(shards):
    loader = loader_of(shards, collate_slowly, batch_size=2)
    iterator = iter(loader)
    next(iterator)
    time.sleep(1)  # a training step: the next two batches are made meanwhile
    before = loader.stats()["collate"]["seconds"]
    next(iterator)
    next(iterator)
    assert loader.stats()["collate"]["seconds"] - before < 2 * 0.02
    assert loader.state_dict()["position"] == 6, "what was delivered, not what was sent"
    loader.close()


def test_a_killed_helper_is_an_error_of_its_batch(shards):
    loader = loader_of(shards, collate_slowly)
    iterator = iter(loader)
    assert next(iterator)["index"] == [0, 1, 2, 3, 4]
    (pid,) = loader.stats()["collate"]["pids"]
    os.kill(pid, signal.SIGSTOP)  # so that it cannot have answered
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(penstock.IoError, match=r"runs collate_fn was killed by signal 9 \(SIGKILL\)"):
        while True:
            next(iterator)
    state = loader.state_dict()
    following = next(iterator)
    assert following["index"][0] == state["position"] + 5, "the next batch has a new helper"
    assert following["pid"] not in {pid, os.getpid()}
    loader.close()


def test_a_batch_that_ends_its_helper_is_named_and_those_before_it_come(shards):
    loader = loader_of(shards, collate_and_die, batch_size=20)
    iterator = iter(loader)
    assert next(iterator) == 20
    for position in (20, 20):
        with pytest.raises(penstock.IoError, match="runs collate_fn ended with exit code 9"):
            next(iterator)
        assert loader.state_dict()["position"] >= position
    assert list(iterator) == []
    loader.close()


def test_a_batch_that_takes_too_long_is_a_timeout_and_the_next_one_comes(shards):
    loader = loader_of(shards, collate_and_hang, batch_size=20, timeout_seconds=5.0)
    iterator = iter(loader)
    assert next(iterator) == 20
    with pytest.raises(penstock.TimeoutError, match="collate_fn took longer than 5.0 s"):
        next(iterator)
    assert list(iterator) == [20]
    loader.close()


def test_what_cannot_be_sent_is_refused(shards):
    with pytest.raises(penstock.InvalidError, match=r"got <lambda>: it cannot be pickled.*collate_in='thread'"):
        loader_of(shards, lambda samples: samples)
    loader = loader_of(shards, collate_to_what_cannot_be_sent, batch_size=20)
    with pytest.raises(penstock.InvalidError, match="results can be sent to another process, got .*lambda"):
        next(iter(loader))
    loader.close()
    with pytest.raises(penstock.InvalidError, match="collate_in='process' and collate_buffer_size"):
        loader_of(shards, collate_slowly, collate_buffer_size=1 << 20)


def test_nothing_is_left_after_close_or_an_abandoned_iteration(shards):
    names = set(Path("/dev/shm").iterdir())
    descriptors = len(list(Path("/proc/self/fd").iterdir()))
    loader = loader_of(shards, collate_slowly, persistent_workers=False)
    for _ in range(3):
        assert next(iter(loader))["index"] == [0, 1, 2, 3, 4]  # answers to the iteration before are not taken for it
    (pid,) = loader.stats()["collate"]["pids"]
    everything(loader)
    assert not alive(pid), "persistent_workers=False: it ends with the epoch"
    assert next(iter(loader))["pid"] != pid
    (pid,) = loader.stats()["collate"]["pids"]
    assert set(Path("/dev/shm").iterdir()) == names
    del loader
    gc.collect()
    assert ends_soon(pid)
    assert len(list(Path("/proc/self/fd").iterdir())) <= descriptors


def test_a_loader_whose_socket_was_collected_first_ends_its_helper(shards):
    """In a cycle: the exception of __del__ was lost, and with it the end of the process."""
    loader = loader_of(shards, collate_slowly)
    next(iter(loader))
    (pid,) = loader.stats()["collate"]["pids"]
    loader._collator._connection.close()
    loader.close()
    assert not alive(pid)


def test_a_loader_may_be_closed_while_its_helper_is_at_work(shards):
    loader = loader_of(shards, collate_and_hang, batch_size=20)
    iterator = iter(loader)
    next(iterator)
    (pid,) = loader.stats()["collate"]["pids"]
    closing = threading.Timer(0.3, loader.close)
    closing.start()
    with pytest.raises(penstock.CancelledError, match="closed"):
        next(iterator)
    closing.join()
    assert not alive(pid)


def test_fork_is_refused_where_it_is_unsafe_and_works_where_not(shards, tmp_path):
    refused = pytest.raises(penstock.InvalidError, match="'fork' is not safe here: .* threads of a Loader run")
    with penstock.Loader(shards, num_workers=1), refused:
        loader_of(shards, collate_slowly, multiprocessing_context="fork")
    program = run_program(
        tmp_path,
        f"""
        import os
        import penstock

        def collate(samples):
            return len(samples), os.getpid()

        options = penstock.LoaderOptions(batch_size=30, collate_in="process").use_fork()
        with penstock.Loader({shards!r}, collate_fn=collate, options=options) as loader:
            got = list(loader)
            print([rows for rows, _ in got], {{pid for _, pid in got}} == set(loader.stats()["collate"]["pids"]))
        """,
    )
    out, err = program.communicate(timeout=120)
    assert out == "[30, 30] True\n", err


def test_a_helper_dies_with_a_parent_that_is_killed(shards, tmp_path):
    program = run_program(
        tmp_path,
        f"""
        import time
        import penstock

        def collate(samples):
            time.sleep(1000)

        if __name__ == "__main__":
            loader = penstock.Loader({shards!r}, collate_fn=collate, collate_in="process", timeout_seconds=None)
            iterator = iter(loader)
            print(*loader.stats()["collate"]["pids"], flush=True)
            next(iterator)
        """,
    )
    helper = int(program.stdout.readline())
    assert alive(helper)
    program.kill()
    program.communicate()
    assert ends_soon(helper)


def test_values_arrive_as_they_were_sent():
    image = torch.arange(120, dtype=torch.float32).reshape(2, 3, 4, 5)
    values = {
        "array": np.arange(10, dtype=np.int16)[::2],
        "empty": np.zeros((0, 3)),
        "tensor": image,
        "last": image.contiguous(memory_format=torch.channels_last),
        "turned": image.transpose(1, 2),
        "half": image.to(torch.bfloat16),
        "plain": [1, "é", None, {"deep": (2.5, b"bytes")}],
    }
    got = unpack(pack(values))
    assert list(got) == list(values)
    np.testing.assert_array_equal(got["array"], values["array"])
    assert got["empty"].shape == (0, 3)
    for name in ("tensor", "last", "turned", "half"):
        assert torch.equal(got[name], values[name])
        assert got[name].dtype == values[name].dtype
    assert got["last"].stride() == values["last"].stride()
    sent, _ = _packing._Pickler(io.BytesIO(), protocol=5).reducer_override(values["last"])[1]
    assert sent.flags.c_contiguous, "older numpys leave only contiguous arrays as they are"
    assert got["plain"] == values["plain"]
    got["tensor"][0] = 7
    got["array"][0] = 7  # both are the receiver's own
    assert values["tensor"][0, 0, 0, 1] == 1


def test_an_iterator_that_is_over_has_no_say_in_what_was_received(shards):
    loader = loader_of(shards, collate_slowly)
    older = iter(loader)
    next(older)
    newer = iter(loader)
    for _ in range(3):
        next(newer)
    state = loader.state_dict()
    assert state["position"] == 3 * 5
    with pytest.raises(penstock.CancelledError):
        next(older)
    assert loader.state_dict() == state, "not what the helper has already"
    loader.close()


@pytest.mark.parametrize("moment", ["samples_of", "unpack"])  # while a batch is sent, or received
def test_an_interrupt_loses_nothing(shards, monkeypatch, moment):
    interrupts = iter([False, False, True, False, True])
    real = getattr(_collate, moment)

    def interrupted(*given):
        if next(interrupts, False):
            raise KeyboardInterrupt
        return real(*given)

    monkeypatch.setattr(_collate, moment, interrupted)
    loader, came, times = loader_of(shards, collate_slowly), [], 0
    iterator = iter(loader)
    while len(came) < 4:
        try:
            came.append(next(iterator)["index"])
        except KeyboardInterrupt:
            times += 1
            assert loader.state_dict()["position"] == 5 * len(came)
    assert times == 2
    assert came == [list(range(first, first + 5)) for first in (0, 5, 10, 15)]
    loader.close()
