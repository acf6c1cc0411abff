"""Recordings to mel spectrograms in one HDF5 file, and a small classifier trained on it.

    python examples/audio_digits.py [RECORDINGS] [--epochs N] [--picture FILE.png]

RECORDINGS is a folder of sound files whose names begin with their label and an underscore, such as the spoken digits
(0_jackson_0.wav, https://github.com/Jakobovski/free-spoken-digit-dataset). Where there are none, tones are made. Needs
h5py. --picture draws the first recording beside its mel spectrogram.
"""

from __future__ import annotations

import argparse
import tempfile
import wave
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import torch
from PIL import Image, ImageDraw
from torch import nn

import penstock

RATE = 8000
SETTINGS: dict[str, Any] = {
    "sample_rate": RATE,
    "duration": 1.024,
    "n_fft": 256,
    "hop_length": 64,
    "label_pattern": "{label}_*",
}


def make_tones(folder: Path, count: int) -> None:
    """Ten labels: chords of ever higher notes, in noise."""
    rng = np.random.default_rng(0)
    for i in range(count):
        label = i % 10
        t = np.arange(int(RATE * rng.uniform(0.4, 1.2))) / RATE
        note = 150 * 1.3**label * rng.uniform(0.97, 1.03)
        sound = sum(np.sin(2 * np.pi * note * k * t) / k for k in (1, 2, 3)) * np.exp(-2 * t)
        sound = 0.3 * sound + 0.02 * rng.standard_normal(len(t))
        with wave.open(str(folder / f"{label}_tone_{i}.wav"), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(RATE)
            file.writeframes((np.clip(sound, -1, 1) * 32767).astype("<i2").tobytes())


def load(path: Path) -> tuple[torch.Tensor, torch.Tensor, np.ndarray]:
    """Pictures [file, 1, n_mels, time], labels, and the first wave."""
    with h5py.File(path) as file:
        mel = file["mel"][:].astype(np.float32)  # [file, long, short, n_mels, frames]
        pictures = mel.transpose(0, 3, 1, 2, 4).reshape(len(mel), 1, mel.shape[3], -1)
        return torch.from_numpy(pictures), torch.from_numpy(file["labels"][:]).long(), file["waveform"][0].reshape(-1)


def train(pictures: torch.Tensor, labels: torch.Tensor, epochs: int) -> float:
    """Every fifth recording is kept apart; returns the share of those that the network gets right."""
    torch.manual_seed(0)
    right = 0.0
    pictures = pictures.clamp(min=pictures.max() - 80)  # what is fainter is as good as silent
    pictures = (pictures - pictures.mean()) / pictures.std()
    apart = torch.arange(len(labels)) % 5 == 0
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, stride=(1, 2)), nn.ReLU(), nn.AdaptiveAvgPool2d((62, 10)), nn.Flatten(),
        nn.Linear(16 * 620, 64), nn.ReLU(), nn.Linear(64, int(labels.max()) + 1),
    )  # fmt: skip
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    seen, unseen = torch.nonzero(~apart).flatten(), torch.nonzero(apart).flatten()
    for epoch in range(epochs):
        total = 0.0
        for rows in seen[torch.randperm(len(seen))].split(32):
            loss = nn.functional.cross_entropy(model(pictures[rows]), labels[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(rows)
        with torch.inference_mode():
            right = float((model(pictures[unseen]).argmax(1) == labels[unseen]).float().mean())
        print(f"epoch {epoch}: loss {total / len(seen):.3f}, right {right:.1%}")
    return right


def draw(samples: np.ndarray, picture: np.ndarray, path: Path) -> None:
    """A wave beside its mel spectrogram, low notes at the bottom."""
    width, height = 420, 256
    image = Image.new("RGB", (2 * width + 20, height), "white")
    pen = ImageDraw.Draw(image)
    scale = height / 2 / max(1e-6, np.abs(samples).max())
    for x, part in enumerate(np.array_split(samples, width)):
        pen.line((x, height / 2 - part.max() * scale, x, height / 2 - part.min() * scale), fill=(30, 90, 160))
    high = picture.max()
    low = high - 80
    level = np.clip((picture[::-1] - low) / (high - low), 0, 1)
    colours = np.stack([level**0.6, level**1.6, 0.35 + 0.3 * np.sin(np.pi * level)], axis=-1)
    mel = Image.fromarray((colours * 255).astype(np.uint8)).resize((width, height), Image.Resampling.NEAREST)
    image.paste(mel, (width + 20, 0))
    image.save(path, optimize=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Trains a small network on recordings through penstock.")
    parser.add_argument("recordings", nargs="?", type=Path)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--picture", type=Path)
    parser.add_argument("--smoke", action="store_true", help="few tones and epochs")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source = arguments.recordings
        if source is None or not any(source.rglob("*_*.wav")):
            source = Path(folder) / "tones"
            source.mkdir()
            make_tones(source, 200 if arguments.smoke else 1000)
        out = Path(folder) / "recordings.h5"
        report = penstock.audio.build(source, out, **SETTINGS)
        rate = report.files / report.seconds
        print(f"{report.samples} recordings in {report.seconds:.2f} s ({rate:.0f} files/s), {report.skipped} left out")
        pictures, labels, samples = load(out)
        if arguments.picture:
            draw(samples, pictures[0, 0].numpy(), arguments.picture)
        right = train(pictures, labels, 6 if arguments.smoke else arguments.epochs)
        if right < 0.5:
            raise SystemExit(f"only {right:.1%} of the recordings were recognised")


if __name__ == "__main__":
    main()
