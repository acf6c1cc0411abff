"""The long runs of tests/soak/, for as long as CI has time; by hand they take half an hour."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SOAK = Path(__file__).resolve().parents[2] / "tests" / "soak"


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (["kills.py", "--kills", "12"], "12 kills"),
        (["soak.py", "--seconds", "8"], "nothing found"),
    ],
)
def test_run(program, said):
    command = [sys.executable, SOAK / program[0], *program[1:]]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert said in done.stdout
