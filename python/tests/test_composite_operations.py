"""Operations that hold others: what they draw, replay, configs, masks and boxes, and what they refuse."""

from __future__ import annotations

import io
import json
import pickle
import tarfile
from typing import Any

import numpy as np
import pytest
from PIL import Image

import penstock
from penstock import transforms

NESTED = [
    transforms.Resize([40, 50]),
    transforms.RandomApply([transforms.RandomRotation(30), transforms.ColorJitter(0.5, hue=0.2)], p=0.7),
    transforms.RandomChoice(
        [
            transforms.RandomHorizontalFlip(p=1.0),
            [transforms.RandomSolarize(99, p=1.0), transforms.RandomResizedCrop([40, 50])],
            transforms.RandomApply([transforms.PillowGaussianBlur(2.0)]),
        ],
        p=[0.3, 0.4, 0.3],
    ),
]
IMAGE = np.random.default_rng(0).integers(0, 256, (60, 80, 3), dtype=np.uint8)


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> penstock.Dataset:
    path = tmp_path_factory.mktemp("composite") / "train.tar"
    with tarfile.open(path, "w") as tar:
        for number in range(12):
            random = np.random.default_rng(number)
            files = {"json": json.dumps([[1, 2, 20, 30], [number, 5, 30, 44]]).encode()}
            for name, array in (("png", IMAGE + number), ("seg.png", random.integers(0, 9, (60, 80), dtype=np.uint8))):
                file = io.BytesIO()
                Image.fromarray(array).save(file, "PNG")
                files[name] = file.getvalue()
            for name, data in files.items():
                member = tarfile.TarInfo(f"{number:03}.{name}")
                member.size = len(data)
                tar.addfile(member, io.BytesIO(data))
    fields = {"image": "png", "mask": penstock.Mask("seg.png"), "boxes": penstock.Boxes("json", "")}
    return penstock.Dataset(path, fields=fields)


@pytest.mark.parametrize("views", [False, True], ids=["list", "views"])
def test_what_was_drawn_makes_the_same_again(dataset: penstock.Dataset, views: bool) -> None:
    what: Any = penstock.Views(a=NESTED, b=NESTED) if views else NESTED
    seen = set()
    with penstock.Loader(dataset, transforms=what, batch_size=5, output="numpy", shuffle=True, num_workers=2) as loader:
        for batch in loader:
            for row, params in enumerate(json.loads(json.dumps(batch.params))):
                sample = dataset[int(batch["index"][row])]
                for view in params:
                    made = transforms.apply(
                        NESTED, sample["image"], params[view], mask=sample["mask"], boxes=sample["boxes"]
                    )
                    prefix = f"{view}." if view else ""
                    np.testing.assert_array_equal(batch[view or "image"][row], np.moveaxis(made["image"], -1, 0))
                    np.testing.assert_array_equal(batch[prefix + "mask"][row], made["mask"])
                    np.testing.assert_array_equal(batch[prefix + "boxes"][row], made["boxes"])
                    apply, choice = params[view][1:]
                    names = [entry["op"] for entry in apply["transforms"]]
                    assert names == (["RandomRotation", "ColorJitter"] if apply["chosen"] else [])
                    seen.add((bool(apply["chosen"]), choice["chosen"][0]))
    assert len(seen) >= 5


def test_a_list_that_is_held_is_what_the_list_is() -> None:
    inner = [transforms.RandomResizedCrop(24), transforms.RandomHorizontalFlip()]
    for held in (inner, tuple(inner), transforms.Compose(inner)):
        compose = transforms.Compose([transforms.RandomChoice([held])])
        (drawn,) = compose.draw(IMAGE, seed=3)
        (sequential,) = drawn["transforms"]
        assert sequential["op"] == "Sequential"
        again = transforms.apply(inner, IMAGE, sequential["transforms"])
        np.testing.assert_array_equal(compose(IMAGE, seed=3), again)


def test_a_list_in_a_list_is_part_of_it(dataset: penstock.Dataset) -> None:
    inner = [transforms.CenterCrop(24), transforms.RandomHorizontalFlip()]
    compose = transforms.Compose([transforms.Compose(inner), [transforms.ToFloat()]])
    assert compose == transforms.Compose([*inner, transforms.ToFloat()])
    assert penstock.Views(a=[transforms.Compose(inner)]) == penstock.Views(a=inner)
    with penstock.Loader(dataset, transforms=[compose], batch_size=4, output="numpy") as loader:
        batch = next(iter(loader))
    assert [entry["op"] for entry in batch.params[0][""]] == ["CenterCrop", "RandomHorizontalFlip", "ToFloat"]


def test_nested_lists_are_values() -> None:
    config = json.loads(json.dumps(transforms.to_config(NESTED)))
    assert config[2]["transforms"][1]["op"] == "Sequential"
    assert transforms.from_config(config) == NESTED
    assert pickle.loads(pickle.dumps(NESTED)) == NESTED
    assert eval(repr(NESTED), vars(transforms)) == NESTED
    assert hash(NESTED[1]) == hash(transforms.from_config(config)[1])
    assert NESTED[1] != transforms.RandomApply(NESTED[1].params["transforms"][:1], p=0.7)
    config[2]["transforms"][1]["transforms"][0]["threshold"] = "high"
    wrong = r"\[2\].transforms\[1\].transforms\[0\].threshold must be a number"
    with pytest.raises(penstock.InvalidError, match=wrong):
        transforms.from_config(config)


def test_what_cannot_be_held_is_refused() -> None:
    with pytest.raises(penstock.InvalidError, match="functions stand in the list of a Loader or of Compose itself"):
        transforms.RandomApply([lambda image: image])
    with pytest.raises(penstock.InvalidError, match="must be a sequence of operations"):
        transforms.RandomApply(transforms.ToFloat())
    with pytest.raises(penstock.InvalidError, match="at least one|sequence of operations|required"):
        transforms.RandomApply([])
    with pytest.raises(penstock.InvalidError, match="RandomApply holds ToFloat"):
        transforms.Compose([transforms.RandomApply([transforms.ToFloat()])])
    with pytest.raises(penstock.InvalidError, match="RandomApply works on whole batches"):
        transforms.Compose([transforms.RandomApply([transforms.MixUp(num_classes=3)])])
    with pytest.raises(penstock.InvalidError, match="params of RandomApply"):
        transforms.apply(NESTED[1:2], IMAGE, [{"op": "RandomApply", "chosen": [7], "transforms": [{"op": "x"}]}])


def test_functions_are_refused_in_views_with_words(dataset: penstock.Dataset) -> None:
    function: Any = lambda image: image  # noqa: E731
    with pytest.raises(penstock.InvalidError, match="view 'a' must be a list of penstock.transforms"):
        penstock.Views(a=[function])
    with pytest.raises(penstock.InvalidError, match="acts on the image alone"):
        penstock.Loader(dataset, transforms=[transforms.CenterCrop(8), function])
