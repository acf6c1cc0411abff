"""Audio: files to samples, samples to mel spectrograms, decibels and MFCC, and folders of files to HDF5.

wave, rate = penstock.audio.read("speech.wav", start=1.5, duration=2.0, sample_rate=16000)
mel = penstock.audio.mel_spectrogram(wave, sample_rate=rate)
report = penstock.audio.build("recordings", "recordings.h5", label_pattern="{label}_*")
"""

from typing import Any

from .._renamed import warn_renamed
from ._build import AudioBuildReport, build
from ._features import amplitude_to_db, mel_spectrogram, mfcc, power_to_db
from ._read import read

__all__ = [
    "AudioBuildReport",
    "amplitude_to_db",
    "build",
    "mel_spectrogram",
    "mfcc",
    "power_to_db",
    "read",
]


def __getattr__(name: str) -> Any:
    if name == "SoundBuildReport":  # deprecated name
        warn_renamed("penstock.audio.SoundBuildReport", "AudioBuildReport")  # deprecated name
        return AudioBuildReport
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
