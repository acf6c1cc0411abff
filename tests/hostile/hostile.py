"""Small files that claim, point, nest or repeat: what do they cost?

    python tests/hostile/hostile.py [part of a name ...]

Every case of cases_*.py is written into a folder and used by probe.py in a process of its own. It must end in time with
a result or one of penstock's errors, and may not take more memory than the rule allows: docs/design/limits.md.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import cases_hdf5
import cases_media
import cases_other
import cases_store
import cases_tar
from case import CannotBeMade, Case

MIB = 1 << 20
#: Of anonymous memory beyond that of a process that has imported penstock.
BYTES_PER_BYTE = 20
BYTES_PER_PIXEL = 4 + 3  # the decoder's own, and the image that is handed out
SPARE = 64 * MIB
CPU_SECONDS = 2.0
#: Only ends what hangs: CPU time is what is judged, since the machine may have others to serve.
WALL_SECONDS = 120


@dataclass
class Outcome:
    memory: int  #: anonymous, at its peak
    resident: int  #: all of it, at its peak: includes what is mapped, and misses nothing
    seconds: float
    said: str
    problem: str = ""


def field(status: str, name: str) -> int:
    line = next((line for line in status.splitlines() if line.startswith(name + ":")), f"{name}: 0 kB")
    return int(line.split()[1]) * 1024


def watch(process: subprocess.Popen[str], outcome: Outcome) -> None:
    while process.poll() is None:
        try:
            status = Path(f"/proc/{process.pid}/status").read_text()
        except OSError:
            return
        outcome.memory = max(outcome.memory, field(status, "RssAnon"))
        outcome.resident = max(outcome.resident, field(status, "VmHWM"))
        time.sleep(0.001)


def probe(kind: str, *arguments: str, cache: Path) -> Outcome:
    environment = {**os.environ, "PENSTOCK_CACHE_DIR": str(cache), "MALLOC_ARENA_MAX": "2"}
    command = [sys.executable, str(Path(__file__).with_name("probe.py")), kind, *arguments]
    outcome = Outcome(0, 0, 0.0, "")
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        watcher = threading.Thread(target=watch, args=(process, outcome))
        watcher.start()
        try:
            said, problems = process.communicate(timeout=WALL_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            said, problems = process.communicate()
            outcome.problem = f"did not end within {WALL_SECONDS} s"
        watcher.join()
        if not outcome.problem and process.returncode != 0:
            outcome.problem = f"exited with {process.returncode}: {problems[-300:]}"
    lines = said.splitlines()
    if len(lines) == 2:
        outcome.seconds, outcome.said = float(lines[0]), lines[1]
    return outcome


def size_of(path: Path) -> int:
    if path.is_dir():
        return sum(file.lstat().st_size for file in path.rglob("*") if file.is_file())
    return path.stat().st_size if path.exists() else 0


def judge(case: Case, idle: Outcome, folder: Path) -> tuple[Outcome, str]:
    used = case.make(folder)
    size = size_of(folder)
    outcome = probe(used.kind, str(used.source), cache=folder / "cache")
    allowed = BYTES_PER_BYTE * size + BYTES_PER_PIXEL * used.pixels + SPARE + used.extra
    memory = outcome.memory - idle.memory
    # Nothing lies between two looks at the process: what was ever resident and is not mapped was anonymous.
    resident = outcome.resident - idle.resident - size
    problem = outcome.problem
    if not problem and max(memory, resident) > allowed:
        problem = f"takes {max(memory, resident) / MIB:.0f} MiB, and {allowed / MIB:.0f} are allowed"
    if not problem and outcome.seconds - idle.seconds > CPU_SECONDS:
        problem = f"takes {outcome.seconds:.1f} s of CPU time, and {CPU_SECONDS} are allowed"
    if not problem and used.says not in outcome.said:
        problem = f"says {outcome.said!r}, and not {used.says!r}"
    numbers = f"{size / MIB:8.2f} MiB file  {memory / MIB:7.1f} MiB of {allowed / MIB:7.1f}  {outcome.seconds:5.2f} s"
    return outcome, f"{'FAILED' if problem else 'ok':6} {case.name:42} {numbers}  {problem or outcome.said[:110]}"


def main(wanted: list[str]) -> int:
    cases = [
        case
        for module in (cases_tar, cases_store, cases_hdf5, cases_media, cases_other)
        for case in module.CASES
        if not wanted or any(part in case.name for part in wanted)
    ]
    skipped = 0
    lines = []
    with tempfile.TemporaryDirectory(prefix="penstock-hostile-") as root:
        idle = min((probe("idle", cache=Path(root)) for _ in range(3)), key=lambda outcome: outcome.memory)
        for number, case in enumerate(cases):
            folder = Path(root) / str(number)
            folder.mkdir()
            try:
                _, line = judge(case, idle, folder)
            except CannotBeMade as reason:
                skipped += 1
                line = f"skip   {case.name}: {reason}"
            print(line, flush=True)
            lines.append(line)
    failed = sum(line.startswith("FAILED") for line in lines)
    print(f"{len(lines) - failed - skipped} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
