"""A batch as users see it: a mapping from field names to tensors, arrays or lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._columns import Columns, Convert

if TYPE_CHECKING:
    from PIL import Image as PilImage


class Batch(MutableMapping[str, Any]):
    """The rows of one step. Images and bytes are views of memory that stays valid and unchanged while anyone holds
    them; numbers are small copies, so that keeping labels does not keep images.

    Recordings are float32 [B, C, T], or [B, C, bands, T] as spectrograms, shorter ones followed by zeros;
    batch["audio_length"] has the frames of each before padding.

    Images are one array where all have one size, by the transforms or by what the data set knows of its files; else a
    list or, with pad_images=True, one array in which each has zeros around it, and batch["image_size"] [B, 2].

    Batch({name: value, ...}) makes one of values that are there already, as frameworks do with what they have moved to
    a device. Values can be put in and taken out (pop), which changes this batch alone; copy() and
    batch | {name: value, ...} are other batches, of the same epoch and step. A batch can be pickled, copied and saved
    by torch.save, which copies what it holds; torch.load needs weights_only=False then, or save dict(batch). Where it
    holds objects that speak DLPack alone (output="dlpack"), the copy has numpy arrays in their place, which speak it.
    """

    __slots__ = ("_columns", "_epoch", "_names", "_params", "_step", "_values")

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
        self._params: list[dict[str, Any]] | None = None  # of a batch that was pickled

    @classmethod
    def _of(cls, columns: Columns) -> Batch:
        """One whose values are made when they are asked for."""
        batch = cls.__new__(cls)
        batch._columns = columns
        batch._values = {}
        batch._names = list(columns.names)
        batch._epoch, batch._step = columns.core.epoch, columns.core.step
        batch._params = None
        return batch

    @property
    def epoch(self) -> int | None:
        """The epoch that this batch belongs to; None if it was made from a mapping."""
        return self._epoch

    @property
    def step(self) -> int | None:
        """The number of this batch in its epoch; None if it was made from a mapping."""
        return self._step

    @property
    def params(self) -> list[dict[str, Any]] | None:
        """What was drawn for each row, as plain values: {view: [{"op": name, ...}, ...]}, "" for the only list, the
        field's name for {field: list}, a list of lists for a counted view. transforms.apply() makes the same pixels,
        masks, boxes and keypoints of them. None if the batch was made from a mapping."""
        return self._params if self._columns is None else self._columns.params()

    def __getitem__(self, name: str) -> Any:
        if name not in self._values:
            if self._columns is None or name not in self:
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

    def __contains__(self, name: object) -> bool:
        return name in self._names  # without making its value

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __or__(self, other: Mapping[str, Any]) -> Batch:
        if not isinstance(other, Mapping):
            return NotImplemented
        joined = self._same()
        joined.update(other)
        return joined

    def __ror__(self, other: Mapping[str, Any]) -> Batch:
        if not isinstance(other, Mapping):
            return NotImplemented
        joined = self._same()
        joined.update({name: value for name, value in other.items() if name not in self})
        joined._names = list(dict.fromkeys([*other, *self]))
        return joined

    def __ior__(self, other: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> Batch:
        self.update(other)
        return self

    def copy(self) -> Batch:
        """Another batch with the same values, of the same epoch and step: what is put into one is not in the other."""
        return self._same()

    def _same(self) -> Batch:
        """A batch of its own with the same values, those not asked for yet made when they are."""
        batch = Batch(self._values, epoch=self.epoch, step=self.step)
        batch._columns, batch._names, batch._params = self._columns, list(self._names), self._params
        return batch

    def map_tensors(self, change: Convert) -> None:
        """Puts change(tensor) in the place of every tensor. For transfers; other values stay as they are."""
        for name in self._names:
            value = self[name] if name != "key" else None
            if isinstance(value, list):
                self._values[name] = [change(item) if hasattr(item, "untyped_storage") else item for item in value]
            elif hasattr(value, "untyped_storage"):
                self._values[name] = change(value)

    def show(
        self,
        *,
        rows: int = 32,
        columns: int | None = None,
        side: int = 160,
        classes: Sequence[str] | None = None,
        mean: Sequence[float] | None = None,
        std: Sequence[float] | None = None,
    ) -> PilImage.Image:
        """A contact sheet of the images as a PIL image, which notebooks display: labels below, masks, boxes and key
        points drawn over them, the views of a row beside each other.

        rows: of the batch, at most.
        columns: of the sheet; views make their own.
        side: of each image on the sheet, in pixels.
        classes: names of the labels, as dataset.classes has them.
        mean, std: what Normalize was given, to undo it; without them floats outside of 0 to 1 are stretched.
        """
        from ._show import show_batch

        return show_batch(self, rows, columns, side, classes, mean, std)

    def to(self, device: Any, non_blocking: bool = False) -> Batch:
        """A batch with all tensors on that device; this one stays as it is. Lightning and Accelerate call it."""
        moved = self._same()
        moved.map_tensors(lambda tensor: tensor.to(device, non_blocking=non_blocking))
        return moved

    def __reduce__(self) -> tuple[Any, ...]:
        values = {name: _portable(value) for name, value in self.items()}
        return (_rebuild, (values, self.epoch, self.step, self.params))

    def __repr__(self) -> str:
        place = "" if self.epoch is None else f" epoch {self.epoch}, step {self.step}"
        rows = "" if self._columns is None else f" {self._columns.core.rows} rows of"
        return f"<penstock.Batch{place}:{rows} {', '.join(_core.printable(name) for name in self._names)}>"


def _portable(value: Any) -> Any:
    """The value, or numpy arrays in the place of objects of the engine, which cannot be pickled."""
    if isinstance(value, list):
        return [_portable(item) for item in value]
    return np.from_dlpack(value) if type(value).__module__.startswith("nanobind") else value


def _rebuild(
    values: dict[str, Any], epoch: int | None, step: int | None, params: list[dict[str, Any]] | None = None
) -> Batch:
    batch = Batch(values, epoch=epoch, step=step)
    batch._params = params
    return batch
