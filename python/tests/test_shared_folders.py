"""Folders that other users can write to: what they plant is neither followed nor served. Two users who are not root."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from two_users import (
    STRANGER,
    TEAM,
    VICTIM,
    Place,
    as_user,
    begin_as,
    build,
    needs_root,
    shared_place,
    train,
    write_source,
)

import penstock

pytestmark = needs_root


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    yield from shared_place(monkeypatch)


RIGHT = [[20 + i for i in range(10)]] * 3


def plant_building(folder: Path, name: str, target: Path) -> None:
    (folder / (name + ".building")).mkdir(mode=0o777)
    (folder / (name + ".building")).chmod(0o777)
    (folder / (name + ".building") / "manifest.json.new").symlink_to(target)


def check_refused(run: dict[str, Any], *words: str) -> None:
    """The run went on from the source, with one warning that says why."""
    assert run["epochs"] == RIGHT
    (warning,) = run["warnings"]
    for word in ("the source is read instead", *words):
        assert word in warning
    assert "the source is read instead" in run["state"]


def test_a_planted_link_does_not_overwrite_a_file(place):
    as_user(STRANGER, plant_building, place.shared, place.name(), place.precious)
    run = as_user(VICTIM, train, place.source, place.shared)
    assert place.precious.read_text() == "keep me"
    check_refused(run, f"belongs to user {STRANGER}", "cache_trust")


@pytest.mark.parametrize("kind", ["link", "file", "fifo"])
def test_what_is_planted_in_the_place_of_a_build_is_told_with_what_helps(place, kind):
    """Nobody can move away what others put into a folder like /tmp."""

    def plant(path: Path) -> None:
        {"link": lambda: path.symlink_to(place.precious), "file": path.touch, "fifo": lambda: os.mkfifo(path)}[kind]()

    said = "is a link" if kind == "link" else f"belongs to user {STRANGER}"
    as_user(STRANGER, plant, place.shared / f"{place.name()}.building")
    run = as_user(VICTIM, train, place.source, place.shared)
    check_refused(run, said, "use a cache= that nobody else can write to")
    assert "destination" not in run["state"]
    as_user(STRANGER, plant, place.shared / "x.store.building")
    with pytest.raises(penstock.InvalidError, match=f"{said}; choose another destination, or let the owner of"):
        as_user(VICTIM, build, place.source, place.shared / "x.store")
    assert place.precious.read_text() == "keep me"


def test_a_planted_store_is_not_served(place):
    name = place.name()
    forged = write_source(place.theirs / "x.tar", 70)
    os.chown(forged, STRANGER, STRANGER)
    as_user(STRANGER, train, forged, place.theirs / "cache")
    (store,) = (place.theirs / "cache").glob("*.store")
    shutil.copytree(store, place.shared / name)
    for path in [place.shared / name, *(place.shared / name).iterdir()]:
        os.chown(path, STRANGER, STRANGER)
        path.chmod(0o755)
    run = as_user(VICTIM, train, place.source, place.shared)
    check_refused(run, f"belongs to user {STRANGER}")


def test_a_finished_store_in_a_folder_for_all_is_ones_own(place):
    assert as_user(VICTIM, train, place.source, place.shared)["epochs"] == RIGHT
    run = as_user(VICTIM, train, place.source, place.shared)
    assert run["state"].startswith("complete")
    assert run["warnings"] == []
    (store,) = place.shared.glob("*.store")
    assert store.stat().st_mode & 0o777 == 0o700
    assert sorted(path.name for path in place.shared.iterdir()) == [store.name]


def plant_lock(folder: Path, name: str, target: Path) -> None:
    (folder / (name + ".lock")).symlink_to(target)


@pytest.mark.parametrize("name", [None, "other-0123abcd.store", "other-0123456789abcdef.store"])
def test_a_planted_lock_neither_makes_nor_deletes_files(place, name):
    own = place.home / "own"
    own.mkdir()
    os.chown(own, VICTIM, VICTIM)
    (own / "lock").write_text("mine")
    os.chown(own / "lock", VICTIM, VICTIM)
    empty = place.home / "empty"
    empty.mkdir()
    os.chown(empty, VICTIM, VICTIM)
    as_user(STRANGER, plant_lock, place.shared, name or place.name(), own)
    as_user(STRANGER, plant_lock, place.shared, "empty-0123abcd.store", empty)
    as_user(STRANGER, plant_lock, place.shared, "file-0123456789abcdef.store", place.precious)
    run = as_user(VICTIM, train, place.source, place.shared)
    assert [path.name for path in own.iterdir()] == ["lock"]
    assert (own / "lock").read_text() == "mine"
    assert empty.is_dir()
    assert place.precious.read_text() == "keep me"
    if name is None:
        check_refused(run, "is a link")
    else:
        assert run["epochs"] == RIGHT
        assert run["warnings"] == []


def test_locks_of_others_stay(place):
    def plant(folder: Path) -> None:
        (folder / "x-0123456789abcdef.store.lock").touch()
        (folder / "x-0123abcd.store.lock").mkdir()
        (folder / "x-0123abcd.store.lock").chmod(0o777)

    as_user(STRANGER, plant, place.shared)
    assert as_user(VICTIM, train, place.source, place.shared)["epochs"] == RIGHT
    assert (place.shared / "x-0123456789abcdef.store.lock").exists()
    assert list((place.shared / "x-0123abcd.store.lock").iterdir()) == []


def test_a_folder_in_which_everyone_can_rename_is_not_used(place):
    place.shared.chmod(0o777)
    run = as_user(VICTIM, train, place.source, place.shared)
    check_refused(run, "can be written by everyone")
    assert list(place.shared.iterdir()) == []


def test_a_folder_of_another_user_is_not_used(place):
    place.theirs.chmod(0o1777)
    check_refused(as_user(VICTIM, train, place.source, place.theirs), f"belongs to user {STRANGER}")
    assert list(place.theirs.iterdir()) == []


def test_the_folder_may_be_a_link(place):
    (place.home / "link").symlink_to(place.shared)
    run = as_user(VICTIM, train, place.source, place.home / "link")
    assert run["state"].startswith("complete")
    assert run["warnings"] == []


@pytest.mark.parametrize("trust", [f"group:{TEAM}", f"user:{VICTIM}, group:{TEAM}"])
def test_a_team_shares_a_folder_by_naming_its_group(place, trust):
    os.chown(place.shared, 0, TEAM)
    place.shared.chmod(0o2770)
    options = {"cache_trust": trust}
    first = as_user(VICTIM, train, place.source, place.shared, options, group=TEAM)
    assert first["warnings"] == []
    colleague = as_user(STRANGER, train, place.source, place.shared, options, group=TEAM)
    assert colleague["state"].startswith("complete")
    assert colleague["epochs"] == RIGHT
    assert colleague["warnings"] == []
    # Who does not name it does not use what others wrote.
    check_refused(as_user(STRANGER, train, place.source, place.shared, group=TEAM), "can be written by group")


def test_a_store_of_a_user_that_is_named_is_read_once_its_owner_lets_others(place):
    cache = place.home / "cache"
    assert as_user(VICTIM, train, place.source, cache)["warnings"] == []
    options = {"cache_trust": f"user:{VICTIM}"}
    advice = f"chmod -R go+rX '{cache}'"
    check_refused(as_user(STRANGER, train, place.source, cache, options), "Permission denied", advice)
    cache.chmod(0o755)  # and not what is in it
    check_refused(as_user(STRANGER, train, place.source, cache, options), "Permission denied", advice)
    subprocess.run(["chmod", "-R", "go+rX", cache], check=True)
    run = as_user(STRANGER, train, place.source, cache, options)
    assert run["state"].startswith("complete")
    assert run["epochs"] == RIGHT
    assert run["warnings"] == []
    # Who does not name the owner reads the source; the advice is another one then.
    check_refused(as_user(STRANGER, train, place.source, cache), f"belongs to user {VICTIM}", "cache_trust=")


def test_a_folder_above_that_a_stranger_owns_leads_nowhere(place):
    """They can put another folder into the place of the cache, which is theirs and therefore not used."""
    above = place.theirs / "above"
    as_user(STRANGER, above.mkdir)
    above.chmod(0o777)
    cache = above / "cache"
    assert as_user(VICTIM, train, place.source, cache)["warnings"] == []
    (store,) = cache.glob("*.store")
    forged = write_source(place.theirs / "x.tar", 70)
    os.chown(forged, STRANGER, STRANGER)
    as_user(STRANGER, train, forged, place.theirs / "forged")
    (forged_store,) = (place.theirs / "forged").glob("*.store")

    def swap() -> None:
        cache.rename(above / "away")
        (place.theirs / "forged").rename(cache)
        (cache / forged_store.name).rename(cache / store.name)
        for path in (cache, cache / store.name, *(cache / store.name).iterdir()):
            path.chmod(0o755)

    as_user(STRANGER, swap)
    check_refused(as_user(VICTIM, train, place.source, cache), f"belongs to user {STRANGER}")
    as_user(STRANGER, lambda: (cache.rename(above / "forged"), cache.symlink_to("away")))
    run = as_user(VICTIM, train, place.source, cache)
    assert run["state"].startswith("complete")
    assert run["epochs"] == RIGHT


def test_a_team_continues_with_what_a_member_left(place):
    os.chown(place.shared, 0, TEAM)
    place.shared.chmod(0o2770)
    options = {"cache_trust": f"group:{TEAM}"}
    source = write_source(place.home / "many.tar", 20, samples=400)
    killed, answer = begin_as(VICTIM, train, source, place.shared, options, group=TEAM, umask=0o002)
    deadline = time.monotonic() + 60
    while not list(place.shared.glob("*.building/journal")):
        assert time.monotonic() < deadline
        time.sleep(0.001)
    os.kill(killed, signal.SIGKILL)
    os.waitpid(killed, 0)
    os.close(answer)
    (building,) = place.shared.glob("*.building")
    assert building.stat().st_uid == VICTIM
    colleague = as_user(STRANGER, train, source, place.shared, options, group=TEAM, umask=0o002)
    assert colleague["warnings"] == []
    assert colleague["state"].startswith("complete")
    (store,) = place.shared.glob("*.store")
    assert store.stat().st_uid == VICTIM
    assert list(place.shared.iterdir()) == [store]
