"""A helper process that runs collate_fn: batches there and back in anonymous memory."""

from __future__ import annotations

import os
import pickle
import socket
import struct
import time
from typing import Any, NamedTuple

from . import errors
from ._helper import RAISED, RETURNED, WRONG, Work, begin, explain
from ._helpers import Helpers
from ._packing import pack, unpack
from ._surroundings import Seen, UnseenError, difference, look

_REQUEST = struct.Struct("<Q")
_REPLY = struct.Struct("<QI")
_SLICE_SECONDS = 0.1  # between the short waits a closing loader is heard


class NotSentError(Exception):
    """collate_fn cannot run in another process after all; the text says why."""


class HelperTracebackError(Exception):
    """The cause of an exception of collate_fn: where in the helper process it was raised."""


class Reply(NamedTuple):
    """What became of a batch: a value, or why there is none."""

    code: int
    value: Any


def serve(connection: socket.socket, parent: int, pickled: bytes) -> None:
    """The life of the helper process: says that it is ready, or why not, and answers until the parent is gone."""
    work, here = begin(connection, parent, pickled) or (None, {})
    while work is not None:
        try:
            request, descriptors, _, _ = socket.recv_fds(connection, _REQUEST.size, 1)
        except ConnectionResetError:
            return  # the loader went away without having read the last answer
        if not descriptors:
            return
        code, answer = _call(work, here, descriptors[0])
        try:
            socket.send_fds(connection, [_REPLY.pack(*_REQUEST.unpack(request), code)], [answer])
        except (BrokenPipeError, ConnectionResetError):
            return  # nobody waits for the answer any more
        finally:
            os.close(answer)


def _call(work: Work, here: Seen, descriptor: int) -> tuple[int, int]:
    """`here`: what the function reaches in the process that sends the batches, which must not differ."""
    try:
        other = difference(here, look(work.function))
        if other is not None:
            os.close(descriptor)
            return WRONG, pack(f"{other} has another value in a helper process, which imports it anew")
        code, answer = _call_and_pack(work, descriptor)
        other = difference(here, look(work.function))
        if other is None:
            return code, answer
        os.close(answer)
        return WRONG, pack(f"it changes {other}, which belongs to this process")
    except UnseenError as problem:
        return WRONG, pack(str(problem))


def _call_and_pack(work: Work, descriptor: int) -> tuple[int, int]:
    try:
        value = work.function(unpack(descriptor))
    except BaseException as raised:  # SystemExit too: it must not end a process in one place, and a call in another
        outcome = explain(work, raised)
        return RAISED, pack((outcome.message, outcome.detail, outcome.cause))
    try:
        return RETURNED, pack(value)
    except Exception as problem:  # classes refuse in their own ways
        text = f"{type(problem).__name__}: {problem}"
        return WRONG, pack(f"what it returns cannot be sent to another process ({text})")


class CollateHelper:
    """The process, and what it has been sent. Replaced when it dies. One thread at a time; stop() from any."""

    def __init__(self, work: Work, here: Seen, method: str, timeout_seconds: float | None) -> None:
        """`here`: what the function reaches in this process."""
        self._pickled = pickle.dumps((work, here))
        self._timeout_seconds = timeout_seconds
        self._processes = Helpers("spawn" if method == "fork" else method, timeout_seconds)
        self._requests = 0
        self._waiting: dict[int, Any] = {}  # samples by request: sent, and not yet answered
        self._answers: dict[int, Reply] = {}
        self._connection: socket.socket | None = None
        self._number = 0
        self.replaced = 0

    @property
    def pids(self) -> list[int]:
        return self._processes.pids()

    def start(self) -> None:
        """Raises IoError if it cannot be."""
        self._number, descriptor = self._processes.start(serve, self._pickled)
        self._connection = socket.socket(fileno=descriptor)
        self._connection.settimeout(_SLICE_SECONDS)

    def send(self, samples: Any) -> int:
        """Has a batch worked on; the number of the request."""
        self._requests += 1
        self._waiting[self._requests] = samples
        self._send(self._requests)
        return self._requests

    def _send(self, request: int) -> None:
        descriptor = pack(self._waiting[request])
        begun = time.monotonic()
        try:
            while self._connection is not None and not self._processes.stopping:
                try:
                    socket.send_fds(self._connection, [_REQUEST.pack(request)], [descriptor])
                    return
                except TimeoutError:  # it is still at batches of an iteration that was given up
                    self._read()
                    if self._timeout_seconds is not None and time.monotonic() - begun > self._timeout_seconds:
                        self._drop_connection()  # receive() replaces it
                except (BrokenPipeError, ConnectionResetError):
                    self._drop_connection()
        finally:
            os.close(descriptor)

    def forget_all(self) -> None:
        """Nobody wants the answers any more."""
        self._waiting.clear()
        self._answers.clear()

    def receive(self, request: int) -> Any:
        """What collate_fn made of the batch, until done() is called. Raises what it raised, or NotSentError."""
        begun, deaths = time.monotonic(), 0
        while request not in self._answers:
            if self._processes.stopping:
                raise errors.CancelledError("the loader was closed")
            if self._read():
                continue
            late = self._timeout_seconds is not None and time.monotonic() - begun > self._timeout_seconds
            ended = None if self._connection is not None else self._processes.ended(self._number)
            if not late and ended is None:
                continue
            if late:
                self._drop_connection()
                self._processes.ended(self._number)
            deaths += 1
            if late or deaths == 2:
                self.done(request)
            self._replace()
            if late:
                raise errors.TimeoutError(
                    f"collate_fn took longer than {self._timeout_seconds:.1f} s, and its helper process was ended; "
                    "make it faster, or raise timeout_seconds"
                )
            if deaths == 2:
                raise errors.IoError(f"collate_fn ended two helper processes; the last {ended}")
            begun = time.monotonic()  # the start of a process is no time of the function
        return _value_of(self._answers[request])

    def done(self, request: int) -> None:
        """The answer has been taken."""
        self._waiting.pop(request, None)
        self._answers.pop(request, None)

    def _read(self) -> bool:
        """Takes in one answer, if it comes within a moment."""
        if self._connection is None:
            return False
        try:
            data, descriptors, _, _ = socket.recv_fds(self._connection, _REPLY.size, 1)
        except TimeoutError:
            if self._processes.has_ended(self._number):
                self._drop_connection()
            return False
        except ConnectionResetError:
            data, descriptors = b"", []
        if not descriptors:
            self._drop_connection()
            return False
        request, code = _REPLY.unpack(data)
        if request in self._waiting:
            try:
                self._answers[request] = Reply(code, unpack(descriptors[0]))
            except Exception as problem:  # classes refuse in their own ways
                text = f"{type(problem).__name__}: {problem}"
                self._answers[request] = Reply(WRONG, f"what it returned cannot be taken in ({text})")
        else:
            os.close(descriptors[0])
        return True

    def _replace(self) -> None:
        self.replaced += 1
        self.start()
        for request in sorted(self._waiting.keys() - self._answers.keys()):
            self._send(request)

    def _drop_connection(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def stop(self) -> None:
        """Who waits is told so."""
        self._processes.stop()

    def close(self) -> None:
        """Ends it."""
        self.stop()
        self._drop_connection()
        self._processes.reap()


def _value_of(reply: Reply) -> Any:
    if reply.code == RETURNED:
        return reply.value
    if reply.code == WRONG:
        raise NotSentError(reply.value)
    message, detail, cause = reply.value
    raised = pickle.loads(cause) if cause else RuntimeError(message)
    raised.__cause__ = HelperTracebackError(f"\n{detail}")
    raise raised
