"""Images and what lies in their plane, in a loader: masks, boxes and keypoints move with the image."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from field_files import file_of, write_tar
from PIL import Image

import penstock
from penstock import transforms

SAMPLES = 10
GEOMETRY = [
    transforms.RandomResizedCrop(24, scale=(0.2, 0.9)),
    transforms.RandomHorizontalFlip(),
    transforms.RandomRotation(30, interpolation="bilinear"),
    transforms.ColorJitter(brightness=0.4, hue=0.1),
]
FLOATS = [*GEOMETRY, transforms.Normalize(mean=(0.5,), std=(0.25,))]


def _files(number: int, height: int, width: int) -> dict[str, bytes]:
    random = np.random.default_rng(number)
    smooth = Image.fromarray(random.integers(0, 256, (5, 6, 3), dtype=np.uint8)).resize((width, height))
    palette = Image.fromarray(random.integers(0, 12, (height, width), dtype=np.uint8), "P")
    palette.putpalette(random.integers(0, 256, 36, dtype=np.uint8).tobytes())
    annotations = [
        {"bbox": [n + 0.5, 2 * n, 12, 9], "category_id": n + number, "keypoints": [n, 2, 2, 3 * n + 0.5, 14, 0]}
        for n in range(number % 4)
    ]
    return {
        "jpg": file_of(smooth, "JPEG"),
        "seg.png": file_of(palette),
        "ids.png": file_of(Image.fromarray(random.integers(0, 65536, (height, width), dtype=np.uint16))),
        "json": json.dumps({"annotations": annotations}).encode(),
        "cls": str(number % 3).encode(),
    }


def _fields(**more: Any) -> dict[str, Any]:
    return {
        "image": "jpg",
        "mask": penstock.Mask("seg.png"),
        "ids": penstock.Mask("ids.png", dtype="int32"),
        "boxes": penstock.Boxes("json", "annotations.*.bbox", format="xywh", labels="annotations.*.category_id"),
        "points": penstock.Keypoints("json", "annotations.*.keypoints"),
        "label": "cls",
        **more,
    }


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("planes")
    return write_tar(folder / "train.tar", [_files(number, 40 + number, 60 - 2 * number) for number in range(SAMPLES)])


@pytest.fixture(scope="module", params=["tar", "store"])
def dataset(source: Path, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> penstock.Dataset:
    if request.param == "tar":
        return penstock.Dataset(source, fields=_fields())
    store = tmp_path_factory.mktemp("planes") / "store"
    penstock.build(source, store, progress=False)
    return penstock.Dataset(store, fields=_fields())


def _loader(dataset: Any, what: Any, **options: Any) -> penstock.Loader[penstock.Batch]:
    return penstock.Loader(
        dataset, transforms=what, **{"batch_size": 4, "output": "numpy", "num_workers": 2, "seed": 7} | options
    )


def _compare(
    dataset: penstock.Dataset,
    batch: penstock.Batch,
    row: int,
    operations: Any,
    drawn: Any,
    view: str = "",
    at: int | None = None,
) -> None:
    """The row of a view beside what Compose makes of the sample."""
    sample = dataset[int(batch["index"][row])]
    made = transforms.apply(
        operations, sample["image"], drawn, mask=sample["mask"], boxes=sample["boxes"], keypoints=sample["points"]
    )
    wide = transforms.apply(operations, sample["image"], drawn, mask=sample["ids"])["mask"]
    expected = {
        view or "image": np.moveaxis(made["image"], -1, 0),
        f"{view}.mask": made["mask"],
        f"{view}.ids": wide.astype(np.int32),
        f"{view}.boxes": made["boxes"],
        f"{view}.boxes_labels": sample["boxes_labels"],
        f"{view}.points": made["keypoints"],
    }
    for name, value in expected.items():
        got = batch[name.removeprefix(".")][row]
        if at is not None:
            got = got[at]
        assert got.dtype == value.dtype, name
        np.testing.assert_array_equal(got, value, err_msg=name)


@pytest.mark.parametrize("operations", [GEOMETRY, FLOATS], ids=["uint8", "float32"])
@pytest.mark.parametrize("memory_format", ["channels_first", "channels_last"])
def test_a_loader_moves_what_compose_moves(dataset: penstock.Dataset, operations: Any, memory_format: str) -> None:
    with _loader(dataset, operations, shuffle=True, memory_format=memory_format) as loader:
        for _ in range(2):
            for batch in loader:
                assert batch["mask"].shape == (len(batch["index"]), 24, 24)
                if memory_format == "channels_last":
                    batch["image"] = np.moveaxis(batch["image"], -1, 1)
                for row, params in enumerate(json.loads(json.dumps(batch.params))):
                    assert list(params) == [""]
                    _compare(dataset, batch, row, operations, params)


def test_draws_are_those_of_a_list_outside_a_loader(source: Path) -> None:
    dataset = penstock.Dataset(source, fields=_fields())
    with _loader(dataset, GEOMETRY, batch_size=1) as loader:
        batch = next(iter(loader))
    sample = dataset[0]
    made = transforms.Compose(GEOMETRY)(sample["image"], mask=sample["mask"], seed=7)
    np.testing.assert_array_equal(batch["mask"][0], made["mask"])
    np.testing.assert_array_equal(batch["image"][0], np.moveaxis(made["image"], -1, 0))


def test_images_draw_as_without_masks(source: Path) -> None:
    """What lies in the plane changes nothing for the image: draws and pixels are those of a list without them."""
    with (
        _loader(penstock.Dataset(source, fields=_fields()), FLOATS) as together,
        _loader(penstock.Dataset(source, fields={"image": "jpg"}), FLOATS) as alone,
    ):
        for a, b in zip(together, alone, strict=True):
            np.testing.assert_array_equal(a["image"], b["image"])
            assert a.params == b.params


def test_masks_are_pillows(source: Path) -> None:
    operations = [transforms.RandomResizedCrop(20), transforms.RandomHorizontalFlip(), transforms.Resize((11, 13))]
    dataset = penstock.Dataset(source, fields=_fields())
    with _loader(dataset, operations) as loader:
        for batch in loader:
            for row, number in enumerate(batch["index"].tolist()):
                crop, flip, _ = batch.params[row][""]
                mask = Image.fromarray(dataset[number]["mask"])
                left, top = crop["left"], crop["top"]
                mask = mask.crop((left, top, left + crop["width"], top + crop["height"]))
                mask = mask.resize((20, 20), Image.Resampling.NEAREST)
                if flip["apply"]:
                    mask = mask.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
                np.testing.assert_array_equal(batch["mask"][row], mask.resize((13, 11), Image.Resampling.NEAREST))


def test_sizes_that_vary_make_lists_or_are_padded(source: Path) -> None:
    dataset = penstock.Dataset(source, fields=_fields())
    operations = [transforms.RandomHorizontalFlip(), transforms.RandomRotation(90, expand=True)]
    with _loader(dataset, operations) as loader, _loader(dataset, operations, pad_images=True) as padded:
        for batch, other in zip(loader, padded, strict=True):
            assert isinstance(batch["mask"], list)
            height, width = other["image"].shape[2:]
            assert other["mask"].shape == (len(batch["index"]), height, width)
            assert "mask_size" not in other
            for row, params in enumerate(batch.params):
                _compare(dataset, batch, row, operations, params)
                h, w = other["image_size"][row]
                np.testing.assert_array_equal(other["mask"][row, :h, :w], batch["mask"][row])
                assert not other["mask"][row, h:].any() and not other["mask"][row, :, w:].any()


def test_one_size_makes_one_array(tmp_path: Path) -> None:
    path = write_tar(tmp_path / "x.tar", [_files(number, 30, 40) for number in range(4)])
    dataset = penstock.Dataset(path, fields=_fields())
    with _loader(dataset, [transforms.RandomHorizontalFlip()]) as loader:
        (batch,) = loader
    assert batch["image"].shape == (4, 3, 30, 40)
    assert batch["mask"].shape == (4, 30, 40)
    assert batch["ids"].dtype == np.int32


def test_every_view_moves_its_own(dataset: penstock.Dataset) -> None:
    small = [transforms.RandomResizedCrop(12), transforms.RandomHorizontalFlip()]
    varying = [transforms.RandomRotation(20, expand=True)]
    views = penstock.Views(a=FLOATS, free=varying, local=(3, small))
    names = ("a", "free.mask", "local.boxes", "local.boxes_labels", "label")
    with _loader(dataset, views) as loader, _loader(dataset, views, as_tuple=names) as tuples:
        for batch, five in zip(loader, tuples, strict=True):
            assert "mask" not in batch and "boxes" not in batch
            assert batch["local.mask"].shape == (len(batch["index"]), 3, 12, 12)
            assert isinstance(batch["free.mask"], list)
            assert isinstance(batch["local.boxes"], list)
            np.testing.assert_array_equal(five[0], batch["a"])
            for row, params in enumerate(batch.params):
                assert list(params) == ["a", "free", "local"]
                _compare(dataset, batch, row, FLOATS, params["a"], "a")
                _compare(dataset, batch, row, varying, params["free"], "free")
                assert len(params["local"]) == 3
                for number, drawn in enumerate(params["local"]):
                    _compare(dataset, batch, row, small, drawn, "local", number)


def _contents(batch: penstock.Batch) -> list[bytes]:
    parts = []
    for name in batch:
        value = batch[name]
        rows = value if isinstance(value, list) else [value]
        parts += [np.asarray(row).tobytes() if name != "key" else row.encode() for row in rows]
    return parts


@pytest.mark.parametrize("what", [FLOATS, penstock.Views(a=GEOMETRY, b=(2, GEOMETRY))], ids=["list", "views"])
def test_workers_and_resuming_change_nothing(source: Path, what: Any) -> None:
    dataset = penstock.Dataset(source, fields=_fields())
    runs = []
    for workers in (0, 1, 2, 8):
        with _loader(dataset, what, shuffle=True, num_workers=workers, batch_size=3) as loader:
            runs.append([_contents(batch) for _ in range(2) for batch in loader])
    assert runs[0] == runs[1] == runs[2] == runs[3]
    steps = len(runs[0]) // 2
    for taken in (1, steps - 1):
        with _loader(dataset, what, shuffle=True, batch_size=3) as loader:
            for _, _batch in zip(range(taken), loader, strict=False):
                pass
            state = loader.state_dict()
        with _loader(dataset, what, shuffle=True, batch_size=3) as other:
            other.load_state_dict(state)
            assert [_contents(batch) for batch in other] == runs[0][taken:steps]


def test_a_state_does_not_fit_a_loader_that_moves_the_image_alone(source: Path) -> None:
    dataset = penstock.Dataset(source, fields=_fields())
    with _loader(dataset, GEOMETRY) as loader:
        next(iter(loader))
        state = loader.state_dict()
    with (
        pytest.warns(RuntimeWarning, match="leaves"),
        _loader(dataset, {"image": GEOMETRY}) as other,
        pytest.raises(penstock.InvalidError, match="the state does not fit this loader: transforms"),
    ):
        other.load_state_dict(state)


def test_a_cache_reads_masks_as_masks(source: Path, tmp_path: Path) -> None:
    dataset = penstock.Dataset(source, fields=_fields())
    with _loader(dataset, GEOMETRY) as plain, _loader(dataset, GEOMETRY, cache=str(tmp_path / "cache")) as cached:
        for _ in range(3):
            for a, b in zip(plain, cached, strict=True):
                assert _contents(a) == _contents(b)
        assert "complete" in cached.stats()["cache"] or "read" in cached.stats()["cache"], cached.stats()["cache"]


def test_a_store_of_smaller_images_does_not_leave_boxes_behind(source: Path, tmp_path: Path) -> None:
    boxes = penstock.Dataset(source, fields={"image": "jpg", "boxes": _fields()["boxes"]})
    with pytest.raises(penstock.InvalidError, match="field 'boxes' has boxes or key points, which stay as they are"):
        penstock.build(boxes, tmp_path / "small.store", resize=16, progress=False)
    penstock.build(boxes, tmp_path / "whole.store", progress=False)


def test_a_mask_of_another_size_is_an_error_of_its_sample(tmp_path: Path) -> None:
    samples = [_files(number, 30, 40) for number in range(8)]
    samples[3]["seg.png"] = _files(3, 30, 41)["seg.png"]
    dataset = penstock.Dataset(write_tar(tmp_path / "x.tar", samples), fields=_fields())
    with _loader(dataset, GEOMETRY) as loader:
        expected = "the mask has 41 x 30 pixels, but its image has 40 x 30"
        with pytest.raises(penstock.CorruptError, match=expected) as raised:
            list(loader)
        assert raised.value.key == "0003" and raised.value.index == 3
        assert raised.value.shard is not None
    with _loader(dataset, GEOMETRY, on_error="skip") as loader:
        assert [number for batch in loader for number in batch["index"]] == [0, 1, 2, 4, 5, 6, 7]
        assert len(loader.errors()) == 1
    with _loader(dataset, GEOMETRY, on_error="replace") as loader:
        for batch in loader:
            for row, params in enumerate(batch.params):
                _compare(dataset, batch, row, GEOMETRY, params)


def test_lists_of_fields_move_nothing_else(source: Path) -> None:
    dataset = penstock.Dataset(source, fields=_fields())
    with pytest.warns(RuntimeWarning) as caught, _loader(dataset, {"image": GEOMETRY}) as loader:
        for batch in loader:
            for row, number in enumerate(batch["index"].tolist()):
                np.testing.assert_array_equal(batch["mask"][row], dataset[number]["mask"])
                np.testing.assert_array_equal(batch["boxes"][row], dataset[number]["boxes"])
                assert list(batch.params[row]) == ["image"]
                made = transforms.apply(GEOMETRY, dataset[number]["image"], batch.params[row])
                np.testing.assert_array_equal(batch["image"][row], np.moveaxis(made, -1, 0))
    (warning,) = caught
    assert "leaves 'mask', 'ids', 'boxes', 'points' as stored" in str(warning.message)
    assert "transforms=[...]" in str(warning.message)
    assert warning.filename == __file__


def test_two_images_that_draw_apart_get_one_warning(source: Path) -> None:
    dataset = penstock.Dataset(source, fields={"image": "jpg", "other": "jpg"})
    crop = [transforms.RandomResizedCrop(16), transforms.RandomHorizontalFlip()]
    with pytest.warns(RuntimeWarning) as caught, _loader(dataset, {"image": crop, "other": crop}) as loader:
        batch = next(iter(loader))
        assert (batch["image"] != batch["other"]).any()
        list(loader)
    (warning,) = caught
    assert "'image' and 'other'" in str(warning.message) and "key=" in str(warning.message)
    keyed = [transforms.RandomResizedCrop(16, key="crop"), transforms.RandomHorizontalFlip(key="flip")]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with _loader(dataset, {"image": keyed, "other": [*keyed, transforms.ColorJitter(0.5)]}) as loader:
            assert set(next(iter(loader)).params[0]) == {"image", "other"}
        with _loader(dataset, {"image": keyed, "other": keyed}) as loader:
            for batch in loader:
                np.testing.assert_array_equal(batch["image"], batch["other"])


def test_what_cannot_move_together_is_refused(source: Path) -> None:
    dataset = penstock.Dataset(source, fields=_fields())
    with pytest.raises(penstock.InvalidError, match=r"moves 'mask' with the image.*transforms=\{\"image\": \[...\]\}"):
        _loader(dataset, [transforms.CenterCrop(16), lambda image: image[:, ::-1].copy()])
    mixing = [transforms.CenterCrop(16), transforms.ToFloat(), transforms.MixUp(num_classes=3)]
    with pytest.raises(penstock.InvalidError, match="MixUp mixes images, but field 'mask' moves with them"):
        _loader(dataset, mixing)
    with _loader(penstock.Dataset(source, fields={"image": "jpg", "label": "cls"}), mixing) as loader:
        assert next(iter(loader))["label"].shape == (4, 3)
    clash = penstock.Dataset(source, fields={"image": "jpg", "mask": penstock.Mask("seg.png"), "a.mask": "json"})
    with pytest.raises(penstock.InvalidError, match="two columns of a batch would be called 'a.mask'"):
        _loader(clash, penstock.Views(a=GEOMETRY))
    with pytest.raises(penstock.InvalidError, match="decode=False"):
        _loader(dataset, GEOMETRY, decode=False)


def test_without_transforms_everything_is_as_stored(source: Path) -> None:
    dataset = penstock.Dataset(source, fields=_fields())
    for options in ({"what": None}, {"what": GEOMETRY, "enable_transforms": False}):
        with _loader(dataset, **options) as loader:
            batch = next(iter(loader))
            np.testing.assert_array_equal(batch["mask"][2], dataset[2]["mask"])
            np.testing.assert_array_equal(batch["boxes"][2], dataset[2]["boxes"])


def test_images_of_other_modes_have_planes_too(source: Path) -> None:
    crop = [transforms.RandomResizedCrop(16, interpolation="nearest"), transforms.RandomHorizontalFlip()]
    dataset = penstock.Dataset(
        source,
        fields={"image": penstock.Image("ids.png", mode="I;16"), "mask": penstock.Mask("ids.png", dtype="int32")},
    )
    with _loader(dataset, crop) as loader:
        for batch in loader:
            assert batch["image"].dtype == np.uint16
            np.testing.assert_array_equal(batch["image"][:, 0], batch["mask"])


def test_what_rgb_loses_is_told_beside_a_mask_too(source: Path) -> None:
    dataset = penstock.Dataset(source, fields={"image": "ids.png", "mask": penstock.Mask("seg.png")})
    with (
        pytest.warns(RuntimeWarning, match="I;16"),
        _loader(dataset, [transforms.CenterCrop(16)]) as loader,
    ):
        list(loader)
