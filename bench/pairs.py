"""Two builds of penstock beside each other: is the newer one as fast as the older one?

    python bench/pairs.py OLD NEW [--workloads imagenet_train,raw_io] [--rounds 9] [--out FILE.json]

OLD and NEW are the Python interpreters of two environments in which penstock is installed. Every measurement is a
process of its own (measure.py of this repository, at real-time priority where that is allowed). A round measures both,
and who goes first alternates. What counts is the median of the rounds' ratios NEW / OLD.

The data are those of run.py (`--root`): run `python bench/make_data.py images` once; the store is made by OLD.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from circumstances import circumstances
from common import BENCH, Data
from measure import RESULT_MARK

# Name here -> (workload, library file).
WORKLOADS = {
    "imagenet_train": ("imagenet_train", "penstock"),
    "imagenet_train_store": ("imagenet_train", "penstock_store"),
    "imagenet_val": ("imagenet_val", "penstock"),
    "decode_only": ("decode_only", "penstock"),
    "raw_io": ("raw_io", "penstock"),
}
FIGURES = ("rate", "cpu_seconds_per_1000", "first_batch_seconds", "peak_anon")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path, help="Python of the older build's environment")
    parser.add_argument("new", type=Path, help="Python of the newer build's environment")
    parser.add_argument("--workloads", default=",".join(WORKLOADS), help=f"some of {', '.join(WORKLOADS)}")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=3.0, help="timed seconds of one measurement, at least")
    parser.add_argument("--root", type=Path, default=Data.default_root(), help="prepared data")
    parser.add_argument("--out", type=Path, help="write the figures of all rounds here")
    arguments = parser.parse_args()
    names = arguments.workloads.split(",")
    if unknown := [name for name in names if name not in WORKLOADS]:
        parser.error(f"unknown workload {', '.join(unknown)}; there are {', '.join(WORKLOADS)}")
    pythons = {"old": arguments.old, "new": arguments.new}
    results = {name: rounds_of(name, pythons, arguments) for name in names}
    if arguments.out:
        document = {**circumstances(), "rounds": arguments.rounds, "workloads": results}
        arguments.out.write_text(json.dumps(document, indent=1) + "\n")
    return 0


def rounds_of(name: str, pythons: dict[str, Path], arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Every round's figures; prints the median ratios and their spread."""
    found = []
    for number in range(arguments.rounds):
        order = ("old", "new") if number % 2 == 0 else ("new", "old")
        found.append({which: measured(name, pythons[which], number, arguments) for which in order})
    for figure in FIGURES:
        ratios = sorted(pair["new"][figure] / pair["old"][figure] for pair in found)
        spread = f"{ratios[0]:.3f} to {ratios[-1]:.3f}"
        middle = {which: statistics.median(pair[which][figure] for pair in found) for which in pythons}
        text = f"{middle['old']:.6g} -> {middle['new']:.6g}"
        print(f"{name:22} {figure:22} {statistics.median(ratios):.3f} ({spread})   {text}", flush=True)
    return found


def measured(name: str, python: Path, seed: int, arguments: argparse.Namespace) -> dict[str, Any]:
    workload, library = WORKLOADS[name]
    priority = ["chrt", "-r", "5"] if shutil.which("chrt") and can_be_real_time() else []
    command = [*priority, str(python), str(BENCH / "measure.py"), "time", workload, library]
    options = ["--root", str(arguments.root), "--seconds", str(arguments.seconds), "--seed", str(seed)]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    marked = [line for line in done.stdout.splitlines() if line.startswith(RESULT_MARK)]
    if done.returncode != 0 or not marked:
        raise SystemExit(f"{' '.join(command)} exited with {done.returncode}: {done.stderr.strip()[-600:]}")
    result: dict[str, Any] = json.loads(marked[-1].removeprefix(RESULT_MARK))
    return result


def can_be_real_time() -> bool:
    return subprocess.run(["chrt", "-r", "5", "true"], capture_output=True, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
