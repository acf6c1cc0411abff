"""A data set: samples by number, read in place."""

from __future__ import annotations

import itertools
import operator
import os
import warnings
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import TYPE_CHECKING, Any, SupportsIndex

from . import _core
from ._caller import caller_level
from ._fields import decode_stored
from ._readings import FieldChoice, Reading, field_choice
from ._steps import Step
from .errors import InvalidError

if TYPE_CHECKING:
    from PIL import Image as PilImage

    from ._lists import Transforms

#: Larger images are refused by default: twice Pillow's limit for a warning, where Pillow raises.
MAX_PIXELS = 178_956_970

_MAX_SOURCES = 1 << 20  # of an iterator, which may have no end

Source = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


def source_list(source: Source) -> list[str]:
    if isinstance(source, (str, os.PathLike)):
        source = [source]
    try:
        items = source if isinstance(source, Sized) else itertools.islice(source, _MAX_SOURCES + 1)
        sources = [os.fspath(item) for item in items]
    except TypeError:
        sources = []
    if len(sources) > _MAX_SOURCES and not isinstance(source, Sized):
        raise InvalidError(f"source: an iterable must end, got more than {_MAX_SOURCES:,} paths")
    if not sources or not all(isinstance(item, str) for item in sources):
        raise InvalidError(f"source must be a path, glob, brace pattern, or a list of them, got {source!r}")
    return sources


def _pixel_limit(limit: SupportsIndex) -> int:
    try:
        number = operator.index(limit)
    except TypeError:
        number = 0
    if not 0 < number < 2**63:
        raise InvalidError(f"max_pixels must be a positive integer, got {limit!r}")
    return number


class Dataset:
    """Samples of tar shards, class folders, a store or an HDF5 file, by number. Read-only; any loaders may share it.

    ds[i] is a dict of decoded fields. A recording is float32 [channels, frames], and ds[i]["audio_rate"] its frames per
    second.

    source: a path, glob, brace pattern or list of them; what it holds is recognised from its content.
    fields: {name: extension} chooses and renames fields; without it every field that all samples have. In place of
        an extension, penstock.Image, Mask, Boxes and Keypoints say how the field is read.
    max_pixels: larger images (width * height) are refused.
    """

    def __init__(self, source: Source, *, fields: FieldChoice | None = None, max_pixels: int = MAX_PIXELS) -> None:
        extensions, readings = field_choice(fields)
        self._arguments = (source_list(source), extensions, _pixel_limit(max_pixels), readings)
        self._core = _core.Dataset.open(
            *self._arguments[:3], {name: reading._core() for name, reading in readings.items()}
        )
        self._kinds = self._core.fields
        self._told: set[str] = set()  # what images lose by being read as RGB
        for message in self._core.warnings:
            warnings.warn(message, stacklevel=caller_level())

    def __len__(self) -> int:
        return len(self._core)

    @property
    def _usual_field(self) -> str:
        """The field that a list of transforms is for: the image, or the recording where there are none."""
        recordings = [name for name, kind in self._kinds.items() if kind == "audio"]
        if recordings and "image" not in self._kinds.values():
            return recordings[0]
        images = [name for name, kind in self._kinds.items() if kind == "image"]
        return images[0] if len(images) == 1 else "image"

    @property
    def fields(self) -> dict[str, str]:
        """{name: kind}; kinds: image, bytes, text, json, int, float, array, audio."""
        return dict(self._kinds)

    @property
    def classes(self) -> list[str] | None:
        """Class names of class folders and HDF5 files, label by label; None for other sources."""
        return list(self._core.classes) or None

    @property
    def fingerprint(self) -> str:
        """Hex; a hash over the ordered (key, field name, byte size) of all samples."""
        return self._core.fingerprint

    def key(self, sample: SupportsIndex) -> str:
        """The sample's key."""
        return self._core.key(self._number(sample))

    def __getitem__(self, sample: SupportsIndex) -> dict[str, Any]:
        number = self._number(sample)
        place = {"index": number, "key": self._core.key(number)}
        values, lost = self._core.at(number)
        for message in lost:
            if message not in self._told:
                self._told.add(message)
                warnings.warn(message, RuntimeWarning, stacklevel=caller_level())
        fields = {}
        for name, kind in self._kinds.items():
            fields[name] = decode_stored(kind, values[name], name, place)
            if kind == "audio":
                fields.setdefault(f"{name}_rate", values[f"{name}_rate"])
        return fields

    def __getitems__(self, samples: Iterable[SupportsIndex] | Step) -> list[Any]:
        """Several samples at once, as torch's DataLoader asks for them; the batch of a step of a loader's
        batch_sampler."""
        return samples.take() if isinstance(samples, Step) else [self[sample] for sample in samples]

    def raw(self, sample: SupportsIndex) -> dict[str, bytes]:
        """The bytes as they are in the source, by field name."""
        return self._core.raw(self._number(sample))

    def show(
        self,
        samples: int | Iterable[int] = 16,
        *,
        transforms: Transforms | None = None,
        draws: int | None = None,
        seed: int = 0,
        columns: int | None = None,
        side: int = 160,
        mean: Sequence[float] | None = None,
        std: Sequence[float] | None = None,
    ) -> PilImage.Image:
        """A contact sheet as a PIL image, which notebooks display: labels below, masks, boxes and key points drawn over
        the images. They are the field `image`, or the only one of images, or that of transforms={field: list}.

        samples: how many, spread over the data set, or which.
        transforms: each sample gets a row: its image, then several draws of the list, or of each view, as a Loader
            with this seed makes them in its first epochs.
        draws: how many of the transforms; None = 4.
        columns: of a sheet without transforms.
        side: of each image on the sheet, in pixels.
        mean, std: what Normalize was given, to undo it; without them floats outside of 0 to 1 are stretched.
        """
        from ._show import show_dataset

        return show_dataset(self, samples, transforms, draws, seed, columns, side, mean, std)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self[number] for number in range(len(self)))

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, self._arguments)

    def __repr__(self) -> str:
        return f"<penstock.Dataset {self._core.description!r}: {len(self)} samples, fields {self.fields}>"

    def _number(self, sample: SupportsIndex) -> int:
        number = operator.index(sample)
        size = len(self)
        if not -size <= number < size:
            raise IndexError(f"sample {number} is out of range: the data set has {size}")
        return number % size


def _rebuild(sources: list[str], extensions: dict[str, str], max_pixels: int, readings: dict[str, Reading]) -> Dataset:
    return Dataset(sources, fields={**extensions, **readings} or None, max_pixels=max_pixels)
