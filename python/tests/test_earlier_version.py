"""Streams, states, stores, fingerprints and indexes of an earlier version are read and continued, byte for byte."""

from __future__ import annotations

import json
import shutil
import struct
from pathlib import Path
from typing import Any

import earlier_version
import pytest
from conftest import sample_members, write_tar
from earlier_version import CASES, FOLDER

import penstock

RECORDS: dict[str, Any] = json.loads((FOLDER / "records.json").read_text())["cases"]


@pytest.mark.parametrize("name", CASES)
def test_streams_are_the_same(name: str) -> None:
    loader = earlier_version.open_loader(FOLDER, CASES[name])
    assert [earlier_version.digests(loader), earlier_version.digests(loader)] == RECORDS[name]["epochs"]


@pytest.mark.parametrize("name", CASES)
def test_states_are_continued(name: str) -> None:
    loader = earlier_version.open_loader(FOLDER, CASES[name])
    loader.load_state_dict(RECORDS[name]["state"])
    rest, following = earlier_version.digests(loader), earlier_version.digests(loader)
    assert [rest, following] == [RECORDS[name]["epochs"][0][earlier_version.STOPS_AFTER :], RECORDS[name]["epochs"][1]]


@pytest.mark.parametrize("name", CASES)
def test_fingerprints_are_the_same(name: str) -> None:
    assert penstock.Dataset(str(FOLDER / CASES[name][0])).fingerprint == RECORDS[name]["fingerprint"]


@pytest.mark.parametrize("kind", ["repack", "repack_pixels", "keep", "raw"])
def test_stores_are_intact_and_appended_to(kind: str, tmp_path: Path) -> None:
    source = FOLDER / ("images.tar" if kind == "repack" else "few.tar")
    store = tmp_path / "train.store"
    shutil.copytree(FOLDER / f"{kind}.store", store)
    assert penstock.verify(str(store), source=str(source)).ok
    before = len(penstock.Dataset(str(store)))
    more = write_tar(tmp_path / "more.tar", [member for number in (100, 101) for member in sample_members(number)])
    penstock.build(str(more), str(store), image=kind, append=True, progress=False)
    assert len(penstock.Dataset(str(store))) == before + 2
    assert penstock.verify(str(store)).ok


def test_the_index_of_tars_is_the_same(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """All but what depends on the file's place and times: the header's checksum and sizes, shards and texts."""
    monkeypatch.setenv("PENSTOCK_CACHE_DIR", str(tmp_path))
    penstock.Dataset(str(FOLDER / "images.tar"))
    (kept,) = tmp_path.glob("tar-*.index")

    def parts(index: bytes) -> tuple[bytes, tuple[int, ...], bytes]:
        counts = struct.unpack_from("<5Q", index, 32)  # shards, samples, members, extensions, bytes of keys
        shards, samples, members, _, _ = counts
        begin = 128 + 32 * shards
        return index[:8], counts, index[begin : begin + 16 * (samples + 1 + members)]

    assert parts(kept.read_bytes()) == parts((FOLDER / "images.index").read_bytes())
