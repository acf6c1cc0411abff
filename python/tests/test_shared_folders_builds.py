"""Indexes and builds in folders that other users can write to: what they plant is neither followed nor read."""

from __future__ import annotations

import os
import resource
import signal
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import write_tar
from two_users import STRANGER, VICTIM, Place, as_user, build, needs_root, shared_place

import penstock

pytestmark = needs_root


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    yield from shared_place(monkeypatch)


def read_index(source: Path, folder: Path) -> tuple[list[str], list[str]]:
    os.environ["PENSTOCK_CACHE_DIR"] = str(folder)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        dataset = penstock.Dataset(source)
    return [dataset.key(i) for i in range(len(dataset))], [str(warning.message) for warning in caught]


def test_the_index_of_another_user_is_not_used(place):
    as_user(STRANGER, read_index, place.source, place.shared)
    (index,) = place.shared.glob("*.index")
    before = index.read_bytes()
    keys, told = as_user(VICTIM, read_index, place.source, place.shared)
    assert keys == [str(i) for i in range(10)]
    (warning,) = told
    assert f"belongs to user {STRANGER}" in warning
    assert "PENSTOCK_CACHE_DIR" in warning
    assert index.read_bytes() == before


def test_a_planted_link_for_the_index_is_neither_read_nor_followed(place):
    as_user(VICTIM, read_index, place.source, place.home / "own-index")
    (name,) = (path.name for path in (place.home / "own-index").iterdir())
    as_user(STRANGER, lambda: (place.shared / name).symlink_to(place.precious))
    keys, told = as_user(VICTIM, read_index, place.source, place.shared)
    assert keys == [str(i) for i in range(10)]
    assert "is a link" in told[0]
    assert place.precious.read_text() == "keep me"


def plant_begun_build(source: Path, destination: Path, target: Path) -> None:
    """A build that the victim's would go on with, and a link where that writes."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8000, 8000))  # the shard does not fit
    with pytest.raises(penstock.IoError):
        penstock.build(source, destination, image="keep")
    building = destination.with_name(destination.name + ".building")
    assert (building / "journal").exists()
    for path in (building, *building.iterdir()):
        path.chmod(0o777)
    (building / "manifest.json.new").symlink_to(target)


def test_a_build_refuses_a_planted_folder(place):
    as_user(STRANGER, plant_begun_build, place.source, place.shared / "x.store", place.precious)
    with pytest.raises(penstock.Error) as refused:
        as_user(VICTIM, build, place.source, place.shared / "x.store")
    assert place.precious.read_text() == "keep me"
    assert f"belongs to user {STRANGER}" in str(refused.value)


def test_a_built_store_is_as_readable_as_the_umask_says(place):
    as_user(VICTIM, build, place.source, place.shared / "x.store")
    assert (place.shared / "x.store").stat().st_mode & 0o777 == 0o755
    assert as_user(STRANGER, lambda: len(penstock.Dataset(place.shared / "x.store"))) == 10
    as_user(VICTIM, build, place.source, place.shared / "y.store", umask=0o077)
    assert {path.stat().st_mode & 0o077 for path in (place.shared / "y.store").iterdir()} == {0}
    assert (place.shared / "y.store").stat().st_mode & 0o777 == 0o700


def test_a_planted_link_does_not_lead_the_error_report(place):
    broken = write_tar(place.home / "broken.tar", [("a.jpg", b"no image"), ("a.cls", b"1")])
    as_user(STRANGER, lambda: (place.shared / "errors").symlink_to(place.precious))

    def read() -> list[str]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            report = place.shared / "errors"
            with penstock.Loader(broken, on_error="skip", error_report=report, num_workers=1) as loader:
                list(loader)
        return [str(warning.message) for warning in caught]

    told = as_user(VICTIM, read)
    assert place.precious.read_text() == "keep me"
    assert any("bad samples are no longer written down" in line for line in told)
