"""Stores of images of every mode give what their source gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from field_files import (
    FIELDS,
    as_array,
    file_of,
    image_of,
    rich,
    same,
    write_tar,
)
from PIL import Image

import penstock
from penstock import transforms


@pytest.mark.parametrize("image", ["raw", "repack", "repack_pixels", "keep"])
def test_stores_give_what_their_source_gives(tmp_path: Path, image: Any) -> None:
    dataset = penstock.Dataset(rich(tmp_path), fields=FIELDS)
    report = penstock.build(dataset, tmp_path / "s", image=image, progress=False)
    assert report.warnings == []
    store = penstock.Dataset(tmp_path / "s")
    assert store.fields == dataset.fields and store.fingerprint == dataset.fingerprint
    for number in range(6):
        for name, value in dataset[number].items():
            same(store[number][name], value)
    steps = {"depth": [transforms.RandomResizedCrop(8)], "alpha": [transforms.ToFloat()]}
    options: dict[str, Any] = {"transforms": steps, "batch_size": 4, "shuffle": True, "output": "numpy"}
    for a, b in zip(penstock.Loader(dataset, **options), penstock.Loader(store, **options), strict=True):
        for name in FIELDS:
            same(b[name], a[name])
    assert penstock.verify(tmp_path / "s", dataset, progress=False)
    assert penstock.verify(tmp_path / "s", progress=False)
    # The mode may be named again, or another.
    again = penstock.Dataset(tmp_path / "s", fields={"d": penstock.Image("depth", mode="I;16"), "g": "gray"})
    same(again[2]["d"], dataset[2]["depth"])
    same(again[2]["g"], dataset[2]["gray"])
    colours = penstock.Dataset(tmp_path / "s", fields={"g": penstock.Image("gray"), "a": penstock.Image("alpha")})
    with pytest.warns(RuntimeWarning, match="transparency"):
        sample = colours[1]
    same(sample["g"], as_array(image_of("L", (9, 16), 1).convert("RGB")))
    same(sample["a"], as_array(image_of("RGBA", (17, 6), 1).convert("RGB")))


def test_a_store_of_a_store_keeps_the_modes(tmp_path: Path) -> None:
    dataset = penstock.Dataset(rich(tmp_path), fields=FIELDS)
    penstock.build(dataset, tmp_path / "a", image="raw", progress=False)
    penstock.build(tmp_path / "a", tmp_path / "b", image="raw", progress=False)
    for name, value in dataset[3].items():
        same(penstock.Dataset(tmp_path / "b")[3][name], value)


def test_verify_finds_other_pixels_in_16_bits(tmp_path: Path) -> None:
    """Values above 255 are all the same as RGB."""
    images = [image_of("I;16", (12, 9), n) for n in range(3)]
    fields = {"d": penstock.Image("d.png", mode="I;16")}
    dataset = penstock.Dataset(write_tar(tmp_path / "a.tar", ({"d.png": file_of(i)} for i in images)), fields=fields)
    penstock.build(dataset, tmp_path / "s", image="raw", progress=False)
    changed = np.asarray(images[1]).copy()
    changed[2, 3] ^= 0x0100
    images[1] = Image.fromarray(changed)
    other = penstock.Dataset(write_tar(tmp_path / "b.tar", ({"d.png": file_of(i)} for i in images)), fields=fields)
    report = penstock.verify(tmp_path / "s", other, progress=False)
    assert [str(error.index) for error in report.errors] == ["1"]


def test_appending_needs_the_same_modes(tmp_path: Path) -> None:
    path = rich(tmp_path)
    penstock.build(penstock.Dataset(path, fields={"d": FIELDS["depth"]}), tmp_path / "s", image="raw", progress=False)
    other = penstock.Dataset(path, fields={"d": penstock.Image("depth.png", mode="L")})
    with pytest.raises(penstock.InvalidError, match="how field 'd' is read"):
        penstock.build(other, tmp_path / "s", image="raw", append=True, progress=False)
    with pytest.raises(penstock.InvalidError, match="how field 'd' is read"):
        penstock.build(other, tmp_path / "s", image="raw", progress=False)


def test_smaller_raw_images_of_other_modes_are_pillows(tmp_path: Path) -> None:
    path = write_tar(tmp_path / "a.tar", ({"png": file_of(image_of("I;16", (40, 30), n))} for n in range(3)))
    dataset = penstock.Dataset(path, fields={"image": penstock.Image("png", mode="I;16")})
    penstock.build(dataset, tmp_path / "s", image="raw", resize=20, progress=False)
    wanted = image_of("I;16", (40, 30), 1).resize((26, 20), Image.Resampling.BILINEAR)
    same(penstock.Dataset(tmp_path / "s")[1]["image"], as_array(wanted))
    for options in ({"image": "repack", "resize": 20}, {"image": "raw", "quality": 90}):
        with pytest.raises(penstock.InvalidError, match="not read as RGB"):
            penstock.build(dataset, tmp_path / "t", progress=False, **options)
    masks = penstock.Dataset(rich(tmp_path), fields={"image": FIELDS["seg"]})
    with pytest.raises(penstock.InvalidError, match="a mask"):
        penstock.build(masks, tmp_path / "t", image="raw", resize=8, progress=False)
