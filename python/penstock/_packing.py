"""Values that travel between processes in anonymous memory: arrays and tensors as they are, the rest pickled."""

from __future__ import annotations

import fcntl
import io
import mmap
import os
import pickle
import struct
import sys
from typing import Any

_COUNTS = struct.Struct("<QQ")  # bytes of the pickle, number of buffers
_SPAN = struct.Struct("<QQ")  # where a buffer is, and its bytes
_LINE = 64


def _tensor(array: Any, is_channels_last: bool) -> Any:
    import torch  # what runs in the other process may have imported it first

    tensor = torch.from_numpy(array)
    return tensor.permute(0, 3, 1, 2) if is_channels_last else tensor


class _Pickler(pickle.Pickler):
    """Leaves the elements of tensors where they are, as pickle does with those of arrays."""

    def reducer_override(self, value: Any) -> Any:
        torch = sys.modules.get("torch")
        if torch is None or type(value) is not torch.Tensor or value.requires_grad or value.device.type != "cpu":
            return NotImplemented
        is_channels_last = (
            value.dim() == 4 and not value.is_contiguous() and value.is_contiguous(memory_format=torch.channels_last)
        )
        try:
            array = (value.permute(0, 2, 3, 1) if is_channels_last else value).numpy()
        except (TypeError, RuntimeError):  # of a kind that numpy does not have
            return NotImplemented
        return _tensor, (array, is_channels_last)


def pack(value: Any) -> int:
    """The descriptor of new memory that holds the value. Raises what pickle raises."""
    buffers: list[pickle.PickleBuffer] = []
    stream = io.BytesIO()
    _Pickler(stream, protocol=5, buffer_callback=buffers.append).dump(value)
    pickled = stream.getbuffer()
    views = [buffer.raw() for buffer in buffers]
    end = _COUNTS.size + _SPAN.size * len(views) + len(pickled)
    spans = []
    for view in views:
        begin = -(-end // _LINE) * _LINE
        spans.append((begin, view.nbytes))
        end = begin + view.nbytes
    descriptor = os.memfd_create("penstock-value", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        os.ftruncate(descriptor, end)
        with mmap.mmap(descriptor, end) as memory:
            table = _COUNTS.pack(len(pickled), len(views)) + b"".join(_SPAN.pack(*span) for span in spans)
            memory[: len(table)] = table
            memory[len(table) : len(table) + len(pickled)] = pickled
            for (begin, size), view in zip(spans, views, strict=True):
                memory[begin : begin + size] = view
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def unpack(descriptor: int) -> Any:
    """The value; its arrays are views of the memory, which lives as long as one of them. Closes the descriptor."""
    try:
        # Memory that becomes shorter under a mapping would end this process.
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)
        memory = memoryview(mmap.mmap(descriptor, 0))
    finally:
        os.close(descriptor)
    size, count = _COUNTS.unpack_from(memory)
    begin = _COUNTS.size + _SPAN.size * count
    spans = _SPAN.iter_unpack(memory[_COUNTS.size : begin])
    return pickle.loads(memory[begin : begin + size], buffers=[memory[at : at + length] for at, length in spans])
