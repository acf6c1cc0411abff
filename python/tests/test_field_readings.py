"""Images in other modes, masks, boxes and key points: what `fields` takes in place of an extension."""

from __future__ import annotations

import io
import json
import pickle
import tarfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import penstock

H, W = 5, 7


def _png(array: Any, **options: Any) -> bytes:
    image = array if isinstance(array, Image.Image) else Image.fromarray(array)
    file = io.BytesIO()
    image.save(file, "PNG", **options)
    return file.getvalue()


def _files(number: int) -> dict[str, bytes]:
    random = np.random.default_rng(number)
    palette = Image.fromarray(random.integers(0, 12, (H, W), dtype=np.uint8), "P")
    palette.putpalette(random.integers(0, 256, 36, dtype=np.uint8).tobytes())
    annotations = [
        {"bbox": [1.5 * n, 2, 10, 4], "category_id": n - 1, "keypoints": [n, 2, 2, n + 0.5, 4, 0]}
        for n in range(number)
    ]
    return {
        "jpg": _jpeg(random.integers(0, 256, (H, W, 3), dtype=np.uint8)),
        "depth.png": _png(random.integers(0, 65536, (H, W), dtype=np.uint16)),
        "seg.png": _png(palette, transparency=3),
        "bits.png": _png(Image.fromarray(random.integers(0, 2, (H, W), dtype=np.uint8) * 255).convert("1")),
        "alpha.png": _png(random.integers(0, 256, (H, W, 4), dtype=np.uint8)),
        "gray.png": _png(random.integers(0, 256, (H, W), dtype=np.uint8)),
        "json": json.dumps({"annotations": annotations}).encode(),
    }


def _jpeg(array: Any) -> bytes:
    file = io.BytesIO()
    Image.fromarray(array).save(file, "JPEG")
    return file.getvalue()


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("readings") / "train.tar"
    with tarfile.open(path, "w") as tar:
        for number in range(6):
            for extension, content in _files(number).items():
                member = tarfile.TarInfo(f"{number:04}.{extension}")
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
    return path


def _pillow(number: int, extension: str, mode: str) -> Any:
    image: Any = Image.open(io.BytesIO(_files(number)[extension]))
    if mode == "I;16" and image.mode == "P":
        image = image.convert("L")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        array = np.asarray(image.convert(mode))
    return array[..., None] if array.ndim == 2 else array


EXTENSIONS = ["jpg", "depth.png", "seg.png", "bits.png", "alpha.png", "gray.png"]


@pytest.mark.parametrize("extension", EXTENSIONS)
@pytest.mark.parametrize("mode", ["RGB", "L", "I;16", "RGBA"])
def test_modes_are_pillows(source: Path, extension: str, mode: str) -> None:
    fields = {"x": penstock.Image(extension, mode=mode)}
    dataset = penstock.Dataset(source, fields=fields)
    assert dataset.fields == {"x": "image"}
    for number in range(6):
        wanted = _pillow(number, extension, mode)
        got = dataset[number]["x"]
        assert got.dtype == wanted.dtype and got.shape == wanted.shape
        np.testing.assert_array_equal(got, wanted)
    for memory_format in ("channels_first", "channels_last"):
        loader = penstock.Loader(dataset, batch_size=4, output="numpy", memory_format=memory_format)
        for batch in loader:
            for row, number in enumerate(batch["index"]):
                wanted = _pillow(int(number), extension, mode)
                wanted = wanted.transpose(2, 0, 1) if memory_format == "channels_first" else wanted
                np.testing.assert_array_equal(batch["x"][row], wanted)


@pytest.mark.parametrize(
    ("extension", "mode"),
    [
        ("jpg", "RGB"),
        ("depth.png", "I;16"),
        ("seg.png", "RGBA"),
        ("bits.png", "L"),
        ("alpha.png", "RGBA"),
        ("gray.png", "L"),
    ],
)
def test_unchanged_keeps_what_the_file_has(source: Path, extension: str, mode: str) -> None:
    dataset = penstock.Dataset(source, fields={"x": penstock.Image(extension, mode="unchanged")})
    np.testing.assert_array_equal(dataset[1]["x"], _pillow(1, extension, mode))
    batch = next(iter(penstock.Loader(dataset, batch_size=3, output="numpy")))
    np.testing.assert_array_equal(batch["x"][2], _pillow(2, extension, mode).transpose(2, 0, 1))


