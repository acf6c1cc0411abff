"""Functions of the user as elements of a list of transforms."""

from __future__ import annotations

import functools
import importlib.util
import inspect
import itertools
import json
import operator
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ._foreign import PIL, TENSOR, Foreign, PilFilter, as_function, recognised
from ._helper import SCALARS, Work
from ._operations import Transform
from .errors import InvalidError

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


class Python:
    """A function of yours as a stage, with what it returns declared.

    A plain function in the list does the same; what it returns is then found out by calling it on noise.

    fn: called as fn(array, rng), or fn(array) if it takes one argument; returns an array
    shape: of every array that it returns
    dtype: of every array that it returns, as numpy names it
    """

    __slots__ = ("dtype", "fn", "shape")

    def __init__(self, fn: Callable[..., Any], shape: Sequence[int] | None = None, dtype: Any | None = None) -> None:
        fn = as_function(fn)
        if isinstance(fn, Transform) or not callable(fn):
            raise InvalidError(f"Python: fn must be a function of an array and a generator, got {fn!r}")
        if (shape is None) != (dtype is None):
            raise InvalidError("Python: shape and dtype must be given together")
        self.fn = fn
        self.shape = None if shape is None else _checked_shape(shape)
        self.dtype = None if dtype is None else _checked_dtype(dtype)

    def __repr__(self) -> str:
        declared = "" if self.shape is None else f", shape={self.shape}, dtype={self.dtype!r}"
        return f"Python({self.fn!r}{declared})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Python):
            return NotImplemented
        return (self.fn, self.shape, self.dtype) == (other.fn, other.shape, other.dtype)

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))  # functions that compare need not have one


class Lambda(Python):
    """A function of yours as an element of a list, as torchvision writes it: the same as the function itself.

    lambd: called as lambd(array, rng), or lambd(array) if it takes one argument; returns an array
    """

    __slots__ = ()

    def __init__(self, lambd: Callable[..., Any]) -> None:
        super().__init__(lambd)

    def __repr__(self) -> str:
        return f"Lambda({identity(self.fn)})"


def _checked_shape(shape: Sequence[int]) -> tuple[int, ...]:
    try:
        extents = tuple(operator.index(extent) for extent in itertools.islice(shape, 9))
    except TypeError:
        extents = ()
    if not extents or len(extents) > 8 or min(extents) < 1:
        raise InvalidError(f"Python: shape must be 1 to 8 positive integers, got {shape!r}")
    return extents


def _checked_dtype(dtype: Any) -> str:
    try:
        known = np.dtype(dtype)
    except TypeError:
        known = None
    if known not in SCALARS:
        names = ", ".join(scalar.name for scalar in SCALARS)
        raise InvalidError(f"Python: dtype must be one of {names}, got {dtype!r}")
    return str(known)


def work_of(function: Callable[..., Any]) -> Work:
    """The function with the way it is called."""
    foreign = recognised(function)
    if foreign is not None:
        return Work(foreign, name_of(function), True)
    return Work(function, name_of(function), _takes_rng(function))


def works_with_what_others_take(work: Work) -> Iterator[Work]:
    """The same function, given PIL images or tensors in the place of arrays, as far as these libraries are there."""
    if not isinstance(work.function, Foreign):
        for library, takes in (("PIL", PIL), ("torch", TENSOR)):
            if importlib.util.find_spec(library) is not None:
                yield Work(Foreign(work.function, takes, work.takes_rng), work.name, True)


def _innermost(function: Any) -> Any:
    while isinstance(function, (functools.partial, Foreign)):
        function = function.func if isinstance(function, functools.partial) else function.function
    function = function.filter if isinstance(function, PilFilter) else function
    return function if hasattr(function, "__qualname__") else type(function)


def name_of(function: Callable[..., Any]) -> str:
    """What users call it."""
    return str(_innermost(function).__name__)


def identity(function: Callable[..., Any]) -> str:
    """Where it is defined, and what a partial sets of it: the same in every process and run."""
    innermost = _innermost(function)
    name = f"{innermost.__module__}.{innermost.__qualname__}"
    while isinstance(function, functools.partial):
        name += f" of {_plain((function.args, function.keywords))}"
        function = function.func
    if recognised(function) is not None and not hasattr(function, "__qualname__"):
        name += f" {_ADDRESS.sub('', repr(function))}"  # which has its parameters
    return name


def _plain(values: Any) -> str:
    """Values as text; of those that JSON has not, their type alone, whose text would hold addresses."""
    try:
        return json.dumps(values, sort_keys=True, default=lambda value: type(value).__qualname__)
    except (TypeError, ValueError):  # keys that are no texts, or a value that holds itself
        return "..."


def module_of(function: Callable[..., Any]) -> str:
    """The name of the module that defines it."""
    return str(_innermost(function).__module__)


def _takes_rng(function: Callable[..., Any]) -> bool:
    """Whether it wants a generator: a second argument that it needs, or that is called rng."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False  # some built-in functions tell nothing
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    needed = [p for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    takes_any = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    if len(needed) > 2 or any(p.kind is p.KEYWORD_ONLY for p in needed) or not (positional or takes_any):
        raise InvalidError(
            f"transforms: {name_of(function)} cannot be called as fn(array, rng) or fn(array); "
            "set its other arguments with functools.partial"
        )
    return len(needed) == 2 or (len(positional) > 1 and positional[1].name == "rng")
