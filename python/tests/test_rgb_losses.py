"""What RGB loses of an image is told once."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from field_files import (
    FIELDS,
    file_of,
    image_of,
    palette_image,
    rich,
    same,
    write_tar,
)

import penstock
from penstock import transforms

LOSSES = {
    "depth.png": r'field \'depth.png\': 16-bit gray .* penstock.Image\("depth.png", mode="I;16"\)',
    "alpha.png": r'field \'alpha.png\': transparency .* penstock.Image\("alpha.png", mode="RGBA"\)',
    "seg.png": r'field \'seg.png\': the values of a mask .* penstock.Mask\("seg.png"\)',
    "image": r'field \'image\': transparency .* penstock.Image\("image", mode="RGBA"\)',
}


def losing(tmp_path: Path) -> Path:
    samples = [
        {
            "png": palette_image(n, transparency=True),
            "depth.png": file_of(image_of("I;16", (20, 15), n)),
            "alpha.png": file_of(image_of("RGBA", (20, 15), n)),
            "seg.png": palette_image(n),
            "gray.png": file_of(image_of("L", (20, 15), n)),
            "opaque.png": file_of(image_of("RGB", (20, 15), n).convert("RGBA")),
            "colours.png": palette_image(n),
            "photo.jpg": file_of(image_of("RGB", (20, 15), n), "JPEG"),
        }
        for n in range(8)
    ]
    return write_tar(tmp_path / "losing.tar", samples)


def told(caught: Any) -> list[str]:
    return sorted(str(warning.message) for warning in caught if "mode RGB" in str(warning.message))


def check_losses(messages: list[str]) -> None:
    assert len(messages) == len(LOSSES), messages
    for pattern in LOSSES.values():
        assert any(re.match(pattern, message) for message in messages), (pattern, messages)


def test_what_rgb_loses_is_told_once_for_each_field(tmp_path: Path) -> None:
    dataset = penstock.Dataset(losing(tmp_path))
    for options in ({}, {"num_workers": 0}, {"transforms": {"depth.png": [transforms.ToFloat()]}}):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            loader = penstock.Loader(dataset, batch_size=2, **options)
            iterator = iter(loader)
            next(iterator)
            first = told(caught)
            check_losses(first)
            for _ in iterator:
                pass
            for _ in loader:
                pass
            loader.close()
        assert told(caught) == first
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in dataset:
            pass
    check_losses(told(caught))


def test_raw_stores_tell_what_is_lost_for_good(tmp_path: Path) -> None:
    dataset = penstock.Dataset(losing(tmp_path))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        report = penstock.build(dataset, tmp_path / "raw", image="raw", progress=False)
        check_losses(told(caught))
        assert sorted(report.warnings) == told(caught)
        kept = penstock.build(dataset, tmp_path / "kept", image="keep", progress=False)
        assert kept.warnings == []


def test_nothing_is_told_of_modes_that_lose_nothing(tmp_path: Path) -> None:
    dataset = penstock.Dataset(rich(tmp_path), fields=FIELDS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in penstock.Loader(dataset, batch_size=3):
            pass
        for _ in dataset:
            pass


def test_the_extension_that_was_given_is_named(tmp_path: Path) -> None:
    dataset = penstock.Dataset(losing(tmp_path), fields={"far": "depth.png"})
    with pytest.warns(RuntimeWarning, match=r'field \'far\': .* penstock.Image\("depth.png", mode="I;16"\)'):
        dataset[0]


def test_views_and_lists_that_move_masks_tell_what_is_lost(tmp_path: Path) -> None:
    dataset = penstock.Dataset(losing(tmp_path), fields={"image": "depth.png", "m": penstock.Mask("gray.png")})
    crop = [transforms.CenterCrop(8)]
    for lists in (penstock.Views(a=crop, b=crop), crop):
        with pytest.warns(RuntimeWarning, match=r'penstock.Image\("depth.png", mode="I;16"\)'):
            next(iter(penstock.Loader(dataset, transforms=lists, batch_size=4)))


def test_a_mode_of_the_image_moves_with_its_masks(tmp_path: Path) -> None:
    fields = {"image": penstock.Image("depth.png", mode="I;16"), "m": penstock.Mask("gray.png")}
    dataset = penstock.Dataset(losing(tmp_path), fields=fields)
    penstock.build(dataset, tmp_path / "s", image="raw", progress=False)
    options: dict[str, Any] = {"transforms": [transforms.RandomResizedCrop(8)], "batch_size": 4, "output": "numpy"}
    pairs = zip(
        penstock.Loader(dataset, **options), penstock.Loader(penstock.Dataset(tmp_path / "s"), **options), strict=True
    )
    for batch, stored in pairs:
        assert batch["image"].dtype == np.uint16 and batch["m"].shape == (4, 8, 8)
        same(stored["image"], batch["image"])
        same(stored["m"], batch["m"])
