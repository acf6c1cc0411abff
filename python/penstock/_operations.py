"""Operations on images and audio, one class each, made from the catalogue of the engine."""

from __future__ import annotations

import inspect
import numbers
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, NoReturn

from . import _core
from .errors import InvalidError


class Transform:
    """An operation with its parameters. An immutable value: compares, hashes, prints as it is written."""

    __slots__ = ("_handle",)
    _handle: _core.Transform
    #: {name, summary, kind, parameters, drawn} of the operation, from the catalogue.
    info: ClassVar[dict[str, Any]]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise InvalidError("Transform is what all operations have in common; use one of them, such as Resize(256)")

    @property
    def handle(self) -> _core.Transform:
        """The operation of the engine."""
        return self._handle

    @property
    def params(self) -> dict[str, Any]:
        """Every parameter with its value."""
        return {
            name: [_wrapped(held) for held in value] if isinstance(value, list) else value
            for name, value in self.handle.params.items()
        }

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise InvalidError(
            f"{self.handle.name} cannot be called by itself; call transforms.Compose([{self!r}]), or a function of "
            "transforms.functional"
        )

    def __repr__(self) -> str:
        return repr(self.handle)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Transform) and self.handle == other.handle

    def __hash__(self) -> int:
        return hash((self.handle.name, _hashable(self.params)))

    def __reduce__(self) -> tuple[Any, ...]:
        return (make, (self.handle.name, self.params))


def _hashable(value: Any) -> Any:
    """Of equal values equal ones: 0.0 for -0.0, which prints otherwise."""
    if isinstance(value, Mapping):
        return frozenset((name, _hashable(each)) for name, each in value.items())
    return tuple(map(_hashable, value)) if isinstance(value, list | tuple) else value


#: Pillow's numbers of filters, which torchvision takes too, and its other name for one of them.
_FILTERS = {0: "nearest", 1: "lanczos", 2: "bilinear", 3: "bicubic", 4: "box", 5: "hamming", "nearest-exact": "nearest"}


def _plain(name: str, value: Any) -> Any:
    """Enumerations such as torchvision's InterpolationMode stand for their text, numbers of numpy for Python's."""
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        return value.item()
    inner = getattr(value, "value", value)
    if name == "interpolation" and isinstance(inner, int | str) and not isinstance(inner, bool):
        return _FILTERS.get(inner, inner)
    if name == "antialias" and value is None:  # as torchvision has it for PIL images
        return True
    return inner if isinstance(inner, str) else value


#: The types of fills that the engine takes as integers.
_FILLS = {"fill": "float | Sequence[float] | None", "mask_fill": "float | None"}


def _whole_fill(name: str, value: Any) -> Any:
    """A fill without what is behind the point; what is no number is left for the engine, which knows None of images."""
    if value is None:
        return 0 if name == "mask_fill" else None
    listed = value.tolist() if hasattr(value, "tolist") else value
    each = listed if isinstance(listed, list | tuple) else [listed]
    if not all(isinstance(one, numbers.Real) and not isinstance(one, bool) and abs(float(one)) < 1e9 for one in each):
        return value
    whole = [int(one) for one in each]
    return whole if isinstance(listed, list | tuple) else whole[0]


def _wrapped(handle: _core.Transform) -> Transform:
    made = object.__new__(CLASSES[handle.name])
    made._handle = handle
    return made


def flat(operations: Iterable[Any]) -> Iterator[Any]:
    """The operations one after the other, where some are lists of them, or Compose."""
    for operation in operations:
        inner = operation if isinstance(operation, list | tuple) else getattr(operation, "held_transforms", None)
        if inner is None:
            yield operation
        else:
            yield from flat(inner)


def refuse_what_is_no_list(name: str, given: Any, of: str = "transforms") -> None:
    """Refuses what cannot be a list of transforms, such as one of them by itself."""
    if not isinstance(given, Iterable):
        raise InvalidError(f"{name} must be a list of {of}, got {given!r}")


def _held(owner: str, parameter: str, given: Any) -> list[_core.Transform]:
    """The operations that another one holds; a list among them, or a Compose, is one of them."""
    if isinstance(given, str | Transform) or not isinstance(given, Iterable):
        raise InvalidError(f"{owner}: {parameter} must be a sequence of operations, got {given!r}")
    handles = []
    for operation in given:
        inner = operation if isinstance(operation, list | tuple) else getattr(operation, "held_transforms", None)
        if inner is not None:
            handles.append(CLASSES["Sequential"](inner).handle)
        elif isinstance(operation, Transform):
            handles.append(operation.handle)
        else:
            raise InvalidError(
                f"{owner}: {operation!r} is not of penstock.transforms; functions stand in the list of a Loader or "
                "of Compose itself"
            )
    return handles


def holds_operations(parameter: dict[str, Any]) -> bool:
    """Whether a parameter of the catalogue is a list of operations."""
    return bool(parameter["type"] == "Sequence[Transform]")


def first_by_name(parameters: list[dict[str, Any]]) -> int:
    """The number of the first parameter that must be given by name: what is required behind one with a default."""
    for number in range(1, len(parameters)):
        if parameters[number]["required"] and not parameters[number - 1]["required"]:
            return number
    return len(parameters)


def _signature(info: dict[str, Any]) -> inspect.Signature:
    by_name = first_by_name(info["parameters"])
    parameters = [
        inspect.Parameter(
            parameter["name"],
            inspect.Parameter.POSITIONAL_OR_KEYWORD if number < by_name else inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if parameter["required"] else parameter["default"],
            annotation=parameter["type"],
        )
        for number, parameter in enumerate(info["parameters"])
    ]
    return inspect.Signature(parameters)


def _constructor(info: dict[str, Any]) -> Callable[..., None]:
    signature = _signature(info)
    held = {parameter["name"] for parameter in info["parameters"] if holds_operations(parameter)}

    whole = {each["name"] for each in info["parameters"] if _FILLS.get(each["name"]) == each["type"]}

    def construct(self: Transform, *args: Any, **kwargs: Any) -> None:
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError as problem:
            raise InvalidError(f"{info['name']}: {problem}; it takes {signature}") from None
        given = {name: _whole_fill(name, value) if name in whole else value for name, value in given.items()}
        params = {
            name: _held(info["name"], name, value) if name in held else _plain(name, value)
            for name, value in given.items()
        }
        self._handle = _core.make_transform(info["name"], params)

    return construct


def _make_class(info: dict[str, Any]) -> type[Transform]:
    lines = [info["summary"], "", *(f"{parameter['name']}: {parameter['doc']}" for parameter in info["parameters"])]
    members = {
        "__doc__": "\n".join(lines).rstrip(),
        "__init__": _constructor(info),
        "__module__": "penstock.transforms",
        "__signature__": _signature(info),
        "__slots__": (),
        "info": info,
    }
    return type(info["name"], (Transform,), members)


def _as_given(info: dict[str, Any]) -> dict[str, Any]:
    """The entry with the types that fills may have when they are given: what is behind the point is cut off."""
    parameters = [
        {**each, "type": _FILLS[each["name"]]} if each["name"] in _FILLS and each["type"].startswith("int") else each
        for each in info["parameters"]
    ]
    return {**info, "parameters": parameters}


CLASSES: dict[str, type[Transform]] = {
    str(info["name"]): _make_class(_as_given(info)) for info in _core.transform_catalog()
}


def make(name: str, params: dict[str, Any]) -> Transform:
    """The operation of that name with these parameters."""
    if name not in CLASSES:
        raise InvalidError(f"unknown operation {name!r}; the operations are {', '.join(CLASSES)}")
    return CLASSES[name](**params)
