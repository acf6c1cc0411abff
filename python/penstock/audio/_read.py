"""Audio files to arrays."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING

from .. import _core
from ..errors import InvalidError
from ._features import _flag, _number, _whole

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


def read(
    path: str | os.PathLike[str] | bytes,
    *,
    start: float = 0.0,
    duration: float | None = None,
    sample_rate: int | None = None,
    mono: bool = True,
) -> tuple[npt.NDArray[np.float32], int]:
    """Reads a WAV, FLAC, Ogg (Vorbis, Opus) or MP3 file; returns (samples, frames per second).

    path: the file, or its content as bytes.
    start, duration: seconds; the slice begins with the frame that is heard at `start`, and a duration of None, or one
        longer than the recording, goes up to the end. Only the slice is decoded where the codec allows it.
    sample_rate: frames per second to resample the slice to (soxr, quality HQ); None keeps those of the file. At the
        slice's edges the resampler hears silence, not the audio around it.
    mono: the mean of all channels, an array [T]; otherwise an array [C, T].

    Samples are float32, integers scaled to [-1, 1). A truncated or damaged file raises CorruptError where its
    format can tell: MP3 has no checksums, and libsndfile takes most of what is changed in it.
    """
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise InvalidError(f"path must be a path or the content of a file as bytes, got {path!r}")
    return _core.read_audio(
        path if isinstance(path, bytes) else os.fsdecode(path),
        _number("start", start),
        None if duration is None else _seconds(duration),
        None if sample_rate is None else _whole("sample_rate", sample_rate),
        _flag("mono", mono),
    )


def _seconds(duration: float) -> float:
    """Any number of them: infinity goes up to the end."""
    return duration if isinstance(duration, float) and duration == math.inf else _number("duration", duration)
