"""Runs suites one after another, whatever the earlier ones did, and counts what they report.

A suite is a function that runs commands through a `Log` and returns `Counts`. A command that fails where the suite did
not expect it ends that suite, counts as one failure and leaves the tail of its log on the screen.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / "build" / "logs"
TAIL_LINES = 60
COUNTS_LINE = re.compile(r"(\d+) passed, (\d+) failed(?:, (\d+) skipped)?")


class CommandFailedError(Exception):
    """A command of a suite exited with an unexpected code or ran out of time."""


@dataclass
class Counts:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    notes: list[str] = field(default_factory=list)  # one line each: what failed, why something was skipped

    def add(self, other: Counts) -> None:
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.notes += other.notes

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


class Log:
    """The output of a suite's commands, in build/logs/<suite>.log."""

    def __init__(self, suite: str) -> None:
        LOGS.mkdir(parents=True, exist_ok=True)
        self.path = LOGS / f"{suite}.log"
        self.path.write_text("", encoding="utf-8")

    def run(
        self,
        command: Sequence[str | Path],
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path = ROOT,
        timeout: float = 1200,
    ) -> int:
        """The exit code; output goes to the log."""
        words = [str(word) for word in command]
        with self.path.open("a", encoding="utf-8") as log:
            log.write(f"$ {' '.join(words)}\n")
            log.flush()
            try:
                return subprocess.run(
                    words,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    stdin=subprocess.DEVNULL,
                    cwd=cwd,
                    env={**os.environ, **(env or {})},
                    timeout=timeout,
                    check=False,
                ).returncode
            except subprocess.TimeoutExpired as error:
                raise CommandFailedError(f"{words[0]} did not end within {timeout:.0f} s") from error

    def check(
        self,
        command: Sequence[str | Path],
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path = ROOT,
        timeout: float = 1200,
    ) -> None:
        """As `run`, for a command without which the suite cannot continue."""
        code = self.run(command, env=env, cwd=cwd, timeout=timeout)
        if code != 0:
            raise CommandFailedError(f"{' '.join(str(word) for word in command)} exited with {code}")

    def note(self, line: str) -> None:
        with self.path.open("a", encoding="utf-8") as log:
            log.write(line + "\n")

    def text(self) -> str:
        return self.path.read_text(encoding="utf-8", errors="replace")

    def tail(self) -> str:
        return "\n".join(self.text().splitlines()[-TAIL_LINES:])


def one(log: Log, name: str, command: Sequence[str | Path], **options: object) -> Counts:
    """A command that is one check: passed when it exits with 0."""
    code = log.run(command, **options)  # type: ignore[arg-type]
    return Counts(passed=1) if code == 0 else Counts(failed=1, notes=[f"{name} exited with {code}"])


def counted(log: Log, name: str, command: Sequence[str | Path], **options: object) -> Counts:
    """A command whose output says 'N passed, M failed[, K skipped]'; the last such line counts."""
    start = len(log.text())
    code = log.run(command, **options)  # type: ignore[arg-type]
    found = COUNTS_LINE.findall(log.text()[start:])
    if not found:
        return Counts(failed=1, notes=[f"{name} exited with {code} and printed no counts"])
    passed, failed, skipped = (int(number or 0) for number in found[-1])
    counts = Counts(passed, failed, skipped)
    if code != 0 and failed == 0:
        counts.add(Counts(failed=1, notes=[f"{name} exited with {code}"]))
    return counts


def junit_counts(report: Path) -> Counts:
    """Counts of an XML report by pytest or googletest."""
    counts = Counts()
    for case in xml.etree.ElementTree.parse(report).getroot().iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        skip = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            counts.add(Counts(failed=1, notes=[f"failed: {name}"]))
        elif skip is not None:
            reason = " ".join((skip.get("message") or "").split())
            counts.add(Counts(skipped=1, notes=[f"skipped: {name} {reason}".rstrip()]))
        elif case.get("status") == "notrun":
            counts.add(Counts(skipped=1, notes=[f"skipped: {name} is disabled"]))
        else:
            counts.passed += 1
    return counts


@dataclass
class Outcome:
    suite: str
    counts: Counts
    seconds: float


def run_suite(name: str, suite: Callable[[Log], Counts]) -> Outcome:
    print(f"== {name}", flush=True)
    log = Log(name)
    start = time.monotonic()
    try:
        counts = suite(log)
    except (CommandFailedError, OSError) as error:
        counts = Counts(failed=1, notes=[str(error)])
    if counts.passed + counts.failed == 0:
        counts.add(Counts(failed=1, notes=["no test ran"]))
    seconds = time.monotonic() - start
    for note in counts.notes:
        print(f"   {note}")
    if counts.failed:
        print(f"   the end of {log.path.relative_to(ROOT)}:\n{log.tail()}")
    print(f"   {name}: {counts} in {seconds:.0f} s", flush=True)
    return Outcome(name, counts, seconds)


def summarise(outcomes: Sequence[Outcome]) -> int:
    """Prints the table and the totals; returns the exit code."""
    width = max(len(outcome.suite) for outcome in outcomes)
    print(f"\n{'suite':<{width}}  {'passed':>7}  {'failed':>7}  {'skipped':>7}  {'time':>7}")
    total = Counts()
    for outcome in outcomes:
        counts = outcome.counts
        total.add(counts)
        columns = "  ".join(f"{number:>7}" for number in (counts.passed, counts.failed, counts.skipped))
        print(f"{outcome.suite:<{width}}  {columns}  {outcome.seconds:>5.0f} s")
    columns = "  ".join(f"{number:>7}" for number in (total.passed, total.failed, total.skipped))
    print(f"{'all':<{width}}  {columns}  {sum(outcome.seconds for outcome in outcomes):>5.0f} s")
    for outcome in outcomes:  # once more: of a long run often only the end is kept
        for note in outcome.counts.notes if outcome.counts.failed else ():
            print(f"{outcome.suite}: {note}")
    print(f"{total.passed} passed, {total.failed} failed")
    sys.stdout.flush()
    return 1 if total.failed else 0
