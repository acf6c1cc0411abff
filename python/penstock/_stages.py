"""The functions of the user in one loader: what they return, where they run and why."""

from __future__ import annotations

import ctypes
import functools
import pickle
import threading
import time
import warnings
import weakref
from typing import Any

import numpy as np

from . import _core
from ._caller import caller_level
from ._foreign import Foreign
from ._functions import Python, identity, work_of, works_with_what_others_take
from ._helper import RAISED, RETURNED, Outcome, Work, cost_of_answering, run, serve
from ._helpers import Helpers, refuse_to_be_run_by_helper, why_not_sent
from .errors import CancelledError, InvalidError, IoError
from .options import LoaderOptions

#: A call that takes so many times as long as the way to a helper and back is made there: less would not pay for the
#: processes.
WORTH_A_PROCESS = 2
#: A function that has changed nothing of that many samples gets a warning; one that draws may leave some as they are.
UNCHANGED_SAMPLES = 8
UNCHANGED_SAMPLES_OF_RANDOM = 64
#: A function is timed by its fastest call; no more of them once they took so long together.
TRIAL_SECONDS = 0.05
TRIALS = 5


@functools.cache
def _way_to_a_helper() -> float:
    return _core.measure_round_trip()


def round_trip_seconds(array: np.ndarray[Any, Any]) -> float:
    """What it costs, on this machine, to have a function called by a helper."""
    return _way_to_a_helper() + cost_of_answering(array)


def _was_given_the_wrong_thing(outcome: Outcome) -> bool:
    """Whether a function found that an array is not what it takes."""
    return outcome.code == RAISED and isinstance(
        pickle.loads(outcome.cause) if outcome.cause else None, (AttributeError, TypeError)
    )


class StageHelpers(Helpers):
    """The helpers of all functions of a loader: started here, handed to the engine's pool, which talks to them."""

    def __init__(self, method: str, timeout_seconds: float | None) -> None:
        super().__init__(method)
        self.works: list[Work | None] = []
        self.pool = _core.HelperPool(weakref.proxy(self), timeout_seconds)

    def open(self, workers: int) -> None:
        """Makes sure that there are helpers; raises IoError if none can be started."""
        self.stopping = False
        # A fork is safe before there are threads only: all of them now. Others come as they are needed.
        while self.pool.alive < (workers if self.method == "fork" else 1):
            self.pool.add(*self.start_one())

    def start_one(self) -> tuple[int, int, int]:
        """What the pool wants to know of a new helper. It calls this too, in any thread, where a worker finds none."""
        number, descriptor = self.start(serve, self.works)
        return number, descriptor, self.end_of(number)


