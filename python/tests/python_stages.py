"""Functions of the user for tests of stages, in a module that a helper process imports quickly."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np

import penstock
from penstock.transforms import RandomResizedCrop

CROP = RandomResizedCrop(24)


def add_noise(array, rng):
    return array + rng.integers(0, 9, array.shape, dtype=np.uint8)


def invert(array):
    return 255 - array


def blend(array, *, strength=1, mask=None):
    return array


def to_gray(array, rng=None):
    assert rng is None or isinstance(rng, np.random.Generator)
    return array.mean(axis=-1, dtype=np.float64)


def fail_at_odd(array):
    if int(array.sum()) % 2 == 1:
        raise ValueError("how odd")
    return array


def die_once(array, *, marker):
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return array
    return os.kill(os.getpid(), signal.SIGKILL)


def end_at_once(connection, parent, work):
    """A helper that does not even say that it is ready."""
    os._exit(3)


def die_at_bright(array):
    if array[0, 0, 1] > 100 and os.environ.get("HELPER_TEST_PID") != str(os.getpid()):
        os._exit(7)
    return array


def hang(array):
    if os.environ.get("HELPER_TEST_PID") != str(os.getpid()):
        time.sleep(1000)
    return array


def blocked_signals(array):
    time.sleep(0.005)
    return np.array([len(signal.pthread_sigmask(signal.SIG_BLOCK, ()))])


def leave(array):
    raise SystemExit(3)


def who(array):
    return np.array([os.getpid()])


def loader_of(source, operations, **options):
    return penstock.Loader(source, **{"transforms": operations, "output": "numpy", "batch_size": 8, **options})


def contents(loader):
    images = [(batch["index"].tolist(), np.asarray(batch["image"]).tobytes()) for batch in loader]
    assert images
    return images


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def ends_soon(*pids: int) -> bool:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and any(alive(pid) for pid in pids):
        time.sleep(0.05)
    return not any(alive(pid) for pid in pids)


def session_of(leader: int) -> set[int]:
    """Every process that descends from it."""
    members = set()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue  # it has ended meanwhile
        if int(fields[3]) == leader:
            members.add(int(entry.name))
    return members


def run_program(folder: Path, program: str, **options) -> subprocess.Popen:
    path = folder / "program.py"
    path.write_text(textwrap.dedent(program))
    return subprocess.Popen(
        [sys.executable, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


def collate_slowly(samples):
    time.sleep(0.02)
    numbers = [sample["index"] for sample in samples]
    if numbers[0] == 20:
        raise ValueError("no batch of mine")
    return {"image": np.stack([sample["image"] for sample in samples]), "index": numbers, "pid": os.getpid()}


def collate_and_die(samples):
    if samples[0]["index"] >= 20:
        os._exit(9)
    return len(samples)


def collate_and_hang(samples):
    if samples[0]["index"] == 20:
        time.sleep(1000)
    return len(samples)


def collate_to_what_cannot_be_sent(samples):
    return lambda: samples[0]["index"]
