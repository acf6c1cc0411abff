"""Functions of the user in lists outside of a loader."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from PIL import Image
from python_stages import add_noise, invert

import penstock
from penstock import transforms

IMAGE = np.random.default_rng(0).integers(0, 256, (40, 50, 3), dtype=np.uint8)
CROP, FLIP = transforms.RandomCrop((24, 20)), transforms.RandomHorizontalFlip()


def turned(image: np.ndarray) -> np.ndarray:
    return image.transpose(1, 0, 2)


def histogram(image: np.ndarray) -> np.ndarray:
    return np.bincount(image.ravel(), minlength=256)


def test_a_list_with_functions_is_that_of_a_loader(tmp_path: Any) -> None:
    folder = tmp_path / "images" / "a"
    folder.mkdir(parents=True)
    Image.fromarray(IMAGE).save(folder / "0.png")
    lists = [
        [CROP, invert, FLIP],
        [add_noise, CROP, transforms.Lambda(add_noise), FLIP, transforms.ToFloat()],
        [transforms.Python(add_noise, shape=(40, 50, 3), dtype="uint8"), CROP, turned],
    ]
    for operations in lists:
        for seed in (1, 2**63 + 5):
            options: dict[str, Any] = {"seed": seed, "batch_size": 1, "num_workers": 0, "output": "numpy"}
            with penstock.Loader(tmp_path / "images", transforms=operations, **options) as loader:
                (batch,) = loader
            made = transforms.Compose(operations)(IMAGE, seed=seed)
            np.testing.assert_array_equal(np.moveaxis(batch["image"][0], 0, -1), made)
            assert transforms.Compose(operations).draw(IMAGE, seed=seed) == batch.params[0][""]


def test_operations_behind_a_function_draw_as_their_place_says() -> None:
    """Not what those before it drew."""
    compose = transforms.Compose([FLIP, invert, FLIP])
    drawn = [compose.draw(IMAGE, seed=seed) for seed in range(40)]
    assert len({(first["apply"], last["apply"]) for first, _, last in drawn}) == 4


def test_what_comes_back_is_of_the_kind_that_was_given() -> None:
    torch = pytest.importorskip("torch")
    compose = transforms.Compose([CROP, turned])
    made = compose(IMAGE, seed=3)
    assert made.shape == (20, 24, 3)
    tensor = compose(torch.from_numpy(IMAGE).permute(2, 0, 1), seed=3)
    np.testing.assert_array_equal(tensor.permute(1, 2, 0), made)
    np.testing.assert_array_equal(np.asarray(compose(Image.fromarray(IMAGE), seed=3)), made)
    np.testing.assert_array_equal(compose(IMAGE / np.float32(255), seed=3), made / np.float32(255))
    gray = transforms.Compose([lambda image: image[::2]])(IMAGE[..., 0])
    np.testing.assert_array_equal(gray, IMAGE[::2, :, 0])
    counts = transforms.Compose([CROP, histogram])
    assert counts(IMAGE, seed=3).tolist() == histogram(made).tolist()
    assert isinstance(counts(torch.from_numpy(IMAGE).permute(2, 0, 1), seed=3), torch.Tensor)


def test_functions_may_change_their_array_and_not_the_users() -> None:
    def black(image: np.ndarray) -> np.ndarray:
        image[:] = 0
        return image

    kept = IMAGE.copy()
    assert not transforms.Compose([black])(IMAGE).any()
    np.testing.assert_array_equal(IMAGE, kept)


def test_objects_of_other_libraries_stand_in_the_list() -> None:
    v2 = pytest.importorskip("torchvision.transforms.v2")
    compose = transforms.Compose([CROP, v2.RandomInvert(p=1.0), FLIP])
    wanted = transforms.Compose([CROP, invert, FLIP])
    np.testing.assert_array_equal(compose(IMAGE, seed=5), wanted(IMAGE, seed=5))


def test_what_was_drawn_is_replayed_unless_a_function_drew() -> None:
    operations = [CROP, invert, FLIP]
    compose = transforms.Compose(operations)
    drawn = json.loads(json.dumps(compose.draw(IMAGE, seed=9)))
    assert [each["op"] for each in drawn] == ["RandomCrop", "Python", "RandomHorizontalFlip"]
    np.testing.assert_array_equal(transforms.apply(operations, IMAGE, drawn), compose(IMAGE, seed=9))
    with pytest.raises(penstock.InvalidError, match="params do not say what add_noise drew: it cannot be replayed"):
        transforms.apply([CROP, add_noise, FLIP], IMAGE, drawn)
    with pytest.raises(penstock.InvalidError, match="params for 2 operations, the list has 3"):
        transforms.apply(operations, IMAGE, drawn[:2])
    with pytest.raises(penstock.InvalidError, match="params of RandomHorizontalFlip, where the list has the function"):
        transforms.apply([CROP, invert, FLIP], IMAGE, [drawn[0], drawn[2], drawn[2]])


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(penstock.InvalidError, match="takes penstock.transforms and functions of an array, got 3"):
        transforms.Compose([CROP, 3])  # type: ignore[list-item]
    with pytest.raises(penstock.InvalidError, match="takes an image alone"):
        transforms.Compose([CROP, invert])(IMAGE, mask=IMAGE[..., 0])
    with pytest.raises(penstock.InvalidError, match=r"histogram returned int64 \[256\]; operations after a function"):
        transforms.Compose([histogram, FLIP])(IMAGE)
    with pytest.raises(penstock.InvalidError, match="put ToBfloat16 behind all functions"):
        transforms.Compose([transforms.ToBfloat16(), invert])(IMAGE)
    with pytest.raises(penstock.InvalidError, match="ExifTranspose must be the first operation"):
        transforms.Compose([invert, transforms.ExifTranspose()])
    with pytest.raises(ZeroDivisionError):
        transforms.Compose([lambda image: image // 0 if image.size < 0 else 1 // 0])(IMAGE)
    with pytest.raises(penstock.InvalidError, match="functions stand in the list of a Loader or of Compose itself"):
        transforms.RandomApply([invert])


def test_a_list_with_functions_is_a_value() -> None:
    compose = transforms.Compose([CROP, transforms.Lambda(invert)])
    assert compose == transforms.Compose([CROP, transforms.Lambda(invert)]) != transforms.Compose([CROP])
    assert hash(compose) == hash(transforms.Compose(compose))
    assert "Lambda(python_stages.invert)" in repr(compose)
