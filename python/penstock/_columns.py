"""The values of a batch of the engine, made when they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _core
from ._fields import decode_stored

#: What a batch of stored bytes has in the place of decoded fields.
RAW = ("data", "offsets", "sizes", "heights", "widths")

Convert = Callable[[Any], Any]


class ColumnNames:
    """What the values of a batch are called: the same in all batches of a loader."""

    __slots__ = ("lengths", "names", "sizes")

    def __init__(self, core: _core.Batch) -> None:
        self.lengths = {f"{name}_length": name for name in core.columns if core.kind(name) == "audio"}
        self.sizes = {f"{name}_size": name for name in core.columns if core.has_sizes(name)}
        self.names = (*(RAW if core.is_raw else ()), *core.columns, *self.lengths, *self.sizes, "index", "key")


class Columns:
    """Tensors or arrays on the memory of one batch of the engine; texts and numbers are copies."""

    __slots__ = ("_called", "_convert", "_convert_image", "_numpy", "core")

    def __init__(
        self, core: _core.Batch, called: ColumnNames, numpy: bool, convert: Convert, convert_image: Convert
    ) -> None:
        self.core = core
        self._called = called
        self._numpy = numpy
        self._convert = convert
        self._convert_image = convert_image

    @property
    def names(self) -> tuple[str, ...]:
        """Of all values."""
        return self._called.names

    def params(self) -> list[dict[str, Any]]:
        """What was drawn for each row."""
        rows = []
        for number in range(self.core.rows):
            row: dict[str, Any] = {}
            for view, counted, operations in self.core.params(number):
                if counted:
                    row.setdefault(view, []).append(operations)
                else:
                    row[view] = operations
            rows.append(row)
        return rows

    def make(self, name: str) -> Any:
        """The value of that name, which is one of names."""
        core = self.core
        if name == "key":
            return core.keys()
        if name == "index":
            return self._convert(core.index(self._numpy))
        if core.is_raw and name in RAW:
            return self._convert(core.raw(name, self._numpy))
        if name in self._called.lengths:
            return self._convert(core.lengths(self._called.lengths[name], self._numpy))
        if name in self._called.sizes:
            return self._convert(core.sizes(self._called.sizes[name], self._numpy))
        value = core.column(name, self._numpy and not core.is_bfloat16(name))
        kind = core.kind(name)
        if kind == "array" or (kind == "image" and not core.is_image(name)):  # by a user's function
            return [self._convert(array) for array in value] if isinstance(value, list) else self._convert(value)
        if kind == "image":
            if isinstance(value, list):
                return [self._convert_image(image) for image in value]
            return self._convert_image(value)
        if isinstance(value, list):
            numbers = core.index(True).tolist()
            return [
                decode_stored(kind, stored, name, {"index": number})
                for stored, number in zip(value, numbers, strict=True)
            ]
        return self._convert(value)
