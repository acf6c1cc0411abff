"""Two users who are not root, and folders that both can write to."""

from __future__ import annotations

import contextlib
import os
import pickle
import shutil
import signal
import tempfile
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

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become other users")


@contextlib.contextmanager
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


def build(source: Path, destination: Path) -> int:
    return penstock.build(source, destination, image="keep").samples


def write_source(path: Path, first_label: int, samples: int = 10) -> Path:
    """Labels of two digits: every such tar has the same size."""
    members = []
    for i in range(samples):
        members += [(f"{i}.jpg", encode(draw(i, 40, 40))), (f"{i}.cls", str(first_label + i % 10).encode())]
    return write_tar(path, members)


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


def shared_place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """For a fixture to yield from."""
    root = Path(tempfile.mkdtemp(prefix="penstock-users-", dir="/tmp"))  # noqa: S108 - other users must get there
    made = Place(root)
    monkeypatch.setenv("PENSTOCK_CACHE_DIR", str(made.indexes))
    # What is imported late must be imported before the rights are gone.
    train(made.source, root / "warm")
    with without_protection():
        yield made
    shutil.rmtree(root)
