"""Lists of transforms outside of a loader."""

from __future__ import annotations

import itertools
import secrets
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from . import _core
from ._operations import Transform, flat
from .errors import InvalidError

#: Modes of PIL images that are transformed as they are; others become RGB.
_MODES = {"RGB": "RGB", "L": "L", "RGBA": "RGBA", "I;16": "I;16"}


class Compose:
    """A list of transforms as one function of an image, and of what lies in its plane.

    Compose([...])(image, mask=, boxes=, labels=, keypoints=, seed=, params=) returns the transformed image, or a dict
    where more than the image was given. Geometry moves masks (by the nearest pixel), boxes ([N, 4], left, top, right,
    bottom) and keypoints ([N, 2]) with the image; colours change the image alone. Where boxes are dropped, so are their
    labels ([N, ...]) and keypoints of the shape [N, K, 2], which belong to boxes. Images are numpy arrays [H, W, C] or
    [H, W], tensors [C, H, W] or PIL images; the result is of the same kind, but that floats of a PIL image are a numpy
    array.

    seed decides what is drawn; without one every call draws again. params, a row of batch.params or one view's list of
    it, takes the place of drawing. Any number of threads may call; the work is done without the GIL.
    """

    def __init__(self, transforms: Iterable[Transform]) -> None:
        self.transforms = tuple(flat(transforms))
        for operation in self.transforms:
            if not isinstance(operation, Transform):
                raise InvalidError(f"Compose takes penstock.transforms, got {operation!r}")
        self._programs: dict[tuple[int, bool], _core.SampleProgram] = {}
        self._lock = threading.Lock()
        self._program(3, False)  # what cannot be is refused here

    @property
    def held_transforms(self) -> tuple[Transform, ...]:
        """What takes its place in a list of transforms."""
        return self.transforms

    def __repr__(self) -> str:
        return f"Compose({list(self.transforms)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Compose) and self.transforms == other.transforms

    def __hash__(self) -> int:
        return hash(self.transforms)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Compose, (list(self.transforms),))

    def __call__(
        self,
        image: Any,
        *,
        mask: Any = None,
        boxes: Any = None,
        labels: Any = None,
        keypoints: Any = None,
        seed: int | None = None,
        params: Any = None,
    ) -> Any:
        if labels is not None and (boxes is None or len(labels) != len(boxes)):
            raise InvalidError("labels must be as many as boxes")
        made, back, mask_back = self._run(image, mask, boxes, keypoints, seed, params)
        result = back(made["image"])
        if mask is None and boxes is None and keypoints is None:
            return result
        results = {"image": result}
        if mask is not None:
            results["mask"] = mask_back(made["mask"])
        for name, given in (("boxes", boxes), ("keypoints", keypoints)):
            if given is not None:
                results[name] = _like(given, made[name])
        if labels is not None:
            results["labels"] = _those_of(labels, made["kept"])
        return results

    def draw(self, image: Any, *, boxes: Any = None, seed: int | None = None) -> list[dict[str, Any]]:
        """What a call with this seed would draw, as batch.params has it."""
        made, _, _ = self._run(image, None, boxes, None, seed, None)
        drawn: list[dict[str, Any]] = made["params"]
        return drawn

    def _program(self, channels: int, wide: bool) -> _core.SampleProgram:
        with self._lock:
            if (channels, wide) not in self._programs:
                handles = [operation.handle for operation in self.transforms]
                self._programs[channels, wide] = _core.SampleProgram(handles, channels, wide)
            return self._programs[channels, wide]

    def _run(
        self, image: Any, mask: Any, boxes: Any, keypoints: Any, seed: int | None, params: Any
    ) -> tuple[dict[str, Any], Callable[[Any], Any], Callable[[Any], Any]]:
        pixels, back = _pixels_of(image)
        indices, mask_back = (None, back) if mask is None else _indices_of(mask)
        channels = pixels.shape[2] if pixels.ndim == 3 else 1
        program = self._program(channels, pixels.dtype == np.uint16)
        made = program.run(
            pixels,
            indices,
            _numbers_of("boxes", boxes, 4),
            _numbers_of("keypoints", keypoints, 2),
            secrets.randbits(53) if seed is None else _seed_of(seed),
            None if params is None else _list_of(params),
        )
        return made, back, mask_back


def apply(
    transforms: Iterable[Transform],
    image: Any,
    params: Any,
    *,
    mask: Any = None,
    boxes: Any = None,
    labels: Any = None,
    keypoints: Any = None,
) -> Any:
    """The image after these transforms with what was drawn before: a row of batch.params, or one view's list of it. A
    dict where more than the image is given, as Compose returns."""
    return Compose(transforms)(image, mask=mask, boxes=boxes, labels=labels, keypoints=keypoints, params=params)


