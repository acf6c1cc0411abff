"""Dataset: what a source holds, sample by sample."""

from __future__ import annotations

import json
import pickle
import random
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import draw, encode, sample_members, write_tar

import penstock


def test_reads_fields_as_named(shards, pillow_images):
    ds = penstock.Dataset(shards)
    assert len(ds) == 60
    assert ds.fields == {"image": "image", "label": "int", "json": "json", "text": "text"}
    assert ds.classes is None
    assert ds.key(21) == "s0021"
    sample = ds[21]
    assert sample["label"] == 1
    assert sample["json"] == {"number": 21}
    assert sample["text"] == "sample 21 é"
    assert sample["image"].dtype == np.uint8
    np.testing.assert_array_equal(sample["image"], pillow_images[21])


def test_raw_gives_the_original_bytes(shards):
    ds = penstock.Dataset(shards)
    members = dict(sample_members(33))
    raw = ds.raw(33)
    assert raw["image"] == members["s0033.jpg"]
    assert raw["label"] == members["s0033.cls"]
    assert set(raw) == {"image", "label", "json", "text"}


def test_counts_from_the_end_and_refuses_numbers_outside(shards):
    ds = penstock.Dataset(shards)
    assert ds.key(-1) == "s0059"
    with pytest.raises(IndexError, match="60"):
        ds[60]
    with pytest.raises(TypeError):
        ds["a"]


def test_fields_choose_and_rename(shards):
    ds = penstock.Dataset(shards, fields={"photo": "jpg", "meta": "json"})
    assert ds.fields == {"photo": "image", "meta": "json"}
    assert ds[2]["meta"] == {"number": 2}
    with pytest.raises(penstock.InvalidError, match="seg"):
        penstock.Dataset(shards, fields={"mask": "seg.png"})


def test_chosen_field_that_a_sample_lacks_is_an_error_for_that_sample(make_tar):
    path = make_tar(
        [
            ("a.jpg", encode(draw(1, 8, 8))),
            ("a.seg.png", encode(draw(2, 8, 8), "PNG")),
            ("b.jpg", encode(draw(3, 8, 8))),
        ]
    )
    with pytest.warns(UserWarning, match="seg.png"):
        assert penstock.Dataset(path).fields == {"image": "image"}
    ds = penstock.Dataset(path, fields={"image": "jpg", "mask": "seg.png"})
    assert ds[0]["mask"].shape == (8, 8, 3)
    with pytest.raises(penstock.CorruptError) as caught:
        ds[1]
    assert caught.value.key == "b"
    assert caught.value.index == 1


def test_class_folders(tmp_path: Path):
    for number, name in enumerate(["zebra", "ant", "ant/deep", ".hidden"]):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / f"p{number}.jpg").write_bytes(encode(draw(number, 20, 30)))
    (tmp_path / "ant" / ".thumb.jpg").write_bytes(b"x")
    ds = penstock.Dataset(tmp_path)
    assert ds.classes == ["ant", "zebra"]
    assert ds.fields == {"image": "image", "label": "int"}
    assert [ds[i]["label"] for i in range(len(ds))] == [0, 0, 1]
    assert ds.raw(2)["image"] == (tmp_path / "zebra" / "p0.jpg").read_bytes()


def test_fingerprint_depends_on_keys_fields_and_sizes(make_tar):
    first = penstock.Dataset(make_tar([("a.txt", b"12"), ("b.txt", b"3")])).fingerprint
    assert first == penstock.Dataset(make_tar([("a.txt", b"xy"), ("b.txt", b"z")])).fingerprint
    assert first != penstock.Dataset(make_tar([("a.txt", b"12"), ("b.txt", b"34")])).fingerprint
    assert first != penstock.Dataset(make_tar([("a.txt", b"12"), ("c.txt", b"3")])).fingerprint
    assert int(first, 16) >= 0


def test_missing_source_says_what_was_looked_for(tmp_path: Path):
    with pytest.raises(penstock.NotFoundError, match="nothing-") as caught:
        penstock.Dataset(tmp_path / "nothing-{0..3}.tar")
    assert isinstance(caught.value, FileNotFoundError)
    assert isinstance(caught.value, penstock.Error)


@pytest.mark.parametrize("source", [[], 3, [3], None])
def test_sources_that_are_none_are_refused(source):
    with pytest.raises(penstock.InvalidError):
        penstock.Dataset(source)


