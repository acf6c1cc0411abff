"""Images in other modes, masks, boxes and key points: what `fields` takes in place of an extension."""

from __future__ import annotations

import io
import json
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from field_files import write_tar
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
    return write_tar(tmp_path_factory.mktemp("readings") / "train.tar", (_files(number) for number in range(6)))


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


@pytest.mark.parametrize("key", [0, 3, 255, 771, 65535])
def test_transparent_gray_of_16_bits_is_pillows(tmp_path: Path, key: int) -> None:
    levels = np.array([[0, 1, 3, 254, 255, 256, 771, 65535]], np.uint16)
    file = _png(Image.fromarray(levels), transparency=key)
    source = write_tar(tmp_path / "a.tar", [{"png": file}])
    for mode in ("RGBA", "RGB", "L", "I;16"):
        wanted = np.asarray(Image.open(io.BytesIO(file)).convert(mode)).reshape(1, 8, -1)
        got = penstock.Dataset(source, fields={"x": penstock.Image("png", mode=mode)})[0]["x"]
        np.testing.assert_array_equal(got, wanted)


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


def _json_tar(path: Path, *texts: str) -> str:
    return str(write_tar(path, [{"json": text.encode()} for text in texts]))


@pytest.mark.parametrize(
    "other",
    [
        "[" * 400 + "]" * 400,
        '{"c": 1, "c": 2}',
        "[NaN, -Infinity, 1e999]",
        '"\\ud800"',
        json.dumps({f"{n}": n for n in range(999)}),
    ],
    ids=["deep", "twice", "nan", "surrogate", "many"],
)
def test_boxes_are_read_beside_whatever_kind_json_takes(tmp_path: Path, other: str) -> None:
    path = _json_tar(tmp_path / "x.tar", f'{{"a": [[1, 2, 3, 4]], "b": {other}, "a": [[5, 6, 7, 8]]}}')
    assert penstock.Dataset(path, fields={"x": "json"})[0]["x"]["a"] == [[5, 6, 7, 8]]
    dataset = penstock.Dataset(path, fields={"x": penstock.Boxes("json", "a")})
    np.testing.assert_array_equal(dataset[0]["x"], [[5, 6, 7, 8]])
    np.testing.assert_array_equal(next(iter(penstock.Loader(dataset, output="numpy")))["x"][0], [[5, 6, 7, 8]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": [[1, 2, 1e39, 4]]}', "1e39 is no finite number of float32, at byte 14 of the json"),
        ('{"a": [[1, 2, NaN, 4]]}', "NaN is no finite number of float32, at byte 14 of the json"),
        ('{"a": [{"x": 1}, {"x": 2}]}', "an object is no number of a box, at byte 7 of the json"),
        ('{"a": [[1, 2, 3, 4]', "not JSON: expected a comma or the end of the list at byte 19 of the json"),
    ],
)
def test_what_is_wrong_with_boxes_is_told_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    path = _json_tar(tmp_path / "x.tar", '{"a": []}', text)
    plain = penstock.Dataset(path, fields={"x": penstock.Boxes("json", "b")})
    dataset = penstock.Dataset(path, fields={"x": penstock.Boxes("json", "a")})
    for take in (lambda: dataset[1], lambda: list(penstock.Loader(dataset, batch_size=2))):
        with pytest.raises(penstock.CorruptError, match=message) as raised:
            take()
        assert raised.value.key == "0001"
        with pytest.raises(penstock.CorruptError, match="no 'b'|not JSON") as other:
            plain[1]
        assert raised.value.offset == other.value.offset == 1024 + 512  # of the member, not inside it


def test_flat_key_points_are_coco_triples(tmp_path: Path) -> None:
    path = _json_tar(tmp_path / "x.tar", "[1, 2, 3, 4, 5, 6]", "[[1, 2], [3, 4], [5, 6]]", "[1, 2, 3, 4]")
    dataset = penstock.Dataset(path, fields={"x": penstock.Keypoints("json", "")})
    np.testing.assert_array_equal(dataset[0]["x"], [[1, 2], [4, 5]])
    np.testing.assert_array_equal(dataset[1]["x"], [[1, 2], [3, 4], [5, 6]])
    with pytest.raises(penstock.CorruptError, match="x, y and visibility of each, as COCO's do"):
        dataset[2]


@pytest.mark.parametrize("mode", ["LA", "RGBA", "RGB"])
def test_what_is_no_mask_is_named_by_what_it_has(tmp_path: Path, mode: str) -> None:
    path = write_tar(tmp_path / "x.tar", [{"seg.png": _png(Image.new(mode, (4, 3)))}])
    wanted = "an image in colour is not a mask" if mode == "RGB" else "an image with an alpha channel is not a mask"
    with pytest.raises(penstock.UnsupportedError, match=wanted):
        penstock.Dataset(path, fields={"seg": penstock.Mask("seg.png")})[0]


@pytest.mark.parametrize(
    ("choice", "advice"),
    [
        (penstock.Mask, r'penstock\.Mask\("seg\.png"\), got the class Mask itself'),
        (penstock.Keypoints, r'penstock\.Keypoints\("json", ".*"\), got the class Keypoints itself'),
        (5, r'penstock\.Mask\("seg\.png"\), got 5'),
        (None, "got None"),
    ],
)
def test_what_is_no_reading_is_refused_with_an_example(source: Path, choice: Any, advice: str) -> None:
    with pytest.raises(penstock.InvalidError, match=rf"fields\['image'\] must be an extension.*{advice}"):
        penstock.Dataset(source, fields={"image": choice})


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
