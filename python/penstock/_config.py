"""Lists of transforms as plain values: dicts, lists, numbers and texts, as JSON and YAML have them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ._operations import CLASSES, Transform, holds_operations, make
from .errors import InvalidError
from .views import Views


def _plain(value: Any) -> Any:
    if isinstance(value, list):  # of operations
        return to_config(value)
    return list(value) if isinstance(value, tuple) else value


def to_config(transforms: Iterable[Transform] | Views) -> Any:
    """A list as a list of {"op": name, parameter: value, ...}; Views as {"views": {name: list or [count, list]}}."""
    if isinstance(transforms, Views):
        return {
            "views": {
                name: to_config(operations) if count is None else [count, to_config(operations)]
                for name, (count, operations) in transforms.lists.items()
            }
        }
    config = []
    for number, operation in enumerate(transforms):
        if not isinstance(operation, Transform):
            raise InvalidError(f"[{number}] is {operation!r}, which has no plain values; leave functions out")
        config.append(
            {"op": type(operation).__name__} | {key: _plain(value) for key, value in operation.params.items()}
        )
    return config


def from_config(value: Any) -> list[Transform] | Views:
    """The opposite of to_config(). Whatever is wrong is named by its path."""
    if isinstance(value, Mapping):
        if set(value) != {"views"} or not isinstance(value["views"], Mapping):
            raise InvalidError(
                f"a config is a list of operations, or {{'views': {{name: list}}}}, got the keys {list(value)}"
            )
        return Views(**{str(name): _view(f"views.{name}", given) for name, given in value["views"].items()})
    return _operations("", value)


def _view(path: str, given: Any) -> Any:
    if isinstance(given, list | tuple) and len(given) == 2 and isinstance(given[0], int):
        return (given[0], _operations(path + "[1]", given[1]))
    return _operations(path, given)


def _parameters(path: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    kind = CLASSES.get(entry["op"])
    held = {each["name"] for each in kind.info["parameters"] if holds_operations(each)} if kind else set()
    return {
        str(key): _operations(f"{path}.{key}", given) if key in held else given
        for key, given in entry.items()
        if key != "op"
    }


def _operations(path: str, value: Any) -> list[Transform]:
    if not isinstance(value, list | tuple):
        raise InvalidError(f"{path or 'the config'} must be a list of operations, got {value!r}")
    operations = []
    for number, entry in enumerate(value):
        where = f"{path}[{number}]"
        if not isinstance(entry, Mapping) or not isinstance(entry.get("op"), str):
            raise InvalidError(f"{where} must be {{'op': name, ...}}, got {entry!r}")
        params = _parameters(where, entry)
        try:
            operations.append(make(entry["op"], params))
        except InvalidError as problem:
            raise InvalidError(f"{where}: {problem}") from None
    return operations
