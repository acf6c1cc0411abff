"""Runs functions of the user on arrays: here, or in a helper process that answers requests.

The protocol is that of src/pipeline/foreign/helper_process.hpp: one packet each way, arrays and texts in shared memory.
"""

from __future__ import annotations

import mmap
import os
import pickle
import signal
import socket
import struct
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from . import _core

Function = Callable[..., Any]

RETURNED, RAISED, WRONG = range(3)

_REQUEST = struct.Struct("<IIQQQII8Q")
_REPLY = struct.Struct("<IIII8Q4Q")
_NO_SHAPE = (0,) * 8
_PACKAGE = Path(__file__).parent
_LINE = 64
_MAX_BYTES = 1 << 30
_MAX_CAUSE = 64 << 10
_MAX_TEXT = 16 << 10
SCALARS = [np.dtype(name) for name in _core.scalar_names()]
_NUMBERS = {dtype: number for number, dtype in enumerate(SCALARS)}


class Work(NamedTuple):
    """A function, and how it is called."""

    function: Function
    name: str
    takes_rng: bool


class Outcome(NamedTuple):
    """What became of a call: the array, or why there is none."""

    code: int
    array: np.ndarray[Any, Any] | None = None
    message: str = ""
    detail: str = ""
    cause: bytes = b""


def generator(stream: int, sample: int, op: int) -> np.random.Generator:
    """Keyed like our own operations: nothing but (seed, epoch), sample and op decides what it draws."""
    return np.random.Generator(np.random.Philox(key=[stream, 0], counter=[0, op, sample, 0]))


def run(work: Work, array: np.ndarray[Any, Any], stream: int, sample: int, op: int) -> Outcome:
    """Calls the function."""
    try:
        returned = work.function(array, generator(stream, sample, op)) if work.takes_rng else work.function(array)
    except KeyboardInterrupt:
        raise
    except BaseException as raised:  # SystemExit too: it must not end a process in one place, and a call in another
        return explain(work, raised)
    try:
        result = np.asarray(returned)
    except (TypeError, ValueError, RuntimeError) as problem:
        return Outcome(WRONG, message=f"{work.name} returned {type(returned).__name__}, not an array: {problem}")
    if not result.dtype.isnative:
        result = result.astype(result.dtype.newbyteorder("="))
    if result.dtype not in _NUMBERS or result.ndim > len(_NO_SHAPE):
        types = ", ".join(dtype.name for dtype in SCALARS)
        given = f"{type(returned).__name__} of {result.dtype.name} with {result.ndim} dimensions"
        message = f"{work.name} returned {given}; return an array of at most 8 dimensions and one of {types}"
        return Outcome(WRONG, message=message)
    if result.nbytes > _MAX_BYTES:
        return Outcome(WRONG, message=f"{work.name} returned {result.nbytes} bytes; return at most {_MAX_BYTES}")
    return Outcome(RETURNED, result)


def explain(work: Work, raised: BaseException) -> Outcome:
    """The exception as texts: one line, the traceback from the user's function on, and the exception itself."""
    frames = raised.__traceback__
    while frames is not None and Path(frames.tb_frame.f_code.co_filename).parent == _PACKAGE:
        frames = frames.tb_next
    detail = "".join(traceback.format_exception(type(raised), raised, frames)).rstrip()[-_MAX_TEXT:]
    summary = "".join(traceback.format_exception_only(type(raised), raised)).strip()[:_MAX_TEXT]
    try:
        cause = pickle.dumps(raised)
        if len(cause) > _MAX_CAUSE or not isinstance(pickle.loads(cause), BaseException):
            cause = b""
    except Exception:  # any class may refuse in its own way; the texts say it all
        cause = b""
    return Outcome(RAISED, None, f"{work.name} raised {summary}", detail, cause)