def test_damaged_json_text_label_and_image_name_their_sample(make_tar):
    path = make_tar([("a.json", b"{"), ("a.txt", b"\xff"), ("a.cls", b"1"), ("a.jpg", encode(draw(0, 9, 9))[:-40])])
    for field, stage in [("json", "decode"), ("text", "decode"), ("image", "decode")]:
        extension = {"json": "json", "text": "txt", "image": "jpg"}[field]
        with pytest.raises(penstock.CorruptError) as caught:
            penstock.Dataset(path, fields={field: extension})[0]
        assert caught.value.key == "a"
        assert caught.value.index == 0
        assert caught.value.stage == stage


def test_image_limit_is_on_and_can_be_set(shards):
    with pytest.raises(penstock.UnsupportedError, match="max_pixels="):
        penstock.Dataset(shards, max_pixels=100)[0]


def test_errors_survive_pickling(tmp_path: Path):
    with pytest.raises(penstock.NotFoundError) as caught:
        penstock.Dataset(tmp_path / "no.tar")
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert again.source == caught.value.source
    assert type(again) is penstock.NotFoundError


def test_second_start_uses_the_index_and_a_changed_shard_is_seen(tmp_path: Path, monkeypatch):
    cache = tmp_path / "cache"
    monkeypatch.setenv("PENSTOCK_CACHE_DIR", str(cache))
    path = write_tar(tmp_path / "x.tar", [("a.txt", b"1")])
    time.sleep(0.1)  # an index of a file written just now is not kept: a change in the same clock tick could go unseen
    assert len(penstock.Dataset(path)) == 1
    files = [f for f in cache.rglob("*") if f.is_file()]
    assert files, "an index is kept"
    before = {f: f.stat().st_mtime_ns for f in files}
    assert len(penstock.Dataset(path)) == 1
    assert {f: f.stat().st_mtime_ns for f in files} == before, "and used again"
    write_tar(path, [("a.txt", b"1"), ("b.txt", b"2")])
    assert len(penstock.Dataset(path)) == 2
    for file in files:
        file.write_bytes(file.read_bytes()[:-7])
    assert len(penstock.Dataset(path)) == 2


def test_json_fields_are_parsed(shards):
    ds = penstock.Dataset(shards)
    assert json.loads(ds.raw(5)["json"]) == ds[5]["json"]


def mutated_documents(count: int) -> list[bytes]:
    """JSON in every encoding that Python reads, whole and damaged by a few bytes."""
    rng = random.Random(7)
    texts = [
        json.dumps(
            {"name": "é€😀", "list": [1, -2.5e3, None, True, {"x": []}], "nan": float("nan")}, ensure_ascii=False
        ),
        '["\\ud83d", "\\u00e9\\n", "\ud83d", Infinity, -Infinity, 0, -0.0, 1E5]',
        "7",
        "{}",
        " [ ] ",
        "1" * 4300,
        "-" + "1" * 4301,
        "[" + "1" * 4301 + ".0]",
    ]
    encodings = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"]
    encoded = [text.encode(encoding, "surrogatepass") for text in texts for encoding in encodings]
    encoded += [b"\xfe\xff" + text.encode("utf-16-be", "surrogatepass") for text in texts]
    encoded += [b"\x00\x00\xfe\xff" + text.encode("utf-32-be", "surrogatepass") for text in texts]
    documents = list(encoded)
    while len(documents) < count:
        document = bytearray(rng.choice(encoded))
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(document) + 1) if rng.random() < 0.5 else rng.randrange(min(len(document), 8) + 1)
            change = rng.randrange(4)
            if change == 0:
                document[at : at + 1] = b""
            elif change == 1:
                document[at:at] = bytes([rng.choice([0, 0x22, 0x2C, 0x31, 0x5B, 0x5D, 0x7D, 0xD8, 0xFE, 0xFF])])
            elif change == 2:
                document[at : at + 1] = bytes([rng.randrange(256)])
            else:
                del document[at + rng.randrange(5) :]
        documents.append(bytes(document))
    return documents


def test_json_is_bad_where_python_cannot_read_it(make_tar):
    documents = mutated_documents(6000)

    def readable(document: bytes) -> bool:
        try:
            json.loads(document)
        except ValueError:
            return False
        return True

    expected = [number for number, document in enumerate(documents) if readable(document)]
    assert 300 < len(expected) < 5700
    path = make_tar([(f"{number}.json", document) for number, document in enumerate(documents)])
    found = []
    for batch in penstock.Loader(path, batch_size=500, on_error="skip"):
        found += batch["index"].tolist()
        assert len(batch["json"]) == len(batch["key"])
    assert found == expected
