"""The whole build, mapped WAV files to HDF5 in the page cache, and what each of its techniques is worth.

    python bench/audio/build.py [--files N] [--rounds N] [--folder DIR]

Makes N files of 10 s at 4,096 Hz. Results: bench/results/audio.json and audio.md.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import wave
from pathlib import Path
from typing import Any

import numpy as np

from common import save

VARIANTS: dict[str, dict[str, Any]] = {
    "as it is": {},
    "one after the other (num_mega_buffers=1)": {"num_mega_buffers": 1},
    "one thread": {"workers": 1},
    "float32 features": {"mel_dtype": "float32"},
    "segments one by one (seg_microbatch_segments=1)": {"seg_microbatch_segments": 1},
}


def make_files(folder: Path, count: int) -> None:
    rng = np.random.default_rng(0)
    noise = (rng.standard_normal(4096 * 40) * 3000).astype("<i2")
    for i in range(count):
        path = folder / f"label{i % 10}" / f"{i:06}.wav"
        path.parent.mkdir(parents=True, exist_ok=True)
        begin = int(rng.integers(len(noise) - 40960))
        with wave.open(str(path), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(4096)
            file.writeframes(noise[begin : begin + 40960].tobytes())


def cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def one(source: Path, out: Path, settings: dict[str, Any]) -> dict[str, Any]:
    from penstock import audio

    start = cpu_seconds()
    report = audio.build(source, out, progress=False, **settings)
    cpu = cpu_seconds() - start
    out.unlink()
    return {
        "files_per_second": report.files / report.seconds,
        "files_per_cpu_second": report.files / cpu,
        "flush_seconds": report.flush_seconds,
        "stages": report.stages,
        "bottleneck": report.bottleneck,
    }


def loop_of_libraries(source: Path, out: Path, _: dict[str, Any]) -> dict[str, Any]:
    """What such builders usually do: a loop over files with librosa, and writes that h5py copies."""
    import h5py
    import librosa

    paths = sorted(source.rglob("*.wav"))
    start, cpu = time.perf_counter(), cpu_seconds()
    with h5py.File(out, "w") as file:
        waveform = file.create_dataset("waveform", (len(paths), 40, 2, 512), "f4", chunks=(1, 40, 2, 512))
        mel = file.create_dataset("mel", (len(paths), 40, 2, 64, 1), "f4", chunks=(1, 40, 2, 64, 1))
        for row, path in enumerate(paths):
            with wave.open(str(path)) as sound:
                samples = np.frombuffer(sound.readframes(40960), "<i2").astype(np.float32) / 32768
            segments = samples.reshape(40, 2, 512)
            values = librosa.feature.melspectrogram(
                y=segments, sr=4096, n_fft=512, hop_length=128, n_mels=64, power=1.0, center=False
            )
            waveform[row] = segments
            mel[row] = 20 * np.log10(np.maximum(values, 1e-10))
    seconds = time.perf_counter() - start
    out.unlink()
    return {
        "files_per_second": len(paths) / seconds,
        "files_per_cpu_second": len(paths) / (cpu_seconds() - cpu),
        "bottleneck": "",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures the build of HDF5 files from sound.")
    parser.add_argument("--files", type=int, default=10000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="where files are made; else in the system's folder for them")
    parser.add_argument("--part", help="what a process of its own does")
    arguments = parser.parse_args()
    if arguments.part:
        name, source, out = json.loads(arguments.part)
        run = loop_of_libraries if name == "loop" else one
        print(json.dumps(run(Path(source), Path(out), VARIANTS.get(name, {}))))
        return
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        source = Path(folder) / "sounds"
        make_files(source, arguments.files)
        few = Path(folder) / "few"
        make_files(few, arguments.files // 20)
        os.sync()
        results: dict[str, Any] = {}
        for _ in range(arguments.rounds):
            for name in [*VARIANTS, "loop"]:
                part = json.dumps([name, str(few if name == "loop" else source), str(Path(folder) / "out.h5")])
                command = [sys.executable, __file__, "--part", part]
                row = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
                print(name, row, flush=True)
                shown = "a loop with librosa and h5py" if name == "loop" else name
                if shown not in results or row["files_per_second"] > results[shown]["files_per_second"]:
                    results[shown] = row
    save("build", {"files": arguments.files, "rounds": arguments.rounds, "variants": results})


if __name__ == "__main__":
    main()
