"""One exception per kind of failure; each knows where it happened."""

from __future__ import annotations

import builtins
import pickle
from collections.abc import Mapping
from typing import Any


class Error(Exception):
    """What every penstock exception is. Attributes are None where unknown."""

    source: str | None = None  #: what the user named: path, glob or pattern
    shard: str | None = None  #: the file
    offset: int | None = None  #: byte in the shard
    key: str | None = None  #: the sample's key
    index: int | None = None  #: the sample's number in the data set
    stage: str | None = None  #: open, index, read, decode, ...

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (type(self), self.args, dict(self.__dict__)))


class NotFoundError(Error, FileNotFoundError):
    """Something that was named is not there."""


class CorruptError(Error):
    """Data is damaged or not what it claims to be."""


class UnsupportedError(Error):
    """Audio data of a kind that penstock does not read."""


class InvalidError(Error, ValueError):
    """An argument is not valid."""


class IoError(Error, OSError):
    """The system failed to read or write."""


class TimeoutError(Error, builtins.TimeoutError):  # noqa: A001 - the name users expect for this kind
    """Something took longer than allowed."""


class MemoryError(Error, builtins.MemoryError):  # noqa: A001 - as TimeoutError
    """There is not as much memory as was asked for."""


class CancelledError(Error):
    """The work was given up: a newer iteration, or a closed loader."""


_KINDS: dict[str, type[Error]] = {
    "not_found": NotFoundError,
    "corrupt": CorruptError,
    "unsupported": UnsupportedError,
    "invalid": InvalidError,
    "io": IoError,
    "timeout": TimeoutError,
    "cancelled": CancelledError,
}


def _make(kind: str, message: str, place: Mapping[str, Any], cause: bytes = b"") -> Error:
    error = _KINDS[kind](message)
    for name, value in place.items():
        setattr(error, name, value)
    if cause:
        error.__cause__ = pickle.loads(cause)  # written by _helper.explain(), here or in a helper of ours
    return error


def _kind_of(error: BaseException) -> str:
    return next((kind for kind, known in _KINDS.items() if isinstance(error, known)), "invalid")


def _rebuild(kind: type[Error], args: tuple[Any, ...], place: Mapping[str, Any]) -> Error:
    error = kind(*args)
    error.__dict__.update(place)
    return error