class Stage:
    """One function. The engine calls describe() when it plans, start() before it runs, call() to run it here."""

    def __init__(self, declared: Python, field: str, helpers: StageHelpers) -> None:
        self.work = work_of(declared.fn)
        self.field = field
        self.why = "it has not been planned"
        self.in_helper: bool | None = None  # None: not started
        self.not_sent = None if helpers.method == "fork" else why_not_sent(self.work)
        self._declared = declared
        self._helpers = helpers
        self._outputs: dict[tuple[Any, ...], tuple[str, tuple[int, ...], bool]] = {}
        self._pays = False
        self._closed = False
        self._callers: set[int] = set()  # threads that run it here
        self._number = len(helpers.works)
        helpers.works.append(None if self.not_sent else self.work)
        self.core = _core.PythonStage(
            weakref.proxy(self), self.work.name, identity(declared.fn), self._number, helpers.pool
        )

    def describe(self, dtype: str, shape: tuple[int, ...], fixed: bool) -> tuple[str, tuple[int, ...], bool]:
        """What it returns for such an array."""
        given = (dtype, shape, fixed)
        if given not in self._outputs:
            self._outputs[given] = self._find_out(*given)
        return self._outputs[given]

    def _find_out(self, dtype: str, shape: tuple[int, ...], fixed: bool) -> tuple[str, tuple[int, ...], bool]:
        outcome, seconds = self._try(dtype, shape)
        if _was_given_the_wrong_thing(outcome):
            outcome, seconds = self._try_what_others_take(dtype, shape) or (outcome, seconds)
        self._note_cost(outcome, seconds, round_trip_seconds(np.zeros(shape, dtype)))
        if self._declared.shape is not None and self._declared.dtype is not None:
            return self._declared.dtype, self._declared.shape, True
        if outcome.array is None:
            foreign = self.work.function if isinstance(self.work.function, Foreign) else None
            given = "" if foreign is None else f" as {foreign.takes}"
            declare = "declare it: penstock.transforms.Python(fn, shape=..., dtype=...)"
            raise InvalidError(
                f"transforms: {self.work.name} was called on noise, {dtype} {shape}{given}, to find out what it "
                f"returns: {outcome.message}; {declare if foreign is None else 'it cannot be used here'}"
                + (f"\n\n{outcome.detail}" if outcome.detail else "")
            )
        return outcome.array.dtype.name, outcome.array.shape, fixed

    def _try(self, dtype: str, shape: tuple[int, ...]) -> tuple[Outcome, float]:
        noise = np.random.default_rng(0).integers(0, 256, shape)
        fastest, begin = float("inf"), time.perf_counter()
        for trial in range(TRIALS):
            start = time.perf_counter()
            outcome = run(self.work, noise.astype(dtype), 0, trial, 0)
            end = time.perf_counter()
            fastest = min(fastest, end - start)
            if outcome.code != RETURNED or end - begin > TRIAL_SECONDS:
                break
        return outcome, fastest

    def _try_what_others_take(self, dtype: str, shape: tuple[int, ...]) -> tuple[Outcome, float] | None:
        """Functions that were written for PIL images or tensors are given those from now on."""
        given = self.work
        for self.work in works_with_what_others_take(given):
            outcome, seconds = self._try(dtype, shape)
            if outcome.array is not None:
                if not self.not_sent:
                    self._helpers.works[self._number] = self.work
                return outcome, seconds
        self.work = given
        return None

    def _note_cost(self, outcome: Outcome, seconds: float, way: float) -> None:
        draws_elsewhere = isinstance(self.work.function, Foreign)
        self._pays = outcome.array is None or draws_elsewhere or seconds > WORTH_A_PROCESS * way
        took = f"a call takes {1e6 * seconds:.0f} us" if outcome.array is not None else "its cost is not known"
        if self.not_sent:
            self.why = f"{self.not_sent}; {took}"
        elif draws_elsewhere:
            self.why = f"it may draw from generators that the training loop draws from too; {took}"
        elif self._pays:
            self.why = f"{took}, which the GIL would not share"
        else:
            self.why = f"{took}, less than {WORTH_A_PROCESS} times the way to a helper ({1e6 * way:.0f} us)"

    def start(self, workers: int) -> bool:
        """Decides where it runs, with that many workers."""
        self._closed = False
        if workers == 0:
            self.in_helper, self.why = False, "num_workers is 0"
        else:
            self.in_helper = self._pays and not self.not_sent and self._have_helpers(workers)
        return self.in_helper

    def _have_helpers(self, workers: int) -> bool:
        try:
            self._helpers.open(workers)
        except IoError as problem:
            self.not_sent = self.why = str(problem)
            return False
        return True

    def call(
        self, memory: bytearray, dtype: str, shape: tuple[int, ...], stream: int, sample: int, op: int
    ) -> tuple[Any, ...]:
        """Runs it here, in the thread of a worker."""
        array: np.ndarray[Any, Any] = np.ndarray(shape, dtype, buffer=memory)
        caller = threading.get_ident()
        self._callers.add(caller)
        try:
            if self._closed:
                raise CancelledError("the loader was closed")
            outcome = run(self.work, array, stream, sample, op)
        finally:
            self._callers.discard(caller)
        if outcome.array is None:
            return outcome.code, outcome.message, outcome.detail, outcome.cause
        result = np.ascontiguousarray(outcome.array).reshape(outcome.array.shape)
        return RETURNED, result.dtype.name, result.shape, result.reshape(-1).view(np.uint8)

    def close(self) -> None:
        """Interrupts calls under way here, as far as Python can: between two steps of Python code."""
        self._closed = True
        for caller in self._callers - {threading.get_ident()}:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(caller), ctypes.py_object(CancelledError))

    def where(self) -> str:
        """Where it runs, human-readable."""
        places = {None: "nowhere yet", True: f"in helper processes ({self._helpers.method})", False: "in this process"}
        return f"{places[self.in_helper]}: {self.why}"

    def stats(self) -> dict[str, Any]:
        """What it did so far."""
        return {
            "function": self.work.name,
            "field": self.field,
            "runs_in": {None: None, True: "helper", False: "here"}[self.in_helper],
            "why": self.why,
            "calls": self.core.calls,
            "seconds": self.core.seconds,
        }


