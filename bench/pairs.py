"""Two builds of penstock beside each other: is the newer one as fast as the older one?

    python bench/pairs.py OLD NEW [--workloads imagenet_train,raw_io] [--rounds 9] [--out FILE.json]

OLD and NEW are the Python interpreters of two environments in which penstock is installed. Every measurement is a
process of its own (measure.py of this repository, at real-time priority where that is allowed). A round measures both,
and who goes first alternates. What counts is the median of the rounds' ratios NEW / OLD.

The data are those of run.py (`--root`): run `python bench/make_data.py images` once; the store is made by OLD.
`audio_build` makes its own (`--recordings`). Before anything is timed, both must pass the workload's check; of
recordings they must build the same file to the byte.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
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
AUDIO = "audio_build"
FIGURES = ("rate", "cpu_seconds_per_1000", "first_batch_seconds", "peak_anon", "peak_rss")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path, help="Python of the older build's environment")
    parser.add_argument("new", type=Path, help="Python of the newer build's environment")
    parser.add_argument("--workloads", default=",".join(names_of_all()), help=f"some of {', '.join(names_of_all())}")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=3.0, help="timed seconds of one measurement, at least")
    parser.add_argument("--root", type=Path, default=Data.default_root(), help="prepared data")
    parser.add_argument("--recordings", type=int, default=3000, help="of audio_build")
    parser.add_argument("--out", type=Path, help="write the figures of all rounds here")
    arguments = parser.parse_args()
    names = arguments.workloads.split(",")
    if unknown := [name for name in names if name not in names_of_all()]:
        parser.error(f"unknown workload {', '.join(unknown)}; there are {', '.join(names_of_all())}")
    pythons = {"old": arguments.old, "new": arguments.new}
    with tempfile.TemporaryDirectory() as folder:
        results = {name: rounds_of(name, pythons, arguments, Path(folder)) for name in names}
    if arguments.out:
        document = {**circumstances(), "rounds": arguments.rounds, "workloads": results}
        arguments.out.write_text(json.dumps(document, indent=1) + "\n")
    return 0


def names_of_all() -> list[str]:
    return [*WORKLOADS, AUDIO]


def rounds_of(
    name: str, pythons: dict[str, Path], arguments: argparse.Namespace, folder: Path
) -> list[dict[str, dict[str, Any]]]:
    """Every round's figures; prints the median ratios and their spread."""
    measure = recordings_built if name == AUDIO else images_read
    check(name, pythons, arguments, folder)
    found = []
    for number in range(arguments.rounds):
        order = ("old", "new") if number % 2 == 0 else ("new", "old")
        found.append({which: measure(name, pythons[which], number, arguments, folder) for which in order})
    for figure in (figure for figure in FIGURES if figure in found[0]["old"]):
        ratios = sorted(pair["new"][figure] / pair["old"][figure] for pair in found)
        spread = f"{ratios[0]:.3f} to {ratios[-1]:.3f}"
        middle = {which: statistics.median(pair[which][figure] for pair in found) for which in pythons}
        text = f"{middle['old']:.6g} -> {middle['new']:.6g}"
        print(f"{name:22} {figure:22} {statistics.median(ratios):.3f} ({spread})   {text}", flush=True)
    return found


def check(name: str, pythons: dict[str, Path], arguments: argparse.Namespace, folder: Path) -> None:
    """Both give the right answer, or nothing is timed."""
    if name == AUDIO:
        make = [str(BENCH / "audio/paired_build.py"), "make", str(folder / "recordings"), str(arguments.recordings)]
        run([str(pythons["new"]), *make])
        answers = {which: recordings_built(name, pythons[which], 0, arguments, folder)["answer"] for which in pythons}
        if answers["old"] != answers["new"]:
            raise SystemExit(f"{name}: the two builds write different files")
        return
    workload, library = WORKLOADS[name]
    for which, python in pythons.items():
        options = ["verify", workload, library, "--root", str(arguments.root)]
        verified = marked(run([str(python), str(BENCH / "measure.py"), *options]))
        if not verified["passed"]:
            raise SystemExit(f"{name}: the {which} build gives wrong answers: {verified['error']}")


def images_read(name: str, python: Path, seed: int, arguments: argparse.Namespace, _folder: Path) -> dict[str, Any]:
    workload, library = WORKLOADS[name]
    options = ["--root", str(arguments.root), "--seconds", str(arguments.seconds), "--seed", str(seed)]
    return marked(run([*priority(), str(python), str(BENCH / "measure.py"), "time", workload, library, *options]))


def recordings_built(
    _name: str, python: Path, _seed: int, _arguments: argparse.Namespace, folder: Path
) -> dict[str, Any]:
    script = [str(BENCH / "audio/paired_build.py"), "build", str(folder / "recordings"), str(folder / "out.h5")]
    figures: dict[str, Any] = json.loads(run([*priority(), str(python), *script]))
    return figures


def run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} exited with {done.returncode}: {done.stderr.strip()[-600:]}")
    return done.stdout


def marked(output: str) -> dict[str, Any]:
    """The result in what measure.py printed."""
    line = [line for line in output.splitlines() if line.startswith(RESULT_MARK)][-1]
    result: dict[str, Any] = json.loads(line.removeprefix(RESULT_MARK))
    return result


def priority() -> list[str]:
    return ["chrt", "-r", "5"] if shutil.which("chrt") and can_be_real_time() else []


def can_be_real_time() -> bool:
    return subprocess.run(["chrt", "-r", "5", "true"], capture_output=True, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
