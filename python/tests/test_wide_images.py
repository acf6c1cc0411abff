"""Gray images of 16 bits beside Pillow, and what fills the pixels around images of every mode."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from field_files import CHANNELS, MODES, file_of, image_of, write_tar
from PIL import Image, ImageOps

import penstock
from penstock import transforms

LONGEST = 120
FILL = 54321


@pytest.mark.parametrize("mode", ["L", "I;16"])
def test_nearest_resizes_are_pillows_for_all_pairs_of_sides(mode: str) -> None:
    kind = np.uint8 if mode == "L" else np.uint16
    random = np.random.default_rng(1)
    images = [random.integers(0, 256, (side, side)).astype(kind) for side in range(1, LONGEST + 1)]
    for side in range(1, LONGEST + 1):
        resize = transforms.Compose([transforms.Resize((side, side), interpolation="nearest")])
        for image in images:
            wanted = Image.fromarray(image).resize((side, side), Image.Resampling.NEAREST)
            np.testing.assert_array_equal(resize(image), np.asarray(wanted), err_msg=f"{image.shape} to {side}")


def padded(image: Image.Image) -> Image.Image:
    return ImageOps.expand(image, (3, 2, 5, 1), FILL)


def turned(image: Image.Image) -> Image.Image:
    return image.rotate(30, fillcolor=FILL)


def shrunk(image: Image.Image) -> Image.Image:
    matrix = (2, 0, -(image.width / 2), 0, 2, -(image.height / 2))
    return image.transform(image.size, Image.Transform.AFFINE, matrix, fillcolor=FILL)


FILLED: list[tuple[transforms.Transform, Callable[[Image.Image], Image.Image]]] = [
    (transforms.Pad((3, 2, 5, 1), fill=FILL), padded),
    (transforms.RandomRotation((30, 30), fill=FILL), turned),
    (transforms.RandomZoom(zoom=2, x=0.5, y=0.5, p=1, interpolation="nearest", fill=FILL), shrunk),
]


@pytest.mark.parametrize(("operation", "wanted"), FILLED, ids=lambda value: type(value).__name__)
def test_fills_of_16_bits_are_pillows(operation: transforms.Transform, wanted: Any) -> None:
    compose = transforms.Compose([operation])
    for number, size in enumerate([(1, 1), (33, 21), (50, 90)]):
        image = image_of("I;16", size, number)
        made = compose(np.asarray(image))
        assert made.dtype == np.uint16
        np.testing.assert_array_equal(made, np.asarray(wanted(image)))


def test_a_list_that_suits_no_image_is_refused_when_it_is_made() -> None:
    for fill, image in ((300, np.zeros((4, 4), np.uint16)), ((1, 2, 3, 4), np.zeros((4, 4, 4), np.uint8))):
        made = transforms.Compose([transforms.Pad(1, fill=fill)])(image)
        assert np.ravel(made[0, 0]).tolist() == np.ravel(fill).tolist()
    with pytest.raises(penstock.InvalidError, match="Pad: fill must be between 0 and 255 for 8-bit images"):
        transforms.Compose([transforms.Pad(1, fill=300), transforms.Normalize([0.5] * 4, [0.5] * 4)])


def test_masks_of_16_bits_beside_a_filled_image_get_zeros() -> None:
    mask = np.full((6, 8), 40000, dtype=np.uint16)
    made = transforms.Compose([transforms.Pad(2, fill=(9, 8, 7))])(np.zeros((6, 8, 3), np.uint8), mask=mask)
    assert made["image"][0, 0].tolist() == [9, 8, 7]
    assert set(np.unique(made["mask"])) == {0, 40000}
    assert (made["mask"][0] == 0).all()


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    names = {mode: f"{mode.lower().replace(';', '')}.png" for mode in MODES}
    samples = ({name: file_of(image_of(mode, (9, 7), n)) for mode, name in names.items()} for n in range(4))
    return write_tar(tmp_path_factory.mktemp("fills") / "a.tar", samples)


def loader_of(source: Path, mode: str, operation: transforms.Transform) -> penstock.Loader[penstock.Batch]:
    field = penstock.Image(f"{mode.lower().replace(';', '')}.png", mode=mode)
    return penstock.Loader(
        penstock.Dataset(source, fields={"image": field}), transforms=[operation], batch_size=4, output="numpy"
    )


@pytest.mark.parametrize("mode", MODES)
def test_a_loader_takes_one_number_or_one_for_each_channel(source: Path, mode: str) -> None:
    channels = CHANNELS[mode]
    one = 65535 if mode == "I;16" else 255
    each = tuple(range(11, 11 + channels))
    for fill, corner in ((one, [one] * channels), (each, list(each)), (None, [0] * channels)):
        (batch,) = loader_of(source, mode, transforms.Pad(1, fill=fill))
        assert batch["image"][2, :, 0, 0].tolist() == corner
    for wrong in ((1, 2, 3), (1, 2, 3, 4)):
        if len(wrong) != channels:
            words = "one channel; pass one number" if channels == 1 else f"{channels} channels; pass one number or"
            with pytest.raises(penstock.InvalidError, match=f"fill has {len(wrong)} numbers, the image {words}"):
                loader_of(source, mode, transforms.RandomCrop(4, fill=wrong))
    if mode != "I;16":
        with pytest.raises(penstock.InvalidError, match="fill must be between 0 and 255 for 8-bit images, got 256"):
            loader_of(source, mode, transforms.RandomRotation(10, fill=256))


def test_a_fill_that_no_pixel_can_have_is_refused_at_once() -> None:
    with pytest.raises(penstock.InvalidError, match="fill must be between 0 and 65535, got 65536"):
        transforms.Pad(1, fill=65536)
    with pytest.raises(penstock.InvalidError, match="fill must be between 0 and 255, got 256"):
        transforms.Pad(1, fill=(0, 0, 256))
