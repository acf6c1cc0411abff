"""Every operation of the catalogue, by being listed there: order, resume, memory format, sizes, values."""

from __future__ import annotations

import inspect
import json
import pickle
from collections.abc import Callable

import material
import numpy as np
import pytest
from material import Operation

import penstock
from penstock import transforms

NAMES = material.operation_names()


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> material.Sources:
    return material.write_sources(tmp_path_factory.mktemp("sources"))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> material.Sources:
    folder = tmp_path_factory.mktemp("hostile")
    return material.write_sources(folder, material.HOSTILE_SIZES, material.HOSTILE_FRAMES)


#: Each where it can stand, and on images of 16 bits if it takes them.
PLACES = [(name, "") for name in NAMES if name not in material.OF_TORCH_ALONE]
PLACES += [(name, "gray16") for name, _ in PLACES if material.takes_16_bits(name)]


@pytest.fixture(params=PLACES, ids=lambda place: "-".join(filter(None, place)))
def placed(request: pytest.FixtureRequest, sources: material.Sources) -> Operation:
    name, only = request.param
    return material.placed(name, sources, only)


@pytest.fixture
def open_loader(sources: material.Sources, placed: Operation) -> Callable[..., penstock.Loader]:
    return lambda **options: material.open_loader(sources, placed, **options)


def test_any_number_of_workers_gives_the_same(open_loader: Callable[..., penstock.Loader]) -> None:
    streams = []
    for workers in (0, 1, 2, 8):
        with open_loader(num_workers=workers) as loader:
            streams.append([material.digest(batch) for _ in range(2) for batch in loader])
    assert streams == [streams[0]] * 4


def test_resumes_at_every_step(open_loader: Callable[..., penstock.Loader]) -> None:
    with open_loader() as loader:
        states, stream = [loader.state_dict()], []
        for batch in loader:
            stream.append(material.digest(batch))
            states.append(loader.state_dict())
        following = [material.digest(batch) for batch in loader]
    for step, state in enumerate(states):
        with open_loader() as resumed:
            resumed.load_state_dict(state)
            assert [material.digest(batch) for batch in resumed] == stream[step:]
            assert [material.digest(batch) for batch in resumed] == following


def test_epochs_draw_anew_and_seeds_decide(placed: Operation, open_loader: Callable[..., penstock.Loader]) -> None:
    _, operations = placed
    # What draws has a key by which its draws are found.
    draws = any(parameter["name"] == "key" for parameter in operations[-1].info["parameters"])
    with open_loader(shuffle=False) as loader, open_loader(shuffle=False, seed=6) as other:
        first, again = ([material.digest(batch) for batch in loader] for _ in range(2))
        with_another_seed = [material.digest(batch) for batch in other]
    assert (first != again) == draws, "material.TO_ACT has what lets an operation do something"
    assert (first != with_another_seed) == draws


def test_describes_what_it_delivers(placed: Operation, open_loader: Callable[..., penstock.Loader]) -> None:
    field = material.field_of(placed[0])
    with open_loader() as loader:
        described = material.described(loader.plan())
        assert field in described
        for batch in loader:
            delivered = material.rows(batch, field)
            assert len(delivered) == len(batch["index"])
            assert all(np.isfinite(row).all() for row in delivered)
            for name, (dtype, shape) in described.items():
                rows = material.rows(batch, name)
                assert {row.dtype.name for row in rows} == {dtype}, name
                for row in rows:
                    assert len(row.shape) >= len(shape), name
                    # Sides that vary stand as None; those before them are told where the whole shape is.
                    told = zip(row.shape[len(row.shape) - len(shape) :], shape, strict=True)
                    assert all(side in (None, given) for given, side in told), (name, row.shape, shape)


def test_channels_last_is_channels_first_in_other_places(
    placed: Operation, open_loader: Callable[..., penstock.Loader]
) -> None:
    field = material.field_of(placed[0])
    with open_loader() as first, open_loader(memory_format="channels_last") as last:
        for a, b in zip(first, last, strict=True):
            for row, other in zip(material.rows(a, field), material.rows(b, field), strict=True):
                np.testing.assert_array_equal(row, np.moveaxis(other, -1, -3) if field == "image" else other)


def test_hostile_sizes_are_done_or_refused_by_name(placed: Operation, hostile: material.Sources) -> None:
    source, operations = placed
    options = {"batch_size": 64, "num_workers": 2, "output": "numpy", "on_error": "skip"}
    loader = penstock.Loader(hostile[source], transforms=operations, **options)
    with loader:
        done = sum(len(batch["index"]) for batch in loader)
        errors = loader.errors()
    assert len(errors) == material.REFUSED_HOSTILE.get(type(operations[-1]).__name__, 0)
    assert done + len(errors) == len(loader.dataset)
    for error in errors:
        assert isinstance(error, (penstock.InvalidError, penstock.CorruptError)), error
        assert error.key is not None


