"""Runs one library on one workload, inside that library's environment, and prints one JSON document.

    <environment>/bin/python measure.py verify|time WORKLOAD LIBRARY [options]

run.py starts it; by hand it is good for looking at one library.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import meters
from common import WORKLOADS, Data, Epoch, Settings

RESULT_MARK = "PENSTOCK-BENCH-RESULT "


@dataclass(frozen=True)
class Timing:
    """One round: rates over whole epochs, after the warm-up."""

    samples: int
    epochs: int
    seconds: float
    rate: float  # samples per second
    cpu_seconds_per_1000: float
    first_batch_seconds: float  # from the end of the imports to the first batch, building included
    peak_rss: int
    peak_pss: int
    peak_anon: int
    anon_after_imports: int
    threads: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("phase", choices=("verify", "time"))
    parser.add_argument("workload")
    parser.add_argument("library")
    parser.add_argument("--root", type=Path, default=Data.default_root(), help="prepared data")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=5.0, help="time whole epochs for at least this long")
    parser.add_argument("--epochs", type=int, default=2, help="and at least this many")
    parser.add_argument("--warmup", type=int, default=1, help="epochs before the timing starts")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    module = load(arguments.workload, arguments.library)
    settings = Settings(Data(arguments.root), arguments.workers, arguments.batch_size, arguments.seed)
    if arguments.phase == "verify":
        result = verify(module, settings)
    else:
        timing = timed(module, settings, arguments.warmup, arguments.epochs, arguments.seconds)
        result = asdict(timing) | {"notes": notes(module)}
    sys.stdout.flush()
    print(RESULT_MARK + json.dumps(result), flush=True)


def load(workload: str, library: str) -> ModuleType:
    """Imports workloads/<workload>/<library>.py under a name that cannot hide the library it is named after."""
    path = WORKLOADS / workload / f"{library}.py"
    spec = importlib.util.spec_from_file_location(f"{workload}_with_{library}", path)
    if spec is None or spec.loader is None or not path.exists():
        raise SystemExit(f"no workload file {path}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def notes(module: ModuleType) -> str:
    return " ".join((module.__doc__ or "").split())


def verify(module: ModuleType, settings: Settings) -> dict[str, Any]:
    import checks

    check: Callable[..., dict[str, float]] = getattr(checks, module.CHECK)
    try:
        found = check(module.build(settings)(0), settings.data, module.TOLERANCE)
    except checks.CheckError as error:
        return {"passed": False, "error": str(error), "reason": module.TOLERANCE.reason}
    return {"passed": True, "reason": module.TOLERANCE.reason, **found}


def timed(module: ModuleType, settings: Settings, warmup: int, epochs: int, seconds: float) -> Timing:
    consume: Callable[[Any], None] = read_bytes if module.CHECK == "stored_bytes" else hold
    count = int(settings.data.manifest()["count"])
    anon_after_imports = meters.memory().anon
    built = time.perf_counter()
    epoch: Epoch = module.build(settings)
    first_batch = 0.0
    number = 0
    for images, _ in epoch(number):
        first_batch = first_batch or time.perf_counter() - built
        consume(images)
    del images  # holding a batch of an epoch that is over would count as the library's memory
    for number in range(1, warmup):  # noqa: B007
        pass_over(epoch, number, consume)
    number += 1

    samples = done = 0
    cpu = meters.cpu_seconds()
    start = time.perf_counter()
    elapsed = 0.0
    while done < epochs or elapsed < seconds:
        samples += pass_over(epoch, number, consume)
        number += 1
        done += 1
        elapsed = time.perf_counter() - start
    cpu = meters.cpu_seconds() - cpu
    # A library that cannot cut its last batch short may run over by less than one batch; what it did is what counts.
    if not 0 <= samples - done * count < settings.batch_size:
        raise SystemExit(f"{samples} samples in {done} epochs of {count}")

    peak = meters.memory()
    threads = meters.threads()
    for images, _ in epoch(number):
        consume(images)
        peak = peak.largest(meters.memory())
    return Timing(
        samples=samples,
        epochs=done,
        seconds=elapsed,
        rate=samples / elapsed,
        cpu_seconds_per_1000=1000.0 * cpu / samples,
        first_batch_seconds=first_batch,
        peak_rss=peak.rss,
        peak_pss=peak.pss,
        peak_anon=peak.anon,
        anon_after_imports=anon_after_imports,
        threads=threads,
    )


def pass_over(epoch: Epoch, number: int, consume: Callable[[Any], None]) -> int:
    samples = 0
    for images, labels in epoch(number):
        consume(images)
        samples += len(labels)
    return samples


def hold(images: Any) -> None:
    """A training step would use the batch from here on; being handed it is what is timed."""
    del images


def read_bytes(pieces: Any) -> None:
    """Reads every byte that was delivered, eight at a time."""
    for piece in pieces:
        array = np.asarray(piece)
        whole = len(array) & ~7
        np.bitwise_xor.reduce(array[:whole].view(np.uint64))
        np.bitwise_xor.reduce(array[whole:])


if __name__ == "__main__":
    main()
