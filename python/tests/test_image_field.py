"""Which image a list of transforms is for, whatever its field is called."""

from __future__ import annotations

import io
import tarfile
from typing import Any

import numpy as np
import pytest
from PIL import Image

import penstock
from penstock import transforms

GEOMETRY = [transforms.RandomResizedCrop(16), transforms.RandomHorizontalFlip()]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("images") / "train.tar"
    with tarfile.open(path, "w") as tar:
        for number in range(6):
            random = np.random.default_rng(number)
            files = {"cls": str(number % 3).encode()}
            for name, shape, high in (("png", (30, 40, 3), 256), ("seg.png", (30, 40), 9), ("ir.png", (30, 40), 256)):
                file = io.BytesIO()
                Image.fromarray(random.integers(0, high, shape, dtype=np.uint8)).save(file, "PNG")
                files[name] = file.getvalue()
            for name, data in files.items():
                member = tarfile.TarInfo(f"{number:03}.{name}")
                member.size = len(data)
                tar.addfile(member, io.BytesIO(data))
    return str(path)


def _first(source: str, fields: dict[str, Any], what: Any, **options: Any) -> penstock.Batch:
    dataset = penstock.Dataset(source, fields=fields)
    with penstock.Loader(dataset, transforms=what, batch_size=6, output="numpy", **options) as loader:
        return next(iter(loader))


def _fields(image: str, **more: Any) -> dict[str, Any]:
    return {image: "png", "mask": penstock.Mask("seg.png"), **more}


def test_the_only_image_is_it_whatever_its_name(source: str) -> None:
    usual = _first(source, _fields("image"), GEOMETRY)
    other = _first(source, _fields("photo"), GEOMETRY)
    np.testing.assert_array_equal(other["photo"], usual["image"])
    np.testing.assert_array_equal(other["mask"], usual["mask"])
    assert other.params == usual.params
    views = penstock.Views(a=GEOMETRY, b=(2, GEOMETRY))
    usual, other = (_first(source, _fields(name), views) for name in ("image", "photo"))
    assert sorted(other) == sorted(usual)
    for name in ("a", "b", "a.mask", "b.mask"):
        np.testing.assert_array_equal(other[name], usual[name])


def test_operations_on_batches_find_it_and_its_labels(source: str) -> None:
    mixed = [*GEOMETRY, transforms.CutMix(num_classes=3)]
    usual = _first(source, {"image": "png", "label": "cls"}, mixed)
    other = _first(source, {"photo": "png", "animal": "cls"}, mixed)
    np.testing.assert_array_equal(other["photo"], usual["image"])
    np.testing.assert_array_equal(other["animal"], usual["label"])


def test_functions_in_the_list_act_on_it(source: str) -> None:
    other = _first(source, {"photo": "png"}, [transforms.CenterCrop(8), lambda image: 255 - image])
    usual = _first(source, {"photo": "png"}, [transforms.CenterCrop(8)])
    np.testing.assert_array_equal(other["photo"], 255 - usual["photo"])


def test_of_several_images_it_is_the_one_called_image(source: str) -> None:
    batch = _first(source, _fields("image", infrared="ir.png"), GEOMETRY)
    assert batch["image"].shape == (6, 3, 16, 16)
    assert batch["mask"].shape == (6, 16, 16)
    assert batch["infrared"].shape == (6, 3, 30, 40)


def test_of_several_images_without_that_name_one_must_be_named(source: str) -> None:
    fields = _fields("photo", infrared="ir.png")
    with pytest.raises(penstock.InvalidError, match=r"several: 'photo', 'infrared'.*transforms=\{\"photo\": \[...\]\}"):
        _first(source, fields, GEOMETRY)
    with pytest.raises(penstock.InvalidError, match="views are of the image of a sample.*several"):
        _first(source, fields, penstock.Views(a=GEOMETRY))
    batch = _first(source, fields, {"photo": GEOMETRY})
    assert batch["photo"].shape == (6, 3, 16, 16)
    assert batch["infrared"].shape == (6, 3, 30, 40)
