"""Runs the test suites of the repository: all of them, or those named on the command line.

    python tools/run_suites.py [suite ...]

Each suite's output is in build/logs/<suite>.log. Exits 1 when anything failed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path

from suite_runner import (
    ROOT,
    CommandFailedError,
    Counts,
    Log,
    counted,
    junit_counts,
    one,
    run_suite,
    summarise,
)

PYTHON = sys.executable
BUILD = ROOT / "build"
FUZZ_SECONDS = 10  # per target; long runs are made by hand
SOAK_SECONDS = 60  # under ThreadSanitizer; tests/soak/soak.py is made for longer ones
# Each example with the arguments that make it a matter of seconds.
EXAMPLES = {
    "simple_training.py": ["--smoke"],
    "pytorch_replacement.py": [],
    "compare_loaders.py": ["--size", "64", "--rounds", "1"],
    "imagenet_resnet.py": ["--smoke"],
    "audio_digits.py": ["--smoke"],
    "simclr.py": ["--smoke"],
    "augmented_training.py": ["--smoke"],
    "replay_batch.py": [],
}


def tracked(*patterns: str) -> list[str]:
    listing = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, check=True, capture_output=True, text=True)
    return [line for line in listing.stdout.splitlines() if (ROOT / line).exists()]


# --- layout, lint, tools -------------------------------------------------------------------------------------------


def layout(log: Log) -> Counts:
    return counted(log, "check_layout.py", [PYTHON, "tests/check_layout.py"])


def lint(log: Log) -> Counts:
    ours = ["tools", "demo", "examples", "tests/check_layout.py"]
    counts = one(log, "ruff", ["ruff", "check", "--no-cache", "."])
    counts.add(one(log, "mypy of the package", ["mypy"]))
    counts.add(one(log, "mypy of tools, demo and examples", ["mypy", *ours]))
    counts.add(one(log, "mypy of right and wrong uses", ["mypy", "tests/typing/uses.py"]))
    counts.add(one(log, "clang-format", ["clang-format", "--dry-run", "-Werror", *tracked("*.cpp", "*.hpp")]))
    counts.add(one(log, "gen_notebooks.py", [PYTHON, "tools/gen_notebooks.py", "--check"]))
    for script in [*tracked("*.sh"), ".ci/run"]:
        counts.add(one(log, f"bash -n {script}", ["bash", "-n", script]))
    return counts


def pytest(log: Log, *paths: str) -> Counts:
    report = BUILD / "logs" / f"{log.path.stem}.xml"
    report.unlink(missing_ok=True)
    code = log.run([PYTHON, "-m", "pytest", "-q", f"--junitxml={report}", *paths])
    if not report.exists():
        raise CommandFailedError(f"pytest exited with {code} before it wrote a report")
    counts = junit_counts(report)
    if code not in (0, 1):
        counts.add(Counts(failed=1, notes=[f"pytest exited with {code}"]))
    return counts


def tools(log: Log) -> Counts:
    """The scripts that others rely on: set-up, suites, layout, documentation, and the benchmarks' checks."""
    return pytest(log, "tests/tools", "bench/checks_test.py", "bench/make_data_test.py")


# --- C++ -----------------------------------------------------------------------------------------------------------


def build(
    log: Log, preset: str, targets: Sequence[str] = (), options: Sequence[str] = (), prefix: Sequence[str] = ()
) -> Path:
    log.check([*prefix, "cmake", "--preset", preset, "-DPENSTOCK_UNITY_TESTS=ON", *options])
    command = [*prefix, "cmake", "--build", "--preset", preset, *(["--target", *targets] if targets else [])]
    log.check(command, timeout=2400, env={"CCACHE_NOHASHDIR": "1"})  # objects may come from any build folder
    return BUILD / preset


class BuildAhead:
    """The build of a preset beside suites that leave cores idle, at the lowest priority."""

    def __init__(self, preset: str) -> None:
        self.preset = preset
        self._pool = ThreadPoolExecutor(1)
        self._built: Future[Path] | None = None

    def start(self) -> None:
        log = Log(f"{self.preset}-build")
        self._built = self._pool.submit(build, log, self.preset, prefix=["nice", "-n", "19"])

    def finish(self, log: Log) -> Path:
        """Waits for it, if it was started. What went wrong shows when it is built again."""
        if self._built is not None:
            wait([self._built])
        return build(log, self.preset)


ASAN = BuildAhead("asan")


def ctest_commands(folder: Path) -> dict[str, list[str]]:
    """The test programs that CMake knows in a build folder."""
    listing = subprocess.run(
        ["ctest", "--test-dir", str(folder), "--show-only=json-v1"], check=True, capture_output=True, text=True
    )
    return {test["name"]: test["command"] for test in json.loads(listing.stdout)["tests"] if "command" in test}


