"""A batch as users see it: a mapping from field names to tensors, arrays or lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from typing import Any

import numpy as np

from . import _core
from ._columns import Columns, Convert


class Batch(MutableMapping[str, Any]):
    """The rows of one step. Images and bytes are views of memory that stays valid and unchanged while anyone holds
    them; numbers are small copies, so that keeping labels does not keep images.

    Recordings are float32 [B, C, T], or [B, C, bands, T] as spectrograms, shorter ones followed by zeros;
    batch["audio_length"] has the frames of each before padding.

    Batch({name: value, ...}) makes one of values that are there already, as frameworks do with what they have moved to
    a device. Values can be put in and taken out (pop), which changes this batch alone. A batch can be pickled, copied
    and saved by torch.save, which copies what it holds; torch.load needs weights_only=False. Where it holds objects
    that speak DLPack alone (output="dlpack"), the copy has numpy arrays in their place, which speak it too.
    """

    __slots__ = ("_columns", "_epoch", "_names", "_step", "_values")

    def __init__(
        self,
        values: Mapping[str, Any] | Iterable[tuple[str, Any]] = (),
        *,
        epoch: int | None = None,
        step: int | None = None,
    ) -> None:
        self._columns: Columns | None = None
        self._values: dict[str, Any] = dict(values)
        self._names = list(self._values)
        self._epoch = epoch
        self._step = step

    @classmethod
    def _of(cls, columns: Columns) -> Batch:
        """One whose values are made when they are asked for."""
        batch = cls(epoch=columns.core.epoch, step=columns.core.step)
        batch._columns = columns
        batch._names = list(columns.names)
        return batch

    @property
    def epoch(self) -> int | None:
        """The epoch that this batch belongs to; None if it was made from a mapping."""
        return self._epoch

    @property
    def step(self) -> int | None:
        """The number of this batch in its epoch; None if it was made from a mapping."""
        return self._step

    def __getitem__(self, name: str) -> Any:
        if name not in self._values:
            if self._columns is None or name not in self._names:
                raise KeyError(f"no field {name!r}; this batch has {', '.join(self._names)}")
            self._values[name] = self._columns.make(name)
        return self._values[name]

    def __setitem__(self, name: str, value: Any) -> None:
        if name not in self._names:
            self._names.append(name)
        self._values[name] = value

    def __delitem__(self, name: str) -> None:
        self._values.pop(name, None)
        try:
            self._names.remove(name)
        except ValueError:
            raise KeyError(name) from None

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
        moved = Batch(self._values, epoch=self.epoch, step=self.step)
        moved._columns, moved._names = self._columns, list(self._names)
        moved.map_tensors(lambda tensor: tensor.to(device, non_blocking=non_blocking))
        return moved

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, ({name: _portable(value) for name, value in self.items()}, self.epoch, self.step))

    def __repr__(self) -> str:
        place = "" if self.epoch is None else f" epoch {self.epoch}, step {self.step}"
        rows = "" if self._columns is None else f" {self._columns.core.rows} rows of"
        return f"<penstock.Batch{place}:{rows} {', '.join(_core.printable(name) for name in self._names)}>"


def _portable(value: Any) -> Any:
    """The value, or numpy arrays in the place of objects of the engine, which cannot be pickled."""
    if isinstance(value, list):
        return [_portable(item) for item in value]
    return np.from_dlpack(value) if type(value).__module__.startswith("nanobind") else value


def _rebuild(values: dict[str, Any], epoch: int | None, step: int | None) -> Batch:
    return Batch(values, epoch=epoch, step=step)
