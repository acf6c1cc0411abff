"""Sound: files to samples.

wave, rate = penstock.audio.read("speech.wav", start=1.5, duration=2.0, sample_rate=16000)
"""

from ._read import read

__all__ = ["read"]
