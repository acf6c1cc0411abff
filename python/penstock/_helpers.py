"""Processes that run functions of the user, and when they can be had."""

from __future__ import annotations

import contextlib
import functools
import itertools
import multiprocessing
import multiprocessing.util  # its work at exit comes after ours, which ends the helpers
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import numpy as np

from ._functions import module_of
from ._helper import Work
from .errors import CancelledError, InvalidError, IoError

#: A helper that is not ready by then is given up: it may have a large program to import.
START_SECONDS = 120.0
#: How long the end of helpers is waited for, before they are killed.
END_SECONDS = 3.0


class Helpers:
    """Starts and ends helper processes."""

    def __init__(self, method: str) -> None:
        self.method = method
        self.stopping = False
        self._processes: dict[int, BaseProcess] = {}
        self._numbers = itertools.count()
        self._owner = os.getpid()

    def refuse_unsafe_fork(self) -> None:
        """Raises InvalidError if helpers are to be copies of this process, and could not be."""
        reason = why_fork_is_unsafe() if self.method == "fork" else None
        if reason:
            raise InvalidError(
                f"multiprocessing_context='fork' is not safe here: {reason}, and a fork of a process with threads may "
                "hang; use 'spawn' or 'forkserver', or create the loader before threads are started"
            )

    def start(self, target: Callable[[socket.socket, int, Any], None], work: Any) -> tuple[int, int]:
        """A process that runs target(socket, our pid, work) and has said that it is ready: its number, and our end of
        the socket. In any thread."""
        # Where a copy has become unsafe, another process takes the place of one that died.
        method = "spawn" if self.method == "fork" and why_fork_is_unsafe() else self.method
        context: Any = multiprocessing.get_context(method)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ours, theirs:
            sent = work if method == "fork" else pickle.dumps(work)
            process: BaseProcess = context.Process(
                target=target, args=(theirs, os.getpid(), sent), name="penstock-helper", daemon=True
            )
            try:
                with _without_current_folder():
                    process.start()
            except (OSError, RuntimeError, AssertionError) as problem:
                raise IoError(f"a helper process could not be started: {problem}") from None
            number = next(self._numbers)
            self._processes[number] = process
            theirs.close()
            self._await_ready(number, ours)
            return number, ours.detach()

    def end_of(self, number: int) -> int:
        """A pidfd, which tells the end of a process; -1 if this system has none, or the process has ended."""
        process = self._processes.get(number)
        try:
            return -1 if process is None else os.pidfd_open(process.pid or 0)
        except OSError:
            return -1

    def _await_ready(self, number: int, ours: socket.socket) -> None:
        deadline = time.monotonic() + START_SECONDS
        ours.settimeout(0.1)  # between the short waits a closing loader is heard
        while True:
            try:
                said = ours.recv(8192)
                break
            except TimeoutError:
                if self.stopping:
                    raise CancelledError("the loader was closed") from None
                if self.has_ended(number):
                    said = b""
                    break
                if time.monotonic() > deadline:
                    raise IoError(f"a helper process was not ready within {START_SECONDS:.0f} s") from None
        if said == b"ready":
            return
        trace = said.decode(errors="replace").strip()
        why = trace.rpartition("\n")[2] or f"it {self.ended(number)}"
        raise IoError(
            f"a helper process could not start: {why}; check that the module of the function can be imported, and that "
            f"the program guards what it does with if __name__ == '__main__'\n\n{trace}".rstrip()
        )

    def has_ended(self, number: int) -> bool:
        """Whether the process is gone. The end of its socket tells that as well, unless a fork of this process that
        was made while the helper was started holds the helper's side."""
        process = self._processes.get(number)
        return process is None or process.exitcode is not None

    def ended(self, number: int) -> str:
        """How a helper ended, in words; ends it if it has not."""
        process = self._processes.pop(number, None)
        if process is None:
            return "was ended"
        _end(process, END_SECONDS)
        code = process.exitcode
        if code is not None and code < 0:
            return f"was killed by signal {-code} ({_signal_name(-code)})"
        return f"ended with exit code {code}"

    def pids(self) -> list[int]:
        """The processes that were started and live."""
        processes = list(self._processes.values())  # workers start others meanwhile
        return [process.pid for process in processes if process.pid is not None and process.exitcode is None]

    def stop(self) -> None:
        """Nobody waits for helpers any more."""
        self.stopping = True

    def reap(self) -> None:
        """Waits for the end of helpers whose sockets have been shut."""
        if os.getpid() != self._owner:
            return  # a fork of the process whose children they are
        deadline = time.monotonic() + END_SECONDS
        while self._processes:
            _, process = self._processes.popitem()
            _end(process, max(deadline - time.monotonic(), 0))


