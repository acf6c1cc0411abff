"""Lists of transforms as plain values: dicts, lists, numbers and texts, as JSON and YAML have them."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ._compose import Compose
from ._operations import CLASSES, Transform, flat, holds_operations, make
from .errors import InvalidError, UnsupportedError
from .views import Views

Configurable = Iterable[Transform] | Mapping[str, Iterable[Transform]] | Views
#: Where classes that a _target_ names may come from: ours, and those of torchvision with the same names.
_MODULES = ("penstock.transforms", "torchvision.transforms.v2", "torchvision.transforms")
_COMPOSE = tuple(f"{module}.Compose" for module in _MODULES)
_VIEWS = ("penstock.Views", "penstock.views.Views")
#: What Hydra's configs say beside parameters that changes nothing here.
_OF_HYDRA = ("_convert_", "_recursive_", "_partial_")
#: Classes of torchvision with inplace, whose default is what operations do.
_WITH_INPLACE = ("Normalize", "RandomErasing")
#: What to use in place of classes of torchvision that are not here.
_ELSEWHERE = {
    "ConvertImageDtype": "use ToFloat, ToFloat16, ToBfloat16 or ToUint8",
    "Lambda": "put the function into the list that is made of the config",
    "PILToTensor": "leave it out, since images come as arrays and tensors",
    "ToDtype": "use ToFloat, ToFloat16, ToBfloat16 or ToUint8",
    "ToImage": "leave it out, since images come as arrays and tensors",
    "ToPILImage": "leave it out",
    "ToTensor": "use ToFloat",
}


def to_config(transforms: Configurable) -> Any:
    """A list as a list of {"op": name, parameter: value, ...}; Views as {"views": {name: list or [count, list]}};
    {field: list} as {"fields": {field: list}}."""
    if isinstance(transforms, Views):
        return {
            "views": {
                name: to_config(operations) if count is None else [count, to_config(operations)]
                for name, (count, operations) in transforms.lists.items()
            }
        }
    if isinstance(transforms, Mapping):
        return {"fields": {str(field): to_config(operations) for field, operations in transforms.items()}}
    if isinstance(transforms, Transform) or not isinstance(transforms, Iterable):
        raise InvalidError(f"a list of operations, {{field: list}} or Views can be a config, got {transforms!r}")
    config = []
    for number, operation in enumerate(flat(transforms)):
        if not isinstance(operation, Transform):
            raise InvalidError(
                f"[{number}] is {operation!r}, which has no plain values; put functions into the list that is made of "
                "the config"
            )
        params = {key: _plain(value) for key, value in operation.params.items()}
        config.append({"op": type(operation).__name__} | params)
    return config


def from_config(value: Any) -> Any:
    """The opposite of to_config(): a list, Views or {field: list}. Whatever is wrong is named by its path.

    In place of "op" there may be "_target_", as Hydra has it, with the name of a class: penstock.transforms.X, or
    torchvision.transforms.v2.X where there is an X here. A _target_ of Compose is its list, one of penstock.Views is
    Views. Hydra's _convert_ and _recursive_ change nothing.
    """
    with _endless_refused():
        return _from_config(value)


def _from_config(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return _list("", value)
    if value.get("_target_") in _VIEWS:
        return _views("", _parameters_of("", value))
    if "_target_" in value or _is_compose(value):
        return _list("", value)
    if set(value) == {"views"} and isinstance(value["views"], Mapping):
        return _views("views", value["views"])
    if set(value) == {"fields"} and isinstance(value["fields"], Mapping):
        return {str(name): _list(f"fields.{name}", given) for name, given in value["fields"].items()}
    raise InvalidError(
        "a config is a list of operations, {'views': {name: list}} or {'fields': {name: list}}, "
        f"got the keys {list(value)}"
    )


def to_json(transforms: Configurable, indent: int | None = None) -> str:
    """to_config() as JSON."""
    return json.dumps(to_config(transforms), indent=indent)


def from_json(text: str | bytes) -> Any:
    """The opposite of to_json()."""
    try:
        with _endless_refused():
            value = json.loads(text, object_pairs_hook=_once_each)
    except InvalidError:
        raise
    except ValueError as problem:
        raise InvalidError(f"the config is not JSON: {problem}") from None
    return from_config(value)


def to_yaml(transforms: Configurable) -> str:
    """to_config() as YAML. Needs PyYAML."""
    text: str = _yaml().safe_dump(to_config(transforms), sort_keys=False, default_flow_style=None)
    return text


def from_yaml(text: str | bytes) -> Any:
    """The opposite of to_yaml(). Needs PyYAML."""
    yaml = _yaml()
    try:
        with _endless_refused():
            value = yaml.safe_load(text)
    except yaml.YAMLError as problem:
        raise InvalidError(f"the config is not YAML: {problem}") from None
    return from_config(value)


@contextmanager
def _endless_refused() -> Iterator[None]:
    try:
        yield
    except RecursionError:
        raise InvalidError("the config is nested too deeply, or holds itself") from None


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The members of an object of JSON, of which none may come twice."""
    value = dict(pairs)
    if len(value) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidError(f"the config has {twice!r} twice in one object")
    return value


def _yaml() -> Any:
    try:
        import yaml  # type: ignore[import-untyped,unused-ignore]
    except ImportError:
        raise UnsupportedError("YAML needs PyYAML, which is not installed: pip install pyyaml, or use JSON") from None
    return yaml


