"""Iterables of the user that have no end are refused while they have taken little memory, and can be interrupted."""

from __future__ import annotations

import itertools
import signal

import numpy as np
import pytest
from conftest import flat

import penstock
from penstock import samplers, transforms


class Cycle:
    """Samples of a data set of 60, so many of them; forever if that is None. Without a length unless it is given."""

    def __init__(self, count: int | None) -> None:
        self.count = count
        self.drawn = 0

    def __iter__(self):
        self.drawn = 0
        for sample in itertools.islice(itertools.cycle(range(60)), self.count):
            self.drawn += 1
            yield sample


class SizedCycle(Cycle):
    def __init__(self, count: int | None, length: int) -> None:
        super().__init__(count)
        self.length = length

    def __len__(self) -> int:
        return self.length


def test_samplers_without_an_end_are_refused(shards):
    with pytest.raises(penstock.InvalidError, match="an iterable must end, got more than 16,777,216 values"):
        next(iter(penstock.Loader(shards, sampler=Cycle(None), num_workers=0)))


@pytest.mark.parametrize("count", [None, 1_000_000, 61])
def test_samplers_that_give_more_than_their_length_are_refused_at_once(shards, count):
    sampler = SizedCycle(count, 60)
    with pytest.raises(penstock.InvalidError, match=r"len\(\) is 60, and it gives 61 values"):
        next(iter(penstock.Loader(shards, sampler=sampler, num_workers=0)))
    assert sampler.drawn == 61


def test_samplers_that_repeat_samples_many_times_are_not(shards, monkeypatch):
    raw = {"num_workers": 0, "batch_size": 1000}
    loader = penstock.Loader(penstock.Dataset(shards, fields={"label": "cls"}), sampler=Cycle(100_000), **raw)
    assert len(flat(loader)) == 100_000
    monkeypatch.setattr(samplers, "MAX_PLACES", 100)
    for sampler in (Cycle(960), SizedCycle(5000, 5000)):  # 16 times the data set, and what is announced
        loader = penstock.Loader(penstock.Dataset(shards, fields={"label": "cls"}), sampler=sampler, **raw)
        assert len(flat(loader)) == sampler.count
    with pytest.raises(penstock.InvalidError, match="an iterable must end, got more than 960 values"):
        next(iter(penstock.Loader(shards, sampler=Cycle(961), num_workers=0)))


def test_other_arguments_without_an_end_are_refused(shards, monkeypatch):
    monkeypatch.setattr(samplers, "MAX_VALUES", 100_000)
    for make, reason in (
        (lambda: samplers.Indices(itertools.count()), "sampler: an iterable must end, got more than 100,000"),
        (lambda: samplers.Weighted(itertools.repeat(1.0)), "weights: an iterable must end, got more than 100,000"),
        (lambda: penstock.Loader(shards, transforms=itertools.repeat(transforms.CenterCrop(8))), "1,000 operations"),
        (lambda: penstock.Dataset(itertools.repeat(shards)), "source: an iterable must end"),
        (lambda: transforms.Normalize(itertools.count(), [1, 1, 1]), "mean"),
        (lambda: transforms.Python(len, shape=itertools.count(1), dtype="uint8"), "1 to 8 positive integers"),
    ):
        with pytest.raises(penstock.InvalidError, match=reason):
            make()


def test_values_of_generators_are_those_of_lists():
    assert samplers.Indices(iter(range(200_000))) == samplers.Indices(range(200_000))
    assert samplers.Weighted(x / 2 for x in range(200_000)) == samplers.Weighted(np.arange(200_000) / 2)
    assert samplers.Indices(iter([])) == samplers.Indices([])
    with pytest.raises(penstock.InvalidError, match="float64"):
        samplers.Indices(itertools.chain(range(100_000), [0.5]))


def test_a_sampler_can_be_interrupted(shards, monkeypatch):
    monkeypatch.setattr(samplers, "MAX_PLACES", 1 << 28)  # 2 GiB, if nothing interrupts it

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        with pytest.raises(KeyboardInterrupt):
            next(iter(penstock.Loader(shards, sampler=Cycle(1 << 30), num_workers=0)))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
