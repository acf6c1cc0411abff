"""A batch as users see it: a mapping from field names to tensors, arrays or lists."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from . import _core
from ._fields import decode_stored

_RAW = ("data", "offsets", "sizes", "heights", "widths")

Convert = Callable[[Any], Any]


class Batch(Mapping[str, Any]):
    """The rows of one step. Pictures and bytes are views of memory that stays valid and unchanged while anyone holds
    them; numbers are small copies, so that keeping labels does not keep pictures.

    Sounds are float32 [B, C, T], or [B, C, bands, T] as spectrograms, shorter ones followed by zeros;
    batch["audio_length"] has the frames of each before padding."""

    __slots__ = ("_convert", "_convert_picture", "_core", "_lengths", "_names", "_numpy", "_values")

    def __init__(self, core: _core.Batch, numpy: bool, convert: Convert, convert_picture: Convert) -> None:
        self._core = core
        self._numpy = numpy
        self._convert = convert
        self._convert_picture = convert_picture
        self._lengths = {f"{name}_length": name for name in core.columns if core.kind(name) == "audio"}
        self._names = [*(_RAW if core.is_raw else ()), *core.columns, *self._lengths, "index", "key"]
        self._values: dict[str, Any] = {}

    @property
    def epoch(self) -> int:
        """The epoch this batch belongs to."""
        return self._core.epoch

    @property
    def step(self) -> int:
        """The number of this batch in its epoch."""
        return self._core.step

    def __getitem__(self, name: str) -> Any:
        if name not in self._values:
            self._values[name] = self._make(name)
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def map_tensors(self, change: Convert) -> None:
        """Puts change(tensor) in the place of every tensor. For transfers; other values stay as they are."""
        for name in self._names:
            value = self[name] if name != "key" else None
            if isinstance(value, list):
                self._values[name] = [change(item) if hasattr(item, "untyped_storage") else item for item in value]
            elif hasattr(value, "untyped_storage"):
                self._values[name] = change(value)

    def to(self, device: Any, non_blocking: bool = False) -> Batch:
        """A batch with all tensors on that device; this one stays as it is. Lightning and Accelerate call it."""
        moved = Batch(self._core, self._numpy, self._convert, self._convert_picture)
        moved._values = dict(self._values)
        moved.map_tensors(lambda tensor: tensor.to(device, non_blocking=non_blocking))
        return moved

    def __repr__(self) -> str:
        return (
            f"<penstock.Batch epoch {self.epoch}, step {self.step}: {self._core.rows} rows of {', '.join(self._names)}>"
        )

    def _make(self, name: str) -> Any:
        core = self._core
        if name not in self._names:
            raise KeyError(f"there is no field {name!r}; this batch has {', '.join(self._names)}")
        if name == "key":
            return core.keys()
        if name == "index":
            return self._convert(core.index(self._numpy))
        if core.is_raw and name in _RAW:
            return self._convert(core.raw(name, self._numpy))
        if name in self._lengths:
            return self._convert(core.lengths(self._lengths[name], self._numpy))
        value = core.column(name, self._numpy)
        kind = core.kind(name)
        if kind == "image" and not core.is_picture(name):  # what a user's function made of it
            return [self._convert(array) for array in value] if isinstance(value, list) else self._convert(value)
        if kind == "image":
            if isinstance(value, list):
                return [self._convert_picture(picture) for picture in value]
            return self._convert_picture(value)
        if isinstance(value, list):
            numbers, keys = core.index(True).tolist(), core.keys()
            return [
                decode_stored(kind, stored, name, {"index": number, "key": key})
                for stored, number, key in zip(value, numbers, keys, strict=True)
            ]
        return self._convert(value)
