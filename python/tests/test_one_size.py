"""Images of one size make one array; others a list, or one padded array with their sizes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import draw, encode, write_tar

import penstock
from penstock import transforms

FLOATS = [transforms.ToFloat(), transforms.Normalize([0.5], [0.25])]


def tar_of(path: Path, sizes: list[tuple[int, int]]) -> Path:
    """A tar of PNG files of these widths and heights, with labels."""
    members = []
    for number, size in enumerate(sizes):
        members += [(f"s{number}.png", encode(draw(number, *size), "PNG")), (f"s{number}.cls", b"%d" % number)]
    return write_tar(path, members)


@pytest.fixture(params=["tar", "raw store", "kept store", "folder"])
def one_size(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Ten images of 32 x 24."""
    if request.param == "folder":
        for number in range(10):
            name = tmp_path / "root" / "ab"[number % 2] / f"s{number}.png"
            name.parent.mkdir(parents=True, exist_ok=True)
            name.write_bytes(encode(draw(number, 32, 24), "PNG"))
        return tmp_path / "root"
    tar = tar_of(tmp_path / "a.tar", [(32, 24)] * 10)
    if request.param == "tar":
        return tar
    penstock.build(tar, tmp_path / "a.store", image=request.param.split()[0].replace("kept", "keep"), progress=False)
    return tmp_path / "a.store"


def test_one_size_for_all_is_one_array(one_size: Path) -> None:
    ds = penstock.Dataset(one_size)
    for batch in penstock.Loader(ds, batch_size=4, output="numpy"):
        images = np.stack([ds[i]["image"].transpose(2, 0, 1) for i in batch["index"]])
        assert batch["image"].dtype == np.uint8
        assert np.array_equal(batch["image"], images)
    for batch in penstock.Loader(ds, batch_size=4, output="numpy", transforms=FLOATS, memory_format="channels_last"):
        images = np.stack([ds[i]["image"] for i in batch["index"]])
        assert batch["image"].shape == (len(images), 24, 32, 3)
        assert np.allclose(batch["image"], (images / 255 - 0.5) / 0.25, atol=1e-6)


def test_floats_of_different_sizes_are_a_list(tmp_path: Path) -> None:
    ds = penstock.Dataset(tar_of(tmp_path / "a.tar", [(32, 24), (20, 30), (32, 24)]))
    (batch,) = penstock.Loader(ds, batch_size=3, output="numpy", transforms=FLOATS)
    assert isinstance(batch["image"], list)
    for number, image in enumerate(batch["image"]):
        assert image.dtype == np.float32
        assert np.allclose(image, (ds[number]["image"].transpose(2, 0, 1) / 255 - 0.5) / 0.25, atol=1e-6)


@pytest.mark.parametrize("memory_format", ["channels_first", "channels_last"])
@pytest.mark.parametrize("operations", [[], FLOATS])
def test_padded_images_come_with_their_sizes(
    tmp_path: Path, memory_format: str, operations: list[transforms.Transform]
) -> None:
    sizes = [(32, 24), (20, 30), (5, 7), (1, 1), (9, 40)]
    source = tar_of(tmp_path / "a.tar", sizes)
    options = {"batch_size": 3, "output": "numpy", "memory_format": memory_format, "transforms": operations}
    for plain, padded in zip(
        penstock.Loader(source, **options), penstock.Loader(source, pad_images=True, **options), strict=True
    ):
        assert list(padded) == ["image", "label", "image_size", "index", "key"]
        assert padded["image_size"].dtype == np.int64
        assert padded["image_size"].tolist() == [[sizes[i][1], sizes[i][0]] for i in plain["index"]]
        height, width = padded["image_size"].max(0)
        first = memory_format == "channels_first"
        assert padded["image"].shape[1:] == ((3, height, width) if first else (height, width, 3))
        for image, row in zip(plain["image"], padded["image"], strict=True):
            h, w = image.shape[1:] if first else image.shape[:2]
            corner = row[:, :h, :w] if first else row[:h, :w]
            assert np.array_equal(corner, image)
            assert np.count_nonzero(row) == np.count_nonzero(corner)


def test_padded_tensors_keep_their_shape_in_both_formats(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    source = tar_of(tmp_path / "a.tar", [(32, 24), (20, 30)])
    for memory_format in ("channels_first", "channels_last"):
        (batch,) = penstock.Loader(source, batch_size=2, pad_images=True, memory_format=memory_format)
        assert batch["image"].shape == (2, 3, 30, 32)
        assert batch["image_size"].dtype == torch.int64


def test_images_of_one_size_have_sizes_too_when_they_are_asked_for(one_size: Path) -> None:
    batch = next(iter(penstock.Loader(one_size, batch_size=4, pad_images=True, output="numpy")))
    assert batch["image"].shape == (4, 3, 24, 32)
    assert batch["image_size"].tolist() == [[24, 32]] * 4


def test_a_field_called_image_size_is_refused_where_the_name_is_taken(tmp_path: Path) -> None:
    members = [("s0.png", encode(draw(0, 4, 4), "PNG")), ("s0.image_size", b"x")]
    source = write_tar(tmp_path / "a.tar", members)
    penstock.Loader(source).close()
    with pytest.raises(penstock.InvalidError, match="image_size"):
        penstock.Loader(source, pad_images=True)


def test_the_plan_tells_the_one_size(one_size: Path) -> None:
    assert "uint8 rows of 24x32" in penstock.Loader(one_size).plan()
