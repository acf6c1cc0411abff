"""Other systems are refused before anything is compiled, with the reason."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_cmake_refuses_systems_that_are_not_linux(tmp_path):
    command = ["cmake", "-S", str(ROOT), "-B", str(tmp_path), "-DCMAKE_SYSTEM_NAME=FreeBSD"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode != 0
    assert "penstock runs on Linux, and this is FreeBSD" in " ".join(done.stderr.split())
