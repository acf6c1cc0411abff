"""Batches made by collate_fn."""

from __future__ import annotations

import traceback

import numpy as np
import pytest
import torch

import penstock
from penstock.transforms import CenterCrop


def plain(samples):
    return samples


def test_collate_fn_gets_samples_and_what_it_returns_is_delivered(shards, pillow_images):
    loader = penstock.Loader(shards, batch_size=25, collate_fn=plain)
    batches = list(loader)
    assert [len(samples) for samples in batches] == [25, 25, 10]
    for number, sample in enumerate(sample for samples in batches for sample in samples):
        assert list(sample) == ["image", "label", "json", "text", "index", "key"]
        np.testing.assert_array_equal(sample["image"], pillow_images[number].transpose(2, 0, 1))
        assert (sample["label"], sample["index"], sample["key"]) == (number % 10, number, f"s{number:04d}")
        assert sample["json"] == {"number": number}
        assert sample["text"] == f"sample {number} é"
        assert type(sample["label"]) is int
    collate = loader.stats()["collate"]
    assert (collate["runs_in"], collate["calls"], collate["pids"]) == ("thread", 3, [])
    assert collate["seconds"] > 0


def test_collate_fn_may_pad_or_return_nothing(shards):
    def pad(samples):
        size = np.max([sample["image"].shape for sample in samples], axis=0)
        out = torch.zeros(len(samples), *size.tolist(), dtype=torch.uint8)
        for row, sample in zip(out, samples, strict=True):
            _, height, width = sample["image"].shape
            row[:, :height, :width] = torch.from_numpy(sample["image"])
        return out

    assert [batch.shape[0] for batch in penstock.Loader(shards, batch_size=25, collate_fn=pad)] == [25, 25, 10]
    assert list(penstock.Loader(shards, batch_size=25, collate_fn=lambda samples: None)) == [None] * 3


def test_stored_bytes_are_collated_too(shards):
    dataset = penstock.Dataset(shards)
    (samples,) = penstock.Loader(dataset, batch_size=60, decode=False, collate_fn=plain)
    for sample in samples:
        assert sample["data"].tobytes() == dataset.raw(sample["index"])["image"]
        assert (sample["heights"], sample["widths"]) == dataset[sample["index"]]["image"].shape[:2]


def test_samples_stay_valid(shards, pillow_images):
    kept = [sample for samples in penstock.Loader(shards, batch_size=4, collate_fn=plain) for sample in samples]
    for number, sample in enumerate(kept):
        np.testing.assert_array_equal(sample["image"], pillow_images[number].transpose(2, 0, 1))


def test_exceptions_of_collate_fn_are_the_users_own_and_the_batch_is_not_received(shards):
    calls = []

    def fail_once(samples):
        calls.append(1)
        if len(calls) == 2:
            raise RuntimeError("no room")
        return [sample["index"] for sample in samples]

    loader = penstock.Loader(shards, batch_size=20, shuffle=True, collate_fn=fail_once)
    iterator = iter(loader)
    first = next(iterator)
    with pytest.raises(RuntimeError, match="no room") as caught:
        next(iterator)
    text = "".join(traceback.format_exception(caught.value))
    assert "fail_once" in text
    assert "in collate_fn, for step 1 of epoch 0" in text
    resumed = penstock.Loader(shards, batch_size=20, shuffle=True, collate_fn=fail_once)
    resumed.load_state_dict(loader.state_dict())
    rest = list(resumed)
    assert len(rest) == 2
    assert sorted(first + rest[0] + rest[1]) == list(range(60))
    assert next(iterator) == rest[1], "and the iteration continues after it"
    assert list(iterator) == []


def test_the_end_of_an_iterator_inside_collate_fn_does_not_end_the_epoch(shards):
    loader = penstock.Loader(shards, batch_size=20, collate_fn=lambda samples: next(iter([])))
    with pytest.raises(RuntimeError, match="collate_fn raised StopIteration"):
        list(loader)


def test_impossible_collate_fn_is_refused(shards):
    with pytest.raises(penstock.InvalidError, match="collate_fn"):
        penstock.Loader(shards, collate_fn=5)
    with pytest.raises(penstock.InvalidError, match="collate_fn cannot be combined with device"):
        penstock.Loader(shards, transforms=[CenterCrop(8)], device="meta", collate_fn=plain)
