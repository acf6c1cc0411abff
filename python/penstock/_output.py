"""What batches are made of: torch tensors, numpy arrays or objects that speak DLPack. Nothing is copied."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from . import _core
from .errors import InvalidError

OUTPUTS = ("torch", "numpy", "dlpack")


def check_types(operations: Iterable[_core.Transform], output: str, collates: bool) -> None:
    """Refuses types that the batches cannot have."""
    if (output == "numpy" or collates) and any(operation.name == "ToBfloat16" for operation in operations):
        what = "collate_fn is given numpy arrays" if collates else "output='numpy'"
        raise InvalidError(
            f"ToBfloat16 cannot be combined with {what}: numpy has no bfloat16; use output='torch' or 'dlpack', "
            "or ToFloat16"
        )


def default_output() -> str:
    """torch where it is installed, else numpy."""
    return "torch" if importlib.util.find_spec("torch") is not None else "numpy"


def _as_is(array: Any) -> Any:
    return array


def converters(output: str, memory_format: str) -> tuple[bool, Callable[[Any], Any], Callable[[Any], Any]]:
    """Whether numpy arrays are wanted from the core, and what turns them into values and into images."""
    if output != "torch":
        return output == "numpy", _as_is, _as_is
    try:
        import torch
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise InvalidError("output='torch' requires torch, which is not installed; use 'numpy' or 'dlpack'") from None

    def from_numpy(array: Any) -> Any:
        if not isinstance(array, np.ndarray):  # numpy has no bfloat16: this one speaks DLPack
            return torch.utils.dlpack.from_dlpack(array)
        # Of numpy's two names for 64 bits without a sign torch knows one, and the core's is the other.
        return torch.from_numpy(array.view(np.uint64) if array.dtype == np.uint64 else array)

    if memory_format == "channels_first":
        return True, from_numpy, from_numpy
    return True, from_numpy, lambda array: from_numpy(array).movedim(-1, -3)
