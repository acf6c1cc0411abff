"""Batches made by a function of the user."""

from __future__ import annotations

import os
import random
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from . import _core
from ._collate_helper import CollateHelper, NotSentError
from ._columns import Columns
from ._functions import name_of
from ._helper import Work
from ._helpers import END_SECONDS, why_not_sent
from ._packing import pack
from ._surroundings import Seen, UnseenError, difference, look
from .errors import IoError
from .options import LoaderOptions

Collate = Callable[[list[dict[str, Any]]], Any]

#: A helper is started once collate_fn has cost the consumer about as much as the start of a process does.
WORTH_A_START_SECONDS = 1.0
#: Looking whether anything else that the function reaches has changed may take such a share of a call.
MOST_FOR_LOOKING = 0.1
#: Batches that the helper has, or has made, while the consumer uses one.
AHEAD = 2


def _as_is(array: Any) -> Any:
    return array


def samples_of(core: _core.Batch) -> list[dict[str, Any]]:
    """The rows of a batch, one dict each: numpy arrays and plain values. Pictures are views of the batch."""
    made = Columns(core, True, _as_is, _as_is)
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


def _draws() -> tuple[Any, ...]:
    """Where the generators are that all of a process shares."""
    torch = sys.modules.get("torch")
    numpys = np.random.get_state(legacy=False)  # noqa: NPY002 - whether the user's function draws from it
    return (
        random.getstate(),
        numpys["state"]["key"].tobytes(),
        numpys["state"]["pos"],
        b"" if torch is None else torch.get_rng_state().numpy().tobytes(),
    )


class Source(Protocol):
    """Where the batches of an iteration come from, and who is told which of them count as received."""

    def is_newest(self) -> bool: ...

    def take_core(self) -> _core.Batch | None: ...

    def take_core_if_ready(self) -> _core.Batch | None: ...

    def state(self) -> str: ...

    def received_until(self, state: str | None) -> None: ...


class Sent(NamedTuple):
    """A batch that the helper has, or has made."""

    state: str  # what had been received before it
    core: _core.Batch
    request: int = 0  # 0: not sent


