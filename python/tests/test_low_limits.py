"""A process that runs out of file descriptors: an error that says so, never samples that are called bad."""

from __future__ import annotations

import subprocess
import sys
import wave
from pathlib import Path

import pytest
from conftest import draw

#: {action} runs with no descriptor left, on a folder argv[1].
PROGRAM = """
import os, resource, sys, warnings
warnings.simplefilter("ignore")
import penstock
from penstock import audio

folder, out = sys.argv[1:3]
ds = penstock.Dataset(folder)
{before}
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
taken = []
try:
    while True:
        taken.append(os.dup(0))
except OSError:
    pass
for descriptor in taken[len(taken) - {spare}:]:
    os.close(descriptor)
try:
    {action}
except penstock.IoError as error:
    print("IoError:", error)
"""


def run(folder: Path, action: str, before: str = "", spare: int = 0) -> str:
    program = PROGRAM.format(action=action, before=before, spare=spare)
    done = subprocess.run(
        [sys.executable, "-c", program, folder, folder.parent / "out"], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def images(tmp_path: Path) -> Path:
    for i in range(24):
        path = tmp_path / "in" / "ab"[i % 2] / f"{i}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        draw(i, 8, 8).save(path)
    return tmp_path / "in"


@pytest.mark.parametrize("on_error", ["skip", "replace", "raise"])
def test_loading_raises(images: Path, on_error: str) -> None:
    said = run(
        images,
        "print([len(batch['index']) for batch in loader])",
        before=f"loader = penstock.Loader(ds, batch_size=8, num_workers=2, on_error={on_error!r})",
    )
    assert "IoError:" in said, said
    assert "Too many open files" in said
    assert "ulimit -n" in said


def test_verify_raises(images: Path) -> None:
    said = run(images, "print(penstock.verify(ds, progress=False))")
    assert "IoError:" in said, said
    assert "ulimit -n" in said


def check_builds(outcomes: list[str]) -> None:
    """Of ever more descriptors: an error, or everything."""
    assert "IoError:" in outcomes[0]
    for said in outcomes:
        assert "IoError:" in said or "skipped=0" in said, said
    assert "skipped=0" in outcomes[-1]


def test_build_raises(images: Path) -> None:
    """With enough descriptors for the store's own files, and none for the images."""
    action = "print(penstock.build(ds, out, on_error='skip', progress=False))"
    check_builds([run(images, action, spare=spare) for spare in (0, 4, 6, 8, 40)])


def test_audio_build_raises(tmp_path: Path) -> None:
    for i in range(24):
        path = tmp_path / "in" / "ab"[i % 2] / f"{i}.wav"
        path.parent.mkdir(parents=True, exist_ok=True)
        with wave.open(str(path), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(8000)
            file.writeframes(bytes(range(200)) * 80)
    action = "print(audio.build(folder, out + '.h5', duration=1.0, on_error='skip', max_errors=100, progress=False))"
    check_builds([run(tmp_path / "in", action, spare=spare) for spare in (0, 2, 3, 4, 6, 40)])