def _seed_of(seed: Any) -> int:
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 1 << 64:
        raise InvalidError(f"seed must be an integer of 0 to 2**64 - 1, got {seed!r}")
    return seed


def _list_of(params: Any) -> list[dict[str, Any]]:
    if isinstance(params, Mapping):
        params = {view: drawn for view, drawn in params.items() if view != "batch"}  # that of whole batches
        if len(params) != 1:
            raise InvalidError(f"params has the views {list(params)}; pass one of them")
        (params,) = params.values()
    if not isinstance(params, Sequence) or isinstance(params, str):
        raise InvalidError(f"params must be a row of batch.params, got {params!r}")
    return [dict(entry) if isinstance(entry, Mapping) else entry for entry in params]


def _own(pixels: Any) -> np.ndarray[Any, Any]:
    """The pixels in one piece; a copy of those that may not be written, which the engine does not take."""
    return np.require(pixels, requirements=["C_CONTIGUOUS", "WRITEABLE"])


def _is_pil(value: Any) -> bool:
    return hasattr(value, "getbands") and hasattr(value, "convert")


def _is_tensor(value: Any) -> bool:
    return hasattr(value, "untyped_storage")


def _pixels_of(image: Any) -> tuple[np.ndarray[Any, Any], Callable[[Any], Any]]:
    """The image as a contiguous array [H, W, C] or [H, W], and what makes a result like it."""
    if _is_pil(image):
        from PIL import Image

        converted = image if image.mode in _MODES else image.convert("RGB")

        def to_pil(made: Any) -> Any:
            if made.dtype.kind == "f":
                return made
            return Image.fromarray(made[:, :, 0] if made.shape[2] == 1 else made)

        return _own(converted), to_pil
    if _is_tensor(image):
        import torch

        if image.ndim != 3:
            raise InvalidError(f"a tensor must have the shape [C, H, W], got {list(image.shape)}")
        pixels = np.ascontiguousarray(image.detach().cpu().permute(1, 2, 0).numpy())

        def to_tensor(made: Any) -> Any:
            return torch.from_numpy(made).permute(2, 0, 1).contiguous().to(image.device)

        return pixels, to_tensor
    pixels = np.asarray(image)
    if pixels.ndim not in (2, 3) or pixels.dtype not in (np.uint8, np.uint16):
        raise InvalidError(f"an image must be uint8 or uint16 [H, W, C] or [H, W], got {pixels.dtype} {pixels.shape}")
    flat = pixels.ndim == 2
    return _own(pixels), lambda made: made[:, :, 0] if flat else made


def _indices_of(mask: Any) -> tuple[np.ndarray[Any, Any], Callable[[Any], Any]]:
    """The mask as a contiguous array [H, W] of uint8 or uint16, and what makes a result like it."""
    if _is_pil(mask):
        from PIL import Image

        palette = mask.getpalette() if mask.mode == "P" else None

        def to_pil(made: Any) -> Any:
            result = Image.fromarray(made)
            if palette is not None:
                result.putpalette(palette)
            return result

        return _own(mask), to_pil
    if _is_tensor(mask):
        import torch

        pixels, back = _indices_of(mask.detach().cpu().numpy())
        return pixels, lambda made: torch.from_numpy(back(made)).to(mask.device)
    indices = np.asarray(mask)
    if indices.dtype in (np.uint8, np.uint16):
        return _own(indices), lambda made: made
    if indices.dtype.kind not in "iub" or (indices.size and not (indices.min() >= 0 and indices.max() < 1 << 16)):
        raise InvalidError(f"a mask must hold integers between 0 and 65535, got {indices.dtype}")
    kind = indices.dtype
    return np.ascontiguousarray(indices, dtype=np.uint16), lambda made: made.astype(kind)


def _numbers_of(name: str, given: Any, each: int) -> np.ndarray[Any, Any] | None:
    if given is None:
        return None
    numbers = np.ascontiguousarray(given.detach().cpu().numpy() if _is_tensor(given) else given, dtype=np.float32)
    if numbers.size == 0:
        numbers = numbers.reshape(0, each)
    grouped = each == 2 and numbers.ndim == 3
    if (numbers.ndim != 2 and not grouped) or numbers.shape[-1] != each:
        raise InvalidError(f"{name} must have the shape [N, {each}], got {list(numbers.shape)}")
    return numbers


def _those_of(labels: Any, kept: np.ndarray[Any, Any]) -> Any:
    if _is_tensor(labels):
        import torch

        return labels[torch.from_numpy(kept).to(labels.device)]
    if isinstance(labels, list | tuple):
        return type(labels)(itertools.compress(labels, kept))
    return np.asarray(labels)[kept]


def _like(given: Any, made: np.ndarray[Any, Any]) -> Any:
    if _is_tensor(given):
        import torch

        return torch.from_numpy(made).to(given.device)
    return made
