"""Batches made by a function of the user: in the consumer's thread, or in a helper process that is asked for."""

from __future__ import annotations

import contextlib
import itertools
import os
import pickle
import socket
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Protocol

from . import _core, errors
from ._caller import caller_level
from ._columns import ColumnNames, Columns
from ._functions import name_of
from ._helper import RAISED, RETURNED, WRONG, Work, begin, explain
from ._helpers import Helpers, refuse_to_be_run_by_helper, why_not_sent
from ._packing import pack, unpack
from .errors import InvalidError
from .options import LoaderOptions

Collate = Callable[[list[dict[str, Any]]], Any]

#: Batches that the helper process has, or has made, while the consumer uses one.
AHEAD = 2
_SLICE_SECONDS = 0.1  # between the short waits a closing loader is heard


def _as_is(array: Any) -> Any:
    return array


def samples_of(core: _core.Batch) -> list[dict[str, Any]]:
    """The rows of a batch, one dict each: numpy arrays and plain values. Images are views of the batch."""
    made = Columns(core, ColumnNames(core), True, _as_is, _as_is)
    columns = {name: made.make(name) for name in made.names}
    numbers = {name: values.tolist() for name, values in columns.items() if getattr(values, "ndim", 0) == 1}
    if core.is_raw:
        data = columns.pop("data")
        numbers.pop("data")
        spans = zip(numbers.pop("offsets"), numbers.pop("sizes"), strict=True)
        columns = {"data": [data[begin : begin + size] for begin, size in spans], **columns}
        del columns["offsets"], columns["sizes"]
    columns.update(numbers)
    return [{name: values[row] for name, values in columns.items()} for row in range(core.rows)]


class Source(Protocol):
    """Where the batches of an iteration come from, and who is told which of them count as received."""

    def is_newest(self) -> bool: ...

    def take_core(self) -> _core.Batch | None: ...

    def take_core_if_ready(self) -> _core.Batch | None: ...

    def state(self) -> str: ...

    def received_until(self, state: str | None) -> None: ...


class Taken(NamedTuple):
    """A batch that collate_fn has not been seen to make something of."""

    state: str  # what had been received before it
    core: _core.Batch


class Collator:
    """Calls collate_fn in the consumer's thread."""

    runs_in = "thread"

    def __init__(self, function: Collate) -> None:
        self._function = function
        self._owner = os.getpid()
        self._lock = threading.RLock()  # held while a batch is taken
        self._calls = 0
        self._seconds = 0.0

    def begin(self) -> None:
        """A new iteration: nobody wants what is being made for an older one."""

    def take(self, source: Source, taken: deque[Taken]) -> Any:
        """What collate_fn makes of the next batch, which is received only if it makes something. Raises StopIteration
        at the end. `taken`: what an earlier call has taken for this iteration."""
        with self._lock:
            if not source.is_newest() or os.getpid() != self._owner:
                taken.clear()
            if not taken:
                source.received_until(None)
                state = source.state()
                core = source.take_core()
                if core is None:
                    raise StopIteration
                taken.append(Taken(state, core))
            source.received_until(taken[0].state)
            start = time.perf_counter()
            try:
                value = self._make(source, taken)
            except Exception as raised:
                core = taken.popleft().core
                if hasattr(raised, "add_note"):  # Python 3.11
                    raised.add_note(f"in collate_fn, for step {core.step} of epoch {core.epoch}")
                if isinstance(raised, StopIteration):  # would end the epoch, and nobody would know
                    raise RuntimeError("collate_fn raised StopIteration") from raised
                raise
            finally:
                self._calls += 1
                self._seconds += time.perf_counter() - start
            taken.popleft()  # not before: after Ctrl-C it is made again
            source.received_until(taken[0].state if taken else None)
            return value

    def _make(self, source: Source, taken: deque[Taken]) -> Any:
        return self._function(samples_of(taken[0].core))

    def stop(self) -> None:
        """Before close(): who waits is told so."""

    def close(self) -> None:
        """Ends what was started for it; a later call may start it again."""

    def stats(self) -> dict[str, Any]:
        """What it did so far: seconds are those of the consumer's thread."""
        return {"runs_in": self.runs_in, "calls": self._calls, "seconds": self._seconds, "pids": []}


