"""The whole build, WAV files to HDF5 in the page cache, and what each of its techniques is worth.

    python bench/audio/build.py [--files N] [--rounds N] [--folder DIR]

Makes N files of 10 s at 4,096 Hz. Needs librosa and h5py. Rounds are interleaved, each part is in a process of its own,
and the median counts. Results: bench/results/audio.json and audio.md.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import wave
from pathlib import Path
from typing import Any

import numpy as np

from common import save

AS_IT_IS = "as it is"
VARIANTS: dict[str, dict[str, Any]] = {
    AS_IT_IS: {},
    "one buffer: stages one after the other": {"num_mega_buffers": 1},
    "one thread": {"workers": 1},
    "float32 features": {"mel_dtype": "float32"},
    "segments one by one": {"seg_microbatch_segments": 1},
    "buffers larger than the caches": {"batch_files": 96},
}
LOOP = "a loop over files with librosa and h5py"
WRITES = {
    "copied": "rows through H5Dwrite, which copies them to its chunks",
    "chunks": "rows as whole chunks through H5Dwrite_chunk",
    "direct": "rows straight to their places in the file, as penstock does",
}
WRITTEN_AT_ONCE = 4  # rows, as in a build


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


def loop_of_libraries(source: Path, out: Path) -> dict[str, Any]:
    """What such builders usually do: a loop over files with librosa, and writes that h5py copies."""
    import h5py
    import librosa

    paths = sorted(source.rglob("*.wav"))
    librosa.feature.melspectrogram(y=np.zeros(512, np.float32), sr=4096, n_fft=512, center=False)  # imports, compiles
    start, cpu = time.perf_counter(), cpu_seconds()
    with h5py.File(out, "w") as file:
        waveform = file.create_dataset("waveform", (len(paths), 40, 2, 512), "f4", chunks=(1, 40, 2, 512))
        mel = file.create_dataset("mel", (len(paths), 40, 2, 64, 1), "f4", chunks=(1, 40, 2, 64, 1))
        for row, path in enumerate(paths):
            with wave.open(str(path)) as recording:
                samples = np.frombuffer(recording.readframes(40960), "<i2").astype(np.float32) / 32768
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


def write_rows(rows: int, out: Path, way: str) -> dict[str, Any]:
    """Waveforms of as many files to an HDF5 file with room for them; what is written is the same each way."""
    import h5py

    block = np.random.default_rng(0).uniform(-1, 1, (WRITTEN_AT_ONCE, 40, 2, 512)).astype(np.float32)
    with h5py.File(out, "w", libver="v110") as file:
        creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        creation.set_chunk((1, 40, 2, 512))
        creation.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
        creation.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
        space = h5py.h5s.create_simple((rows, 40, 2, 512))
        h5py.h5d.create(file.id, b"waveform", h5py.h5t.IEEE_F32LE, space, creation)
        place = file["waveform"].id.get_chunk_info_by_coord((0, 0, 0, 0)).byte_offset
    start, cpu = time.perf_counter(), cpu_seconds()
    if way == "direct":
        with out.open("r+b") as plain:
            for row in range(0, rows, len(block)):
                os.pwrite(plain.fileno(), block, place + row * block[0].nbytes)
    else:
        with h5py.File(out, "r+") as file:
            waveform = file["waveform"]
            for row in range(0, rows, len(block)):
                if way == "copied":
                    waveform[row : row + len(block)] = block
                else:
                    for i, one_row in enumerate(block):
                        waveform.id.write_direct_chunk((row + i, 0, 0, 0), one_row)
    seconds, spent = time.perf_counter() - start, cpu_seconds() - cpu
    with h5py.File(out) as file:
        assert np.array_equal(file["waveform"][rows - len(block) :], block)
    out.unlink()
    return {"files_per_second": rows / seconds, "files_per_cpu_second": rows / spent}


def touch_memory(path: Path, size: int) -> None:
    """Fills and frees as much of the page cache: a virtual machine pays for memory when it first touches it, which is
    not to be counted against whoever comes first."""
    block = bytes(1 << 20)
    with path.open("wb") as file:
        for _ in range(size >> 20):
            file.write(block)
    path.unlink()


def run_part(name: str, source: Path, out: Path, files: int) -> dict[str, Any]:
    if name in WRITES:
        return write_rows(files, out, name)
    return loop_of_libraries(source, out) if name == LOOP else one(source, out, VARIANTS[name])


def median_of(rounds: list[dict[str, Any]]) -> dict[str, Any]:
    middle = sorted(rounds, key=lambda row: row["files_per_second"])[len(rounds) // 2]
    rates = ("files_per_second", "files_per_cpu_second")
    return {**middle, **{rate: statistics.median(row[rate] for row in rounds) for rate in rates}, "rounds": rounds}


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures the build of HDF5 files from audio.")
    parser.add_argument("--files", type=int, default=10000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", type=Path, help="where files are made; else in the system's folder for them")
    parser.add_argument("--part", help="what a process of its own does")
    arguments = parser.parse_args()
    if arguments.part:
        name, source, out, files = json.loads(arguments.part)
        print(json.dumps(run_part(name, Path(source), Path(out), files)))
        return
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        source = Path(folder) / "recordings"
        files = arguments.files // WRITTEN_AT_ONCE * WRITTEN_AT_ONCE
        make_files(source, files)
        few = Path(folder) / "few"
        make_files(few, files // 20)
        os.sync()
        results: dict[str, list[dict[str, Any]]] = {name: [] for name in [*VARIANTS, LOOP, *WRITES]}
        for _ in range(arguments.rounds):
            for name, rounds in results.items():
                part = json.dumps([name, str(few if name == LOOP else source), str(Path(folder) / "out.h5"), files])
                command = [sys.executable, __file__, "--part", part]
                touch_memory(Path(folder) / "touched", files * 200_000)  # an output is a little smaller
                row = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
                print(name, row, flush=True)
                rounds.append(row)
    medians = {name: median_of(rounds) for name, rounds in results.items()}
    save(
        "build",
        {
            "files": files,
            "rounds": arguments.rounds,
            "variants": {name: medians[name] for name in [*VARIANTS, LOOP]},
            "writes": {text: medians[name] for name, text in WRITES.items()},
            "techniques": techniques(medians),
        },
    )


def techniques(medians: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Before and after of each."""
    pairs = [
        ("loop or vectorised, over files", LOOP, AS_IT_IS),
        ("loop or vectorised, over segments", "segments one by one", AS_IT_IS),
        ("FP32 or FP16 features", "float32 features", AS_IT_IS),
        ("sequential or overlapped", "one buffer: stages one after the other", AS_IT_IS),
        ("large buffers or such as lie in the caches", "buffers larger than the caches", AS_IT_IS),
        ("copied or direct writes (writing alone)", "copied", "direct"),
    ]
    rates = ("files_per_second", "files_per_cpu_second")
    return [
        {"technique": text, "before": {r: medians[a][r] for r in rates}, "after": {r: medians[b][r] for r in rates}}
        for text, a, b in pairs
    ]


if __name__ == "__main__":
    main()
