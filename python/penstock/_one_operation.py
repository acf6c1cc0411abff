"""One operation with what it draws given, as functions of an image call it."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from ._compose import Compose, seed_of
from ._image_kinds import is_tensor
from ._operations import Transform, make
from .errors import InvalidError

#: What the engine advises those who replay; a function's caller has no params.
_ADVICE = ("; pass a row of batch.params", "; params belong to the image that they were drawn for")


# Every set of parameters is another Compose, which holds memory for images: those in use are enough.
@functools.lru_cache(maxsize=16)
def compose_of(operations: tuple[Transform, ...]) -> Compose:
    """The list as a function, made once while it is in use."""
    return Compose(operations)


def plain(value: Any) -> Any:
    """Numbers and arrays of numpy and torch as Python's numbers and lists, also inside of lists and dicts."""
    if hasattr(value, "shape") and hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return {name: plain(each) for name, each in value.items()} if isinstance(value, dict) else value


def number(function: str, name: str, value: Any) -> float:
    """The value as a number, whoever's it is; refuses others by name."""
    known = plain(value)
    if isinstance(known, bool) or not isinstance(known, int | float):
        raise InvalidError(f"{function}: {name} must be a number, got {value!r}")
    return known


def integer(function: str, name: str, value: Any) -> int:
    """The value as an integer; refuses others by name."""
    known = plain(value)
    if isinstance(known, bool) or not isinstance(known, int):
        raise InvalidError(f"{function}: {name} must be an integer, got {value!r}")
    return known


def numbers(function: str, name: str, value: Any, counts: tuple[int, ...]) -> list[float]:
    """The value as a list of so many numbers; refuses others by name."""
    known = plain(value)
    known = known if isinstance(known, list) else [known]
    right = all(isinstance(each, int | float) and not isinstance(each, bool) for each in known)
    if not right or len(known) not in counts:
        wanted = " or ".join("one number" if count == 1 else f"a sequence of {count} numbers" for count in counts)
        raise InvalidError(f"{function}: {name} must be {wanted}, got {value!r}")
    return known


def whole_numbers(function: str, name: str, value: Any, counts: tuple[int, ...]) -> list[int]:
    """The value as a list of so many integers, which may be written as floats."""
    known = numbers(function, name, value, counts)
    if any(each != each // 1 for each in known):
        raise InvalidError(f"{function}: {name} must be integers, got {value!r}")
    return [int(each) for each in known]


#: Parameters that are values of the image: those of Compose are of 8 bits, those of functions of the image itself.
OF_THE_IMAGE = ("fill", "threshold")


def has_floats(image: Any) -> bool:
    """Whether the values of the image are floats, 0 to 1."""
    if is_tensor(image):
        return bool(image.is_floating_point())
    return not hasattr(image, "getbands") and np.asarray(image).dtype.kind == "f"


def in_bytes(function: str, image: Any, name: str, value: Any) -> Any:
    """One value of the image or several, as those of 8 bits that operations take: for an image of floats 0 to 1 become
    0 to 255. Fills are whole; thresholds lie between the values, but those of values lie on them."""
    if value is None or not has_floats(image):
        return value
    known = plain(value)
    each = known if isinstance(known, list) else [known]
    if not all(isinstance(one, int | float) and not isinstance(one, bool) for one in each):
        return value  # which the operation refuses
    if not all(0 <= one <= 1 for one in each):
        raise InvalidError(
            f"{function}: {name} must be between 0 and 1 for an image of floats, whose values are, got {value!r}"
        )
    made = [round(one * 255) if name == "fill" else round(one * 255, 4) for one in each]
    return made if isinstance(known, list) else made[0]


def run(
    function: str,
    image: Any,
    operation: str,
    params: Mapping[str, Any],
    drawn: Mapping[str, Any] | None = None,
    names: Mapping[str, str] | None = None,
) -> Any:
    """The image after one operation that draws these values. `names` has the function's names of the operation's
    parameters and draws, where they differ: what is refused is told in the words of the function."""
    values: dict[str, Any] = plain({**params, **(drawn or {})})
    with in_words_of(function, operation, values, names or {}):
        rows = None if drawn is None else [{"op": operation, **{name: values[name] for name in drawn}}]
        return compose_of((make(operation, plain(dict(params))),))(image, params=rows)


@contextmanager
def in_words_of(function: str, operation: str, values: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[None]:
    """What the operation refuses is told of the function and of what it calls these values."""
    try:
        yield
    except InvalidError as problem:
        raise InvalidError(_told(function, operation, str(problem), values, names)) from None


def dimensions_of(function: str, image: Any) -> list[int]:
    """Channels, height and width of the image."""
    if hasattr(image, "getbands"):
        return [len(image.getbands()), int(image.height), int(image.width)]
    shape = [int(extent) for extent in image.shape] if hasattr(image, "shape") else []
    if is_tensor(image) and len(shape) >= 2:
        return [1, *shape] if len(shape) == 2 else shape[-3:]
    if is_tensor(image) or len(shape) not in (2, 3):
        raise InvalidError(
            f"{function}: an image must be a PIL image, an array [H, W, C] or [H, W], or a tensor [C, H, W], got "
            + (f"the shape {shape}" if shape else repr(image))
        )
    return [shape[2] if len(shape) == 3 else 1, *shape[:2]]


def stream_of(function: str, seed: Any) -> list[int]:
    """The address of the noise that a seed names, as operations draw it."""
    try:
        known = seed_of(seed)
    except InvalidError as problem:
        raise InvalidError(f"{function}: {problem}") from None
    return [known & 0xFFFFFFFF, known >> 32]


def _told(function: str, operation: str, message: str, values: Mapping[str, Any], names: Mapping[str, str]) -> str:
    starts = (f"params of {operation}: ", f"{operation}: ", f"{operation} ", "params: ")
    start = next((start for start in starts if message.startswith(start)), None)
    if start is None:  # about the image
        return f"{function}: {message}"
    rest = message.removeprefix(start)
    if rest.startswith("of "):  # "FiveCrop of 9 x 9 is larger than ..."
        rest = f"a crop {rest}"
    for advice in _ADVICE:
        rest = rest.removesuffix(advice)
    name, space, problem = rest.partition(" ")
    if name in values and problem.startswith("must ") and ", got " not in problem:
        said, semicolon, more = problem.partition(";")
        problem = f"{said}, got {values[name]!r}{semicolon}{more}"
    return f"{function}: {names.get(name, name)}{space}{problem}"