class HelperTracebackError(Exception):
    """The cause of an exception of collate_fn: where in the helper process it was raised."""


def serve(connection: socket.socket, parent: int, pickled: bytes) -> None:
    """The life of the helper process: answers in the order of the requests until the parent is gone."""
    work: Work | None = begin(connection, parent, pickled)
    while work is not None:
        try:
            _, descriptors, _, _ = socket.recv_fds(connection, 1, 1)
            if not descriptors:
                return
            code, answer = _answer(work, descriptors[0])
            try:
                socket.send_fds(connection, [bytes([code])], [answer])
            finally:
                os.close(answer)
        except (BrokenPipeError, ConnectionResetError):
            return  # nobody waits for the answer any more


def _answer(work: Work, descriptor: int) -> tuple[int, int]:
    try:
        value = work.function(unpack(descriptor))
    except BaseException as raised:  # SystemExit too: it must not end a process in one place, and a call in another
        outcome = explain(work, raised)
        return RAISED, pack((outcome.message, outcome.detail, outcome.cause))
    try:
        return RETURNED, pack(value)
    except Exception as problem:  # classes refuse in their own ways
        return WRONG, pack(f"{type(problem).__name__}: {problem}")


class ProcessCollator(Collator):
    """Has collate_fn called in one helper process, ahead of the consumer. Batches go there and back in anonymous
    memory; answers come in the order of the requests. A process that has ended is an error of the batch it was at,
    and another one is started for the next."""

    runs_in = "process"

    def __init__(self, function: Collate, options: LoaderOptions) -> None:
        super().__init__(function)
        self._work = Work(function, name_of(function), False)
        if options.collate_buffer_size is not None:
            raise InvalidError(
                "collate_in='process' and collate_buffer_size cannot be combined: the process has batches ahead of "
                "those that you take; omit one of them"
            )
        refuse_to_be_run_by_helper()
        if reason := why_not_sent(self._work):
            raise InvalidError(
                f"collate_in='process' needs a function that can be sent to another process, got {self._work.name}: "
                f"{reason}; pass a function of a module, or collate_in='thread'"
            )
        self._timeout_seconds = options.timeout_seconds
        self._helpers = Helpers(options.multiprocessing_context)
        self._helpers.refuse_unsafe_fork()
        self._number = 0
        self._connection: socket.socket | None = None
        self._sent = 0  # of what is taken, from the oldest on
        self._unwanted = 0  # answers that an older iteration has left behind
        self._start()

    def _start(self) -> None:
        self._number, descriptor = self._helpers.start(serve, self._work)
        self._connection = socket.socket(fileno=descriptor)
        self._connection.settimeout(_SLICE_SECONDS)

    def _end(self) -> str:
        """Ends the process; says how it ended."""
        self._sent = self._unwanted = 0
        if self._connection is None:
            return "has ended"
        with contextlib.suppress(OSError):  # the garbage collector takes a loader and its socket in either order
            self._connection.shutdown(socket.SHUT_RDWR)  # also where a fork of this process holds the same socket
        self._connection.close()
        self._connection = None
        return self._helpers.ended(self._number)

    def begin(self) -> None:
        with self._lock:
            self._unwanted += self._sent
            self._sent = 0

    def take(self, source: Source, taken: deque[Taken]) -> Any:
        try:
            return super().take(source, taken)
        except BaseException as raised:
            if not isinstance(raised, Exception) and os.getpid() == self._owner:
                self._end()  # Ctrl-C, anywhere: another process is sent what this one has
            raise

    def _make(self, source: Source, taken: deque[Taken]) -> Any:
        with contextlib.suppress(errors.IoError, errors.TimeoutError):  # of batches that nobody wants
            while self._unwanted > 0:
                os.close(self._receive()[1])
                self._unwanted -= 1
        if self._connection is None:
            self._start()
        self._send(itertools.islice(taken, self._sent, None))
        code, descriptor = self._receive()
        self._sent -= 1
        value = _value_of(code, descriptor)
        while len(taken) < 1 + AHEAD:
            state = source.state()
            core = source.take_core_if_ready()
            if core is None:
                break
            taken.append(Taken(state, core))
        self._send(itertools.islice(taken, 1 + self._sent, None))
        return value

    def _send(self, batches: Iterable[Taken]) -> None:
        """Never waits: packets as few and small as these always find room."""
        assert self._connection is not None
        for batch in batches:
            descriptor = pack(samples_of(batch.core))
            self._sent += 1
            try:
                socket.send_fds(self._connection, [b"b"], [descriptor])
            except BrokenPipeError:
                return  # the process has ended, and _receive() will tell how
            finally:
                os.close(descriptor)

    def _receive(self) -> tuple[int, int]:
        """The next answer: what became of a call, and the descriptor of its value."""
        assert self._connection is not None
        begun = time.monotonic()
        while not self._helpers.stopping:
            try:
                code, descriptors, _, _ = socket.recv_fds(self._connection, 1, 1)
            except ConnectionResetError:
                continue  # it has ended with requests unread; what it had answered before comes still
            except TimeoutError:
                if self._helpers.has_ended(self._number):
                    descriptors = []
                elif self._timeout_seconds is None or time.monotonic() - begun < self._timeout_seconds:
                    continue
                else:
                    self._end()
                    raise errors.TimeoutError(
                        f"collate_fn took longer than {self._timeout_seconds:.1f} s, and its helper process was ended; "
                        "make it faster, or raise timeout_seconds"
                    ) from None
            if not descriptors:
                raise errors.IoError(f"the helper process that runs collate_fn {self._end()}")
            return code[0], descriptors[0]
        raise errors.CancelledError("the loader was closed")

    def stop(self) -> None:
        self._helpers.stop()

    def close(self) -> None:
        if os.getpid() == self._owner:  # in a fork the lock may be held forever, and the process is the parent's
            with self._lock:  # soon: who waits has been told to stop
                self._end()

    def stats(self) -> dict[str, Any]:
        return {**super().stats(), "pids": self._helpers.pids()}


