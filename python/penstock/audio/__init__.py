"""Sound: files to samples, and samples to mel spectrograms, decibels and MFCC.

wave, rate = penstock.audio.read("speech.wav", start=1.5, duration=2.0, sample_rate=16000)
mel = penstock.audio.mel_spectrogram(wave, sample_rate=rate)
"""

from ._features import amplitude_to_db, mel_spectrogram, mfcc, power_to_db
from ._read import read

__all__ = ["amplitude_to_db", "mel_spectrogram", "mfcc", "power_to_db", "read"]
