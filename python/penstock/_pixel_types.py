"""Values of images as another type: torchvision's arithmetic, for arrays and tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from .errors import InvalidError

#: How many bits of a type hold the range of an image's values.
_BITS = {"uint8": 8, "int8": 7, "uint16": 16, "int16": 15, "int32": 31, "int64": 63}
_FLOATS = ("float16", "bfloat16", "float32", "float64")
#: Types of floats whose values are computed in float32, and rounded at the end.
_HALVES = ("float16", "bfloat16")


def type_name(dtype: Any) -> str:
    """A name of numpy's, or a dtype of numpy's or torch's, as a name."""
    name = str(dtype).removeprefix("torch.")
    if str(dtype).startswith("torch.") or name == "bfloat16":
        return name
    try:
        return str(np.dtype(dtype))
    except TypeError:
        raise InvalidError(f"to_dtype: dtype must be a type of numpy's or torch's, got {dtype!r}") from None


def source_name(values: Any) -> str:
    """The type of an array's or tensor's values."""
    return str(values.dtype).removeprefix("torch.")


def as_type(values: Any, name: str) -> Any:
    """The array or tensor with values of that type."""
    if isinstance(values, np.ndarray):
        if name == "bfloat16":
            raise InvalidError("to_dtype: numpy has no bfloat16; pass a tensor, or use float16")
        return values.astype(name)
    import torch

    dtype = getattr(torch, name, None)
    if not isinstance(dtype, torch.dtype):
        raise InvalidError(f"to_dtype: torch has no dtype {name!r}")
    return values.to(dtype)


def scaled(values: Any, name: str) -> Any:
    """The values stretched from the range of their type to that of another: floats are 0 to 1."""
    source = source_name(values)
    if source == name:
        return values
    known = {*_BITS, *_FLOATS}
    if source not in known | {"bool"} or name not in known or (source == "bool" and name in _BITS):
        raise InvalidError(f"to_dtype: values cannot be scaled from {source} to {name}")
    if source in _FLOATS:
        return as_type(values, name) if name in _FLOATS else _from_floats(values, source, name)
    if name in _FLOATS:
        largest = (1 << _BITS[source]) - 1 if source in _BITS else 1
        return as_type(as_type(values, "float32" if name in _HALVES else name) * (1.0 / largest), name)
    return _between_integers(values, source, name)


def _from_floats(values: Any, source: str, name: str) -> Any:
    if _BITS[name] == 63 or (_BITS[name] == 31 and source != "float64"):
        raise InvalidError(f"to_dtype: values cannot be scaled from {source} to {name}, which is more exact")
    largest = (1 << _BITS[name]) - 1
    wide = as_type(values, "float32") if source in _HALVES else values
    smallest = 0 if name.startswith("u") else -largest - 1
    # What is behind the point is cut off. Rounded to float32, the product may lie above the largest value.
    return as_type((wide * (largest + 1 - 1e-3)).clip(smallest, largest), name)


def _between_integers(values: Any, source: str, name: str) -> Any:
    """Moved by as many bits as the types differ by; in 64 bits, where torch can."""
    more = _BITS[name] - _BITS[source]
    wide = as_type(values, "int64")
    return as_type(wide << more if more > 0 else wide >> -more, name)
