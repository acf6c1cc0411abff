"""Streams, states, stores, fingerprints and indexes of an earlier version are read and continued, byte for byte."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import struct
from pathlib import Path
from typing import Any

import earlier_version
import pytest
from conftest import sample_members, write_tar
from earlier_version import CASES, CROPS, FOLDER, SEVERAL_LISTS

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


def test_a_state_of_lists_for_several_fields_is_refused_with_the_reason() -> None:
    """The one exception: fields drew alike then, and each draws for itself now."""
    record = RECORDS["several_lists"]
    loader = earlier_version.open_loader(FOLDER, SEVERAL_LISTS)
    with pytest.raises(ValueError, match="lists for several fields drew alike.* now each field draws for itself"):
        loader.load_state_dict(record["state"])
    assert loader.dataset.fingerprint == record["fingerprint"]
    loader.load_state_dict(record["state"], strict=False)
    assert earlier_version.digests(loader) == record["epochs"][0][earlier_version.STOPS_AFTER :] == []
    following = earlier_version.digests(loader)
    assert len(following) == len(record["epochs"][1])
    assert all(now != then for now, then in zip(following, record["epochs"][1], strict=True))
    # A loader with other lists is told of those instead.
    one = earlier_version.open_loader(FOLDER, ("masks.tar", {**SEVERAL_LISTS[1], "transforms": {"image": CROPS}}))
    with pytest.raises(ValueError, match="transforms, fields, decode and on_error: "):
        one.load_state_dict(record["state"])


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


def checksum_of_index(index: bytes) -> int:
    """As docs/formats/tar_index.md says."""
    mask, odd = 2**64 - 1, 0x9E3779B97F4A7C15
    lanes = [1, 2, 3, 4]
    for number, (word,) in enumerate(struct.iter_unpack("<Q", index[32:])):
        product = (lanes[number % 4] ^ word) * odd & mask
        lanes[number % 4] = (product << 29 | product >> 35) & mask

    def mix(a: int, b: int) -> int:
        z = (b + odd * (a + 1)) & mask
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
        return z ^ z >> 31

    return mix(mix(lanes[0], lanes[1]), mix(lanes[2], lanes[3]))


def keep_earlier_index(tar: Path, cache: Path) -> Path:
    """The index that version 0.1 made of images.tar, as if it had been made of the copy."""
    index = bytearray((FOLDER / "images.index").read_bytes())
    path = str(tar).encode()
    (text_bytes,) = struct.unpack_from("<Q", index, 72)
    text_begin = len(index) - -(-text_bytes // 32) * 32
    index = index[: text_begin + text_bytes] + path
    index += bytes(-len(index) % 32)
    state = tar.stat()
    struct.pack_into("<Q", index, 16, len(index))
    struct.pack_into("<Q", index, 72, text_bytes + len(path))
    struct.pack_into("<IIQqq", index, 128, text_bytes, len(path), state.st_size, state.st_mtime_ns, state.st_ctime_ns)
    struct.pack_into("<Q", index, 24, checksum_of_index(index))
    kept = cache / f"tar-{hashlib.sha256(path + bytes(1)).hexdigest()[:32]}.index"
    kept.write_bytes(index)
    return kept


def test_the_kept_index_of_tars_is_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PENSTOCK_CACHE_DIR", str(tmp_path))
    whole = (FOLDER / "images.index").read_bytes()
    assert checksum_of_index(whole) == struct.unpack_from("<Q", whole, 24)[0]
    tar = tmp_path / "images.tar"
    shutil.copy(FOLDER / "images.tar", tar)
    kept = keep_earlier_index(tar, tmp_path)
    before = kept.read_bytes()
    os.utime(kept, ns=(1, 1))  # one that is written anew has another time
    loader = earlier_version.open_loader(tmp_path, CASES["train"])
    loader.load_state_dict(RECORDS["train"]["state"])
    rest, following = earlier_version.digests(loader), earlier_version.digests(loader)
    assert [rest, following] == [
        RECORDS["train"]["epochs"][0][earlier_version.STOPS_AFTER :],
        RECORDS["train"]["epochs"][1],
    ]
    assert loader.dataset.fingerprint == RECORDS["train"]["fingerprint"]
    assert kept.read_bytes() == before
    assert kept.stat().st_mtime_ns == 1
