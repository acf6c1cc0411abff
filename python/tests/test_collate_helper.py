"""collate_fn in a helper process: when it pays, and with the same batches, states and errors as here."""

from __future__ import annotations

import io
import os
import signal

import numpy as np
import pytest
import python_stages
import torch
from python_stages import (
    CollateWithState,
    collate_and_die,
    collate_and_hang,
    collate_by_scale,
    collate_into_a_list,
    collate_slowly,
    collate_to_what_cannot_be_sent,
    ends_soon,
)

import penstock
from penstock import _collate, _packing
from penstock._packing import pack, unpack
from penstock.transforms import CenterCrop


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    """The second call is made by a helper already."""
    monkeypatch.setattr(_collate, "WORTH_A_START_SECONDS", 0.0)
    monkeypatch.setenv("HELPER_TEST_PID", str(os.getpid()))


def loader_of(shards, collate_fn, **options):
    return penstock.Loader(
        shards,
        **{"collate_fn": collate_fn, "batch_size": 5, "num_workers": 1, "transforms": [CenterCrop(8)], **options},
    )


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


def test_a_helper_gives_the_same_batches_states_and_errors(shards):
    here, loader = loader_of(shards, collate_slowly, num_workers=0), loader_of(shards, collate_slowly)
    expected = everything(here)
    assert len(expected) == 12
    assert everything(loader) == expected
    stats = loader.stats()["collate"]
    assert stats["runs_in"] == "helper"
    assert stats["why"].startswith("a call takes")
    assert (stats["calls"], stats["replaced"]) == (12, 0)
    (pid,) = stats["pids"]
    here_stats = here.stats()["collate"]
    assert (here_stats["runs_in"], here_stats["why"]) == ("consumer's thread", "num_workers is 0")
    iterator = iter(loader)
    pids = {next(iterator)["pid"] for _ in range(3)}
    assert pids == {pid}, "it lives across epochs"
    os.kill(pid, signal.SIGKILL)
    assert next(iterator)["index"] == [15, 16, 17, 18, 19]
    with pytest.raises(ValueError, match="no batch of mine") as caught:
        next(iterator)
    assert "in collate_slowly" in str(caught.value.__cause__), "the traceback is the user's"
    assert "_collate_helper.py" not in str(caught.value.__cause__)
    assert loader.state_dict()["position"] == 20
    assert next(iterator)["pid"] not in {pid, os.getpid()}
    assert loader.stats()["collate"]["replaced"] == 1
    newer = iter(loader)
    with pytest.raises(penstock.CancelledError, match="a newer one"):
        next(iterator)
    assert next(newer)["index"] == [0, 1, 2, 3, 4]
    (pid,) = loader.stats()["collate"]["pids"]
    loader.close()
    with pytest.raises(penstock.CancelledError, match="closed"):
        next(newer)
    assert ends_soon(pid)


def test_a_batch_that_ends_every_helper_is_reported(shards):
    loader = loader_of(shards, collate_and_die, batch_size=20)
    iterator = iter(loader)
    assert next(iterator) == 20
    with pytest.raises(
        penstock.IoError, match="collate_fn ended two helper processes; the last ended with exit code 9"
    ):
        next(iterator)
    assert loader.state_dict()["position"] == 20
    loader.close()


def test_a_batch_that_takes_too_long_is_a_timeout_and_the_next_one_comes(shards):
    loader = loader_of(shards, collate_and_hang, batch_size=20, timeout_seconds=5.0)
    iterator = iter(loader)
    assert next(iterator) == 20
    with pytest.raises(penstock.TimeoutError, match="collate_fn took longer than 5.0 s"):
        next(iterator)
    assert list(iterator) == [20]
    loader.close()


def test_what_cannot_be_sent_is_made_here(shards):
    loader = loader_of(shards, collate_to_what_cannot_be_sent, batch_size=20)
    assert [made() for made in loader] == [0, 20, 40]
    stats = loader.stats()["collate"]
    assert stats["runs_in"] == "consumer's thread"
    assert "what it returns cannot be sent to another process" in stats["why"]


@pytest.mark.parametrize("draw", [lambda: np.random.rand(), lambda: torch.rand(1)])  # noqa: NPY002 - as users do
def test_a_function_with_global_randomness_stays_where_that_is(shards, monkeypatch, draw):
    monkeypatch.setattr(_collate, "why_not_sent", lambda work: None)
    loader = loader_of(shards, lambda samples: draw(), batch_size=20)
    assert len(list(loader)) == 3
    assert loader.stats()["collate"]["runs_in"] == "consumer's thread"
    assert "generators that belong to this process" in loader.stats()["collate"]["why"]


@pytest.mark.parametrize("counted_from", [0, 20])
def test_a_function_that_counts_something_counts_here(shards, counted_from):
    collate = CollateWithState(counted_from)
    loader = loader_of(shards, collate)
    assert [rows for _, rows in loader] == [5] * 12
    stats = loader.stats()["collate"]
    assert (stats["runs_in"], stats["pids"]) == ("consumer's thread", [])
    assert "it changes the state of CollateWithState" in stats["why"]
    assert collate.calls == 12 - counted_from // 5, "also those of a helper that tried it"


def test_a_function_that_changes_its_module_stays(shards):
    loader = loader_of(shards, collate_into_a_list)
    assert {pid for pid, _ in loader} == {os.getpid()}
    assert list(range(0, 60, 5)) == python_stages.FIRSTS
    assert "it changes python_stages.FIRSTS" in loader.stats()["collate"]["why"]


def test_what_is_set_here_counts_from_the_next_batch_on(shards):
    collate = CollateWithState(1000)
    loader = loader_of(shards, collate)
    iterator = iter(loader)
    assert [next(iterator)[1] for _ in range(4)] == [5] * 4
    assert loader.stats()["collate"]["runs_in"] == "helper"
    collate.scale = 3
    assert [rows for _, rows in iterator] == [15] * 8
    stats = loader.stats()["collate"]
    assert stats["runs_in"] == "consumer's thread"
    assert "the state of CollateWithState has been changed in this process" in stats["why"]


def test_what_is_another_in_a_helper_keeps_a_function_here(shards, monkeypatch):
    monkeypatch.setattr(python_stages, "SCALE", 2)
    loader = loader_of(shards, collate_by_scale)
    assert list(loader) == [(os.getpid(), 10)] * 12
    assert "python_stages.SCALE has another value in a helper process" in loader.stats()["collate"]["why"]


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


def test_an_interrupt_while_a_batch_is_sent_loses_nothing(shards, monkeypatch):
    interrupts = iter([False, False, True, False, True])
    send = _collate.CollateHelper.send

    def interrupted(helper, samples):
        if next(interrupts, False):
            raise KeyboardInterrupt
        return send(helper, samples)

    monkeypatch.setattr(_collate.CollateHelper, "send", interrupted)
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
