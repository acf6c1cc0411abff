"""The types that a list can end in, beside torch's and torchvision's own: bfloat16, and bytes again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PIL import Image

import penstock
from penstock import transforms

torch = pytest.importorskip("torch")
v2 = pytest.importorskip("torchvision.transforms.v2")

FLOATS = [transforms.CenterCrop(24), transforms.Normalize((0.4, 0.5, 0.6), (0.2, 0.3, 0.4))]
BFLOATS = [*FLOATS, transforms.ToBfloat16()]


def _images(count: int = 300) -> list[np.ndarray]:
    rng = np.random.default_rng(4)
    sizes = [(1, 1), (1, 7), (7, 1), (33, 21), (50, 90)]
    return [rng.integers(0, 256, (*sizes[number % 5], 3), dtype=np.uint8) for number in range(count)]


def _tensor(image: np.ndarray) -> Any:
    return torch.from_numpy(image).permute(2, 0, 1)


def test_bfloat16_is_what_torch_rounds_to() -> None:
    operations = [transforms.Normalize((0.4, 0.5, 0.6), (0.2, 0.3, 0.4)), transforms.ToBfloat16()]
    plain, rounded = transforms.Compose(operations[:1]), transforms.Compose(operations)
    for image in _images():
        made = rounded(_tensor(image))
        assert made.dtype == torch.bfloat16
        assert torch.equal(made, plain(_tensor(image)).to(torch.bfloat16))


def test_bytes_are_those_of_torchvision() -> None:
    cast = v2.ToDtype(torch.uint8, scale=True)
    noise = transforms.GaussianNoise(sigma=0.3)
    plain = transforms.Compose([transforms.ToFloat(), noise])
    ours = transforms.Compose([transforms.ToFloat(), noise, transforms.ToUint8()])
    for seed, image in enumerate(_images()):
        floats = plain(_tensor(image), seed=seed)
        made = ours(_tensor(image), seed=seed)
        assert made.dtype == torch.uint8
        assert torch.equal(made, cast(floats))
        np.testing.assert_array_equal(ours(image, seed=seed), made.permute(1, 2, 0).numpy())


def test_bytes_of_sixteen_bits_are_those_of_torchvision() -> None:
    image = np.random.default_rng(3).integers(0, 65536, (90, 70), dtype=np.uint16)
    wanted = v2.ToDtype(torch.uint8, scale=True)(torch.from_numpy(image))
    np.testing.assert_array_equal(transforms.Compose([transforms.ToUint8()])(image), wanted.numpy())


def test_values_outside_of_zero_to_one_are_cut_off() -> None:
    image = np.array([[[0, 128, 255]]], dtype=np.uint8)
    stretched = [transforms.Normalize((0.5, 0.0, 0.0), (1.0, 0.5, 0.25)), transforms.ToUint8()]
    assert transforms.Compose(stretched)(image).tolist() == [[[0, 255, 255]]]


@pytest.mark.parametrize("last", [transforms.ToFloat16(), transforms.ToUint8()])
def test_a_list_that_names_its_type_gives_it_whatever_it_is_given(last: transforms.Transform) -> None:
    image = _images(4)[3]
    compose = transforms.Compose([last])
    wanted = compose(image)
    assert wanted.dtype == (np.uint8 if last == transforms.ToUint8() else np.float16)
    floats = image.astype(np.float32) / np.float32(255)
    np.testing.assert_array_equal(compose(floats), wanted)
    assert compose(floats).dtype == wanted.dtype
    tensor = compose(_tensor(floats))
    np.testing.assert_array_equal(tensor.permute(1, 2, 0).numpy(), wanted)
    pil = compose(Image.fromarray(image))
    np.testing.assert_array_equal(np.asarray(pil), wanted)
    assert isinstance(pil, Image.Image) == (last == transforms.ToUint8())
    assert compose(image[..., 0]).shape == image.shape[:2]


@pytest.mark.parametrize("memory_format", ["channels_first", "channels_last"])
def test_a_loader_delivers_bfloat16_to_torch(shards: str, memory_format: Any) -> None:
    options: dict[str, Any] = {"batch_size": 4, "shuffle": True, "memory_format": memory_format}
    with (
        penstock.Loader(shards, transforms=FLOATS, num_workers=0, **options) as floats,
        penstock.Loader(shards, transforms=BFLOATS, num_workers=2, **options) as ours,
    ):
        for wanted, batch in zip(floats, ours, strict=True):
            assert batch["image"].dtype == torch.bfloat16
            assert batch["image"].shape == (4, 3, 24, 24)
            assert batch["image"].stride() == wanted["image"].stride()
            assert torch.equal(batch["image"], wanted["image"].to(torch.bfloat16))
            assert batch["label"].dtype == torch.int64


def test_rows_of_several_sizes_are_bfloat16_too(shards: str) -> None:
    for options in ({}, {"pad_images": True}):
        with penstock.Loader(shards, transforms=[transforms.ToBfloat16()], batch_size=3, **options) as loader:
            image = next(iter(loader))["image"]
            assert {row.dtype for row in image} == {torch.bfloat16}


def test_dlpack_has_bfloat16(shards: str) -> None:
    with penstock.Loader(shards, transforms=BFLOATS, batch_size=4, output="dlpack") as loader:
        assert torch.from_dlpack(next(iter(loader))["image"]).dtype == torch.bfloat16


def test_what_was_drawn_makes_the_same_bfloats_again(shards: str) -> None:
    operations = [transforms.RandomCrop(16), *BFLOATS[1:]]
    with penstock.Loader(shards, transforms=operations, batch_size=4, shuffle=True) as loader:
        batch = next(iter(loader))
        for row, number in enumerate(batch["index"].tolist()):
            image = _tensor(loader.dataset[number]["image"])
            assert torch.equal(transforms.apply(operations, image, batch.params[row]), batch["image"][row])


def test_a_batch_of_bfloats_is_resumed_and_pickled(shards: str) -> None:
    import pickle

    def open_loader() -> penstock.Loader:
        return penstock.Loader(shards, transforms=BFLOATS, batch_size=4, shuffle=True)

    with open_loader() as loader:
        batches = iter(loader)
        next(batches)
        state, wanted = loader.state_dict(), next(batches)
    with open_loader() as loader:
        loader.load_state_dict(state)
        assert torch.equal(next(iter(loader))["image"], wanted["image"])
    assert torch.equal(pickle.loads(pickle.dumps(wanted))["image"], wanted["image"])


def _keep(array: np.ndarray) -> np.ndarray:
    return array


def test_numpy_is_told_that_it_has_no_bfloat16(shards: str) -> None:
    with pytest.raises(penstock.InvalidError, match="output='numpy': numpy has no bfloat16; use output='torch'"):
        penstock.Loader(shards, transforms=BFLOATS, output="numpy")
    with pytest.raises(penstock.InvalidError, match="collate_fn is given numpy arrays"):
        penstock.Loader(shards, transforms=BFLOATS, collate_fn=len)
    with pytest.raises(penstock.InvalidError, match="output='numpy'"):
        penstock.Loader(shards, transforms=penstock.Views(a=BFLOATS), output="numpy")
    with pytest.raises(penstock.InvalidError, match="_keep cannot follow ToBfloat16.*put ToBfloat16 after it"):
        penstock.Loader(shards, transforms=[*BFLOATS, _keep])
    with pytest.raises(penstock.InvalidError, match="numpy has no bfloat16; pass a tensor"):
        transforms.Compose(BFLOATS)(_images(4)[3])


@pytest.mark.parametrize("last", [[], [transforms.NormalizeLGN(0.1, 0.3)], [transforms.ToFloat16()]])
@pytest.mark.parametrize("first", [[], [transforms.FiveCrop(12)]])
@pytest.mark.parametrize("makes", [transforms.RGBToMagno(), transforms.LMSToParvo(), transforms.RGBToLGN()])
def test_tensors_have_any_number_of_channels_first(makes: Any, first: list[Any], last: list[Any]) -> None:
    """Two or five of them, which are no colours."""
    compose = transforms.Compose([*first, makes, *last])
    for image in _images(5)[3:]:
        wanted = np.moveaxis(compose(image), -1, -3)
        made = compose(_tensor(image))
        assert made.shape[-3] in (2, 5)
        np.testing.assert_array_equal(made.numpy(), wanted)
    function = transforms.functional.MADE[type(makes).__name__]
    assert function(_tensor(image)).shape[1:] == image.shape[:2]