def test_what_was_drawn_makes_the_same_rows_again(
    placed: Operation, open_loader: Callable[..., penstock.Loader]
) -> None:
    field, operations = material.field_of(placed[0]), placed[1]
    with open_loader() as loader:
        for batch in loader:
            params = json.loads(json.dumps(batch.params))
            assert params == batch.params
            names = [entry["op"] for drawn in params[0].values() for entry in drawn]
            assert names == [type(operation).__name__ for operation in operations]
            if field != "image":
                continue
            samples = [loader.dataset[int(number)] for number in batch["index"]]
            again = [
                material.fields_of(transforms.apply(operations, sample["image"], drawn, **material.in_plane(sample)))
                for sample, drawn in zip(samples, params, strict=True)
            ]
            for row in again:
                row[field] = np.moveaxis(row[field], -1, -3)
            if "batch" in params[0]:
                labels = [sample["label"] for sample in samples] if "label" in batch else None
                images = [row[field] for row in again]
                mixed, targets = transforms.apply_batch(operations, images, labels, params)
                again = [{field: image} for image in mixed]
                np.testing.assert_array_equal(targets, batch.get("label"))
            for number, row in enumerate(again):
                for name, made in row.items():
                    np.testing.assert_array_equal(made, material.rows(batch, name)[number])


def test_views_are_what_a_list_by_itself_makes_of_what_was_drawn(placed: Operation, sources: material.Sources) -> None:
    source, operations = placed
    if material.field_of(source) != "image":
        return  # views are of images
    upright = [operation for operation in operations if operation == transforms.ExifTranspose()]  # in all or none
    views = penstock.Views(a=operations, b=[*upright, transforms.RandomCrop(1)], c=operations)
    try:
        loader = penstock.Loader(sources[source], transforms=views, batch_size=2, shuffle=True, output="numpy")
    except penstock.InvalidError as refused:
        assert "whole batches" in str(refused)
        return
    with loader:
        for batch in loader:
            for row, number in enumerate(batch["index"]):
                sample = loader.dataset[int(number)]
                for view in ("a", "c"):
                    params, beside = batch.params[row][view], material.in_plane(sample)
                    again = material.fields_of(transforms.apply(operations, sample["image"], params, **beside))
                    made = np.moveaxis(again.pop("image"), -1, -3)
                    np.testing.assert_array_equal(made, material.rows(batch, view)[row])
                    for name, value in again.items():
                        np.testing.assert_array_equal(value, material.rows(batch, f"{view}.{name}")[row])


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("RandomIoUCrop", {"boxes", "keypoints"}),
        ("ConvertBoundingBoxFormat", {"boxes"}),
        ("ClampBoundingBoxes", {"boxes"}),
        ("ClampKeyPoints", {"keypoints"}),
        ("SanitizeBoundingBoxes", {"boxes", "boxes_labels", "keypoints"}),
        ("SanitizeKeyPoints", {"boxes", "boxes_labels", "keypoints"}),
    ],
)
def test_annotations_are_there_to_be_changed(name: str, changed: set[str], sources: material.Sources) -> None:
    placed = material.placed(name, sources)
    with material.open_loader(sources, ("image", [transforms.Identity()])) as plain:
        before = list(plain)
    with material.open_loader(sources, placed) as loader:
        for batch, other in zip(loader, before, strict=True):
            for field in ("boxes", "boxes_labels", "keypoints"):
                same = all(map(np.array_equal, material.rows(batch, field), material.rows(other, field)))
                assert same == (field not in changed), field


@pytest.mark.parametrize("name", [name for name in transforms.functional.MADE if name not in material.OF_TORCH_ALONE])
def test_has_a_function_of_what_it_draws(name: str) -> None:
    function = transforms.functional.MADE[name]
    taken = inspect.signature(function).parameters
    operation = material.operation(name)
    compose = transforms.Compose([operation])
    image = material.draw(3, 61, 47)
    if name == "RandomBackgroundBlend":
        image = np.concatenate([image, material.draw(4, 61, 47)[..., :1]], axis=-1)
    # The function always applies what an operation applies by chance.
    applied = [each for seed in range(30) if (each := compose.draw(image, seed=seed)[0]).get("apply", True)]
    for seed, drawn in enumerate(applied[:8]):
        given = {key: value for key, value in {**operation.params, **drawn}.items() if key in taken}
        if "stream" in drawn:  # the function takes a seed, which names noise of its own
            made = function(image, **given, seed=seed)
            assert not np.array_equal(made, function(image, **given, seed=seed + 1))
            drawn["stream"] = [seed, 0, 0, 0, 0, 0]
        else:
            made = function(image, **given)
        np.testing.assert_array_equal(made, compose(image, params=[drawn]))
    assert len(applied) >= 3


@pytest.mark.parametrize("name", NAMES)
def test_goes_to_a_config_and_back(name: str) -> None:
    operation = material.operation(name)
    config = json.loads(json.dumps(transforms.to_config([operation])))
    assert transforms.from_config(config) == [operation]


@pytest.mark.parametrize("name", NAMES)
def test_is_a_value(name: str) -> None:
    operation = material.operation(name)
    same = getattr(transforms, name)(**operation.params)
    assert same == operation
    assert hash(same) == hash(operation)
    assert pickle.loads(pickle.dumps(operation)) == operation
    assert eval(repr(operation), vars(transforms)) == operation
    assert name in repr(operation)


@pytest.mark.parametrize("name", NAMES)
def test_is_documented(name: str) -> None:
    info = getattr(transforms, name).info
    assert info["summary"].endswith(".")
    assert all(parameter["doc"] for parameter in info["parameters"])


@pytest.mark.parametrize("name", NAMES)
def test_refuses_parameters_that_it_does_not_have(name: str) -> None:
    with pytest.raises(penstock.InvalidError, match=name):
        getattr(transforms, name)(**material.operation(name).params, no_such_parameter=1)
