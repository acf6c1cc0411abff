"""What a function of the user reaches besides its arguments: whether it changes, or is another in another process.

Seen are the state of the function itself (attributes, defaults, the object it is a method of, arguments of a partial)
and the values that its code, and user code that this names, finds in modules and classes. Not seen: what installed
packages keep for themselves, files, the environment.
"""

from __future__ import annotations

import functools
import hashlib
import io
import pickle
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from ._functions import name_of

Seen = dict[str, bytes]

_STANDARD = Path(sysconfig.get_paths()["stdlib"]).resolve()


class UnseenError(Exception):
    """Something that the function reaches cannot be compared; its text says what and why."""


def look(function: Any) -> Seen:
    """A digest of each thing that it reaches, by a name for people. Equal if nothing has changed, in any process."""
    seen: Seen = {}
    _note(seen, f"the state of {name_of(function)}", function)
    todo = [function]
    known: dict[int, Any] = {}  # by address, which nothing else gets as long as it is kept
    while todo:
        reached = todo.pop()
        if id(reached) not in known:
            known[id(reached)] = reached
            todo += _look_at(reached, seen)
    return seen


def difference(before: Seen, after: Seen) -> str | None:
    """The name of something that is not the same."""
    return next((name for name in {**before, **after} if before.get(name) != after.get(name)), None)


class _Pickler(pickle.Pickler):
    """Classes and functions by name alone: the main program has another one in a helper process."""

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, type | FunctionType):
            return sys.intern, (_full_name(value),)  # nobody unpickles it
        return NotImplemented


def _full_name(value: Any) -> str:
    return f"{_module_name(value.__module__)}.{value.__qualname__}"


def _module_name(module: str) -> str:
    return "__main__" if module == "__mp_main__" else module


def _note(seen: Seen, name: str, value: Any) -> None:
    stream = io.BytesIO()
    try:
        _Pickler(stream, protocol=5).dump(value)
    except Exception as problem:  # classes refuse in their own ways
        raise UnseenError(f"it refers to {name}, whose changes cannot be seen ({problem})") from None
    seen[name] = hashlib.blake2b(stream.getbuffer(), digest_size=16).digest()


def _look_at(reached: Any, seen: Seen) -> Iterator[Any]:
    """Notes the values behind something that can be called; yields what else is behind it."""
    if isinstance(reached, functools.partial):
        yield from (value for value in (reached.func, *reached.args, *reached.keywords.values()) if callable(value))
    elif isinstance(reached, MethodType):
        yield from (reached.__func__, type(reached.__self__))
    elif isinstance(reached, FunctionType):
        yield from _behind_function(reached, seen)
    elif isinstance(reached, type):
        if _is_users(reached.__module__):
            yield from _behind_class(reached, seen)
    elif not isinstance(reached, BuiltinFunctionType):
        yield type(reached)


def _behind_function(function: FunctionType, seen: Seen) -> Iterator[Any]:
    cells = [cell.cell_contents for cell in function.__closure__ or () if cell != CellType()]
    yield from (value for value in (*cells, *vars(function).values()) if callable(value))  # what a decorator wraps
    if not _is_users(function.__module__):
        return
    state = (function.__defaults__, function.__kwdefaults__, vars(function))
    _note(seen, f"the state of {_full_name(function)}", state)
    names = set(_names_in(function.__code__))
    found = {key: function.__globals__[key] for key in names if key in function.__globals__}
    for key in sorted(found):
        yield from _behind_value(f"{_module_name(function.__module__)}.{key}", found[key], names, seen)


def _behind_class(reached: type, seen: Seen) -> Iterator[Any]:
    yield from (base for base in reached.__bases__ if base is not object)
    for key, value in vars(reached).items():
        if isinstance(value, FunctionType):
            yield value
        elif isinstance(value, staticmethod | classmethod):
            yield value.__func__
        elif isinstance(value, property):
            yield value.fget
        elif not key.startswith("__") and _is_data(value):
            yield from _behind_value(f"{_full_name(reached)}.{key}", value, set(), seen)


def _behind_value(name: str, value: Any, names: set[str], seen: Seen) -> Iterator[Any]:
    if isinstance(value, ModuleType):
        if _is_users(value.__name__):
            for key in sorted(names & vars(value).keys()):
                if not isinstance(vars(value)[key], ModuleType):
                    yield from _behind_value(f"{value.__name__}.{key}", vars(value)[key], names, seen)
    elif isinstance(value, type | FunctionType | BuiltinFunctionType):
        yield value
    else:
        _note(seen, name, value)
        yield value


def _is_data(value: Any) -> bool:
    """Whether it is no part of the class itself, such as the descriptor of a slot."""
    return not hasattr(type(value), "__get__")


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)


@functools.cache
def _is_users(module: str) -> bool:
    """Whether it is a program or a module of the user's, and not an installed one."""
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None or module.split(".")[0] == __package__:
        return module in ("__main__", "__mp_main__")
    path = Path(file).resolve()
    return not (path.is_relative_to(_STANDARD) or {"site-packages", "dist-packages"} & set(path.parts))
