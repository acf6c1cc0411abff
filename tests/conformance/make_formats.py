"""Writes formats/<name>/, a small data set of each format that penstock itself can write or that plain tools can.

    python tests/conformance/make_formats.py [name ...]

What a format of others needs is copied there by hand. Run test_formats.py as a program after that: it writes the
records.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import material
import numpy as np

import penstock
from penstock import audio

FOLDER = Path(__file__).resolve().parent / "formats"
SAMPLES = 6


def image(number: int) -> bytes:
    return material.image_file(material.draw(number, 16 + number, 20), "JPEG", quality=90)


def members(number: int) -> Iterator[tuple[str, bytes]]:
    """One sample with a field of every kind."""
    array = io.BytesIO()
    np.save(array, np.arange(4, dtype="<i2").reshape(2, 2) * number)
    yield f"{number}.jpg", image(number)
    yield f"{number}.cls", str(number % 3).encode()
    yield f"{number}.float", str(number / 8).encode()
    yield f"{number}.txt", f"sample {number}".encode()
    yield f"{number}.json", f'{{"number": {number}}}'.encode()
    yield f"{number}.npy", array.getvalue()
    yield f"{number}.bin", bytes(range(number, number + 9))
    yield f"{number}.wav", material.audio_file(number, 40 + number)


def make_tar(folder: Path) -> None:
    folder.mkdir()
    half = SAMPLES // 2
    material.write_tar(folder / "a.tar", (member for number in range(half) for member in members(number)))
    material.write_tar(folder / "b.tar", (member for number in range(half, SAMPLES) for member in members(number)))


def make_class_folders(folder: Path) -> None:
    for number in range(SAMPLES):
        path = folder / ("cat" if number % 2 else "dog") / f"{number}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(image(number))


def make_store(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as source:
        make_tar(Path(source) / "tars")
        penstock.build(f"{source}/tars/*.tar", str(folder), progress=False)


def make_hdf5(folder: Path) -> None:
    folder.mkdir()
    with tempfile.TemporaryDirectory() as source:
        for number in range(SAMPLES):
            path = Path(source) / ("cat" if number % 2 else "dog") / f"{number}.wav"
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(material.audio_file(number, 600 + number, channels=1))
        audio.build(
            source,
            str(folder / "a.h5"),
            sample_rate=material.FRAMES_PER_SECOND,
            duration=0.125,
            long_segment=256,
            short_segment=128,
            n_fft=64,
            hop_length=32,
            n_mels=4,
            progress=False,
        )


MAKERS: dict[str, Callable[[Path], None]] = {
    "tar": make_tar,
    "class_folders": make_class_folders,
    "store": make_store,
    "hdf5": make_hdf5,
}


def main() -> None:
    for name in sys.argv[1:] or MAKERS:
        shutil.rmtree(FOLDER / name, ignore_errors=True)
        FOLDER.mkdir(exist_ok=True)
        MAKERS[name](FOLDER / name)


if __name__ == "__main__":
    main()
