"""Recordings to one HDF5 file of equal segments with their mel spectrograms."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .._progress import ProgressBar
from ..dataset import Dataset, Source
from ..errors import Error, InvalidError
from ..store import _tolerance
from ._features import MelKeywords, _mel_settings, _number, _whole, _with_mel_parameters

if TYPE_CHECKING:
    from typing_extensions import Unpack


@dataclass(frozen=True)
class AudioBuildReport:
    """What a build did."""

    files: int  #: found
    samples: int  #: rows in the file
    skipped: int  #: bad files that were left out, resumed parts included
    resumed_at: int  #: files that an interrupted build had done
    was_complete: bool  #: the file already existed, from the same files and settings
    bytes_read: int
    bytes_written: int
    seconds: float  #: of this run, without the flush
    flush_seconds: float  #: until the file was on the disk
    workers: int
    batch_files: int  #: in a buffer
    bottleneck: str
    warnings: list[str] = field(default_factory=list)  #: of the source, as its Dataset would give them
    stages: dict[str, float] = field(default_factory=dict)  #: seconds of all threads: read convert compute write wait
    errors: list[Error] = field(default_factory=list)  #: of files left out, the first 1,000


@_with_mel_parameters()
def build(
    src: Source | Dataset,
    dst: str | os.PathLike[str],
    *,
    sample_rate: int = 4096,
    duration: float = 10.0,
    long_segment: int = 1024,
    short_segment: int = 512,
    db_mult: float | None = 20.0,
    mel_dtype: str = "float16",
    label_pattern: str | None = None,
    device: str = "cpu",
    cuda_graph: bool = False,
    num_mega_buffers: int = 3,
    seg_microbatch_segments: int = 8192,
    autosize_gpu_batch: bool = True,
    batch_files: int | None = None,
    workers: int | None = None,
    on_error: str = "skip",
    max_errors: float | None = None,
    resume: bool = True,
    progress: bool = True,
    **features: Unpack[MelKeywords],
) -> AudioBuildReport:
    """Writes the recordings of `src` to the HDF5 file `dst`, which appears when it is complete.

    Every file becomes a row of `waveform` [file, long, short, samples] and `mel` [file, long, short, n_mels, frames].
    The bytes do not depend on workers, memory or interruptions.

    src: a folder of audio files, whose rows are sorted by path; or tars, a store, a Dataset, anything that Dataset
        opens and that has a field of audio: rows are in the order of its samples.
    sample_rate, duration: of every row; files are resampled, and padded with zeros or trimmed to exactly that.
    long_segment, short_segment: samples; segments do not overlap, and must fill the duration.
    n_fft to norm, db_mult: those of mel_spectrogram; db_mult None = no logarithm. mel_dtype: "float16" or "float32".
    label_pattern: where labels stand, such as "{label}_*" in the name or "{split}/{label}/*" in the path; None = the
        folders are labels, below folders called train, val, test or the like, which are splits. Of a Dataset, the
        pattern is for keys; None = its field `label`, or else folders in its keys.
    device: "cpu" = penstock's own kernels; else a device on which torch computes the features, such as "cuda" (no GPU
        was there to test it on). Their values differ in the last digits: a build of another device is another build.
    cuda_graph: with a CUDA device, record the computation once and replay it; batches of another size, such as the
        last, are computed without (untested on a GPU, too).
    num_mega_buffers: in the ring: one filling, one computing, one draining.
    seg_microbatch_segments: short segments that are computed at once.
    batch_files: files in a buffer; None = by caches and free memory with autosize_gpu_batch, else 128.
    workers: threads; None = the cores that this process may use.
    on_error: "skip" leaves bad files out and reports them, "raise" fails at the first; max_errors bounds them:
        int = count, float = share; None = 10 files, or one in 20 if that is more.
    resume: resume an interrupted build; False begins it again, and refuses a complete one.
    progress: show a bar, on a terminal only.
    """
    if mel_dtype not in ("float16", "float32"):
        raise InvalidError(f"mel_dtype must be 'float16' or 'float32', got {mel_dtype!r}")
    mel = _mel_settings(sample_rate, db_mult, features)
    settings: dict[str, Any] = {
        **mel,
        "build_rate": _whole("sample_rate", sample_rate),
        "duration": _number("duration", duration),
        "long_segment": _whole("long_segment", long_segment),
        "short_segment": _whole("short_segment", short_segment),
        "half": mel_dtype == "float16",
        "label_pattern": "" if label_pattern is None else str(label_pattern),
        "device": str(device),
        "num_mega_buffers": _whole("num_mega_buffers", num_mega_buffers),
        "seg_microbatch_segments": _whole("seg_microbatch_segments", seg_microbatch_segments),
        "autosize_gpu_batch": bool(autosize_gpu_batch),
        "batch_files": None if batch_files is None else _whole("batch_files", batch_files),
        "workers": None if workers is None else _whole("workers", workers),
        **_tolerance(on_error, max_errors),
        "resume": bool(resume),
    }
    if cuda_graph and not settings["device"].startswith("cuda"):
        raise InvalidError(f"cuda_graph requires a CUDA device, got device={device!r}; omit it, or use 'cuda'")
    compute = None if settings["device"] == "cpu" else _torch_compute(settings, mel, bool(cuda_graph))
    opened = src if isinstance(src, Dataset) else None if isinstance(src, (str, os.PathLike)) else Dataset(src)
    path = os.fsdecode(src) if isinstance(src, (str, os.PathLike)) else ""
    with ProgressBar("audio build", "files") as bar:
        show = bar if progress and bar.visible else None
        core = None if opened is None else opened._core
        report = _core.build_audio(core, path, os.fsdecode(dst), settings, show, compute)
        return AudioBuildReport(**report)


def _torch_compute(settings: dict[str, Any], mel: dict[str, Any], cuda_graph: bool) -> Callable[[Any, Any], None]:
    """Features by torch, in the form that the build calls: waves and bytes of the results."""
    from ._cuda import TorchMel

    program = _core.MelSpectrogram(mel)
    frames = program.frames(settings["short_segment"])
    dtype = np.dtype("float16" if settings["half"] else "float32")
    settings["segment_bytes"] = mel["n_mels"] * frames * dtype.itemsize
    features = TorchMel(program, mel, settings["device"], cuda_graph)

    def compute(waves: Any, out: Any) -> None:
        features(waves, out.view(dtype).reshape(len(waves), mel["n_mels"], frames))

    return compute
