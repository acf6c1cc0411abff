"""Stores: a data set written once in penstock's own format, its images repacked so that they decode faster."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from . import _core
from ._caller import caller_level
from ._progress import ProgressBar
from ._readings import field_choice
from ._renamed import warn_renamed
from .dataset import Dataset, Source, source_list
from .errors import Error, InvalidError


@dataclass(frozen=True)
class BuildReport:
    """What a build did."""

    samples: int  #: in the store
    added: int  #: by this build, resumed parts included
    skipped: int  #: bad samples that were left out, resumed parts included
    resumed_at: int  #: samples that an interrupted build had done already
    was_complete: bool  #: the store already existed, from the same source and settings
    bytes_read: int
    bytes_written: int
    seconds: float
    fingerprint: str
    errors: list[Error] = field(default_factory=list)  #: of samples left out in this run, the first 1,000
    warnings: list[str] = field(default_factory=list)  #: of the source, and of what its images lost by being RGB


@dataclass(frozen=True)
class VerifyReport:
    """What verify found; true if nothing."""

    samples: int
    images: int  #: decoded
    recordings: int  #: decoded
    compared: int  #: fields compared with the source
    bytes: int  #: checked
    not_in_store: int  #: samples of the source; a problem if more than the build left out
    problems: int
    errors: list[Error] = field(default_factory=list)  #: the first 100,000
    notes: list[str] = field(default_factory=list)  #: what was not compared, and why that is not a problem
    warnings: list[str] = field(default_factory=list)  #: of the store and the source

    @property
    def ok(self) -> bool:
        """Whether the store is intact."""
        return self.problems == 0

    def __bool__(self) -> bool:
        return self.ok

    @property
    def pictures(self) -> int:  # deprecated name
        """The old name of `images`."""
        warn_renamed("VerifyReport.pictures", "VerifyReport.images")  # deprecated name
        return self.images

    @property
    def sounds(self) -> int:  # deprecated name
        """The old name of `recordings`."""
        warn_renamed("VerifyReport.sounds", "VerifyReport.recordings")  # deprecated name
        return self.recordings


def build(
    source: Source | Dataset,
    dst: str | os.PathLike[str],
    *,
    image: Literal["repack", "repack_pixels", "keep", "raw"] | None = None,
    resize: int | Mapping[str, int] | None = None,
    quality: int | None = None,
    shard_bytes: int | None = None,
    workers: int | None = None,
    on_error: Literal["raise", "skip"] = "raise",
    max_errors: float | None = None,
    append: bool = False,
    resume: bool = True,
    progress: bool = True,
) -> BuildReport:
    """Writes a data set to the new folder `dst`, which appears when it is complete.

    image: "repack" (JPEG without loss, decodes several times faster, the file can be rebuilt byte for byte),
        "repack_pixels" (also where only the pixels can be kept), "keep" (files as they are) or "raw" (pixels);
        None = "repack".
    resize: images with a larger shorter side are made smaller; {"shorter": n} is the same, {"longest": n} bounds the
        longer side.
    quality: JPEG quality, 1 to 100, of what is encoded again.
    shard_bytes: a shard is closed before it grows larger; None = 256 MiB.
    workers: threads; None = the cores that this process may use.
    on_error: "raise", or "skip" to leave bad samples out; max_errors then bounds them: int = count, float = share.
    append: add to a store that exists, with the settings it was built with: one that is given must be the same.
    resume: resume an interrupted build; False begins it again.
    progress: show a bar, on a terminal only.
    """
    dataset = source if isinstance(source, Dataset) else Dataset(source)
    settings: dict[str, Any] = {
        "image": None if image is None else _text("image", image),
        **_resize(resize),
        "quality": _whole("quality", quality, 1, 100),
        "shard_bytes": _whole("shard_bytes", shard_bytes, 1, 1 << 40),
        "workers": _whole("workers", workers, 1, 4096),
        **_tolerance(on_error, max_errors),
        "append": bool(append),
        "resume": bool(resume),
    }
    with ProgressBar("build") as bar:
        show = bar if progress and bar.visible else None
        report = _core.build(dataset._core, os.fsdecode(dst), settings, show)
    lost = report.pop("lost")
    for message in lost:
        warnings.warn(message, RuntimeWarning, stacklevel=caller_level())
    report["warnings"] += lost
    return BuildReport(**report)


def verify(
    path: Source | Dataset,
    source: Source | Dataset | None = None,
    *,
    fields: Mapping[str, str] | None = None,
    progress: bool = True,
) -> VerifyReport:
    """Checks every byte of a store and decodes every image; with `source`, compares with what it was built from.
    Of anything else that Dataset opens it reads and decodes every sample with all cores, as training would.

    path: a store, or tar shards, class folders, a Dataset.
    source: a Dataset, or anything that Dataset takes.
    fields: {name: extension} of the source, as its Dataset had them when the store was built; of `path`, where that
        is not a store.
    progress: show a bar, on a terminal only.
    """
    chosen, readings = field_choice(fields)
    if readings:
        raise InvalidError("verify compares files as they are; fields must name extensions")
    if chosen and (isinstance(path, Dataset) or isinstance(source, Dataset)):
        raise InvalidError("fields can only be chosen for a source that is given by its path; a Dataset has its own")
    if isinstance(path, Dataset) and source is not None:
        raise InvalidError("a Dataset cannot be compared with a source; pass the path of the store")
    opened, paths = _opened(path)
    dataset, sources = (None, []) if source is None else _opened(source)
    with ProgressBar("verify") as bar:
        show = bar if progress and bar.visible else None
        return VerifyReport(**_core.verify(opened, paths, dataset, sources, chosen, show))


def _opened(source: Source | Dataset) -> tuple[_core.Dataset | None, list[str]]:
    """A data set that is open already, or the paths of one."""
    return (source._core, []) if isinstance(source, Dataset) else (None, source_list(source))


def _resize(resize: int | Mapping[str, int] | None) -> dict[str, int | None]:
    sides = {} if resize is None else resize if isinstance(resize, Mapping) else {"shorter": resize}
    if unknown := [name for name in sides if name not in ("shorter", "longest")]:
        raise InvalidError(f"resize must name 'shorter' or 'longest', got {unknown[0]!r}")
    return {f"resize_{side}": _whole("resize", sides.get(side), 1, 65535) for side in ("shorter", "longest")}


def _tolerance(on_error: str, max_errors: float | None) -> dict[str, Any]:
    if on_error not in ("raise", "skip"):
        raise InvalidError(f"on_error must be 'raise' or 'skip', got {on_error!r}")
    if max_errors is not None and on_error == "raise":
        raise InvalidError("max_errors requires on_error='skip': with 'raise' the first bad sample ends the build")
    share = max_errors if isinstance(max_errors, float) else None
    if share is not None and not 0 <= share <= 1:
        raise InvalidError(f"max_errors must be an integer, or a share between 0.0 and 1.0, got {max_errors!r}")
    count = None if share is not None else _whole("max_errors", max_errors, 0, 1 << 62)
    return {"skip_errors": on_error == "skip", "max_errors": count, "max_error_share": share}


def _whole(name: str, value: Any, min: int, max: int) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not hasattr(value, "__index__") or not min <= value.__index__() <= max:
        raise InvalidError(f"{name} must be an integer between {min} and {max}, got {value!r}")
    whole: int = value.__index__()
    return whole


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidError(f"{name} must be a string, got {value!r}")
    return value