class Collator:
    """Calls collate_fn in the consumer's thread, or, when that pays, in a helper process, ahead of the consumer."""

    def __init__(self, function: Collate, options: LoaderOptions) -> None:
        self._work = Work(function, name_of(function), False)
        self._options = options
        self._owner = os.getpid()
        self._lock = threading.RLock()  # held while a batch is taken
        self._helper: CollateHelper | None = None
        self._seen: Seen = {}  # what the function reaches, when the helper was started
        self._stays = self._why_it_stays()  # why it stays here for good
        self._why = "it has cost too little to start a helper for"
        self._calls = 0
        self._seconds = 0.0
        self._here = [0, 0.0]  # calls and seconds of those in this process
        self._replaced = 0  # helpers, of those that have ended

    def _why_it_stays(self) -> str | None:
        if self._options.num_workers == 0:
            return "num_workers is 0"
        if self._options.collate_buffer_size is not None:
            return "collate_buffer_size bounds what is prepared ahead"
        return why_not_sent(self._work)

    def begin(self) -> None:
        """A new iteration: nobody wants what was sent for an older one."""
        with self._lock:
            if self._helper is not None:
                self._helper.forget_all()

    def take(self, source: Source, ahead: deque[Sent]) -> Any:
        """What collate_fn makes of the next batch, which is received only if it makes something. Raises StopIteration
        at the end. `ahead`: what was sent for this iteration."""
        with self._lock:
            start = time.perf_counter()
            if not source.is_newest() or os.getpid() != self._owner:
                ahead.clear()
            self._come_back_if_changed()
            if not ahead:
                source.received_until(None)
                state = source.state()
                core = source.take_core()
                if core is None:
                    raise StopIteration
                start = time.perf_counter()  # waiting for the batch is no cost of collate_fn
                self._send(Sent(state, core), ahead)
            try:
                return self._take_oldest(source, ahead)
            finally:
                self._calls += 1
                self._seconds += time.perf_counter() - start

    def _take_oldest(self, source: Source, ahead: deque[Sent]) -> Any:
        self._send_more(source, ahead, AHEAD)
        oldest = ahead[0]
        source.received_until(oldest.state)
        try:
            value = self._receive(oldest)
        except Exception as raised:
            self._drop_oldest(ahead)
            if hasattr(raised, "add_note"):  # Python 3.11
                raised.add_note(f"in collate_fn, for step {oldest.core.step} of epoch {oldest.core.epoch}")
            if isinstance(raised, StopIteration):  # would end the epoch, and nobody would know
                raise RuntimeError("collate_fn raised StopIteration") from raised
            raise
        self._send_more(source, ahead, 1 + AHEAD)
        self._drop_oldest(ahead)  # last: after Ctrl-C before this it is taken again
        source.received_until(ahead[0].state if ahead else None)
        return value

    def _drop_oldest(self, ahead: deque[Sent]) -> None:
        request = ahead.popleft().request
        if self._helper is not None:
            self._helper.done(request)

    def _send(self, taken: Sent, ahead: deque[Sent]) -> None:
        """Ctrl-C at any moment leaves it among `ahead`, to be worked on here if it was not sent."""
        ahead.append(taken)
        if self._helper is not None:
            ahead[-1] = taken._replace(request=self._helper.send(samples_of(taken.core)))

    def _send_more(self, source: Source, ahead: deque[Sent], most: int) -> None:
        while self._helper is not None and len(ahead) < most:
            state = source.state()
            core = source.take_core_if_ready()
            if core is None:
                return
            self._send(Sent(state, core), ahead)

    def _receive(self, sent: Sent) -> Any:
        if self._helper is None or sent.request == 0:
            return self._call_here(sent.core)
        try:
            return self._helper.receive(sent.request)
        except NotSentError as problem:
            self._stays = str(problem)
            self._end_helper()
            return self._call_here(sent.core)

    def _call_here(self, core: _core.Batch) -> Any:
        samples = samples_of(core)
        may_move = self._stays is None and self._here[1] >= WORTH_A_START_SECONDS / 2
        watched = (_draws(), self._look()) if may_move else None
        start = time.perf_counter()
        value = self._work.function(samples)
        self._here[0] += 1
        self._here[1] += time.perf_counter() - start
        if watched is not None and self._stays is None:
            draws, before = watched
            after = self._look()
            changed = difference(before, after)
            if draws != _draws():
                self._stays = "it draws from generators that belong to this process (random, numpy.random or torch)"
            elif changed is not None:
                self._stays = self._stays or f"it changes {changed}, which belongs to this process"
            elif self._stays is None and self._here[1] >= WORTH_A_START_SECONDS:
                self._consider_a_helper(samples, after)
        return value

    def _look(self) -> Seen:
        """What the function reaches; notes if it has to stay because that cannot be seen, or takes long."""
        start = time.thread_time()
        try:
            seen = look(self._work.function)
        except UnseenError as problem:
            self._stays = str(problem)
            return {}
        took, call = time.thread_time() - start, self._here[1] / max(self._here[0], 1)
        if self._here[0] > 0 and took > MOST_FOR_LOOKING * call:
            looking = f"to see whether what it refers to has changed {1e3 * took:.1f} ms"
            self._stays = f"a call takes {1e3 * call:.1f} ms, and {looking}"
        return seen

    def _come_back_if_changed(self) -> None:
        """A helper has the function as it was: what has been set since must count from the next batch on."""
        if self._helper is None or os.getpid() != self._owner:
            return
        try:
            changed = difference(self._seen, look(self._work.function))
            reason = None if changed is None else f"{changed} has been changed in this process"
        except UnseenError as problem:
            reason = str(problem)
        if reason is not None:
            self._stays = reason
            self._end_helper()

    def _consider_a_helper(self, samples: list[dict[str, Any]], seen: Seen) -> None:
        start = time.perf_counter()
        os.close(pack(samples))
        way = time.perf_counter() - start
        call = self._here[1] / self._here[0]
        self._why = f"a call takes {1e3 * call:.1f} ms, to send a batch {1e3 * way:.1f} ms"
        if 2 * way > call:
            self._stays = self._why
            return
        helper = CollateHelper(self._work, seen, self._options.multiprocessing_context, self._options.timeout_seconds)
        try:
            helper.start()
        except IoError as problem:
            helper.close()
            self._stays = str(problem)
            return
        self._helper, self._seen = helper, seen

    def _end_helper(self) -> None:
        if self._helper is not None and os.getpid() == self._owner:
            self._replaced += self._helper.replaced
            self._helper.close()
            self._helper = None

    def stop(self) -> None:
        """Before close(): who waits for the helper is told so."""
        helper = self._helper
        if helper is not None:
            helper.stop()

    def close(self) -> None:
        """Ends the helper; a later call may start another."""
        # A function that hangs in another thread holds the lock for ever.
        held = self._lock.acquire(timeout=END_SECONDS)
        try:
            self._end_helper()
        finally:
            if held:
                self._lock.release()

    def stats(self) -> dict[str, Any]:
        """What it did so far: seconds are those of the consumer's thread."""
        helper = self._helper
        return {
            "runs_in": "consumer's thread" if helper is None else "helper",
            "why": self._stays or self._why,
            "calls": self._calls,
            "seconds": self._seconds,
            "pids": [] if helper is None else helper.pids,
            "replaced": self._replaced + (0 if helper is None else helper.replaced),
        }
