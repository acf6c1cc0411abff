"""Batches as a mapping that others build, copy and save."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import torch

import penstock
from penstock.transforms import CenterCrop


@pytest.fixture(params=["torch", "numpy"])
def batch(shards, request) -> penstock.Batch:
    loader = penstock.Loader(shards, batch_size=4, transforms=[CenterCrop(8)], output=request.param)
    iterator = iter(loader)
    next(iterator)
    return next(iterator)


def assert_same(one: penstock.Batch, other: penstock.Batch) -> None:
    assert type(one) is type(other) is penstock.Batch
    assert list(one) == list(other)
    for name in one:
        assert type(one[name]) is type(other[name])
        np.testing.assert_array_equal(one[name], other[name])


def test_is_built_from_a_mapping(batch):
    built = type(batch)({name: batch[name] for name in batch})
    assert_same(built, batch)
    assert (built.epoch, built.step) == (None, None)
    assert type(batch)([("a", 1)])["a"] == 1
    with pytest.raises(KeyError, match="no field 'b'; this batch has a"):
        type(batch)({"a": 1})["b"]
    assert "a" in repr(type(batch)({"a": 1}))
    assert dict(**built) == dict(built.items())


def test_values_are_put_in_and_taken_out(batch):
    names, moved = list(batch), batch.to("cpu")
    label = batch.pop("label")
    batch["labels"] = label
    assert list(batch) == [*(name for name in names if name != "label"), "labels"]
    assert batch["labels"] is label
    assert list(moved) == names
    with pytest.raises(KeyError):
        batch["label"]
    with pytest.raises(KeyError):
        del batch["label"]


def test_is_joined_with_a_mapping_as_a_dict_is(batch):
    names, values = list(batch), dict(batch)
    extra = {"label": "mine", "weight": 2}
    for joined, plain in (
        (batch | extra, values | extra),
        (extra | batch, extra | values),
        (batch | penstock.Batch(extra), values | extra),
    ):
        assert type(joined) is penstock.Batch
        assert list(joined) == list(plain)
        assert all(joined[name] is plain[name] for name in plain)
        assert (joined.epoch, joined.step) == (0, 1)
    assert list(batch) == names, "it is as it was"
    same = batch
    same |= extra
    same |= [("height", 3)]
    assert same is batch
    assert list(batch) == [*names, "weight", "height"]
    for wrong in (lambda: batch | [("a", 1)], lambda: [("a", 1)] | batch):
        with pytest.raises(TypeError, match="unsupported operand"):
            wrong()


def test_a_copy_is_a_batch_of_its_own_with_the_same_values(shards):
    batch = next(iter(penstock.Loader(shards, batch_size=4, transforms=[CenterCrop(8)])))
    copied = batch.copy()
    assert batch._values == {}, "no value is made that nobody asked for"
    assert type(copied) is penstock.Batch
    assert list(copied) == list(batch)
    assert (copied.epoch, copied.step, copied.params) == (batch.epoch, batch.step, batch.params)
    label = copied.pop("label")
    copied["weight"] = 2
    assert batch["label"].tolist() == label.tolist()
    assert "weight" not in batch


def test_joining_makes_no_value_that_nobody_asked_for(shards):
    batch = next(iter(penstock.Loader(shards, batch_size=4, transforms=[CenterCrop(8)])))
    for joined in (batch | {"a": 1}, {"a": 1} | batch, {"image": 1} | batch):
        assert "image" in joined
        assert batch._values == {}
        assert "image" not in joined._values
        assert joined["image"].shape[0] == 4


@pytest.mark.parametrize("copied", [lambda b: pickle.loads(pickle.dumps(b)), copy.deepcopy], ids=["pickle", "deepcopy"])
def test_copies_have_memory_of_their_own(batch, copied):
    other = copied(batch)
    assert_same(other, batch)
    assert (other.epoch, other.step) == (batch.epoch, batch.step) == (0, 1)
    kept = np.array(batch["image"])
    other["image"][:] = 0
    np.testing.assert_array_equal(batch["image"], kept)


def test_torch_saves_and_loads_a_batch(batch, tmp_path):
    torch.save({"batch": batch}, tmp_path / "batch.pt")
    assert_same(torch.load(tmp_path / "batch.pt", weights_only=False)["batch"], batch)
    torch.save(dict(batch), tmp_path / "plain.pt")
    assert_same(penstock.Batch(torch.load(tmp_path / "plain.pt", weights_only=batch_is_torch(batch))), batch)


def batch_is_torch(batch: penstock.Batch) -> bool:
    return isinstance(batch["image"], torch.Tensor)


def test_images_of_different_sizes_are_copied_too(shards):
    batch = next(iter(penstock.Loader(shards, batch_size=4)))
    other = pickle.loads(pickle.dumps(batch))
    assert [torch.equal(*pair) for pair in zip(batch["image"], other["image"], strict=True)] == [True] * 4


def test_what_was_drawn_is_copied_too(shards):
    batch = next(iter(penstock.Loader(shards, batch_size=4, transforms=penstock.presets.imagenet_train(8))))
    assert batch.params is not None
    for copied in (pickle.loads(pickle.dumps(batch)), copy.deepcopy(batch), copy.deepcopy(batch).copy()):
        assert copied.params == batch.params


@pytest.mark.parametrize("options", [{"transforms": [CenterCrop(8)]}, {}, {"decode": False}])
def test_batches_of_dlpack_objects_are_pickled_as_numpy(shards, options):
    batch = next(iter(penstock.Loader(shards, batch_size=4, output="dlpack", **options)))
    expected = next(iter(penstock.Loader(shards, batch_size=4, output="numpy", **options)))
    for copied in (pickle.loads(pickle.dumps(batch)), copy.deepcopy(batch)):
        assert list(copied) == list(expected)
        for name, value in copied.items():
            assert type(value) is type(expected[name])
            for item, other in zip(value, expected[name], strict=True):
                np.testing.assert_array_equal(item, other)


def test_moves_what_was_built_from_a_mapping():
    moved = penstock.Batch({"x": torch.zeros(2), "names": ["a", "b"]}).to("meta")
    assert (moved["x"].device.type, moved["names"]) == ("meta", ["a", "b"])


# --- as_tuple ---------------------------------------------------------------------------------------------------------


def test_as_tuple_delivers_the_fields_that_are_named(shards):
    batches = list(penstock.Loader(shards, transforms=[CenterCrop(8)]))
    loader = penstock.Loader(shards, transforms=[CenterCrop(8)], as_tuple=("image", "label"))
    count = 0
    for batch, (images, labels) in zip(batches, loader, strict=True):
        assert torch.equal(images, batch["image"])
        assert torch.equal(labels, batch["label"])
        count += 1
    assert count == 2
    (keys,) = next(iter(penstock.Loader(shards, batch_size=2, decode=False, as_tuple=["key"])))
    assert keys == ["s0000", "s0001"]


def test_as_tuple_refuses_what_is_not_there(shards):
    with pytest.raises(penstock.InvalidError, match="no field 'lable'; the fields are image, label, json,"):
        penstock.Loader(shards, as_tuple=("image", "lable"))
    with pytest.raises(penstock.InvalidError, match="must be names of fields"):
        penstock.Loader(shards, as_tuple="image")
    with pytest.raises(penstock.InvalidError, match="cannot be combined"):
        penstock.Loader(shards, as_tuple=("image",), collate_fn=list)
