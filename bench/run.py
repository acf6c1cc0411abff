"""Measures penstock and its rivals: installs each in its own environment, checks its answers, then times it.

    python3 bench/run.py                                  everything, as `make bench` does
    python3 bench/run.py --quick                          one short round of each, to see that it all works
    python3 bench/run.py --workloads imagenet_train --libraries penstock,pytorch --rounds 3

Every measurement is a process of its own. Rounds are interleaved: each library once, then each once more, so that a
slow minute of the machine hits all of them. A library whose answers are wrong gets no time. Standard library only.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import environments
import report
from circumstances import circumstances
from common import BENCH, MAX_IMAGES, REPOSITORY, RESULTS, WORKLOADS, Data
from suite import IMAGE_LIBRARIES, OURS, SUITE, Workload

RESULT_MARK = "PENSTOCK-BENCH-RESULT "  # as in measure.py, which cannot be imported here: it needs numpy
PROCESS_TIMEOUT_SECONDS = 900
WALL_CLOCK = ("/real_time", "/manual_time")  # how Google Benchmark marks benchmarks that are timed by the wall clock
MICRO = "micro"  # the component benchmarks of bench/micro, beside the workloads


@dataclass
class Session:
    """One run: its settings, what was verified, and everything that went wrong."""

    data: Data
    rounds: int
    epochs: int
    seconds: float
    warmup: int
    verified: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    failures: list[dict[str, str]] = field(default_factory=list)

    def fail(self, library: str, stage: str, message: str) -> None:
        self.failures.append({"library": library, "stage": stage, "message": message})
        print(f"\n*** {library}: {stage} FAILED: {message}\n", file=sys.stderr, flush=True)


class RunError(Exception):
    """A measuring process ended without a result."""


def main() -> int:
    arguments = parse()
    session = Session(
        Data(arguments.root.resolve()), arguments.rounds, arguments.epochs, arguments.seconds, arguments.warmup
    )
    ready = install(session, arguments.libraries)
    prepare_data(session, arguments.data, arguments.max_images, ready)
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name in arguments.workloads:
        before = len(session.failures)
        result = run_micro(session) if name == MICRO else run_workload(session, name, SUITE[name], ready)
        result["failures"] = [f for f in session.failures if f["stage"] == "install"] + session.failures[before:]
        path = arguments.out / f"{name}.json"
        path.write_text(json.dumps(result, indent=1) + "\n")
        print(f"wrote {path}", flush=True)
    for path in report.write(arguments.out):
        print(f"wrote {path}")
    for failure in session.failures:
        print(f"*** {failure['library']}: {failure['stage']} FAILED: {failure['message']}", file=sys.stderr)
    return 1 if session.failures else 0


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    known = [*SUITE, MICRO]
    parser.add_argument("--workloads", type=names(known), default=known, help="some of: " + ", ".join(known))
    parser.add_argument(
        "--libraries",
        type=names(IMAGE_LIBRARIES),
        default=list(IMAGE_LIBRARIES),
        help="some of: " + ", ".join(IMAGE_LIBRARIES),
    )
    parser.add_argument("--rounds", type=int, default=5, help="interleaved rounds (default 5)")
    parser.add_argument("--epochs", type=int, default=2, help="timed epochs per round, at least (default 2)")
    parser.add_argument("--seconds", type=float, default=5.0, help="timed seconds per round, at least (default 5)")
    parser.add_argument("--warmup", type=int, default=1, help="epochs before the timing (default 1)")
    parser.add_argument("--quick", action="store_true", help="one round of one epoch; results go to bench/.quick")
    parser.add_argument("--data", type=Path, default=None, help="folder of WebDataset tars to use instead")
    parser.add_argument("--max-images", type=int, default=MAX_IMAGES, help="take no more of them (default %(default)s)")
    parser.add_argument("--root", type=Path, default=Data.default_root(), help="cache of the prepared data")
    parser.add_argument("--out", type=Path, default=None, help="folder of the results (default bench/results)")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.rounds, arguments.epochs, arguments.seconds = 1, 1, 0.0
    arguments.out = arguments.out or (BENCH / ".quick" if arguments.quick else RESULTS)
    return arguments


def names(known: Collection[str]) -> Callable[[str], list[str]]:
    def split(text: str) -> list[str]:
        chosen = text.split(",")
        unknown = [name for name in chosen if name not in known]
        if unknown:
            raise argparse.ArgumentTypeError(f"unknown: {', '.join(unknown)}; there are {', '.join(known)}")
        return chosen

    return split


def install(session: Session, libraries: list[str]) -> list[str]:
    """Makes the environments; those that cannot be made are reported and left out."""
    print(f"environments in {environments.root()}", flush=True)
    try:
        environments.ensure("tools")
    except environments.InstallError as error:
        raise SystemExit(f"nothing can be measured without the reference images: {error}") from error
    ready = []
    for library in libraries:
        try:
            environments.ensure(library)
        except environments.InstallError as error:
            session.fail(library, "install", str(error))
            continue
        ready.append(library)
        versions = ", ".join(f"{name} {version}" for name, version in environments.versions(library).items())
        print(f"  {library}: {versions}", flush=True)
    return ready


def prepare_data(session: Session, given: Path | None, max_images: int, ready: list[str]) -> None:
    script = str(BENCH / "make_data.py")
    where = ["--root", str(session.data.root)]
    images = [*where, "--max-images", str(max_images), *(["--data", str(given)] if given else [])]
    subprocess.run([str(environments.python("tools")), script, "images", *images], check=True)
    for library, step in (("ffcv", "beton"), ("turboloader", "tbl"), ("penstock", "stores")):
        if library in ready:
            subprocess.run([str(environments.python(library)), script, step, *where], check=True)


def run_workload(session: Session, name: str, workload: Workload, ready: list[str]) -> dict[str, Any]:
    print(f"\n{name}: {workload.title}", flush=True)
    chosen = [library for library in workload.libraries if environments.home(library) in ready]
    for library, why in workload.cannot.items():
        if library in chosen:
            chosen.remove(library)
            print(f"  {library}: not measured, {why}", flush=True)
    passing = [library for library in chosen if verified(session, workload, library)]
    rounds: dict[str, list[dict[str, Any]]] = {library: [] for library in passing}
    for number in range(session.rounds):
        turn = number % max(len(passing), 1)
        for workers in workload.workers:
            for library in passing[turn:] + passing[:turn]:
                timing = timed(session, workload, library, workers, number)
                if timing is not None:
                    rounds[library].append(timing)
    return {
        "workload": name,
        "title": workload.title,
        "ours": workload.ours,
        **circumstances(),
        "data": {key: value for key, value in session.data.manifest().items() if key != "identity"},
        "settings": {
            "batch_size": workload.batch_size,
            "workers": list(workload.workers),
            "rounds": session.rounds,
            "warmup_epochs": session.warmup,
            "timed_epochs_at_least": session.epochs,
            "timed_seconds_at_least": session.seconds,
        },
        "cannot": workload.cannot,
        "libraries": {
            library: {
                "versions": environments.versions(environments.home(library)),
                "verification": session.verified[workload.vouched_by or workload.files, library],
                "rounds": rounds[library],
                "summary": {str(w): summary(at_workers(rounds[library], w)) for w in workload.workers},
            }
            for library in passing
        },
    }


def verified(session: Session, workload: Workload, library: str) -> bool:
    """Whether all checks passed that stand between this library and a time."""
    passed = True
    for files in filter(None, (workload.vouched_by, workload.files)):
        if (files, library) not in session.verified:
            command = ["verify", files, library, "--workers", "2", "--batch-size", str(workload.batch_size)]
            try:
                found = measure(session, library, command)
            except RunError as error:
                found = {"passed": False, "error": str(error)}
            session.verified[files, library] = found
            if found["passed"]:
                print(f"  {library}: {files} verified {differences(found)}", flush=True)
            else:
                session.fail(library, f"verification of {files}", found["error"])
        passed = passed and session.verified[files, library]["passed"]
    return passed


def differences(found: dict[str, Any]) -> str:
    if "mean_difference_levels" not in found:
        return f"({found['samples']} samples)"
    return f"({found['samples']} samples, {found['mean_difference_levels']:.3f} levels from Pillow on average)"


def timed(session: Session, workload: Workload, library: str, workers: int, number: int) -> dict[str, Any] | None:
    command = ["time", workload.files, library, "--workers", str(workers), "--batch-size", str(workload.batch_size)]
    command += ["--epochs", str(session.epochs), "--seconds", str(session.seconds), "--warmup", str(session.warmup)]
    try:
        timing = measure(session, library, [*command, "--seed", str(number)], workers)
    except RunError as error:
        session.fail(library, f"round {number + 1} of {workload.files} at {workers} workers", str(error))
        return None
    print(
        f"  round {number + 1}, {workers} workers, {library:12} {timing['rate']:10.0f} images/s"
        f"   {timing['cpu_seconds_per_1000']:6.2f} CPU-s per 1000   first batch {timing['first_batch_seconds']:.2f} s",
        flush=True,
    )
    return {"round": number, "workers": workers, **timing}


def measure(session: Session, library: str, arguments: list[str], workers: int = 2) -> dict[str, Any]:
    """Runs measure.py in the library's environment and returns what it printed."""
    script = [str(environments.python(environments.home(library))), str(BENCH / "measure.py")]
    command = [*script, *arguments, "--root", str(session.data.root)]
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    surroundings = kept | {"TF_CPP_MIN_LOG_LEVEL": "2", "PYTHONDONTWRITEBYTECODE": "1"}
    # numba, which runs FFCV's workers, refuses more threads than cores unless it is told.
    surroundings["NUMBA_NUM_THREADS"] = str(max(workers, len(os.sched_getaffinity(0))))
    try:
        done = subprocess.run(
            command, env=surroundings, capture_output=True, text=True, timeout=PROCESS_TIMEOUT_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise RunError(f"no answer in {PROCESS_TIMEOUT_SECONDS} s: {' '.join(command)}") from error
    marked = [line for line in done.stdout.splitlines() if line.startswith(RESULT_MARK)]
    if done.returncode != 0 or not marked:
        tail = " | ".join((done.stderr.strip() or done.stdout.strip()).splitlines()[-4:])
        raise RunError(f"exit {done.returncode}: {tail}; by hand: {' '.join(command)}")
    result: dict[str, Any] = json.loads(marked[-1].removeprefix(RESULT_MARK))
    return result


def at_workers(rounds: list[dict[str, Any]], workers: int) -> list[dict[str, Any]]:
    return [timing for timing in rounds if timing["workers"] == workers]


def summary(rounds: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Median and spread of every figure over the rounds."""
    if not rounds:
        return {}
    known = ("round", "workers")
    figures = [key for key, value in rounds[0].items() if isinstance(value, float | int) and key not in known]
    return {
        key: {
            "median": statistics.median(r[key] for r in rounds),
            "min": min(r[key] for r in rounds),
            "max": max(r[key] for r in rounds),
        }
        for key in figures
    }


def run_micro(session: Session) -> dict[str, Any]:
    """Builds bench/micro and runs it, repeated and in random order; what fails is reported."""
    print("\nmicro: component benchmarks", flush=True)
    build = environments.root() / "micro-build"
    tars = Path(session.data.tars[0]).parent
    configure = ["cmake", "-S", str(REPOSITORY), "-B", str(build), "-DCMAKE_BUILD_TYPE=Release"]
    binary = build / "bench" / "micro" / "penstock_micro"
    least = 0.5 if session.seconds else 0.05
    options = ["--benchmark_format=json", f"--benchmark_repetitions={session.rounds}", f"--benchmark_min_time={least}"]
    steps = [
        [*configure, "-DPENSTOCK_BUILD_BENCH=ON", "-DPENSTOCK_BUILD_TESTS=OFF"],
        ["cmake", "--build", str(build), "--target", "penstock_micro", "--parallel"],
        [str(binary), *options, "--benchmark_enable_random_interleaving=true"],
    ]
    benchmarks: list[dict[str, Any]] = []
    for step in steps:
        try:
            done = subprocess.run(
                step, env=os.environ | {"PENSTOCK_BENCH_TARS": str(tars)}, capture_output=True, text=True, check=False
            )
        except FileNotFoundError as error:
            session.fail(OURS, MICRO, str(error))
            break
        if done.returncode != 0:
            session.fail(OURS, MICRO, f"{' '.join(step)}: {(done.stderr or done.stdout).strip()[-600:]}")
            break
        if step[0] == str(binary):
            benchmarks = json.loads(done.stdout)["benchmarks"]
    for run in benchmarks:
        if run.get("error_occurred"):
            session.fail(OURS, MICRO, f"{run['name']}: {run['error_message']}")
    return {"workload": MICRO, **circumstances(), "repetitions": session.rounds, "groups": micro_groups(benchmarks)}


def micro_groups(benchmarks: list[dict[str, Any]]) -> dict[str, dict[str, dict[str, float]]]:
    """Nanoseconds per operation, by component and variant, from names like R252_queue_push/before_mutex."""
    units = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
    times: dict[tuple[str, str], list[float]] = {}
    for run in benchmarks:
        if run["run_type"] == "iteration" and not run.get("error_occurred"):
            group, variant = run["name"].split("/")[:2]
            clock = "real_time" if run["name"].endswith(WALL_CLOCK) or "threads:" in run["name"] else "cpu_time"
            per_item = "items_per_second" in run
            taken = 1e9 / run["items_per_second"] if per_item else run[clock] * units[run["time_unit"]]
            times.setdefault((group, variant), []).append(taken)
    groups: dict[str, dict[str, dict[str, float]]] = {}
    for (group, variant), taken_times in sorted(times.items()):
        figure = {"median": statistics.median(taken_times), "min": min(taken_times), "max": max(taken_times)}
        groups.setdefault(group, {})[variant] = figure
    return groups


def check_files() -> None:
    """Every library of every workload has its file, so that nothing is left out unseen."""
    missing = [
        f"workloads/{workload.files}/{library}.py"
        for workload in SUITE.values()
        for library in workload.libraries
        if library not in workload.cannot and not (WORKLOADS / workload.files / f"{library}.py").exists()
    ]
    if missing:
        raise SystemExit(f"missing: {', '.join(sorted(set(missing)))}")


if __name__ == "__main__":
    check_files()
    sys.exit(main())