def test_masks_are_stored_values(source: Path) -> None:
    fields = {
        "seg": penstock.Mask("seg.png"),
        "bits": penstock.Mask("bits.png"),
        "wide": penstock.Mask("depth.png", dtype="int32"),
    }
    dataset = penstock.Dataset(source, fields=fields)
    loader = penstock.Loader(dataset, batch_size=6, output="numpy")
    batch = next(iter(loader))
    for number in range(6):
        files = _files(number)
        wanted = {
            "seg": np.asarray(Image.open(io.BytesIO(files["seg.png"]))),
            "bits": np.asarray(Image.open(io.BytesIO(files["bits.png"]))).astype(np.uint8),
            "wide": np.asarray(Image.open(io.BytesIO(files["depth.png"]))).astype(np.int32),
        }
        for name, values in wanted.items():
            got = dataset[number][name]
            assert got.dtype == values.dtype and got.shape == (H, W)
            np.testing.assert_array_equal(got, values)
            np.testing.assert_array_equal(batch[name][number], values)
    assert batch["wide"].shape == (6, H, W) and batch["wide"].dtype == np.int32


def test_a_mask_of_16_bits_needs_int32(source: Path) -> None:
    dataset = penstock.Dataset(source, fields={"depth": penstock.Mask("depth.png")})
    with pytest.raises(penstock.UnsupportedError, match="int32"):
        dataset[0]
    with pytest.raises(penstock.UnsupportedError, match="int32"):
        next(iter(penstock.Loader(dataset, batch_size=2)))


def test_boxes_and_key_points_are_arrays(source: Path) -> None:
    fields = {
        "boxes": penstock.Boxes("json", "annotations.*.bbox", format="xywh", labels="annotations.*.category_id"),
        "points": penstock.Keypoints("json", "annotations.*.keypoints"),
    }
    dataset = penstock.Dataset(source, fields=fields)
    assert dataset.fields == {"boxes": "array", "points": "array", "boxes_labels": "array"}
    batch = next(iter(penstock.Loader(dataset, batch_size=6, output="numpy")))
    for number in range(6):
        boxes = np.array([[1.5 * n, 2, 1.5 * n + 10, 6] for n in range(number)], np.float32).reshape(-1, 4)
        points = np.array([[n, 2, n + 0.5, 4] for n in range(number)], np.float32).reshape(-1, 2)
        labels = np.arange(number, dtype=np.int64) - 1
        for got in (dataset[number], {name: batch[name][number] for name in ("boxes", "points", "boxes_labels")}):
            for name, wanted in (("boxes", boxes), ("points", points), ("boxes_labels", labels)):
                assert got[name].dtype == wanted.dtype and got[name].shape == wanted.shape
                np.testing.assert_array_equal(got[name], wanted)


def test_boxes_are_torch_tensors(source: Path) -> None:
    torch = pytest.importorskip("torch")
    dataset = penstock.Dataset(source, fields={"boxes": penstock.Boxes("json", "annotations.*.bbox")})
    batch = next(iter(penstock.Loader(dataset, batch_size=6, output="torch")))
    assert [tuple(row.shape) for row in batch["boxes"]] == [(number, 4) for number in range(6)]
    assert all(row.dtype == torch.float32 for row in batch["boxes"])


def test_a_path_that_leads_nowhere_names_the_sample(source: Path) -> None:
    dataset = penstock.Dataset(source, fields={"boxes": penstock.Boxes("json", "annotations.*.box")})
    with pytest.raises(penstock.CorruptError, match="no 'box'"):
        dataset[3]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: penstock.Image("jpg", mode="BGR"),
        lambda: penstock.Mask("png", dtype="float32"),
        lambda: penstock.Boxes("json", "a", format="yxyx"),
        lambda: penstock.Boxes("json", "a", labels=""),
    ],
)
def test_impossible_readings_are_refused(wrong: Any) -> None:
    with pytest.raises(penstock.InvalidError, match="must be"):
        wrong()


def test_a_reading_of_another_kind_is_refused(source: Path) -> None:
    with pytest.raises(penstock.InvalidError, match="holds json"):
        penstock.Dataset(source, fields={"x": penstock.Mask("json")})
    with pytest.raises(penstock.InvalidError, match="empty part"):
        penstock.Dataset(source, fields={"x": penstock.Boxes("json", "a..b")})


def test_datasets_with_readings_are_pickled(source: Path) -> None:
    dataset = penstock.Dataset(source, fields={"depth": penstock.Image("depth.png", mode="I;16")})
    again = pickle.loads(pickle.dumps(dataset))
    np.testing.assert_array_equal(again[2]["depth"], dataset[2]["depth"])