def _value_of(code: int, descriptor: int) -> Any:
    """What the answer brings; raises what collate_fn raised."""
    try:
        value = unpack(descriptor)
    except Exception as problem:  # classes refuse in their own ways
        code, value = WRONG, f"{type(problem).__name__}: {problem}"
    if code == RAISED:
        message, detail, cause = value
        raised = pickle.loads(cause) if cause else RuntimeError(message)
        raise raised from HelperTracebackError(f"\n{detail}")
    if code == WRONG:
        raise InvalidError(
            f"collate_in='process' needs a collate_fn whose results can be sent to another process, got {value}; "
            "return what can be pickled, or pass collate_in='thread'"
        )
    return value


def collator_for(collate_fn: Collate | None, options: LoaderOptions, is_sent: bool) -> Collator | None:
    """What calls collate_fn, where the options say. `is_sent`: batches go to a device."""
    if collate_fn is None:
        if options.collate_in == "process":
            warnings.warn(
                "collate_in='process' has no effect without collate_fn; pass a function, or omit it",
                RuntimeWarning,
                stacklevel=caller_level(),
            )
        return None
    if not callable(collate_fn):
        raise InvalidError(f"collate_fn must be a function of a list of samples, got {collate_fn!r}")
    if is_sent:
        raise InvalidError(
            "collate_fn cannot be combined with device or pin_memory; move what your function returns yourself"
        )
    return ProcessCollator(collate_fn, options) if options.collate_in == "process" else Collator(collate_fn)