def _plain(value: Any) -> Any:
    if isinstance(value, tuple | list):
        holds_operations = bool(value) and all(isinstance(item, Transform) for item in value)
        return to_config(value) if holds_operations else [_plain(item) for item in value]
    return to_config([value])[0] if isinstance(value, Transform) else value


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _inside(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _parameters_of(path: str, value: Mapping[str, Any]) -> dict[str, Any]:
    """What a dict has beside the name of a class."""
    given = {str(key): each for key, each in value.items() if key not in ("op", "_target_")}
    if "_target_" in value:
        if given.get("_partial_", False) is not False:
            raise InvalidError(
                f"{_inside(path, '_partial_')} must be false: an operation is made at once, with all of its parameters"
            )
        given = {key: each for key, each in given.items() if key not in _OF_HYDRA}
    return given


def _views(path: str, lists: Mapping[str, Any]) -> Views:
    return Views(**{str(name): _view(_inside(path, str(name)), given) for name, given in lists.items()})


def _view(path: str, given: Any) -> Any:
    if not _is_list(given) or len(given) != 2 or _may_be_operations(given[0]) or not _may_be_operations(given[1]):
        return _list(path, given)
    count = given[0]
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise InvalidError(f"{path}[0] must be a positive integer, got {count!r}")
    return (count, _list(f"{path}[1]", given[1]))


def _may_be_operations(value: Any) -> bool:
    return _is_list(value) or isinstance(value, Mapping | Transform | Compose)


def _is_compose(value: Any) -> bool:
    return isinstance(value, Mapping) and (value.get("_target_") in _COMPOSE or value.get("op") == "Compose")


def _list(path: str, value: Any) -> list[Transform]:
    """A list of operations, or one of a _target_: those of lists and of Compose in it are of the list itself."""
    return list(flat(_operations(path, value)))


def _operations(path: str, value: Any) -> list[Any]:
    """The same with lists in the place of Compose."""
    if isinstance(value, Compose):
        return list(value)
    if _is_compose(value):
        given = _parameters_of(path, value)
        if set(given) != {"transforms"}:
            raise InvalidError(f"{path}{': ' if path else ''}Compose takes 'transforms', got {list(given)}")
        return _operations(_inside(path, "transforms"), given["transforms"])
    if isinstance(value, Mapping) and "_target_" in value and value["_target_"] not in _VIEWS:
        return [_operation(path, value)]
    if not _is_list(value):
        raise InvalidError(f"{path or 'the config'} must be a list of operations, got {value!r}")
    return [_entry(f"{path}[{number}]", each) for number, each in enumerate(value)]


def _entry(path: str, value: Any) -> Any:
    """An operation, or several as a list."""
    if isinstance(value, Transform):
        return value  # as Hydra leaves it, which makes objects of the innermost dicts first
    if isinstance(value, Compose) or _is_list(value) or _is_compose(value):
        return _operations(path, value)
    return _operation(path, value)


def _operation(path: str, entry: Any) -> Transform:
    if not isinstance(entry, Mapping) or ("op" in entry) == ("_target_" in entry):
        raise InvalidError(f"{path} must be {{'op': name, ...}}, got {entry!r}")
    key = "op" if "op" in entry else "_target_"
    name = _class_name(_inside(path, key), entry[key], key)
    given = _parameters_of(path, entry)
    if key == "_target_" and name in _WITH_INPLACE and given.get("inplace") is False:
        del given["inplace"]
    known = {parameter["name"]: parameter for parameter in CLASSES[name].info["parameters"]}
    for each in given:
        if each not in known:
            takes = f"it takes {', '.join(known)}" if known else "it takes none"
            advice = _nearest(each, list(known)) or takes
            raise InvalidError(f"{_inside(path, each)}: {name} has no such parameter; {advice}")
    params = {
        each: _operations(_inside(path, each), value) if holds_operations(known[each]) else _as_plain(value)
        for each, value in given.items()
    }
    try:
        return make(name, params)
    except InvalidError as problem:
        raise InvalidError(_with_path(path, name, list(known), str(problem))) from None


def _as_plain(value: Any) -> Any:
    """Lists that only look like such as lists."""
    return [_as_plain(each) for each in value] if _is_list(value) else value


def _class_name(path: str, given: Any, key: str) -> str:
    if not isinstance(given, str):
        raise InvalidError(f"{path} must be the name of an operation, got {given!r}")
    name = given
    if key == "_target_":
        module, _, name = given.rpartition(".")
        if module not in _MODULES:
            raise InvalidError(f"{path} must be a class of {_MODULES[0]} or {_MODULES[1]}, got {given!r}")
    if name not in CLASSES:
        advice = _ELSEWHERE.get(name) or _nearest(name, list(CLASSES)) or f"the operations are {', '.join(CLASSES)}"
        raise InvalidError(f"{path}: unknown operation {name!r}; {advice}")
    return name


def _nearest(word: str, known: list[str]) -> str | None:
    near = difflib.get_close_matches(word, known, 1)
    return f"did you mean {near[0]}?" if near else None


def _with_path(path: str, name: str, known: list[str], message: str) -> str:
    """'[2].p must be between 0 and 1' of 'RandomCrop: p must be between 0 and 1'."""
    rest = message.removeprefix(f"{name}: ")
    for parameter in known:
        if rest.startswith(f"{parameter} "):
            return _inside(path, rest)
    return f"{path}: {message}" if path else message
