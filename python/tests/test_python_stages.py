"""Functions of the user as stages: what they get and return, the same wherever they run."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from python_stages import CROP, add_noise, alive, blend, contents, invert, loader_of, to_gray

import penstock
from penstock import _stages
from penstock.transforms import CenterCrop, Lambda, Normalize, Python, RandomHorizontalFlip, ToFloat, to_config

OPERATIONS = [CROP, add_noise, RandomHorizontalFlip(), add_noise, Normalize(0.5, 0.25)]


def test_results_do_not_depend_on_workers(shards, monkeypatch):
    monkeypatch.setattr(_stages, "round_trip_seconds", lambda array: 1.0)
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


def test_the_order_of_bytes_does_not_matter(shards):
    plain = next(iter(loader_of(shards, [CROP], num_workers=0)))["image"]
    swapped = loader_of(shards, [CROP, lambda array: array.astype(">i4")], num_workers=0)
    np.testing.assert_array_equal(next(iter(swapped))["image"].transpose(0, 3, 1, 2), plain)


def test_a_function_runs_where_it_costs_less(shards, monkeypatch):
    monkeypatch.setattr(_stages, "round_trip_seconds", lambda array: 1.0)
    loader = loader_of(shards, [CROP, invert], num_workers=1)
    (stage,) = loader.stats()["python_stages"]
    assert stage["runs_in"] == "here"
    assert stage["why"].endswith(" us, less than 2 times the way to a helper (1000000 us)")
    monkeypatch.undo()
    small, large = (_stages.round_trip_seconds(np.zeros(size, np.uint8)) for size in (1, 64 << 20))
    assert 0 < small < large, "it is measured, the copies included"


def test_images_without_one_size_are_a_list_unless_declared(shards, pillow_images):
    batch = next(iter(loader_of(shards, [invert], num_workers=1)))
    assert isinstance(batch["image"], list)
    np.testing.assert_array_equal(batch["image"][3], 255 - pillow_images[3].transpose(2, 0, 1))
    batch = next(iter(loader_of(shards, [to_gray], num_workers=1)))
    np.testing.assert_array_equal(batch["image"][3], pillow_images[3].mean(axis=-1))
    declared = Python(lambda array: array[:9, :5], shape=(9, 5, 3), dtype="uint8")
    image = next(iter(loader_of(shards, [declared], num_workers=0)))["image"]
    np.testing.assert_array_equal(image[3], pillow_images[3][:9, :5].transpose(2, 0, 1))


def test_what_cannot_be_planned_is_refused(shards):
    for operations, reason in (
        ([CROP, to_gray, Normalize(0.5, 0.5)], "Normalize cannot follow to_gray, which returns float64"),
        ([CROP, lambda a: None], "returned NoneType of object"),
        ([CROP, lambda a, b, c: a], "functools.partial"),
        ([CROP, lambda a: a / (a.size - a.size) if False else int("x")], "called on noise(?s:.*)invalid literal"),
        ([CROP, 5], "5 is not a transform"),
        ([CROP, dict], "is not a transform"),
        (invert, "must be a list"),
    ):
        with pytest.raises(penstock.InvalidError, match=reason):
            loader_of(shards, operations, num_workers=0)
    for arguments in ({"shape": (3,)}, {"shape": (0,), "dtype": "uint8"}, {"shape": (3,), "dtype": "complex64"}):
        with pytest.raises(penstock.InvalidError, match="Python: "):
            Python(invert, **arguments)


@pytest.mark.usefixtures("in_helpers")
def test_resume_continues_with_the_same_bytes(shards):
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


def test_what_a_partial_sets_is_part_of_the_pipeline(shards):
    def state_of(*arguments, **keywords):
        function = functools.partial(functools.partial(blend, *arguments), **keywords)
        with loader_of(shards, [CenterCrop(8), function], num_workers=0) as loader:
            return loader.state_dict()

    plain = state_of(strength=2)
    assert plain == state_of(strength=2) != state_of(strength=3)
    assert state_of(mask=object()) == state_of(mask=object()), "addresses are no part of it"
    assert state_of(mask={(1, 2): 3}) == state_of(mask={(1, 2): 3})


@pytest.mark.usefixtures("in_helpers")
def test_functions_continue_when_a_cache_takes_over(shards, tmp_path):
    plain = loader_of(shards, OPERATIONS, shuffle=True, num_workers=0)
    loader = loader_of(shards, OPERATIONS, shuffle=True, num_workers=1, cache=str(tmp_path / "stores"))
    for _ in range(3):
        assert contents(loader) == contents(plain)
    stats = loader.stats()
    assert stats["decoded"]["repacked"] > 0
    (pid,) = stats["helpers"].pop("pids")
    assert alive(pid)
    assert stats["helpers"] == {"alive": 1, "started": 1, "replaced": 0}
    loader.close()


def test_a_lambda_is_the_function_that_it_names(shards):
    plain = contents(loader_of(shards, [CROP, add_noise, RandomHorizontalFlip()], shuffle=True, num_workers=1))
    named = loader_of(shards, [CROP, Lambda(add_noise), RandomHorizontalFlip()], shuffle=True, num_workers=1)
    assert contents(named) == plain
    assert "add_noise -> uint8 (24, 24, 3)" in named.plan()
    assert Lambda(invert) == Lambda(invert) != Lambda(to_gray)
    assert hash(Lambda(invert)) == hash(Lambda(invert))
    assert Lambda(invert) != invert
    assert repr(Lambda(invert)) == "Lambda(python_stages.invert)"
    with pytest.raises(
        penstock.InvalidError, match=r"\[1\] is Lambda\(python_stages.invert\), which has no plain values"
    ):
        to_config([CROP, Lambda(invert)])
    with pytest.raises(penstock.InvalidError, match="'Lambda'; put the function into the list"):
        penstock.transforms.from_config([{"op": "Lambda", "lambd": "python_stages.invert"}])
    with pytest.raises(penstock.InvalidError, match="fn must be a function"):
        Lambda(3)
