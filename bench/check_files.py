"""What check_files costs, and the checksums of a store's first epoch: CPU time and instructions per image.

    python bench/check_files.py [--data ../shared/data/imagenet-sample/*.tar] [--rounds 9]

Images go through penstock.presets.imagenet_train(224) in the caller's thread. Variants take turns in every round, on
the same crops. Instructions are counted by callgrind, where valgrind is installed, as the difference of runs with one
epoch more. Writes results/check_files.json and .md.
"""

from __future__ import annotations

import argparse
import glob
import json
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import penstock
from circumstances import circumstances
from common import REPOSITORY, RESULTS

DATA = str(REPOSITORY.parent / "shared/data/imagenet-sample/*.tar")
COUNTED = 200


def read_epoch(data: penstock.Dataset, images: int, check_files: bool) -> None:
    """The same crops each time, by a new loader."""
    loader = penstock.Loader(
        data,
        batch_size=20,
        num_workers=0,
        prefetch=0,
        sampler=penstock.samplers.Indices(range(images)),
        transforms=penstock.presets.imagenet_train(224),
        output="numpy",
        check_files=check_files,
    )
    for _ in loader:
        pass


def read_epochs(source: list[str] | str, check_files: bool, epochs: int) -> None:
    data = penstock.Dataset(source)
    for _ in range(epochs):
        read_epoch(data, COUNTED, check_files)


def cpu_seconds(data: penstock.Dataset, check_files: bool) -> float:
    """Per image."""
    start = time.process_time()
    read_epoch(data, len(data), check_files)
    return (time.process_time() - start) / len(data)


def instructions(source: list[str] | str, check_files: bool) -> list[float] | None:
    """Per image, of the first and of the second epoch, by callgrind."""
    if shutil.which("valgrind") is None:
        return None
    totals = []
    for epochs in range(3):
        program = f"import check_files; check_files.read_epochs({source!r}, {check_files}, {epochs})"
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", sys.executable, "-c", program]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parent)
        totals.append(int(re.findall(r"Collected : (\d+)", done.stderr)[0]))
    return [(after - before) / COUNTED for before, after in zip(totals, totals[1:], strict=False)]


def measure(source: list[str], rounds: int) -> dict[str, Any]:
    data = penstock.Dataset(source)
    read_epoch(data, len(data), False)
    times: dict[str, list[float]] = {"off": [], "on": []}
    for turn in range(rounds):
        for name in ("off", "on") if turn % 2 == 0 else ("on", "off"):
            times[name].append(cpu_seconds(data, name == "on"))
    return {
        "images": len(data),
        "cpu_seconds_per_image": {name: statistics.median(seconds) for name, seconds in times.items()},
        "cpu_ratio": statistics.median(on / off for off, on in zip(times["off"], times["on"], strict=True)),
        "instructions_per_image": {name: instructions(source, name == "on") for name in times},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=DATA)
    parser.add_argument("--rounds", type=int, default=9)
    settings = parser.parse_args()
    source = sorted(glob.glob(settings.data))  # noqa: PTH207 (an absolute pattern)
    result = {"rounds": settings.rounds, "tars": measure(source, settings.rounds)}
    with tempfile.TemporaryDirectory() as folder:
        store = f"{folder}/images.store"
        penstock.build(source, store, progress=False)
        result["store_epochs"] = instructions(store, False)
    result = {**circumstances(), **result}
    (RESULTS / "check_files.json").write_text(json.dumps(result, indent=1) + "\n")
    (RESULTS / "check_files.md").write_text(table(result))


def table(result: dict[str, Any]) -> str:
    tars, epochs = result["tars"], result["store_epochs"]
    seconds, counted = tars["cpu_seconds_per_image"], tars["instructions_per_image"]
    second = {name: epochs_of and epochs_of[1] for name, epochs_of in counted.items()}
    first_of_store, second_of_store = epochs or (None, None)
    machine = result["machine"]
    lines = [
        "<!-- written by bench/check_files.py -->",
        "# What checking costs",
        "",
        f"{tars['images']} images through imagenet_train(224) in the caller's thread, median of {result['rounds']} "
        f"interleaved rounds; instructions of {COUNTED} of them, by callgrind. {machine['cpu']}, "
        f"load {machine['load_average']:.1f}, {result['when']}.",
        "",
        "| tars | CPU ms per image | instructions per image |",
        "|---|--:|--:|",
        *(f"| check_files={name == 'on'} | {seconds[name] * 1e3:.2f} | {millions(second[name])} |" for name in seconds),
        f"| ratio | {tars['cpu_ratio']:.3f} | {ratio(second['on'], second['off'])} |",
        "",
        "| repacked store | instructions per image |",
        "|---|--:|",
        f"| first epoch, which compares each record with its checksum | {millions(first_of_store)} |",
        f"| second epoch, of the same crops | {millions(second_of_store)} |",
        f"| ratio | {ratio(first_of_store, second_of_store)} |",
        "",
    ]
    return "\n".join(lines)


def millions(count: float | None) -> str:
    return "-" if count is None else f"{count / 1e6:.3f} M"


def ratio(a: float | None, b: float | None) -> str:
    return "-" if a is None or b is None else f"{a / b:.3f}"


if __name__ == "__main__":
    main()
