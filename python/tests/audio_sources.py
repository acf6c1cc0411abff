"""Recordings for the tests of penstock.audio.build."""

from __future__ import annotations

import io
import shutil
import sys
import tarfile
import wave
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

SETTINGS = {"duration": 2.0, "progress": False}


def write_wav(path: Path, samples: np.ndarray, rate: int = 4096) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(np.clip(samples * 32767, -32768, 32767).astype("<i2").tobytes())


def tone(seed: int, seconds: float, rate: int = 4096) -> np.ndarray:
    rng = np.random.default_rng(seed)
    t = np.arange(int(seconds * rate)) / rate
    return 0.5 * np.sin(2 * np.pi * (100 + 37 * seed) * t) + 0.05 * rng.standard_normal(len(t))


def make_recordings(root: Path) -> Path:
    """Two labels; files longer and shorter than a row."""
    for i in range(12):
        write_wav(root / ("cat" if i % 3 else "dog") / f"{i:02}.wav", tone(i, 1.0 + 0.4 * i))
    return root


def write_tars(recordings: Path, folder: Path, labels: Callable[[int], int] | None = None) -> None:
    """The files as samples with a label, three to a tar."""
    folder.mkdir()
    files = sorted(recordings.rglob("*.wav"))
    for shard in range(0, len(files), 3):
        with tarfile.open(folder / f"{shard:03}.tar", "w") as tar:
            for i, path in enumerate(files[shard : shard + 3], shard):
                key = path.relative_to(recordings).as_posix()[:-4]
                label = b"%d" % (labels(i) if labels else key < "d")
                for name, content in ((f"{key}.wav", path.read_bytes()), (f"{key}.cls", label)):
                    member = tarfile.TarInfo(name)
                    member.size = len(content)
                    tar.addfile(member, io.BytesIO(content))


def program() -> str:
    found = shutil.which("penstock", path=str(Path(sys.executable).parent))
    if found is None:
        pytest.skip("the program is not installed")
    return found
