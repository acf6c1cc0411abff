"""CPU time and memory of this process and all its children, read from /proc. Standard library only."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Memory:
    """Bytes, summed over the process tree. PSS divides each shared page among its users, so it counts pages once."""

    rss: int
    pss: int
    anon: int

    def largest(self, other: Memory) -> Memory:
        return Memory(max(self.rss, other.rss), max(self.pss, other.pss), max(self.anon, other.anon))


def tree() -> list[int]:
    """This process and its living descendants."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            pid = int(entry.name)
            fields = _stat(pid)
            if fields:
                children.setdefault(int(fields[1]), []).append(pid)
    found = [os.getpid()]
    for pid in found:
        found.extend(children.get(pid, ()))
    return found


def cpu_seconds() -> float:
    """User and system time of the tree, with children that have ended and been waited for."""
    ticks = 0
    for pid in tree():
        fields = _stat(pid)
        if fields:
            ticks += sum(int(field) for field in fields[11:15])
    return ticks / _TICKS


def memory() -> Memory:
    rss = pss = anon = 0
    for pid in tree():
        status = _kilobytes(Path(f"/proc/{pid}/status"))
        rollup = _kilobytes(Path(f"/proc/{pid}/smaps_rollup"))
        rss += status.get("VmRSS", 0)
        anon += status.get("RssAnon", 0)
        pss += rollup.get("Pss", 0)
    return Memory(rss * 1024, pss * 1024, anon * 1024)


def threads() -> int:
    return sum(sum(1 for _ in Path(f"/proc/{pid}/task").iterdir()) for pid in tree() if Path(f"/proc/{pid}").exists())


def _stat(pid: int) -> list[str]:
    """The fields after the command name (state, parent, ...), or nothing if the process has gone."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return []
    return text.rpartition(")")[2].split()


def _kilobytes(path: Path) -> dict[str, int]:
    try:
        lines = path.read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return {}
    pairs = (line.partition(":") for line in lines)
    return {name: int(value.split()[0]) for name, _, value in pairs if value.strip().endswith("kB")}
