"""What a helper process for collate_fn saves: steps per second with it and without, by training steps of two kinds.

    python bench/collate_helper.py [--rounds 3] [--steps 80]

collate_fn takes a while of Python code; the step holds the GIL (Python code) or releases it (a wait, as for a GPU).
Both places are timed in turn, on the same batches, after the warm-up in which the helper starts.
"""

from __future__ import annotations

import argparse
import io
import statistics
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import penstock

SAMPLES = 256
BATCH = 16


def busy(seconds: float) -> None:
    """Python code that holds the GIL for so much of this thread's time."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def collate_5(samples: list[dict[str, Any]]) -> int:
    busy(0.005)
    return len(samples)


def collate_20(samples: list[dict[str, Any]]) -> int:
    busy(0.020)
    return len(samples)


COLLATES: list[Callable[[list[dict[str, Any]]], int]] = [collate_5, collate_20]
STEPS: dict[str, Callable[[float], None]] = {"holds the GIL": busy, "releases it": time.sleep}


def write_pictures(path: Path) -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (48, 48, 3), dtype=np.uint8)
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, "JPEG")
    with tarfile.open(path, "w") as archive:
        for number in range(SAMPLES):
            member = tarfile.TarInfo(f"{number:04d}.jpg")
            member.size = len(stream.getvalue())
            archive.addfile(member, io.BytesIO(stream.getvalue()))


def batches(loader: penstock.Loader) -> Iterator[Any]:
    while True:
        yield from loader


def steps_per_second(endless: Iterator[Any], step: Callable[[float], None], steps: int) -> float:
    start = time.perf_counter()
    for _ in range(steps):
        next(endless)
        step(0.020)
    return steps / (time.perf_counter() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description="What a helper process for collate_fn saves.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=80)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "pictures.tar"
        write_pictures(source)
        for collate in COLLATES:
            crop = [penstock.transforms.CenterCrop(32)]
            common: dict[str, Any] = {"batch_size": BATCH, "num_workers": 1, "transforms": crop, "output": "numpy"}
            # A lambda cannot be sent: the same function, and it stays here.
            here = penstock.Loader(source, collate_fn=lambda samples, call=collate: call(samples), **common)
            there = penstock.Loader(source, collate_fn=collate, **common)
            sources = {"here": batches(here), "by the plan": batches(there)}
            for endless in sources.values():
                steps_per_second(endless, time.sleep, 1 + int(2.0 / 0.020))
            for kind, step in STEPS.items():
                rates: dict[str, list[float]] = {place: [] for place in sources}
                for _ in range(options.rounds):
                    for place, endless in sources.items():
                        rates[place].append(steps_per_second(endless, step, options.steps))
                told = ", ".join(f"{place} {statistics.median(rate):.1f}" for place, rate in rates.items())
                runs_in = there.stats()["collate"]["runs_in"]
                print(f"{collate.__name__}, step {kind}: steps/s {told} ({runs_in})", flush=True)
            here.close()
            there.close()


if __name__ == "__main__":
    main()
