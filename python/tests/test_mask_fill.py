"""What masks hold where geometry fills them: in a loader, in views, outside of a loader and in a replay."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import penstock
from penstock import presets, transforms

TURN = transforms.RandomRotation((30, 60), fill=9, mask_fill=255)
PLANES = {"image": "png", "mask": penstock.Mask("seg.png"), "ids": penstock.Mask("ids.png", dtype="int32")}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """White images, masks of 1 and of 1,000."""
    path = tmp_path_factory.mktemp("fills") / "planes.tar"
    planes = {
        "png": np.full((20, 30, 3), 200, np.uint8),
        "seg.png": np.full((20, 30), 1, np.uint8),
        "ids.png": np.full((20, 30), 1000, np.uint16),
    }
    with tarfile.open(path, "w") as tar:
        for number in range(4):
            for name, array in planes.items():
                file = io.BytesIO()
                Image.fromarray(array).save(file, "PNG")
                member = tarfile.TarInfo(f"{number:03}.{name}")
                member.size = len(file.getvalue())
                tar.addfile(member, io.BytesIO(file.getvalue()))
    return path


def filled_alike(image: np.ndarray, mask: np.ndarray, inside: int, fill: int) -> None:
    outside = (image == 9).all(axis=0)
    assert 0 < outside.sum() < outside.size
    np.testing.assert_array_equal(mask, np.where(outside, fill, inside))


def test_fills_are_numbers_of_any_kind_or_none() -> None:
    for fill, whole in ((0.0, 0), (9.7, 9), (np.float32(3), 3), ([1.0, 2.5, 3], (1, 2, 3))):
        assert transforms.RandomRotation(10, fill=fill) == transforms.RandomRotation(10, fill=whole)
        assert transforms.Pad(1, fill=fill) == transforms.Pad(1, fill=whole)
    assert transforms.Pad(1, fill=None, mask_fill=255.0).params["mask_fill"] == 255
    assert transforms.AutoAugment(fill=None) == transforms.AutoAugment()
    assert transforms.Cutout(3, fill=0.5) != transforms.Cutout(3, fill=0)
    assert transforms.Pad(1, mask_fill=None) == transforms.Pad(1)
    (pad,) = transforms.from_config([{"op": "Pad", "padding": 1, "fill": 7.0, "mask_fill": 2.9}])
    assert pad == transforms.Pad(1, fill=7, mask_fill=2)
    image = np.full((8, 8, 3), 200, np.uint8)
    turned = transforms.functional.rotate(image, 45, fill=[9.0, 0.0, 1.5])
    assert turned[0, 0].tolist() == [9, 0, 1]
    for wrong in ("a", float("nan"), 1e300, [1, "a"]):
        with pytest.raises(penstock.InvalidError, match="fill must be"):
            transforms.Pad(1, fill=wrong)


def test_masks_have_a_fill_of_their_own_wherever_the_list_runs(source: Path) -> None:
    dataset = penstock.Dataset(source, fields=PLANES)
    with penstock.Loader(dataset, transforms=[TURN], batch_size=4, output="numpy") as loader:
        (batch,) = loader
        for row in range(4):
            filled_alike(batch["image"][row], batch["mask"][row], 1, 255)
            filled_alike(batch["image"][row], batch["ids"][row], 1000, 255)
            sample = dataset[int(batch["index"][row])]
            again = transforms.apply([TURN], sample["image"], batch.params[row], mask=sample["mask"])
            np.testing.assert_array_equal(again["mask"], batch["mask"][row])
    views = penstock.Views(a=[TURN], b=[transforms.RandomRotation((30, 60), fill=9)])
    with penstock.Loader(dataset, transforms=views, batch_size=4, output="numpy") as loader:
        (batch,) = loader
        filled_alike(batch["a"][0], batch["a.mask"][0], 1, 255)
        filled_alike(batch["b"][0], batch["b.mask"][0], 1, 0)
    made = transforms.Compose([TURN])(sample["image"], mask=sample["mask"].astype(np.int64), seed=3)
    assert made["mask"].dtype == np.int64
    filled_alike(made["image"].transpose(2, 0, 1), made["mask"], 1, 255)


def test_fills_beyond_8_bits_are_for_masks_that_have_them(source: Path) -> None:
    turn = transforms.RandomRotation((30, 60), fill=9, mask_fill=65535)
    wide = penstock.Dataset(source, fields={name: PLANES[name] for name in ("image", "ids")})
    with penstock.Loader(wide, transforms=[turn], batch_size=4, output="numpy") as loader:
        (batch,) = loader
        filled_alike(batch["image"][2], batch["ids"][2], 1000, 65535)
    with pytest.raises(penstock.InvalidError, match="mask_fill is 65535, but the mask has 8 bits"):
        next(iter(penstock.Loader(penstock.Dataset(source, fields=PLANES), transforms=[turn])))
    with pytest.raises(penstock.InvalidError, match="mask_fill must be between 0 and 65535, got 65536"):
        transforms.RandomRotation(3, mask_fill=65536)


def test_modes_that_repeat_pixels_repeat_those_of_the_mask() -> None:
    mask = np.arange(12, dtype=np.uint8).reshape(3, 4)
    image = np.repeat(mask[:, :, np.newaxis], 3, axis=2)
    for mode in ("edge", "reflect", "symmetric"):
        made = transforms.Compose([transforms.Pad(2, padding_mode=mode, mask_fill=255)])(image, mask=mask)
        np.testing.assert_array_equal(made["mask"], np.pad(mask, 2, mode))


def test_a_fill_of_masks_changes_no_image_and_goes_to_a_config() -> None:
    image = np.random.default_rng(0).integers(0, 256, (20, 30, 3), dtype=np.uint8)
    plain = transforms.RandomRotation((30, 60), fill=9)
    np.testing.assert_array_equal(transforms.Compose([TURN])(image, seed=1), transforms.Compose([plain])(image, seed=1))
    assert plain != TURN
    assert transforms.from_config(json.loads(json.dumps(transforms.to_config([TURN])))) == [TURN]


def test_presets_fill_as_the_references_do(source: Path) -> None:
    dataset = penstock.Dataset(source, fields={name: PLANES[name] for name in ("image", "mask")})
    segmentation = presets.segmentation(40, base_size=20, mean=None)
    with penstock.Loader(dataset, transforms=segmentation, batch_size=4, output="numpy") as loader:
        (batch,) = loader
        outside = (batch["image"] == 0).all(axis=1)
        assert outside.any()
        np.testing.assert_array_equal(batch["mask"], np.where(outside, 255, 1))
    with penstock.Loader(
        dataset, transforms=presets.detection("lsj", size=256), batch_size=4, output="numpy"
    ) as loader:
        (batch,) = loader
    colors = np.unique((batch["image"] * 255).round().transpose(0, 2, 3, 1).reshape(-1, 3), axis=0)
    assert [123, 117, 104] in colors.astype(int).tolist()
    assert [0, 0, 0] not in colors.astype(int).tolist()
