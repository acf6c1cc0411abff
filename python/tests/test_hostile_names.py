"""Keys, names of fields and paths come from data: none of them may write to a terminal or forge a line of a log."""

from __future__ import annotations

import json
import re
import time
import traceback
import warnings
from pathlib import Path

import pytest
from conftest import draw, encode, write_tar

import penstock

#: Escape sequences (C0, C1 as UTF-8 and as a byte), a change of direction, a separator, DEL, and a forged line.
HOSTILE = "\x1b[2J\x9b5m\udc9b5m\u202e\u2028\x7f\nError: forged"
ESCAPED = r"\x1b[2J\u009b5m\x9b5m\u202e\u2028\x7f\nError: forged"
NOT_PRINTABLE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]|\n *Error: forged")


def expect_printable(text: str) -> None:
    assert text
    assert not NOT_PRINTABLE.search(text), ascii(text)


@pytest.fixture
def hostile(tmp_path: Path) -> str:
    """A tar of four samples in a file with such a name. The second has a bad image, the third a bad text."""
    good = encode(draw(1, 20, 20))
    members = []
    for number, (image, text) in enumerate([(good, b"a"), (b"no image", b"b"), (good, b"\xff"), (good, b"d")]):
        members += [(f"{number}{HOSTILE}.jpg", image), (f"{number}{HOSTILE}.txt", text)]
        members += [(f"{number}{HOSTILE}.x{HOSTILE}", b"")]
    members.append((f"0{HOSTILE}.jpg", good))  # comes again: a warning, and fields that some samples lack
    return str(write_tar(tmp_path / f"set{HOSTILE}.tar", members))


def test_exceptions_are_printable_and_their_places_raw(hostile, tmp_path):
    report = tmp_path / "bad.jsonl"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        dataset = penstock.Dataset(hostile, fields={"image": "jpg", "text": "txt"})
        with penstock.Loader(dataset, batch_size=1, num_workers=0, on_error="skip", error_report=report) as loader:
            batches = list(loader)
            errors = loader.errors()
            expect_printable(loader.plan())
            for batch in batches:
                expect_printable(repr(batch))
    assert len(caught) >= 1
    for warning in caught:
        expect_printable(str(warning.message))
    assert [error.index for error in errors] == [1, 2, 4]
    for error in errors[:2]:
        assert error.shard == hostile
        assert error.key == f"{error.index}{HOSTILE}"
        assert f"sample {error.index} ({error.index}{ESCAPED})" in str(error)
    with pytest.raises(penstock.CorruptError) as raised:
        dataset[2]
    for error in [*errors, raised.value]:
        expect_printable(str(error))
        expect_printable("".join(traceback.format_exception_only(error)))
    lines = report.read_text().splitlines()
    assert [json.loads(line)["index"] for line in lines] == [1, 2, 4]
    assert json.loads(lines[0])["key"] == f"1{HOSTILE}"
    for line in lines:
        expect_printable(line)


def test_fields_of_hostile_names_are_printable(tmp_path):
    source = write_tar(tmp_path / "x.tar", [(f"{n}.x{HOSTILE}", b"%d" % n) for n in range(3)])
    dataset = penstock.Dataset(source)
    assert list(dataset.fields) == [f"x{HOSTILE}".lower()]
    expect_printable(repr(dataset))
    with penstock.Loader(dataset, num_workers=0) as loader:
        expect_printable(loader.plan())
        expect_printable(repr(loader))
        expect_printable(repr(next(iter(loader))))
    with pytest.raises(penstock.Error) as raised:
        penstock.Dataset(source, fields={"a": f"y{HOSTILE}"})
    expect_printable(str(raised.value))


def test_texts_of_a_cache_are_printable(hostile, tmp_path):
    folder = tmp_path / f"cache{HOSTILE}"
    folder.write_text("a file where the folder should be")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with penstock.Loader(hostile, num_workers=0, on_error="skip", cache=folder) as loader:
            list(loader)
            while "being built" in loader.stats()["cache"]:
                time.sleep(0.01)
            expect_printable(loader.stats()["cache"])
    for warning in caught:
        expect_printable(str(warning.message))


def test_verify_reports_are_printable(hostile):
    report = penstock.verify(hostile, progress=False)
    assert report.errors
    for error in report.errors:
        expect_printable(str(error))
    for line in [*report.warnings, *report.notes]:
        expect_printable(line)


def test_long_names_are_shortened(tmp_path):
    key = "k" * 50_000
    source = write_tar(tmp_path / "x.tar", [(f"{key}.txt", b"\xff"), (f"{key}.jpg", b"none")])
    with pytest.raises(penstock.CorruptError) as raised, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        next(iter(penstock.Loader(source, num_workers=0)))
    assert raised.value.key == key
    assert len(str(raised.value)) < 2000
    assert "kkk...kkk" in str(raised.value)
    with pytest.raises(penstock.CorruptError) as raised:
        penstock.Dataset(source, fields={"text": "txt"})[0]
    assert len(str(raised.value)) < 2000
