"""Folders that other users can write to: what they plant is neither followed nor served. Two users who are not root."""

from __future__ import annotations

import contextlib
import os
import pickle
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import draw, encode, write_tar

import penstock

VICTIM, STRANGER = 61001, 61002
TEAM = 61500
#: Sysctls that would stop some of these attacks on machines that have them on.
PROTECTIONS = ["protected_symlinks", "protected_hardlinks", "protected_regular", "protected_fifos"]

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become other users")


@pytest.fixture(autouse=True)
def without_protection() -> Iterator[None]:
    """As if the kernel did not help."""
    files = [path for name in PROTECTIONS if (path := Path("/proc/sys/fs") / name).exists()]
    before = {path: path.read_text() for path in files}
    with contextlib.ExitStack() as restore:
        for path, value in before.items():
            try:
                path.write_text("0")
            except OSError as error:
                if value.strip() != "0":
                    pytest.skip(f"{path} cannot be set here: {error}")
            else:
                restore.callback(path.write_text, value)
        yield


def begin_as(
    user: int, function: Callable[..., Any], *arguments: Any, group: int | None, umask: int
) -> tuple[int, int]:
    """Calls the function in a process of that user: its id, and where its answer comes."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(120)
        os.close(reader)
        with os.fdopen(writer, "wb") as answer:
            try:
                os.setgroups([] if group is None else [group])
                os.setresgid(user, user, user)
                os.setresuid(user, user, user)
                os.umask(umask)
                os.chdir("/")
                os.environ["PENSTOCK_CACHE_DIR"] += f"/{user}"
                outcome = (True, function(*arguments))
            except BaseException as error:  # noqa: BLE001 - carried to the other process
                outcome = (False, error)
            pickle.dump(outcome, answer)
        os._exit(0)
    os.close(writer)
    return child, reader


def as_user(
    user: int, function: Callable[..., Any], *arguments: Any, group: int | None = None, umask: int = 0o022
) -> Any:
    """The result of the function in a process of that user; what it raises is raised here."""
    child, reader = begin_as(user, function, *arguments, group=group, umask=umask)
    with os.fdopen(reader, "rb") as answer:
        data = answer.read()
    os.waitpid(child, 0)
    assert data, f"the process of user {user} ended without an answer"
    done, value = pickle.loads(data)
    if not done:
        raise value
    return value


def train(source: Path, cache: Path, options: dict[str, Any] | None = None) -> dict[str, Any]:
    """Three epochs: the labels of each, the state of the cache, the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        transforms = penstock.presets.imagenet_train(32)
        with penstock.Loader(
            source, cache=cache, batch_size=4, num_workers=1, transforms=transforms, **(options or {})
        ) as loader:
            epochs = [[int(label) for batch in loader for label in batch["label"]] for _ in range(3)]
            state = loader.stats()["cache"]
    return {"epochs": epochs, "state": state, "warnings": [str(warning.message) for warning in caught]}


def write_source(path: Path, first_label: int, samples: int = 10) -> Path:
    """Labels of two digits: every such tar has the same size."""
    members = []
    for i in range(samples):
        members += [(f"{i}.jpg", encode(draw(i, 40, 40))), (f"{i}.cls", str(first_label + i % 10).encode())]
    return write_tar(path, members)


RIGHT = [[20 + i for i in range(10)]] * 3


class Place:
    """Folders of the two users, and one for all, as /tmp is."""

    def __init__(self, root: Path) -> None:
        root.chmod(0o755)
        self.home = self._make(root / "victim", VICTIM, 0o755)
        self.theirs = self._make(root / "stranger", STRANGER, 0o755)
        self.shared = self._make(root / "shared", 0, 0o1777)
        self.source = write_source(self.home / "x.tar", 20)
        os.chown(self.source, VICTIM, VICTIM)
        self.precious = self.home / "precious"
        self.precious.write_text("keep me")
        os.chown(self.precious, VICTIM, VICTIM)
        self.indexes = self._make(root / "indexes", 0, 0o755)
        for user in (VICTIM, STRANGER):
            self._make(self.indexes / str(user), user, 0o700)

    @staticmethod
    def _make(path: Path, user: int, mode: int) -> Path:
        path.mkdir()
        os.chown(path, user, user)
        path.chmod(mode)
        return path

    def name(self) -> str:
        """Of the store that the victim's loader looks for."""
        as_user(VICTIM, train, self.source, self.home / "elsewhere")
        (store,) = (self.home / "elsewhere").glob("*.store")
        return store.name


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    root = Path(tempfile.mkdtemp(prefix="penstock-users-", dir="/tmp"))  # noqa: S108 - other users must get there
    made = Place(root)
    monkeypatch.setenv("PENSTOCK_CACHE_DIR", str(made.indexes))
    # What is imported late must be imported before the rights are gone.
    train(made.source, root / "warm")
    yield made
    shutil.rmtree(root)


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


def build(source: Path, destination: Path) -> int:
    return penstock.build(source, destination, image="keep").samples


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
