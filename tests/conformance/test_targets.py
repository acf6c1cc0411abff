"""Every instruction set that this CPU has gives what the scalar code gives, for every operation of the catalogue."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import material
import numpy as np
import pytest

TARGETS = ("sse4", "avx2", "avx512", "neon")
# Sums of many products come in the order that suits a vector: docs/design/audio.md states the bound.
CLOSE = {"MelSpectrogram", "MFCC", "AmplitudeToDB", "FrequencyMasking", "TimeMasking"}


def can_run(target: str) -> bool:
    """Whether the CPU has it: a loader refuses what is missing."""
    open_nothing = "import penstock; penstock.Dataset('/no such folder')"
    environment = {**os.environ, "PENSTOCK_TARGET": target}
    tried = subprocess.run(
        [sys.executable, "-c", open_nothing], env=environment, capture_output=True, text=True, check=False
    )
    return "NotFoundError" in tried.stderr


def streams_of(target: str, folder: Path) -> dict[str, np.ndarray]:
    """What a process that is told to use this instruction set makes of every operation, as one array each."""
    out = folder / f"{target}.npz"
    environment = {**os.environ, "PENSTOCK_TARGET": target, "PENSTOCK_CACHE_DIR": str(folder)}
    command = [sys.executable, __file__, str(folder), str(out)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["simd_target"] == target
    with np.load(out) as arrays:
        return dict(arrays)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("targets")
    material.write_sources(folder)
    return folder


@pytest.fixture(scope="module")
def scalar(folder: Path) -> dict[str, np.ndarray]:
    return streams_of("scalar", folder)


def missing_ones_skipped(target: str) -> Any:
    lacks_it = pytest.mark.skipif(not can_run(target), reason=f"this CPU has no {target}")
    return pytest.param(target, marks=lacks_it)


@pytest.mark.parametrize("target", [missing_ones_skipped(target) for target in TARGETS])
def test_equals_scalar(target: str, folder: Path, scalar: dict[str, np.ndarray]) -> None:
    found = streams_of(target, folder)
    assert sorted(found) == sorted(scalar)
    for name, expected in scalar.items():
        if name in CLOSE:
            np.testing.assert_allclose(found[name], expected, rtol=1e-4, atol=1e-4, err_msg=name)
        else:
            np.testing.assert_array_equal(found[name], expected, err_msg=name)


def main() -> None:
    folder, out = Path(sys.argv[1]), sys.argv[2]
    sources = material.read_sources(folder)
    arrays = {}
    stats = {}
    for name in material.operation_names():
        if name in material.OF_TORCH_ALONE:
            continue
        placed = material.placed(name, sources)
        with material.open_loader(sources, placed) as loader:
            values = [row.ravel() for batch in loader for row in material.rows(batch, material.field_of(placed[0]))]
            stats = loader.stats()
        arrays[name] = np.concatenate(values)
    np.savez(out, **arrays)
    print(json.dumps({"simd_target": stats["simd_target"]}))


if __name__ == "__main__":
    main()
