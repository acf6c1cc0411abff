"""Stores remember where boxes and key points stand in json, and give what their source gives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from field_files import file_of, image_of, palette_image, same, write_tar
from test_cache import wait_until_built

import penstock
from penstock import transforms

SAMPLES = 7
FIELDS: dict[str, Any] = {
    "image": "jpg",
    "seg": penstock.Mask("seg.png"),
    "boxes": penstock.Boxes("json", "annotations.*.bbox", format="xywh", labels="annotations.*.category_id"),
    "points": penstock.Keypoints("json", "annotations.*.keypoints"),
}
MOVES = [transforms.RandomCrop((9, 8)), transforms.RandomHorizontalFlip(), transforms.SanitizeBoundingBoxes()]


def _annotations(number: int) -> bytes:
    objects = [
        {"bbox": [1.5 * n, 2, 10, 4], "category_id": n - 1, "keypoints": [n, 2, 2, n + 0.5, 4, 0]}
        for n in range(number % 4)
    ]
    return json.dumps({"annotations": objects}).encode()


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    samples = (
        {
            "jpg": file_of(image_of("RGB", (13, 11), n), "JPEG"),
            "seg.png": palette_image(n),
            "json": _annotations(n),
        }
        for n in range(SAMPLES)
    )
    return write_tar(tmp_path_factory.mktemp("boxes") / "train.tar", samples)


@pytest.fixture(scope="module")
def dataset(source: Path) -> penstock.Dataset:
    return penstock.Dataset(source, fields=FIELDS)


def _same_samples(a: penstock.Dataset, b: penstock.Dataset) -> None:
    assert a.fields == b.fields and len(a) == len(b)
    for one, other in zip(a, b, strict=True):
        assert list(one) == list(other)
        for name, value in one.items():
            same(other[name], value)


def _same_batches(a: Any, b: Any, **options: Any) -> None:
    options = {"transforms": MOVES, "batch_size": 3, "shuffle": True, "output": "numpy", "seed": 1} | options
    for one, other in zip(penstock.Loader(a, **options), penstock.Loader(b, **options), strict=True):
        assert list(one) == list(other)
        for name in ("image", "seg", "boxes", "boxes_labels", "points"):
            same(other[name], one[name])


@pytest.mark.parametrize("image", ["repack", "keep", "raw"])
def test_stores_give_the_boxes_of_their_source(dataset: penstock.Dataset, tmp_path: Path, image: Any) -> None:
    penstock.build(dataset, tmp_path / "s", image=image, progress=False)
    store = penstock.Dataset(tmp_path / "s")
    assert store.fingerprint == dataset.fingerprint
    _same_samples(dataset, store)
    _same_batches(dataset, store)
    assert penstock.verify(tmp_path / "s", dataset, progress=False)
    if image != "raw":  # pixels are no file
        assert store.raw(3)["points"] == _annotations(3)
    assert store.show(3).tobytes() == dataset.show(3).tobytes()


def test_a_store_of_a_store_and_an_append_keep_them(dataset: penstock.Dataset, tmp_path: Path) -> None:
    penstock.build(dataset, tmp_path / "a", progress=False)
    penstock.build(tmp_path / "a", tmp_path / "b", progress=False)
    _same_samples(dataset, penstock.Dataset(tmp_path / "b"))
    penstock.build(dataset, tmp_path / "b", append=True, resume=False, progress=False)
    longer = penstock.Dataset(tmp_path / "b")
    assert len(longer) == 2 * SAMPLES
    for name, value in dataset[2].items():
        same(longer[SAMPLES + 2][name], value)


def test_a_store_is_read_in_one_way(dataset: penstock.Dataset, source: Path, tmp_path: Path) -> None:
    penstock.build(dataset, tmp_path / "s", progress=False)
    for other in ("json", penstock.Boxes("json", "annotations.*.bbox")):
        changed = penstock.Dataset(source, fields={**FIELDS, "boxes": other})
        for append in (False, True):
            with pytest.raises(penstock.InvalidError, match="how field 'boxes' is read"):
                penstock.build(changed, tmp_path / "s", append=append, progress=False)


def test_fields_of_the_store_are_chosen_and_may_be_read_otherwise(dataset: penstock.Dataset, tmp_path: Path) -> None:
    penstock.build(dataset, tmp_path / "s", progress=False)
    chosen = penstock.Dataset(tmp_path / "s", fields={"b": "boxes"})
    assert chosen.fields == {"b": "array", "b_labels": "array"}
    same(chosen[3]["b_labels"], dataset[3]["boxes_labels"])
    other = penstock.Dataset(tmp_path / "s", fields={"b": penstock.Boxes("boxes", "annotations.*.bbox")})
    assert other.fields == {"b": "array"}
    np.testing.assert_array_equal(other[2]["b"], [[0, 2, 10, 4], [1.5, 2, 10, 4]])
    with pytest.raises(penstock.InvalidError, match="would be called 'boxes_labels'"):
        penstock.Dataset(tmp_path / "s", fields={"boxes": "boxes", "boxes_labels": "points"})


def test_a_cache_gives_the_boxes_of_its_source(dataset: penstock.Dataset, tmp_path: Path) -> None:
    """Of tars, and of a store that remembers them."""
    penstock.build(dataset, tmp_path / "s", progress=False)
    for number, cached in enumerate((dataset, penstock.Dataset(tmp_path / "s"))):
        cache = tmp_path / f"cache{number}"
        with penstock.Loader(cached, cache=cache, batch_size=3) as loader:
            assert "complete" in wait_until_built(loader)
        _same_batches(dataset, cached, cache=cache)


def test_boxes_that_cannot_be_read_are_bad_samples_of_a_build(tmp_path: Path) -> None:
    samples = ({"json": _annotations(n) if n != 2 else b'{"annotations": [{}]}'} for n in range(4))
    fields = {"boxes": FIELDS["boxes"]}
    dataset = penstock.Dataset(write_tar(tmp_path / "x.tar", samples), fields=fields)
    with pytest.raises(penstock.CorruptError, match="no 'bbox'") as raised:
        penstock.build(dataset, tmp_path / "s", progress=False)
    assert raised.value.key == "0002"
    assert penstock.build(dataset, tmp_path / "s", on_error="skip", progress=False).skipped == 1
    report = penstock.verify(dataset, progress=False)
    assert [error.key for error in report.errors] == ["0002"]


def test_stores_remember_that_visibility_is_asked_for(source: Path, tmp_path: Path) -> None:
    points = penstock.Keypoints("json", "annotations.*.keypoints", visibility=True)
    dataset = penstock.Dataset(source, fields={"image": "jpg", "points": points})
    penstock.build(dataset, tmp_path / "s", progress=False)
    store = penstock.Dataset(tmp_path / "s")
    _same_samples(dataset, store)
    assert store[2]["points_visibility"].tolist() == [2, 0, 2, 0]
