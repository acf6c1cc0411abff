"""Mixed loads with injected faults for a long time: no row may be lost, repeated or different, and nothing may grow.

    python tests/soak/soak.py [--seconds 1800] [--seed 0] [--every 30]

Rounds of two loads (loads.py) at a time. After each round, when all loaders are gone, threads and descriptors must be
as many as after the warm-up, and at the end memory as much. Prints a line every so often and a summary; exits 1 on a
finding. The seed gives the loads of each round; how their threads meet is up to the system.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import os
import random
import statistics
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path

from loads import LOADS, References, Run
from soak_data import make_sources

AT_A_TIME = 2
WARM_UP_SHARE = 0.2  # of the time: every arena of the allocator first takes what it uses again later
# Bytes between the first and the last third after the warm-up, and how many seconds a run takes at least to tell: of
# memory that somebody holds, which has no reason to grow; of pages, many of which the allocator keeps for its arenas,
# of which threads that meet make more, up to eight per core.
ALLOWED_GROWTH = {"in use": (1 << 20, 240.0), "pages": (12 << 20, 1500.0)}


def anonymous_bytes() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon"):
            return int(line.split()[1]) * 1024
    raise OSError("no RssAnon in /proc/self/status")


class _MallocInfo(ctypes.Structure):
    """mallinfo2 of glibc."""

    _names = ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")
    _fields_ = tuple((name, ctypes.c_size_t) for name in _names)


def bytes_in_use() -> int:
    """What has been allocated and not freed, in all arenas; Python's own small objects are not among it."""
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = _MallocInfo
    info = mallinfo()
    return int(info.uordblks + info.hblkhd)


def entries(folder: str) -> int:
    return len(list(Path(folder).iterdir()))


def counts_when_quiet(wanted: tuple[int, int] | None) -> tuple[int, int]:
    """(threads, descriptors), once they are as wanted or some seconds have passed: a thread that was joined may be
    listed for a moment more."""
    gc.collect()
    deadline = time.monotonic() + 10
    while True:
        counts = entries("/proc/self/task"), entries("/proc/self/fd")
        if wanted is None or counts == wanted or time.monotonic() > deadline:
            return counts
        time.sleep(0.01)


class Soak:
    def __init__(self, seed: int, folder: Path) -> None:
        self._choose = random.Random(seed)
        self._sources = make_sources(folder)
        self._references = References()
        self._folder = folder
        self.findings: list[str] = []
        self.done: Counter[str] = Counter()
        self.rows = 0
        self.counts: tuple[int, int] | None = None
        self.memory: list[tuple[float, dict[str, int]]] = []

    def _run_load(self, number: int, slot: int) -> None:
        load = LOADS[number]
        folder = self._folder / f"slot{slot}"
        folder.mkdir(exist_ok=True)
        run = Run(random.Random(self._choose.random()), self._sources, self._references, folder)
        try:
            load(run)
        except Exception:
            self.findings.append(f"{load.__name__}: {traceback.format_exc()}")
        self.done[load.__name__] += 1
        self.rows += run.rows

    def round(self, numbers: list[int]) -> None:
        """These loads at the same time, to their end."""
        threads = [
            threading.Thread(target=self._run_load, args=(number, slot), name=LOADS[number].__name__)
            for slot, number in enumerate(numbers)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def warm_up(self) -> None:
        """Every load once, alone: what is there to stay is there afterwards."""
        for number in range(len(LOADS)):
            self.round([number])
        self.counts = counts_when_quiet(None)

    def random_round(self) -> None:
        self.round([self._choose.randrange(len(LOADS)) for _ in range(AT_A_TIME)])
        counts = counts_when_quiet(self.counts)
        if counts != self.counts:
            self.findings.append(f"threads, descriptors: {counts} after a round, {self.counts} after the warm-up")
            self.counts = counts
        self.memory.append((time.monotonic(), {"pages": anonymous_bytes(), "in use": bytes_in_use()}))

    def growth(self, kind: str) -> int:
        """Bytes between the medians of the first and the last third after the warm-up."""
        begin, end = self.memory[0][0], self.memory[-1][0]
        settled = [sizes[kind] for at, sizes in self.memory if at >= begin + WARM_UP_SHARE * (end - begin)]
        third = max(len(settled) // 3, 1)
        return int(statistics.median(settled[-third:]) - statistics.median(settled[:third]))

    def line(self, elapsed: float) -> str:
        threads, descriptors = self.counts or (0, 0)
        return (
            f"{elapsed:6.0f} s: {sum(self.done.values())} loads, {self.rows} rows right, {anonymous_bytes() >> 10} kB, "
            f"{bytes_in_use() >> 10} kB in use, "
            f"{threads} threads, {descriptors} descriptors, {len(self.findings)} findings"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description="Mixed loads with injected faults.")
    parser.add_argument("--seconds", type=float, default=1800)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--every", type=float, default=30, help="seconds between lines")
    options = parser.parse_args()
    warnings.simplefilter("error")  # a cache that is of no use says so by a warning
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PENSTOCK_CACHE_DIR"] = str(Path(folder) / "index")
        soak = Soak(options.seed, Path(folder))
        begin = said = time.monotonic()
        soak.warm_up()
        while time.monotonic() - begin < options.seconds and not soak.findings:
            soak.random_round()
            if time.monotonic() - said >= options.every:
                said = time.monotonic()
                print(soak.line(said - begin), flush=True)
        for kind, (allowed, shortest) in ALLOWED_GROWTH.items() if soak.memory else ():
            if options.seconds >= shortest and soak.growth(kind) > allowed:
                soak.findings.append(f"memory ({kind}) grew by {soak.growth(kind) >> 10} kB after the warm-up")
        print(soak.line(time.monotonic() - begin))
    for name, times in sorted(soak.done.items()):
        print(f"{times:8d} {name}")
    for kind in ALLOWED_GROWTH if soak.memory else ():
        print(f"memory, {kind}: {soak.growth(kind) / 1024:+.0f} kB between the first and last third after the warm-up")
    for finding in soak.findings:
        print(f"FINDING {finding}")
    print("nothing found" if not soak.findings else f"{len(soak.findings)} findings")
    return 1 if soak.findings else 0


if __name__ == "__main__":
    sys.exit(main())
