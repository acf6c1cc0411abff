"""The times of lists inside of a worker: bench/micro/transforms_engine.cpp, built and asked."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from common import REPOSITORY
from penstock import transforms

TARGET = "penstock_transforms_engine"


def built(folder: Path) -> Path:
    """The program, compiled as packages are."""
    configure = ["cmake", "-S", str(REPOSITORY), "-B", str(folder), "-DCMAKE_BUILD_TYPE=Release"]
    subprocess.run([*configure, "-DPENSTOCK_BUILD_BENCH=ON", "-DPENSTOCK_BUILD_TESTS=OFF"], check=True)
    subprocess.run(["cmake", "--build", str(folder), "--target", TARGET, "--parallel"], check=True)
    return folder / "bench" / "micro" / TARGET


class Engine:
    """A running program. It waits where this process works, and this process where it works."""

    def __init__(self, program: Path, folder: Path) -> None:
        self._folder = folder
        self._process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def nanoseconds(self, listed: Sequence[transforms.Transform], image: Path, calls: int, out: str = "-") -> int:
        """Of that many calls. `image` is an image file, from which rows are made as training takes them, channels
        first; or it has the suffix .<width>x<height>.rgb, and channels come last as they do in the file."""
        assert self._process.stdin is not None and self._process.stdout is not None
        width, height, memory_format = 0, 0, "channels_first"
        if image.suffix == ".rgb":
            width, height = (int(side) for side in image.suffixes[-2].removeprefix(".").split("x"))
            memory_format = "channels_last"
        fields = [calls, width, height, memory_format, image, out, transforms.to_json(listed)]
        self._process.stdin.write("\t".join(str(field) for field in fields) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline().strip()
        if not answer.isdigit():
            raise RuntimeError(answer or f"the engine ended with {self._process.wait()}")
        return int(answer)

    def result(self, listed: Sequence[transforms.Transform], image: Path) -> npt.NDArray[np.uint8]:
        """The bytes of the first row, as they lie in memory."""
        out = self._folder / "row.bin"
        self.nanoseconds(listed, image, 1, str(out))
        return np.fromfile(out, np.uint8)

    def close(self) -> None:
        self._process.communicate()
