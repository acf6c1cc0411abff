"""Damage outside a crop: what check_files finds, and that nothing else changes."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from conftest import draw, encode, flat, spoilt_png
from PIL import Image

import penstock
from penstock.transforms import CenterCrop, RandomResizedCrop

DAMAGED = 200


def zeroed_jpegs() -> list[tuple[str, bytes]]:
    """Files of 320 x 320 of which 512 bytes of the coded data were lost, from the first to the last."""
    members = []
    for number in range(DAMAGED):
        options: dict[str, Any] = {"quality": 90, "progressive": number % 4 == 3, "optimize": number % 2 == 1}
        file = encode(draw(number, 320, 320), **options)
        start = file.index(b"\xff\xda") + 14
        at = start + (len(file) - 514 - start) * number // (DAMAGED - 1)
        members.append((f"{number:04d}.jpg", file[:at] + bytes(512) + file[at + 512 :]))
    return members


def refused_whole(ds: penstock.Dataset) -> set[int]:
    refused = set()
    for sample in range(len(ds)):
        try:
            ds[sample]
        except penstock.CorruptError:
            refused.add(sample)
    return refused


def test_a_crop_of_a_damaged_jpeg_is_refused_like_the_whole(make_tar):
    ds = penstock.Dataset(make_tar(zeroed_jpegs()))
    whole = refused_whole(ds)
    assert len(whole) > DAMAGED // 2
    crop = [CenterCrop(224)]
    delivered = set(flat(penstock.Loader(ds, transforms=crop, on_error="skip")))
    assert len(delivered & whole) > 10, "the crop sees all damage: the files show nothing"
    checked = set(flat(penstock.Loader(ds, transforms=crop, on_error="skip", check_files=True)))
    assert checked == set(range(DAMAGED)) - whole


@pytest.mark.parametrize("options", [{"quality": 80}, {"lossless": True}], ids=["lossy", "lossless"])
def test_other_valid_codes_of_a_webp_are_other_pixels_as_in_pillow(make_tar, options):
    files, right = [], []
    for number in range(40):
        file = bytearray(encode(draw(number, 96, 96), "WEBP", **options))
        right.append(np.asarray(Image.open(io.BytesIO(file)).convert("RGB")))
        file[len(file) // 4 + number * (len(file) // 60)] ^= 1 << number % 8
        files.append(bytes(file))
    ds = penstock.Dataset(make_tar([(f"{number:02}.webp", file) for number, file in enumerate(files)]))
    refused, other = refused_whole(ds), 0
    for number in set(range(40)) - refused:
        pixels = ds[number]["image"]
        np.testing.assert_array_equal(pixels, np.asarray(Image.open(io.BytesIO(files[number])).convert("RGB")))
        other += not np.array_equal(pixels, right[number])
    assert other > 20
    assert set(flat(penstock.Loader(ds, on_error="skip", check_files=True))) == set(range(40)) - refused


def test_verify_and_build_check_whole_files(make_tar, tmp_path):
    ds = penstock.Dataset(make_tar(zeroed_jpegs()))
    whole = refused_whole(ds)
    assert {error.index for error in penstock.verify(ds).errors} == whole
    for settings in ({}, {"image": "keep"}, {"image": "raw"}, {"resize": 32, "image": "keep"}):
        store = tmp_path / "".join(str(value) for value in settings.values())
        report = penstock.build(ds, str(store) + ".store", on_error="skip", progress=False, **settings)
        assert report.skipped == len(whole)


@pytest.mark.parametrize(
    ("kind", "options"),
    [("JPEG", {}), ("JPEG", {"progressive": True}), ("PNG", {}), ("WEBP", {}), ("WEBP", {"lossless": True})],
)
def test_intact_files_give_the_same_pixels_and_a_run_resumes_with_either(make_tar, kind, options):
    extension = {"JPEG": "jpg", "PNG": "png", "WEBP": "webp"}[kind]
    source = make_tar([(f"{i}.{extension}", encode(draw(i, 90 + i, 70), kind, **options)) for i in range(12)])

    def make(check_files: bool) -> penstock.Loader:
        augmented = penstock.presets.imagenet_train(24)
        return penstock.Loader(
            source, batch_size=3, shuffle=True, transforms=augmented, output="numpy", check_files=check_files
        )

    for a, b in zip(make(False), make(True), strict=True):
        np.testing.assert_array_equal(a["image"], b["image"])
    loader, other = make(False), make(True)
    rows = iter(loader)
    next(rows)
    other.load_state_dict(loader.state_dict())
    for a, b in zip(rows, other, strict=True):
        np.testing.assert_array_equal(a["image"], b["image"])


def test_every_epoch_refuses_a_png_with_a_wrong_checksum(make_tar):
    source = make_tar([("a.png", spoilt_png(draw(1, 300, 300)))])
    loader = penstock.Loader(source, transforms=[RandomResizedCrop(64)], check_files=True)
    for epoch in range(12):
        loader.set_epoch(epoch)
        with pytest.raises(penstock.CorruptError, match="checksum"):
            flat(loader)
