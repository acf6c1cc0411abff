"""Mel spectrograms of recordings: penstock, torch and librosa on one thread, and how far they are apart.

    python bench/audio/features.py RECORDINGS [--settings N]

RECORDINGS is a folder of WAV files of 16 bits. Each library runs in a process of its own, in this Python (the
environment `audio` of bench/environments.py). Results: bench/results/audio.json and audio.md.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
import numpy as np  # noqa: E402 - after the number of threads

from common import save  # noqa: E402

RATE, N_FFT, HOP, MELS = 8000, 512, 128, 64
ROUNDS = 3


def recordings(folder: Path) -> list[np.ndarray]:
    waves = []
    for path in sorted(folder.rglob("*.wav")):
        with wave.open(str(path)) as file:
            samples = np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(np.float32) / 32768
        waves.append(samples if len(samples) >= N_FFT else np.pad(samples, (0, N_FFT - len(samples))))
    if not waves:
        raise SystemExit(f"no WAV files in {folder}: unpack them first if they are in a tar")
    return waves


def librosa_mel(samples: np.ndarray) -> np.ndarray:
    import librosa

    mel = librosa.feature.melspectrogram(
        y=samples, sr=RATE, n_fft=N_FFT, hop_length=HOP, n_mels=MELS, power=1.0, center=False
    )
    return 20 * np.log10(np.maximum(mel, 1e-10))


def penstock_mel(samples: np.ndarray) -> np.ndarray:
    from penstock import audio

    return audio.mel_spectrogram(samples, sample_rate=RATE, n_fft=N_FFT, hop_length=HOP, n_mels=MELS, db_mult=20.0)


def torch_mel() -> Callable[[np.ndarray], Any]:
    import librosa
    import torch

    torch.set_num_threads(1)
    window = torch.hann_window(N_FFT)
    filters = torch.from_numpy(librosa.filters.mel(sr=RATE, n_fft=N_FFT, n_mels=MELS))

    def mel(samples: np.ndarray) -> Any:
        with torch.inference_mode():
            tensor = torch.from_numpy(samples)
            spectrum = torch.stft(tensor, N_FFT, HOP, window=window, center=False, return_complex=True)
            return (filters @ spectrum.abs()).clamp_(min=1e-10).log10_().mul_(20)

    return mel


def measure(function: Callable[[np.ndarray], Any], waves: list[np.ndarray]) -> dict[str, float]:
    for samples in waves[:20]:
        function(samples)
    best = {"cpu": float("inf"), "wall": float("inf")}
    for _ in range(ROUNDS):
        cpu, wall = time.process_time(), time.perf_counter()
        for samples in waves:
            function(samples)
        best["cpu"] = min(best["cpu"], time.process_time() - cpu)
        best["wall"] = min(best["wall"], time.perf_counter() - wall)
    total = sum(float(np.sum(np.asarray(function(samples)), dtype=np.float64)) for samples in waves[:200])
    return {
        "files_per_cpu_second": len(waves) / best["cpu"],
        "files_per_second": len(waves) / best["wall"],
        "checksum": total,
    }


def transforms() -> dict[str, dict[str, float]]:
    """Frames of 512 samples, many at once."""
    import scipy.fft
    import torch

    from penstock import audio

    torch.set_num_threads(1)
    frames = np.random.default_rng(0).uniform(-1, 1, (8192, N_FFT)).astype(np.float32)
    tensor = torch.from_numpy(frames)
    ways: dict[str, Callable[[], Any]] = {
        "penstock (with window, magnitudes and one filter)": lambda: audio.mel_spectrogram(
            frames, sample_rate=RATE, n_fft=N_FFT, n_mels=1
        ),
        "pocketfft (scipy.fft.rfft)": lambda: scipy.fft.rfft(frames, workers=1),
        "MKL (torch.fft.rfft)": lambda: torch.fft.rfft(tensor),
    }
    result = {}
    for name, way in ways.items():
        way()
        times = []
        for _ in range(5):
            start = time.process_time()
            way()
            times.append(time.process_time() - start)
        result[name] = {"microseconds": 1e6 * min(times) / len(frames)}
    return result


def random_settings(rng: np.random.Generator) -> dict[str, Any]:
    n_fft = int(rng.choice([128, 256, 400, 441, 512, 1024, 2048]))
    return {
        "n_fft": n_fft,
        "hop_length": int(rng.integers(n_fft // 8, n_fft)),
        "win_length": None if rng.integers(2) else int(rng.integers(n_fft // 2, n_fft + 1)),
        "window": str(rng.choice(["hann", "hamming", "blackman", "bartlett"])),
        "center": True,
        "pad_mode": str(rng.choice(["constant", "reflect", "edge"])),
        "power": float(rng.choice([1, 2])),
        "n_mels": int(rng.integers(8, 129)),
        "fmin": float(rng.choice([0, 50])),
        "fmax": None if rng.integers(2) else float(rng.uniform(2000, 4000)),
        "htk": bool(rng.integers(2)),
        "norm": [None, "slaney"][rng.integers(2)],
    }


def errors(waves: list[np.ndarray], count: int) -> dict[str, float]:
    """Over all recordings at the usual settings, then recordings in turn at random ones."""
    import warnings

    import librosa

    from penstock import audio

    warnings.simplefilter("ignore")  # librosa's, of filters without a bin
    linear = half = 0.0
    rng = np.random.default_rng(0)
    usual = {"n_fft": N_FFT, "hop_length": HOP, "n_mels": MELS, "power": 1.0, "center": False}
    cases = [(samples, usual) for samples in waves]
    cases += [(waves[int(rng.integers(len(waves)))], random_settings(rng)) for _ in range(count)]
    for samples, settings in cases:
        if settings.get("pad_mode") == "reflect" and len(samples) <= settings["n_fft"] // 2:
            continue
        expected = librosa.feature.melspectrogram(y=samples, sr=RATE, **settings)
        got = audio.mel_spectrogram(samples, sample_rate=RATE, **settings)
        largest = float(np.abs(expected).max()) or 1.0
        linear = max(linear, float(np.abs(got - expected).max()) / largest)
        decibels = audio.mel_spectrogram(samples, sample_rate=RATE, **settings, db_mult=20.0, dtype="float16")
        audible = expected > max(1e-10, 1e-5 * largest)
        exact = 20 * np.log10(np.maximum(expected, 1e-10))
        half = max(half, float(np.abs(decibels - exact)[audible].max(initial=0)))
    return {"float32_error": linear, "float16_error": half}


def run(part: str, folder: Path, settings: int) -> Any:
    if part == "transforms":
        return transforms()
    waves = recordings(folder)
    if part == "errors":
        return errors(waves, settings)
    if part == "facts":
        return {"recordings": len(waves), "mean_samples": float(np.mean([len(samples) for samples in waves]))}
    functions = {"penstock": lambda: penstock_mel, "torch.stft and matmul": torch_mel, "librosa": lambda: librosa_mel}
    return measure(functions[part](), waves)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures mel spectrograms.")
    parser.add_argument("recordings", type=Path)
    parser.add_argument("--settings", type=int, default=500, help="random settings to compare with librosa")
    parser.add_argument("--part", help="what a process of its own does")
    arguments = parser.parse_args()
    if arguments.part:
        print(json.dumps(run(arguments.part, arguments.recordings, arguments.settings)))
        return

    def alone(part: str) -> Any:
        command = [sys.executable, __file__, str(arguments.recordings), "--settings", str(arguments.settings)]
        done = subprocess.run([*command, "--part", part], check=True, stdout=subprocess.PIPE, text=True)
        print(part, done.stdout.strip(), flush=True)
        return json.loads(done.stdout)

    libraries = {name: alone(name) for name in ("penstock", "torch.stft and matmul", "librosa")}
    sums = [row["checksum"] for row in libraries.values()]
    if max(sums) - min(sums) > 1e-3 * abs(sums[0]):
        raise SystemExit(f"the libraries do not agree: {sums}")
    save("features", {"libraries": libraries, "transforms": alone("transforms"), "settings": arguments.settings,
                      **alone("facts"), **alone("errors")})  # fmt: skip


if __name__ == "__main__":
    main()
