"""Objects of torchvision, albumentations, torch and PIL among the transforms: called with what they take."""

from __future__ import annotations

import functools
import random
import warnings

import albumentations
import numpy as np
import pytest
import torch
import torchvision.transforms
import torchvision.transforms.functional
from PIL import Image, ImageFilter, ImageOps
from python_stages import contents, loader_of
from torchvision.transforms import v2

import penstock
from penstock.transforms import CenterCrop, Python, ToFloat

v1 = torchvision.transforms
CROP = CenterCrop(32)


@pytest.fixture(scope="module")
def plain(shards) -> np.ndarray:
    """The first images without any function: [8, 32, 32, 3]."""
    return next(iter(loader_of(shards, [CROP], num_workers=0)))["image"].transpose(0, 2, 3, 1)


def first_images(source, *operations, **options) -> np.ndarray:
    """The first batch as [B, H, W, C]."""
    image = next(iter(loader_of(source, [CROP, *operations], **{"num_workers": 0, **options})))["image"]
    return image.transpose(0, 2, 3, 1)


def as_pil(array: np.ndarray) -> Image.Image:
    return Image.fromarray(array)


def as_tensor(array: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(array.copy()).permute(2, 0, 1).contiguous()


def as_hwc(tensor: torch.Tensor) -> np.ndarray:
    return tensor.permute(1, 2, 0).numpy()


def rotate_pil(image):
    return image.rotate(90)


def halve_tensor(tensor):
    return tensor.float().mul(0.5)


class Gray(torch.nn.Module):
    def forward(self, tensor):
        return tensor.float().mean(dim=0, keepdim=True)


def filtered(array, pil_filter):
    return np.asarray(as_pil(array).filter(pil_filter))


class WithBatchDimension(torch.nn.Module):
    """As kornia's."""

    def forward(self, tensor):
        assert tensor.dtype == torch.float32
        return tensor[None].flip(-1)


DETERMINISTIC = {
    "v1 on PIL": (v1.Resize(20), lambda a: np.asarray(v1.Resize(20)(as_pil(a)))),
    "v1 compose": (
        v1.Compose([v1.CenterCrop(16), v1.ToTensor(), v1.Normalize(0.5, 0.25)]),
        lambda a: as_hwc(v1.Normalize(0.5, 0.25)(v1.ToTensor()(v1.CenterCrop(16)(as_pil(a))))),
    ),
    "v1 gray": (v1.Grayscale(), lambda a: np.asarray(v1.Grayscale()(as_pil(a)))[..., None]),
    "v1 functional": (
        functools.partial(v1.functional.adjust_hue, hue_factor=0.3),
        lambda a: np.asarray(v1.functional.adjust_hue(as_pil(a), 0.3)),
    ),
    "v2 on tensors": (v2.Resize(20), lambda a: as_hwc(v2.Resize(20)(as_tensor(a)))),
    "v2 to float": (v2.ToDtype(torch.float32, scale=True), lambda a: a.astype(np.float32) / np.float32(255)),
    "v2 compose from PIL": (
        v2.Compose([v2.ToImage(), v2.CenterCrop(16), v2.ToDtype(torch.float32, scale=True)]),
        lambda a: a[8:24, 8:24].astype(np.float32) / np.float32(255),
    ),
    "v2 functional": (v2.functional.vertical_flip, lambda a: a[::-1]),
    "albumentations": (albumentations.CenterCrop(16, 16), lambda a: a[8:24, 8:24]),
    "albumentations compose": (
        albumentations.Compose([albumentations.Transpose(p=1), albumentations.ToTensorV2()]),
        lambda a: a.transpose(1, 0, 2),
    ),
    "torch module": (Gray(), lambda a: a.astype(np.float32).mean(axis=-1, keepdims=True)),
    "torch sequential": (torch.nn.Sequential(v1.CenterCrop(16), Gray()), None),
    "PIL's function": (ImageOps.invert, lambda a: 255 - a),
    "PIL's filter": (ImageFilter.GaussianBlur(2), lambda a: filtered(a, ImageFilter.GaussianBlur(2))),
    "PIL's filter declared": (
        Python(ImageFilter.BoxBlur(1), shape=(32, 32, 3), dtype="uint8"),
        lambda a: filtered(a, ImageFilter.BoxBlur(1)),
    ),
    "PIL's filter as a class": (ImageFilter.SHARPEN, lambda a: filtered(a, ImageFilter.SHARPEN)),
    "a function of PIL images": (rotate_pil, lambda a: np.rot90(a)),
    "a function of tensors": (halve_tensor, lambda a: a * np.float32(0.5)),
}


@pytest.mark.parametrize("name", DETERMINISTIC)
def test_is_called_with_what_it_takes(shards, plain, name):
    operation, expected = DETERMINISTIC[name]
    if expected is None:
        expected = lambda a: a[8:24, 8:24].astype(np.float32).mean(axis=-1, keepdims=True)  # noqa: E731
    loader = loader_of(shards, [CROP, operation], num_workers=0)
    got = next(iter(loader))["image"]
    got = got if got.shape[-1] == 1 else got.transpose(0, 2, 3, 1)
    np.testing.assert_allclose(got, [expected(array) for array in plain], rtol=0, atol=1e-6)


def test_a_list_of_them_continues_from_one_to_the_next(shards, plain):
    images = first_images(shards, v1.RandomHorizontalFlip(p=1), v1.ToTensor(), v1.Normalize(0.5, 0.5))
    np.testing.assert_allclose(images, (plain[:, :, ::-1] / 255 - 0.5) / 0.5, atol=1e-6)
    to_float, normalize = v2.ToDtype(torch.float32, scale=True), v2.Normalize([0.5] * 3, [0.5] * 3)
    images = first_images(shards, v2.RandomHorizontalFlip(p=1), to_float, normalize)
    np.testing.assert_allclose(images, (plain[:, :, ::-1] / 255 - 0.5) / 0.5, atol=1e-6)
    images = first_images(shards, ToFloat(), WithBatchDimension(), v1.ColorJitter(brightness=(0.5, 0.5)))
    np.testing.assert_allclose(images, plain[:, :, ::-1] / 255 * 0.5, atol=1e-6)


RANDOM = {
    "v1": v1.ColorJitter(0.9, 0.9, 0.9),
    "v1 that chooses": v1.RandomChoice([v1.ColorJitter(0.9), v1.ColorJitter(0, 0, 0.9)]),
    "v2": v2.ColorJitter(0.9, 0.9, 0.9),
    "albumentations": albumentations.Compose([albumentations.ColorJitter(p=0.9), albumentations.HorizontalFlip()]),
    "torch": torch.nn.Sequential(torch.nn.Dropout(0.3)),
}


@pytest.mark.parametrize("name", RANDOM)
def test_what_it_draws_depends_on_the_sample_alone(shards, plain, name):
    operations = [CROP, ToFloat(), RANDOM[name]] if name == "torch" else [CROP, RANDOM[name]]
    before = torch.get_rng_state(), np.random.get_state()[1].tobytes(), random.getstate()
    alone = loader_of(shards, operations, num_workers=0, shuffle=True)
    first, second = contents(alone), contents(alone)
    assert first != second, "every epoch draws again"
    rows = [row.tobytes() for indices, data in first for row in np.split(np.frombuffer(data, np.uint8), len(indices))]
    assert len(set(rows)) == 60
    with loader_of(shards, operations, num_workers=2, shuffle=True) as loader:
        assert [contents(loader), contents(loader)] == [first, second]
        assert [stage["runs_in"] for stage in loader.stats()["python_stages"]] == ["helper"]
    after = torch.get_rng_state(), np.random.get_state()[1].tobytes(), random.getstate()
    assert torch.equal(before[0], after[0])
    assert before[1:] == after[1:], "the generators of this process are left alone"


def test_what_cannot_be_sent_draws_the_same_here(shards):
    operation = v1.Compose([v1.ColorJitter(0.9), v1.Lambda(lambda image: image)])
    alone = contents(loader_of(shards, [CROP, operation], num_workers=0))
    with pytest.warns(RuntimeWarning, match="run in this process"):
        loader = loader_of(shards, [CROP, operation], num_workers=2)
    assert contents(loader) == alone


def test_what_cannot_work_is_refused_with_the_reason(shards):
    with pytest.raises(penstock.InvalidError, match=r"MixUp was called on noise.* as a torch tensor"):
        loader_of(shards, [CROP, v2.MixUp(num_classes=3)])
    with pytest.raises(penstock.InvalidError, match=r"Conv2d was called on noise.* as a torch tensor.*RuntimeError"):
        loader_of(shards, [CROP, torch.nn.Conv2d(3, 3, 3)])
    with pytest.raises(penstock.InvalidError, match="is not a transform"):
        loader_of(shards, [CROP, v2.ColorJitter])


def test_a_state_knows_the_parameters(shards):
    state = loader_of(shards, [CROP, v2.ColorJitter(0.1)], num_workers=0).state_dict()
    loader_of(shards, [CROP, v2.ColorJitter(0.1)], num_workers=0).load_state_dict(state)
    with pytest.raises(penstock.InvalidError, match="pipeline|transforms"):
        loader_of(shards, [CROP, v2.ColorJitter(0.2)], num_workers=0).load_state_dict(state)


# --- functions that do nothing ----------------------------------------------------------------------------------------


def give_back(array):
    return array


class PassesArraysOn:
    """As an object of a library that is not recognised may do."""

    def __call__(self, value, rng=None):
        return value if isinstance(value, np.ndarray) else None


@pytest.mark.parametrize("workers", [0, 1])
@pytest.mark.parametrize("function", [give_back, PassesArraysOn()])
def test_a_function_that_changes_nothing_gets_a_warning(shards, workers, function):
    loader = loader_of(shards, [CROP, function], num_workers=workers)
    with pytest.warns(RuntimeWarning, match=r"(give_back|PassesArraysOn) has returned the first \d+ samples unchanged"):
        for _ in range(2):
            list(loader)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        list(loader)  # once is enough


@pytest.mark.usefixtures("in_helpers")
def test_a_function_that_changes_nothing_in_a_helper_gets_a_warning(shards):
    with (
        loader_of(shards, [CROP, give_back], num_workers=1) as loader,
        pytest.warns(RuntimeWarning, match="give_back has returned the first 8 samples unchanged|unchanged"),
    ):
        list(loader)


def invert_some(array):
    return array if array.sum() % 2 else 255 - array


def change_in_place(array):
    array[0, 0] ^= 1
    return array


@pytest.mark.parametrize("function", [invert_some, change_in_place, Python(lambda a: a[:8], (8, 32, 3), "uint8")])
def test_a_function_that_changes_something_gets_none(shards, function):
    loader = loader_of(shards, [CROP, function], num_workers=0, batch_size=60)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        list(loader)
