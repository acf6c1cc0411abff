"""What a result depends on besides the code that was measured: machine, time, commit. Standard library only."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from common import REPOSITORY


def circumstances() -> dict[str, Any]:
    return {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "commit": git("rev-parse", "HEAD"),
        "uncommitted_changes": bool(git("status", "--porcelain", "--", "src", "include", "python")),
    }


def machine() -> dict[str, Any]:
    lines = (line.partition(":") for line in Path("/proc/cpuinfo").read_text().splitlines())
    cpuinfo = {name.strip(): value.strip() for name, _, value in lines}
    flags = cpuinfo.get("flags", cpuinfo.get("Features", "")).split()
    memory = Path("/proc/meminfo").read_text().splitlines()[0].split()[1]
    simd = [flag for flag in ("sse4_2", "avx2", "avx512f", "avx512bw", "avx512_vbmi2", "asimd") if flag in flags]
    return {
        "cpu": cpuinfo.get("model name", platform.machine()),
        "cores": len(os.sched_getaffinity(0)),
        "simd": simd,
        "forced_target": os.environ.get("PENSTOCK_TARGET"),
        "memory_bytes": int(memory) * 1024,
        "kernel": platform.release(),
        "python": platform.python_version(),
        "load_average": os.getloadavg()[0],
    }


def git(*arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(REPOSITORY), *arguments], capture_output=True, text=True, check=False)
    return done.stdout.strip()
