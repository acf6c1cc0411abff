"""A progress bar on a terminal; nothing anywhere else."""

from __future__ import annotations

import shutil
import sys
from types import TracebackType

_BAR = 24


class ProgressBar:
    """Call it with samples done, samples in all, bytes and samples per second. It writes to standard error."""

    def __init__(self, title: str, unit: str = "samples") -> None:
        self._title = title
        self._unit = unit
        self._shown = 0

    @property
    def visible(self) -> bool:
        """Whether anybody would see it."""
        return sys.stderr is not None and sys.stderr.isatty()

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._shown:
            sys.stderr.write("\r" + " " * self._shown + "\r")
            sys.stderr.flush()

    def __call__(self, done: int, total: int, bytes_rate: int, rate: float) -> None:
        """Draws the bar again."""
        line = progress_line(self._title, done, total, bytes_rate, rate, self._unit)
        line = line[: shutil.get_terminal_size().columns - 1]
        sys.stderr.write("\r" + line.ljust(self._shown))
        sys.stderr.flush()
        self._shown = len(line)


def progress_line(title: str, done: int, total: int, bytes_rate: int, rate: float, unit: str = "samples") -> str:
    """`build [#####-----] 412/1000, 812 samples/s, 89.0 MB/s, 3 s left`.

    The rates are those of this run: `done` may count what an interrupted one had done.
    """
    if not total:
        return f"{title} ..."  # nothing is known yet
    bar = ("#" * int(done / total * _BAR)).ljust(_BAR, "-")
    parts = [f"{title} [{bar}] {done:,}/{total:,}"]
    if rate > 0:
        parts.append(f"{rate:,.0f} {unit}/s")
        if bytes_rate:
            parts.append(f"{bytes_rate / 1e6:,.1f} MB/s")
        parts.append(f"{_duration((total - done) / rate)} left")
    return ", ".join(parts)


def _duration(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"