class Stages:
    """All functions of a loader, and their helpers."""

    def __init__(self, options: LoaderOptions) -> None:
        self._helpers = StageHelpers(options.multiprocessing_context, options.timeout_seconds)
        self._in_caller = options.num_workers == 0
        self._all: list[Stage] = []
        self._watched: list[Stage] = []  # those that have changed nothing yet

    def add(self, function: Any, field: str) -> _core.Transform:
        """The function as an element of the list for that field."""
        if not self._all and not self._in_caller:
            refuse_to_be_run_by_helper()
            self._helpers.refuse_unsafe_fork()
        stage = Stage(function if isinstance(function, Python) else Python(function), field, self._helpers)
        self._all.append(stage)
        self._watched.append(stage)
        return stage.core.transform()

    def warn(self, stacklevel: int) -> None:
        """Says once which functions hold the GIL although they should not."""
        started = [stage for stage in self._all if stage.in_helper is not None]
        here = [f"{stage.work.name}: {stage.not_sent}" for stage in started if stage.not_sent]
        if here and not self._in_caller:
            warnings.warn(
                f"Python functions run in this process and block its other threads: {'; '.join(here)}",
                RuntimeWarning,
                stacklevel=stacklevel + 1,
            )

    def warn_about_unchanged(self, at_end: bool) -> None:
        """Says once which functions give back what they are given. `at_end`: there are no more samples to see."""
        for stage in list(self._watched):
            seen = stage.core.unchanged
            enough = UNCHANGED_SAMPLES_OF_RANDOM if stage.work.takes_rng else UNCHANGED_SAMPLES
            is_certain = seen >= enough or (at_end and seen > 0 and not stage.work.takes_rng)
            if is_certain:
                warnings.warn(
                    f"transforms: {stage.work.name} has returned the first {seen} samples unchanged; does it take "
                    "arrays [H, W, C]? Objects of other libraries that are not recognised may hand on what they do not "
                    "know",
                    RuntimeWarning,
                    stacklevel=caller_level(),
                )
            if is_certain or seen < 0:
                self._watched.remove(stage)

    def stats(self) -> dict[str, Any]:
        """Each function and the helpers."""
        pool = self._helpers.pool
        return {
            "python_stages": [stage.stats() for stage in self._all],
            "helpers": {
                "alive": pool.alive,
                "started": pool.started,
                "replaced": pool.lost,
                "pids": self._helpers.pids(),
            },
        }

    def stop(self) -> None:
        """Before the engine is closed: nobody waits for helpers that are being started, or for functions."""
        for stage in self._all:
            stage.close()
        self._helpers.stop()

    def reap(self) -> None:
        """After the engine has let the helpers go."""
        self._helpers.reap()

    def close(self) -> None:
        """Ends the helpers, where the engine did not come to it."""
        self._helpers.stop()
        self._helpers.pool.stop()
        self._helpers.reap()
