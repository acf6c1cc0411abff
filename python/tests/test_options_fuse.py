"""The option `fuse`: how the operations of a list become passes over pixels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from field_files import file_of, image_of, write_tar

import penstock
from penstock import transforms

#: A turn, a map, a crop and a mirror: three passes, or one.
LIST = [
    transforms.RandomRotation(10, interpolation="bilinear"),
    transforms.RandomAffine(5, translate=(0.1, 0.1), interpolation="bilinear"),
    transforms.CenterCrop(32),
    transforms.RandomHorizontalFlip(),
]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files = [{"png": file_of(image_of("RGB", (64, 48), seed).resize((16, 12)).resize((64, 48)))} for seed in range(8)]
    return write_tar(tmp_path_factory.mktemp("fuse") / "x.tar", files)


def epoch(source: Path, **options: Any) -> tuple[np.ndarray, list[Any]]:
    with penstock.Loader(source, transforms=LIST, batch_size=8, output="numpy", **options) as loader:
        (batch,) = loader
        return batch["image"], batch.params


def test_off_gives_what_exact_gives(source: Path) -> None:
    exact, drawn = epoch(source)
    off, drawn_off = epoch(source, fuse="off")
    np.testing.assert_array_equal(exact, off)
    assert drawn == drawn_off


def test_option_fuse(source: Path) -> None:
    """fast draws the same, and interpolates once."""
    exact, drawn = epoch(source)
    fast, drawn_fast = epoch(source, fuse="fast")
    assert drawn == drawn_fast
    difference = np.abs(fast.astype(int) - exact.astype(int))
    assert 0 < difference.mean() < 4
    with (
        penstock.Loader(source, transforms=LIST) as one,
        penstock.Loader(source, transforms=LIST, fuse="fast") as other,
    ):
        assert str(one.plan()).count("warp") > str(other.plan()).count("warp") == 1


def test_a_state_belongs_to_its_pixels(source: Path) -> None:
    with penstock.Loader(source, transforms=LIST, batch_size=2) as loader:
        next(iter(loader))
        state = loader.state_dict()
    with penstock.Loader(source, transforms=LIST, batch_size=2, fuse="off") as loader:
        loader.load_state_dict(state)
    with (
        penstock.Loader(source, transforms=LIST, batch_size=2, fuse="fast") as loader,
        pytest.raises(penstock.InvalidError, match="does not fit"),
    ):
        loader.load_state_dict(state)


def test_other_values_are_refused(source: Path) -> None:
    with pytest.raises(penstock.InvalidError, match="fuse must be"):
        penstock.Loader(source, transforms=LIST, fuse="slow")