_starting: set[int] = set()  # threads that start a helper
_interpreter_flags: Callable[[], list[str]] = multiprocessing.util._args_from_interpreter_flags  # type: ignore[attr-defined]


def _flags_of_processes() -> list[str]:
    safe_path = sys.version_info >= (3, 11) and threading.get_ident() in _starting
    return [*_interpreter_flags(), *(["-P"] if safe_path else [])]


@contextlib.contextmanager
def _without_current_folder() -> Iterator[None]:
    """What multiprocessing starts begins as `python -c`, which would take its first modules from the current folder,
    where data may lie: a pickle.py there would run. The search path of this process reaches the helper later."""
    multiprocessing.util._args_from_interpreter_flags = _flags_of_processes  # type: ignore[attr-defined]
    _starting.add(threading.get_ident())
    try:
        yield
    finally:
        _starting.discard(threading.get_ident())


def _end(process: BaseProcess, seconds: float) -> None:
    process.join(seconds)
    if process.is_alive():
        process.kill()
        process.join(END_SECONDS)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "a signal without a name"


def refuse_to_be_run_by_helper() -> None:
    """Raises in a process that multiprocessing has started, while it imports the main program."""
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise InvalidError(
            "a helper process imports this program in order to find its functions, and must not run it; put what "
            "it does under if __name__ == '__main__':"
        )


def why_not_sent(work: Work) -> str | None:
    """Why a function cannot be sent to a process that does not begin as a copy of this one."""
    main = sys.modules.get("__main__")
    file = getattr(main, "__file__", None)
    has_file = file is not None and Path(file).is_file()
    if module_of(work.function) == "__main__" and not has_file:
        return "it is defined in an interactive session, which no other process can import"
    if file is not None and not has_file and getattr(main, "__spec__", None) is None:
        return "the program was not read from a file, and a helper process could not import it"
    try:
        pickle.dumps(work)
    except Exception as problem:  # classes refuse in their own ways
        return f"it cannot be pickled ({problem})"
    return None


def why_fork_is_unsafe() -> str | None:
    """Why a child that begins as a copy of this process might hang."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        return "CUDA is in use"
    tasks = [_task_name(task) for task in Path("/proc/self/task").iterdir()]
    loaders = sum(name.startswith("penstock-") for name in tasks)
    if loaders:
        return f"{loaders} threads of a Loader run"
    if threading.active_count() > 1:
        return f"{threading.active_count() - 1} other Python threads run"
    if len(tasks) > _threads_of_numpy():
        return f"{len(tasks) - _threads_of_numpy()} native threads of other libraries run"
    return None


def _task_name(task: Path) -> str:
    try:
        return (task / "comm").read_text()
    except OSError:
        return ""  # it has ended meanwhile


@functools.cache
def _threads_of_numpy() -> int:
    """Threads of a process that has only imported numpy: those of its linear algebra, which expect forks."""
    program = "import os, sys; sys.path.append(sys.argv[1]); import numpy; print(len(os.listdir('/proc/self/task')))"
    # Isolated: a numpy.py in the current folder is not ours to run.
    command = [sys.executable, "-I", "-c", program, str(Path(np.__file__).parents[1])]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return int(done.stdout) if done.returncode == 0 else 1
