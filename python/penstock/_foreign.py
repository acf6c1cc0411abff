"""Objects of other libraries among the transforms: recognised by where their classes come from, without importing
anything, and called with what they take."""

from __future__ import annotations

import functools
import random
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

#: What such an object is given: a PIL image, a torch tensor [C, H, W], or image=array.
PIL, TENSOR, KEYWORD = "a PIL image", "a torch tensor", "image=array"

# Of torchvision: what makes a tensor of a PIL image, and what its first version has for tensors alone.
_FROM_PIL = {"ToTensor", "PILToTensor", "ToImage", "to_tensor", "pil_to_tensor", "to_image"}
_TENSORS_ALONE = {"Normalize", "ConvertImageDtype", "RandomErasing", "LinearTransformation"}
_TENSORS_ALONE |= {"normalize", "convert_image_dtype", "erase"}

_generators = threading.Lock()  # held while the generators that all of a process shares are ours


class PilFilter:
    """A filter of PIL.ImageFilter, which is no function, as a function of a PIL image."""

    __slots__ = ("filter",)

    def __init__(self, given: Any) -> None:
        self.filter = given() if isinstance(given, type) else given

    def __call__(self, image: Any) -> Any:
        return image.filter(self.filter)

    def __repr__(self) -> str:
        return f"{type(self.filter).__name__}({vars(self.filter)})"


def as_function(given: Any) -> Any:
    """A function in the place of an object of another library that works otherwise; anything else as it is."""
    kind = given if isinstance(given, type) else type(given)
    is_filter = _is_of(kind.__module__, "PIL.ImageFilter") and callable(getattr(kind, "filter", None))
    return PilFilter(given) if is_filter else given


class Foreign:
    """An object of another library as a function of an array [H, W, C] and a generator."""

    __slots__ = ("function", "takes", "takes_rng")

    def __init__(self, function: Callable[..., Any], takes: str, takes_rng: bool = False) -> None:
        self.function = function
        self.takes = takes
        self.takes_rng = takes_rng

    def __call__(self, array: np.ndarray[Any, Any], rng: np.random.Generator) -> Any:
        with _draws_from(rng) as seed:
            return _as_array(self._call(array, rng, seed))

    def _call(self, array: np.ndarray[Any, Any], rng: np.random.Generator, seed: int) -> Any:
        rest = (rng,) if self.takes_rng else ()
        if self.takes == KEYWORD:
            _seed_albumentations(self.function, rng, seed)
            return self.function(image=array)["image"]
        if self.takes == PIL and is_pil_array(array):
            from PIL import Image

            return self.function(Image.fromarray(array[..., 0] if array.shape[2:] == (1,) else array), *rest)
        import torch

        with torch.no_grad():
            tensor = torch.from_numpy(array)
            return self.function(tensor.permute(2, 0, 1).contiguous() if tensor.ndim == 3 else tensor, *rest)


def is_pil_array(array: np.ndarray[Any, Any]) -> bool:
    """Whether PIL has images of that shape and type."""
    channels = array.shape[2] if array.ndim == 3 else 1 if array.ndim == 2 else 0
    return channels in (1, 3, 4) if array.dtype == np.uint8 else channels == 1 and array.dtype == np.uint16


def _as_array(value: Any) -> Any:
    """Tensors [C, H, W] as arrays [H, W, C], with or without a batch dimension of one, which kornia adds; PIL images
    likewise. Anything else as it is."""
    if hasattr(value, "untyped_storage"):
        tensor = value.detach()
        if tensor.ndim == 4 and tensor.shape[0] == 1:
            tensor = tensor[0]
        return (tensor.permute(1, 2, 0) if tensor.ndim == 3 else tensor).cpu().numpy()
    if type(value).__module__.startswith("PIL."):
        array = np.asarray(value)
        return array[..., None] if array.ndim == 2 else array
    return value


@contextmanager
def _draws_from(rng: np.random.Generator) -> Iterator[int]:
    """The generators that torch, numpy and Python share among all of a process follow from `rng` meanwhile, and are put
    back after it."""
    seed = int(rng.integers(1 << 63))
    torch = sys.modules.get("torch")
    with _generators:
        before = random.getstate(), np.random.get_state()  # noqa: NPY002 - what the libraries draw from
        torch_before = None if torch is None else torch.get_rng_state()
        try:
            random.seed(seed)
            np.random.seed(seed % (1 << 32))  # noqa: NPY002
            if torch is not None:
                torch.default_generator.manual_seed(seed)
            yield seed
        finally:
            random.setstate(before[0])
            np.random.set_state(before[1])  # noqa: NPY002
            if torch is not None:
                torch.set_rng_state(torch_before)


def _seed_albumentations(function: Any, rng: np.random.Generator, seed: int) -> None:
    """Its objects have generators of their own since 1.4.19; before that they draw from the shared ones."""
    if hasattr(function, "set_random_state"):
        function.set_random_state(rng, random.Random(seed))


def recognised(function: Callable[..., Any]) -> Foreign | None:
    """The object of another library as a function of an array; None for functions and objects that are no such."""
    origins = _origins(function)
    if any(_is_of(origin, "torchvision.transforms") for origin in origins):
        is_v2 = any(_is_of(origin, "torchvision.transforms.v2") for origin in origins)
        return Foreign(function, _torchvision_takes(function, is_v2))
    if any(_is_of(origin, "albumentations") for origin in origins):
        return Foreign(function, KEYWORD)
    if isinstance(function, PilFilter) or any(_is_of(origin, "PIL") for origin in origins):
        return Foreign(function, PIL)
    if any(_is_of(origin, "torch.nn") for origin in origins):
        return Foreign(function, TENSOR)
    return None


def _origins(function: Any) -> list[str]:
    """The modules that define it: its own, or those of its class and what that derives from."""
    while isinstance(function, functools.partial):
        function = function.func
    owner = getattr(function, "__self__", None)
    if owner is not None and not isinstance(owner, type(sys)):
        function = owner  # a method
    if hasattr(function, "__qualname__"):
        return [str(getattr(function, "__module__", ""))]
    return [kind.__module__ for kind in type(function).__mro__]


def _is_of(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


def _torchvision_takes(function: Any, is_v2: bool) -> str:
    """Version 1 is made for PIL images, and version 2 for tensors, unless a part of it says otherwise."""
    names = [getattr(part, "__name__", type(part).__name__) for part in _parts(function)]
    if is_v2:
        return PIL if _FROM_PIL.intersection(names) else TENSOR
    return TENSOR if names[0] in _TENSORS_ALONE else PIL


def _parts(function: Any) -> list[Any]:
    """What a Compose and its like hold, from the first to the last."""
    while isinstance(function, functools.partial):
        function = function.func
    held: Any = getattr(function, "transforms", None)
    if not isinstance(held, (list, tuple)) and type(held).__name__ != "ModuleList":
        return [function]
    return [part for inner in held for part in _parts(inner)] or [function]
