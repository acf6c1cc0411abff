"""Writes librosa_features.npz: features that librosa computes, for test_features.py.

    python python/tests/data/write_librosa_features.py

Needs librosa. The file holds the versions that wrote it, the wave, and per case its settings (JSON) and values.
"""

from __future__ import annotations

import json
import platform
import warnings
from pathlib import Path
from typing import Any

import librosa
import numpy as np
import scipy

CASES = 40
RATE = 8000


def random_settings(rng: np.random.Generator) -> dict[str, Any]:
    n_fft = int(rng.choice([128, 256, 400, 441, 512, 1024, 2048]))
    center = bool(rng.integers(2))
    return {
        "n_fft": n_fft,
        "hop_length": int(rng.integers(max(n_fft // 4, 100), n_fft + 1)),
        "win_length": None if rng.integers(2) else int(rng.integers(n_fft // 2, n_fft + 1)),
        "window": str(rng.choice(["hann", "hamming", "blackman", "bartlett"])),
        "center": center,
        "pad_mode": str(rng.choice(["constant", "reflect", "edge"])) if center else "constant",
        "power": float(rng.choice([1, 2])),
        "n_mels": int(rng.integers(8, 65)),
        "fmin": float(rng.choice([0, 50])),
        "fmax": None if rng.integers(2) else float(rng.uniform(2000, 4000)),
        "htk": bool(rng.integers(2)),
        "norm": [None, "slaney"][rng.integers(2)],
    }


def main() -> None:
    warnings.simplefilter("ignore")  # librosa's, of filters without a bin
    rng = np.random.default_rng(6)
    t = np.arange(4000) / RATE
    wave = 0.4 * np.sin(2 * np.pi * (200 + 900 * t) * t) + 0.1 * rng.standard_normal(len(t)) * np.exp(-3 * t)
    stored = np.round(wave * 32767).clip(-32768, 32767).astype(np.int16)
    samples = stored.astype(np.float32) / 32768
    arrays: dict[str, Any] = {"wave": stored}
    settings = [random_settings(rng) for _ in range(CASES)]
    for i, case in enumerate(settings):
        mel = librosa.feature.melspectrogram(y=samples, sr=RATE, **case)
        arrays[f"mel_{i}"] = mel
        arrays[f"mfcc_{i}"] = librosa.feature.mfcc(S=librosa.power_to_db(mel), n_mfcc=min(13, case["n_mels"]))
    versions = {m.__name__: m.__version__ for m in (librosa, np, scipy)} | {"python": platform.python_version()}
    about = json.dumps({"versions": versions, "rate": RATE, "settings": settings})
    np.savez_compressed(Path(__file__).with_name("librosa_features.npz"), about=about, **arrays)


if __name__ == "__main__":
    main()
