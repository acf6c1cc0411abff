"""Recordings to mel spectrograms in one HDF5 file, and a small classifier trained on it.

    python examples/audio_digits.py [RECORDINGS] [--epochs N] [--image FILE.png]

RECORDINGS is a folder of audio files whose names begin with their label and an underscore, such as the spoken digits
(0_jackson_0.wav, https://github.com/Jakobovski/free-spoken-digit-dataset). Where there are none, tones are made. The
file is a source of the loader as any other. --image draws the first recording beside its mel spectrogram.
"""

from __future__ import annotations

import argparse
import tempfile
import wave
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image, ImageDraw
from torch import nn

import penstock
from penstock import samplers

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
        recording = sum(np.sin(2 * np.pi * note * k * t) / k for k in (1, 2, 3)) * np.exp(-2 * t)
        recording = 0.3 * recording + 0.02 * rng.standard_normal(len(t))
        with wave.open(str(folder / f"{label}_tone_{i}.wav"), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(RATE)
            file.writeframes((np.clip(recording, -1, 1) * 32767).astype("<i2").tobytes())


def images_of(mel: torch.Tensor) -> torch.Tensor:
    """[file, long, short, n_mels, frames] of decibels to [file, 1, n_mels, time]."""
    images = mel.float().permute(0, 3, 1, 2, 4).flatten(2).unsqueeze(1)
    return torch.maximum(images, images.amax((1, 2, 3), keepdim=True) - 80)  # what is fainter is as good as silent


def train(path: Path, epochs: int) -> float:
    """Every fifth recording is kept apart; returns the share of those that the network gets right."""
    torch.manual_seed(0)
    right = 0.0
    data = penstock.Dataset(path, fields={"mel": "mel", "label": "label"})  # the waves stay on the disk
    apart = [i for i in range(len(data)) if i % 5 == 0]
    others = samplers.Weighted([float(i % 5 != 0) for i in range(len(data))], replacement=False)
    model = nn.Sequential(
        nn.BatchNorm2d(1), nn.Conv2d(1, 16, 3, stride=(1, 2)), nn.ReLU(), nn.AdaptiveAvgPool2d((62, 10)), nn.Flatten(),
        nn.Linear(16 * 620, 64), nn.ReLU(), nn.Linear(64, len(data.classes or [])),
    )  # fmt: skip
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    with (
        penstock.Loader(data, batch_size=32, sampler=others, seed=0, num_workers=2) as seen,
        penstock.Loader(data, batch_size=256, sampler=samplers.Indices(apart)) as unseen,
    ):
        for epoch in range(epochs):
            total, count = 0.0, 0
            for batch in seen:
                loss = nn.functional.cross_entropy(model(images_of(batch["mel"])), batch["label"])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.item() * len(batch["label"])
                count += len(batch["label"])
            model.eval()
            with torch.inference_mode():
                hits = sum(int((model(images_of(b["mel"])).argmax(1) == b["label"]).sum()) for b in unseen)
            model.train()
            right = hits / len(apart)
            print(f"epoch {epoch}: loss {total / count:.3f}, right {right:.1%}")
    return right


def draw(samples: np.ndarray, spectrogram: np.ndarray, path: Path) -> None:
    """A wave beside its mel spectrogram, low notes at the bottom."""
    width, height = 420, 256
    image = Image.new("RGB", (2 * width + 20, height), "white")
    pen = ImageDraw.Draw(image)
    scale = height / 2 / max(1e-6, np.abs(samples).max())
    for x, part in enumerate(np.array_split(samples, width)):
        pen.line((x, height / 2 - part.max() * scale, x, height / 2 - part.min() * scale), fill=(30, 90, 160))
    high = spectrogram.max()
    low = high - 80
    level = np.clip((spectrogram[::-1] - low) / (high - low), 0, 1)
    colours = np.stack([level**0.6, level**1.6, 0.35 + 0.3 * np.sin(np.pi * level)], axis=-1)
    mel = Image.fromarray((colours * 255).astype(np.uint8)).resize((width, height), Image.Resampling.NEAREST)
    image.paste(mel, (width + 20, 0))
    image.save(path, optimize=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Trains a small network on recordings through penstock.")
    parser.add_argument("recordings", nargs="?", type=Path)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--image", type=Path)
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
        if arguments.image:
            first = penstock.Dataset(out)[0]
            draw(
                first["waveform"].reshape(-1),
                images_of(torch.from_numpy(first["mel"])[None])[0, 0].numpy(),
                arguments.image,
            )
        right = train(out, 6 if arguments.smoke else arguments.epochs)
        if right < 0.5:
            raise SystemExit(f"only {right:.1%} of the recordings were recognised")


if __name__ == "__main__":
    main()
