# Made by tools/gen_stubs.py from the catalogue of operations.
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from . import _core
from ._functions import Python as Python

__all__: list[str]

class Transform:
    """An operation with its parameters. An immutable value: compares, hashes, prints as it is written."""

    handle: _core.Transform
    info: ClassVar[dict[str, Any]]
    @property
    def params(self) -> dict[str, Any]: ...

def make(name: str, params: dict[str, Any]) -> Transform: ...

class Resize(Transform):
    """Resizes the picture to a given size, or its shorter side to a given length."""

    def __init__(
        self,
        size: int | Sequence[int],
        interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'bilinear',
        max_size: int | None = None,
        antialias: bool = True,
    ) -> None: ...

class CenterCrop(Transform):
    """Keeps the middle of the picture."""

    def __init__(
        self,
        size: int | Sequence[int],
    ) -> None: ...

class RandomCrop(Transform):
    """Keeps a rectangle of the given size from a random place."""

    def __init__(
        self,
        size: int | Sequence[int],
        padding: int | Sequence[int] | None = None,
        pad_if_needed: bool = False,
        fill: int | Sequence[int] | None = 0,
        padding_mode: Literal['constant', 'edge', 'reflect', 'symmetric'] = 'constant',
    ) -> None: ...

class RandomResizedCrop(Transform):
    """Keeps a rectangle of random area, shape and place, and resizes it."""

    def __init__(
        self,
        size: int | Sequence[int],
        scale: Sequence[float] = (0.08, 1.0),
        ratio: Sequence[float] = (0.75, 1.3333333333333333),
        interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'bilinear',
        antialias: bool = True,
    ) -> None: ...

class RandomHorizontalFlip(Transform):
    """Mirrors left and right with a given chance."""

    def __init__(
        self,
        p: float = 0.5,
    ) -> None: ...

class ToFloat(Transform):
    """Turns 8-bit values into float32 from 0 to 1, dividing by 255."""

    def __init__(self) -> None: ...

class Normalize(Transform):
    """Subtracts the mean and divides by the standard deviation; 8-bit values are divided by 255 before."""

    def __init__(
        self,
        mean: float | Sequence[float],
        std: float | Sequence[float],
    ) -> None: ...
