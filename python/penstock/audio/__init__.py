"""Sound: mel spectrograms, decibels and MFCC."""

from ._features import amplitude_to_db, mel_spectrogram, mfcc, power_to_db

__all__ = ["amplitude_to_db", "mel_spectrogram", "mfcc", "power_to_db"]
