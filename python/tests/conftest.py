"""Data sets that the tests make for themselves."""

from __future__ import annotations

import io
import json
import os
import tarfile
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import penstock
from penstock import _stages

os.environ.setdefault("NO_ALBUMENTATIONS_UPDATE", "1")  # or it asks the network for newer versions when it is imported

#: Real images beside the project, where they are.
SHARED = Path(__file__).resolve().parents[3] / "shared"


def _skip_what_was_left_out() -> Iterator[None]:
    """With PENSTOCK_AUDIO=OFF in the environment, what that build cannot do is no failure. Never without: a part that
    got lost must not pass as skipped."""
    try:
        yield
    except penstock.UnsupportedError as error:
        if os.environ.get("PENSTOCK_AUDIO") == "OFF" and "PENSTOCK_AUDIO=ON" in str(error):
            pytest.skip(str(error))
        raise


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:  # noqa: ARG001
    yield from _skip_what_was_left_out()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:  # noqa: ARG001
    yield from _skip_what_was_left_out()


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or leaves anything in the user's cache folder."""
    monkeypatch.setenv("PENSTOCK_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))


def draw(number: int, width: int, height: int) -> Image.Image:
    """An image that no other number gives: gradients with noise."""
    rng = np.random.default_rng(number)
    y, x = np.mgrid[0:height, 0:width]
    base = np.stack([x * 255 // max(width - 1, 1), y * 255 // max(height - 1, 1), (x + y + 37 * number) % 256], -1)
    return Image.fromarray(((base + rng.integers(0, 40, base.shape)) % 256).astype(np.uint8))


def encode(image: Image.Image, kind: str = "JPEG", **options: object) -> bytes:
    """The image as a file of that kind."""
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def spoilt_png(image: Image.Image) -> bytes:
    """A PNG whose data is one chunk with a wrong checksum."""
    file = encode(image, "PNG")
    parts, at = [file[:8]], 8
    data = b""
    while at < len(file):
        size = int.from_bytes(file[at : at + 4], "big")
        if file[at + 4 : at + 8] == b"IDAT":
            data += file[at + 8 : at + 8 + size]
        elif file[at + 4 : at + 8] == b"IEND":
            checksum = zlib.crc32(b"IDAT" + data) ^ 1
            parts.append(len(data).to_bytes(4, "big") + b"IDAT" + data + checksum.to_bytes(4, "big"))
        if file[at + 4 : at + 8] != b"IDAT":
            parts.append(file[at : at + 12 + size])
        at += 12 + size
    return b"".join(parts)


def sample_size(number: int) -> tuple[int, int]:
    """Width and height of the image of a sample: different from sample to sample."""
    return 40 + (number * 17) % 90, 50 + (number * 29) % 70


def write_tar(path: Path, members: list[tuple[str, bytes]]) -> Path:
    """A tar of these members."""
    with tarfile.open(path, "w") as archive:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


def sample_members(number: int) -> list[tuple[str, bytes]]:
    """The files of one sample of the shards fixture."""
    key = f"s{number:04d}"
    return [
        (f"{key}.jpg", encode(draw(number, *sample_size(number)), quality=85, subsampling=number % 3)),
        (f"{key}.cls", str(number % 10).encode()),
        (f"{key}.json", json.dumps({"number": number}).encode()),
        (f"{key}.txt", f"sample {number} é".encode()),
    ]


def slow_function(array: np.ndarray) -> np.ndarray:
    """A stage that pays in a helper process; in a module that a helper imports quickly."""
    time.sleep(0.002)
    return 255 - array


class HoldFirst:
    """A stage that holds up the first sample of the shards, in a worker's thread, until it may continue."""

    def __init__(self, shards: str) -> None:
        self.resume = threading.Event()
        self._shards = shards
        self._crop = penstock.transforms.CenterCrop(8)
        with penstock.Loader(shards, batch_size=1, num_workers=0, output="numpy", transforms=[self._crop]) as plain:
            self._first = next(iter(plain))["image"][0].transpose(1, 2, 0).copy()

    def loader(self, **options: Any) -> penstock.Loader:
        def hold_first(array: np.ndarray) -> np.ndarray:
            in_worker = threading.current_thread() is not threading.main_thread()
            if in_worker and np.array_equal(array, self._first):
                self.resume.wait(120)
            return array

        with pytest.warns(RuntimeWarning, match="run in this process"):
            return penstock.Loader(
                self._shards, batch_size=1, num_workers=2, transforms=[self._crop, hold_first], **options
            )


@pytest.fixture(scope="session")
def shards(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Three shards of 20 samples with jpg, cls, json and txt; a brace pattern."""
    folder = tmp_path_factory.mktemp("shards")
    for shard in range(3):
        members = [m for number in range(shard * 20, shard * 20 + 20) for m in sample_members(number)]
        write_tar(folder / f"set-{shard:06d}.tar", members)
    return str(folder / "set-{000000..000002}.tar")


@pytest.fixture(scope="session")
def pillow_images() -> list[np.ndarray]:
    """What Pillow makes of the images of the shards."""
    files = [dict(sample_members(number))[f"s{number:04d}.jpg"] for number in range(60)]
    return [np.asarray(Image.open(io.BytesIO(file)).convert("RGB")) for file in files]


@pytest.fixture
def make_tar(tmp_path: Path) -> Iterator[Callable[[list[tuple[str, bytes]]], str]]:
    """Writes a tar of given members into a fresh folder and returns its path."""
    count = 0

    def make(members: list[tuple[str, bytes]]) -> str:
        nonlocal count
        count += 1
        return str(write_tar(tmp_path / f"made-{count}.tar", members))

    yield make


@pytest.fixture
def in_helpers(monkeypatch: pytest.MonkeyPatch) -> None:
    """However fast a function is, a helper runs it."""
    monkeypatch.setattr(_stages, "round_trip_seconds", lambda array: 0.0)
    monkeypatch.setenv("HELPER_TEST_PID", str(os.getpid()))


def indices(loader) -> list[list[int]]:
    return [np.asarray(batch["index"]).tolist() for batch in loader]


def flat(loader) -> list[int]:
    return [index for batch in indices(loader) for index in batch]


def contents(loader) -> list[tuple[list[int], bytes]]:
    return [(np.asarray(b["index"]).tolist(), np.asarray(b["image"]).tobytes()) for b in loader]