class _Memory:
    """The shared memory of this helper. Views of an earlier mapping stay valid when it grows."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._size = 0
        self._mapped: mmap.mmap | None = None

    def of(self, size: int) -> mmap.mmap:
        """All of it, at least that many bytes."""
        if size > self._size or self._mapped is None:
            there = os.fstat(self._descriptor).st_size
            if there < size:
                os.ftruncate(self._descriptor, size)
            self._size = max(there, size)
            self._mapped = mmap.mmap(self._descriptor, self._size)
        return self._mapped

    def close(self) -> None:
        os.close(self._descriptor)


def cost_of_answering(array: np.ndarray[Any, Any]) -> float:
    """Seconds that a helper spends on such an array besides the function, the copies of the caller included."""
    memory = _Memory(os.memfd_create("penstock-trial", os.MFD_CLOEXEC))
    try:
        padded = (*array.shape, *_NO_SHAPE)[: len(_NO_SHAPE)]
        scalar = _NUMBERS[array.dtype]
        request = _REQUEST.pack(0, 0, 0, 0, array.nbytes, scalar, array.ndim, *padded)
        fastest = float("inf")
        for _ in range(3):
            start = time.perf_counter()
            memory.of(array.nbytes)[: array.nbytes] = array.tobytes()
            _answer([Work(_unchanged, "trial", True)], memory, request)
            fastest = min(fastest, time.perf_counter() - start)
        return fastest
    finally:
        memory.close()


def _unchanged(array: np.ndarray[Any, Any], rng: np.random.Generator) -> np.ndarray[Any, Any]:
    return array


def _answer(works: list[Work], memory: _Memory, request: bytes) -> bytes:
    number, op, stream, sample, size, scalar, dims, *shape = _REQUEST.unpack(request)
    array: np.ndarray[Any, Any] = np.ndarray(tuple(shape[:dims]), SCALARS[scalar], buffer=memory.of(size))
    outcome = run(works[number], array, stream, sample, op)
    offset = -(-array.nbytes // _LINE) * _LINE
    if outcome.array is not None:
        result = outcome.array
        target: np.ndarray[Any, Any] = np.ndarray(
            result.shape, result.dtype, buffer=memory.of(offset + result.nbytes), offset=offset
        )
        np.copyto(target, result)
        padded = (*result.shape, *_NO_SHAPE)[: len(_NO_SHAPE)]
        return _REPLY.pack(RETURNED, _NUMBERS[result.dtype], result.ndim, 0, *padded, offset, 0, 0, 0)
    texts = [text.encode(errors="replace") for text in (outcome.message, outcome.detail)] + [outcome.cause]
    whole = b"".join(texts)
    memory.of(offset + len(whole))[offset : offset + len(whole)] = whole
    return _REPLY.pack(outcome.code, 0, 0, 0, *_NO_SHAPE, offset, *map(len, texts))


def begin(connection: socket.socket, parent: int, work: Any) -> Any:
    """The start of a helper process: says that it is ready, or why not. Returns the work; None if there is none."""
    _core.end_with(connection.fileno(), parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends us
    signal.pthread_sigmask(signal.SIG_SETMASK, ())  # the worker that started us hears no signals
    try:
        ready = pickle.loads(work) if isinstance(work, bytes) else work
        said = b"ready"
    except Exception:
        ready, said = None, traceback.format_exc(limit=-3).encode()[-8192:]
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)  # helpers share the cores
    try:
        connection.send(said)
    except BrokenPipeError:
        return None  # the loader was closed meanwhile
    return ready


def serve(connection: socket.socket, parent: int, works: bytes | list[Work]) -> None:
    """The life of a helper process: answers until the parent is gone."""
    ready: list[Work] | None = begin(connection, parent, works)
    if ready is None:
        return
    _, descriptors, _, _ = socket.recv_fds(connection, 1, 1)
    if not descriptors:
        return
    memory = _Memory(descriptors[0])
    try:
        while request := connection.recv(_REQUEST.size):
            connection.send(_answer(ready, memory, request))
    except (BrokenPipeError, ConnectionResetError):
        return  # nobody waits for the answer any more