def cpp_test(log: Log, name: str, command: Sequence[str], report: Path, env: Mapping[str, str]) -> Counts:
    """Runs one test program; googletest's own report gives the counts."""
    report.unlink(missing_ok=True)
    code = log.run(command, env={**env, "GTEST_OUTPUT": f"xml:{report}"})
    found = junit_counts(report) if report.exists() else Counts(passed=int(code == 0))
    if code != 0 and found.failed == 0:
        found.add(Counts(failed=1, notes=[f"{name} exited with {code}"]))
    log.note(f"{name}: {found}")
    return found


def cpp_tests(
    log: Log,
    folder: Path,
    names: Sequence[str] = (),
    prefix: Sequence[str] = (),
    env: Callable[[str], Mapping[str, str]] = lambda _: {},
) -> Counts:
    """Runs the test programs of a build folder, as many at once as there are cores, each with a log of its own."""
    commands = ctest_commands(folder)
    wanted = names or list(commands)
    logs = {name: Log(f"{log.path.stem}-{name}") for name in wanted if name in commands}

    def run(name: str) -> Counts:
        if name not in commands:
            return Counts(failed=1, notes=[f"no test program {name} in {folder.relative_to(ROOT)}"])
        report = folder / f"{log.path.stem}-{name}.xml"
        return cpp_test(logs[name], name, [*prefix, *commands[name]], report, env(name))

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        # Programs of the last folders take longest.
        found = dict(zip(reversed(wanted), pool.map(run, reversed(wanted)), strict=True))
    counts = Counts()
    for name in sorted(wanted, key=lambda name: found[name].failed > 0):  # failures at the end, where they are shown
        counts.add(found[name])
        if name in logs:
            log.note(logs[name].text())
    return counts


def cpp(log: Log) -> Counts:
    # The micro-benchmarks are compiled too, so that they keep up with what they measure; `make bench` runs them.
    return cpp_tests(log, build(log, "dev", options=["-DPENSTOCK_BUILD_BENCH=ON"]))


def asan(log: Log) -> Counts:
    options = {"ASAN_OPTIONS": "detect_leaks=1:strict_string_checks=1", "UBSAN_OPTIONS": "print_stacktrace=1"}
    return cpp_tests(log, ASAN.finish(log), env=lambda _: options)


def tsan(log: Log) -> Counts:
    # Kernels that randomise more address bits than gcc 12's ThreadSanitizer expects stop it at start.
    fixed_addresses = ["setarch", "-R"] if shutil.which("setarch") and log.run(["setarch", "-R", "true"]) == 0 else []
    names = ["core", "pipeline", "soak"]
    folder = build(log, "tsan", [f"penstock_{name}_tests" for name in names])
    return cpp_tests(log, folder, names, fixed_addresses, lambda _: {"PENSTOCK_SOAK_SECONDS": str(SOAK_SECONDS)})


def valgrind(log: Log) -> Counts:
    memcheck = [
        "valgrind",
        "--quiet",
        "--error-exitcode=99",
        "--leak-check=full",
        "--errors-for-leak-kinds=definite",
        "--fair-sched=yes",
        # A handler of SIGBUS returns to the instruction that failed: its registers must be right.
        "--vex-iropt-register-updates=allregs-at-mem-access",
    ]
    surroundings = {
        # Vector kernels, ours and libjpeg's, work on bytes past the end of a row, which memcheck counts as using them;
        # and tests of speed and reuse mean nothing at a fraction of the speed. valgrind has an operator new of its own,
        # so no test can make that fail.
        "pipeline": {
            "PENSTOCK_TARGET": "scalar",
            "JSIMD_FORCENONE": "1",
            "GTEST_FILTER": "-Loader.stats_*:Loader.idle_*:Loader.steady_*:Loader.a_worker_without_memory_*",
        },
        "formats": {"GTEST_FILTER": "-store.a_billion_*"},  # valgrind cannot map the index of a billion samples
    }
    names = ["core", "io", "formats", "pipeline"]
    return cpp_tests(log, build(log, "dev"), names, memcheck, lambda name: surroundings.get(name, {}))


def neon(log: Log) -> Counts:
    report = BUILD / "logs" / "neon.xml"
    report.unlink(missing_ok=True)
    code = log.run([ROOT / "tests" / "neon" / "run.sh"], env={"GTEST_OUTPUT": f"xml:{report}"})
    if code != 0 and not report.exists():
        raise CommandFailedError(f"tests/neon/run.sh exited with {code}")
    counts = junit_counts(report)
    if code != 0 and counts.failed == 0:
        counts.add(Counts(failed=1, notes=[f"tests/neon/run.sh exited with {code}"]))
    return counts


def fuzz(log: Log) -> Counts:
    """Every fuzz target for a short time; one that finds nothing has passed."""
    code = log.run([ROOT / "fuzz" / "run.sh", str(FUZZ_SECONDS)])
    lines = log.text().splitlines()
    counts = Counts(passed=sum(line.endswith("nothing found") for line in lines))
    counts.notes = [line for line in lines if "FOUND SOMETHING" in line]
    counts.failed = len(counts.notes)
    if code != 0 and counts.failed == 0:
        counts.add(Counts(failed=1, notes=[f"fuzz/run.sh exited with {code}"]))
    return counts


