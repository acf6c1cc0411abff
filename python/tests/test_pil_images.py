"""PIL images of every mode, outside of a loader."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PIL import Image

import penstock
from penstock import transforms
from penstock.transforms import functional

RNG = np.random.default_rng(3)
COLOURS = Image.fromarray(RNG.integers(0, 256, (9, 12, 3), dtype=np.uint8))
ALPHA = RNG.integers(0, 256, (9, 12), dtype=np.uint8)
CROP = transforms.Compose([transforms.RandomCrop((9, 12))])  # all of it


def with_alpha(mode: str) -> Image.Image:
    image = COLOURS.convert("L" if mode == "LA" else "P")
    image.putalpha(Image.fromarray(ALPHA))
    assert image.mode == mode
    return image


def palette(**info: Any) -> Image.Image:
    image = COLOURS.convert("P")
    image.info.update(info)
    return image


def of_transparent_colours() -> Image.Image:
    image = Image.fromarray(RNG.integers(0, 3, (9, 12), dtype=np.uint8), "P")
    image.putpalette([255, 0, 0, 255, 0, 255, 0, 128, 0, 0, 255, 0], "RGBA")
    return image


WITH_ALPHA = [
    with_alpha("LA"),
    with_alpha("PA"),
    palette(transparency=palette().getpixel((0, 0))),
    palette(transparency=bytes(range(256))),
    of_transparent_colours(),
]


@pytest.mark.parametrize("image", WITH_ALPHA, ids=["LA", "PA", "colour", "colours", "palette"])
def test_transparency_is_kept(image: Image.Image) -> None:
    wanted = image.convert("RGBA")
    assert len(np.unique(np.asarray(wanted)[..., 3])) > 1
    for made in (CROP(image), functional.crop(image, 0, 0, 9, 12)):
        assert made.mode == "RGBA"
        np.testing.assert_array_equal(np.asarray(made), np.asarray(wanted))
    np.testing.assert_array_equal(functional.to_dtype(image, "int32"), np.asarray(wanted))


@pytest.mark.parametrize("mode", ["1", "P", "CMYK", "YCbCr", "HSV", "RGBX"])
def test_modes_without_transparency_become_rgb(mode: str) -> None:
    image = COLOURS.convert(mode)
    made = CROP(image)
    assert made.mode == "RGB"
    np.testing.assert_array_equal(np.asarray(made), np.asarray(image.convert("RGB")))


@pytest.mark.parametrize(("mode", "order"), [("I;16", "<"), ("I;16L", "<"), ("I;16B", ">")])
def test_16_bits_stay_16_bits(mode: str, order: str) -> None:
    wide = RNG.integers(0, 65536, (9, 12), dtype=np.uint16)
    image = Image.frombytes(mode, (12, 9), wide.astype(f"{order}u2").tobytes())
    results = CROP(image, mask=image)
    for made in results.values():
        assert made.mode == "I;16"
        np.testing.assert_array_equal(np.asarray(made), wide)


@pytest.mark.parametrize(("mode", "advice"), [("La", "'LA'"), ("RGBa", "'RGBA'"), ("I", "'I;16'"), ("F", "an array")])
def test_modes_that_nothing_can_hold_are_refused(mode: str, advice: str) -> None:
    with pytest.raises(penstock.InvalidError, match=f"got a PIL image of mode '{mode}'; .*{advice}"):
        CROP(Image.new(mode, (12, 9)))


@pytest.mark.parametrize("mode", ["1", "I", "I;16", "I;16B", "L", "P"])
def test_masks_keep_their_mode_and_their_values(mode: str) -> None:
    classes = RNG.integers(0, 2 if mode == "1" else 200, (9, 12), dtype=np.uint8)
    mask = Image.fromarray(classes.astype(bool) if mode == "1" else classes)
    mask = Image.fromarray(classes.astype(">u2")) if mode == "I;16B" else mask if mode == "1" else mask.convert(mode)
    assert mask.mode == mode
    moved = transforms.Compose([transforms.RandomHorizontalFlip(1.0)])(COLOURS, mask=mask)["mask"]
    assert moved.mode == ("I;16" if mode == "I;16B" else mode)
    np.testing.assert_array_equal(np.asarray(moved), np.asarray(mask)[:, ::-1])


def test_masks_without_classes_are_refused() -> None:
    for mode, problem in (("F", "must be an array of uint8"), ("RGB", "no channels")):
        with pytest.raises(penstock.InvalidError, match=problem):
            CROP(COLOURS, mask=COLOURS.convert(mode))
    with pytest.raises(penstock.InvalidError, match="integers between 0 and 65535"):
        CROP(COLOURS, mask=Image.fromarray(np.full((9, 12), -1, np.int32)))