# --- Python and what users see ----------------------------------------------------------------------------------------


def install_package(log: Log) -> None:
    """`pip install .` as users do, with warnings as errors; the Makefile's stamp says that it is done.

    The compiler's flags are those of the preset dev, so that ccache knows every object of the libraries from there.
    """
    pip = [PYTHON, "-m", "pip", "--disable-pip-version-check"]
    presets = json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]
    flags = next(preset for preset in presets if preset["name"] == "dev")["cacheVariables"]
    settings = {
        "cmake.build-type": flags["CMAKE_BUILD_TYPE"],
        "cmake.define.CMAKE_CXX_FLAGS_RELWITHDEBINFO": flags["CMAKE_CXX_FLAGS_RELWITHDEBINFO"],
        "cmake.define.PENSTOCK_WERROR": "ON",
    }
    options = [part for name, value in settings.items() for part in ("-C", f"{name}={value}")]
    # ccache tells compilers apart by the name they are called by; scikit-build-core would take Python's.
    compiler = os.environ.get("CXX", "c++")
    log.check([*pip, "install", ".", *options], env={"CCACHE_NOHASHDIR": "1", "CXX": compiler})
    (ROOT / ".venv" / "installed-penstock").touch()


def python(log: Log) -> Counts:
    install_package(log)
    return pytest(log, "python/tests")


def conformance(log: Log) -> Counts:
    """What every entry of a catalogue must do, found by walking the catalogues; of the package that is installed."""
    return pytest(log, "tests/conformance")


def hostile(log: Log) -> Counts:
    """Small files that claim, point, nest or repeat; of the package that is installed."""
    return counted(log, "hostile.py", [PYTHON, "tests/hostile/hostile.py"])


def docs(log: Log) -> Counts:
    counts = counted(log, "check_docs.py", [PYTHON, "tools/check_docs.py"])
    for generator in ("tools/gen_docs.py", "tools/gen_images.py", "tools/gen_stubs.py"):
        counts.add(one(log, generator, [PYTHON, generator, "--check"]))
    return counts


def demo(log: Log) -> Counts:
    return one(log, "demo", [PYTHON, "-m", "demo", "--smoke", "--out", BUILD / "demo-smoke"])


def draw_images(log: Log, folder: str) -> Path:
    """What the examples work on: tar shards and class folders."""
    log.check([PYTHON, "-m", "demo.dataset", folder, "--samples", "480", "--folders"])
    return Path(folder)


def examples(log: Log) -> Counts:
    counts = Counts()
    with tempfile.TemporaryDirectory() as folder:
        data = draw_images(log, folder)
        for name, arguments in EXAMPLES.items():
            counts.add(one(log, name, [PYTHON, ROOT / "examples" / name, *arguments, data], timeout=300))
        pack = [PYTHON, "examples/pack_shards.py", str(data / "train"), str(data / "packed"), "--per-shard", "64"]
        counts.add(one(log, "pack_shards.py", pack, timeout=300))
    return counts


def example_cpp(log: Log) -> Counts:
    """examples/cpp as a user's project: it sees only an installed penstock."""
    prefix, folder = BUILD / "example-prefix", BUILD / "example"
    for old in (prefix, folder):
        shutil.rmtree(old, ignore_errors=True)
    log.check(["cmake", "--install", build(log, "dev"), "--prefix", prefix])
    log.check(["cmake", "-S", "examples/cpp", "-B", folder, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}"])
    log.check(["cmake", "--build", folder])
    with tempfile.TemporaryDirectory() as images:
        shards = sorted(str(path) for path in draw_images(log, images).glob("train-*.tar"))
        return one(log, "examples/cpp", [folder / "read_tars", *shards], timeout=120)


SUITES = [
    layout,
    lint,
    tools,
    cpp,
    python,
    conformance,
    hostile,
    docs,
    examples,
    example_cpp,
    demo,
    neon,
    valgrind,
    asan,
    tsan,
    fuzz,
]


def main() -> int:
    by_name = {suite.__name__: suite for suite in SUITES}
    parser = argparse.ArgumentParser(description="Runs the test suites.")
    parser.add_argument("suites", nargs="*", metavar="suite", help=f"{', '.join(by_name)}; default: all")
    names = parser.parse_args().suites or list(by_name)
    if unknown := [name for name in names if name not in by_name]:
        parser.error(f"no suite {', '.join(unknown)}; there are {', '.join(by_name)}")
    os.environ["PATH"] = f"{Path(PYTHON).parent}{os.pathsep}{os.environ['PATH']}"
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # torch's idle threads must not slow down the others
    outcomes = []
    for name in names:
        if name == python.__name__ and asan.__name__ in names:
            ASAN.start()  # most of the suites from here on take one core
        outcomes.append(run_suite(name, by_name[name]))
    return summarise(outcomes)


if __name__ == "__main__":
    sys.exit(main())
