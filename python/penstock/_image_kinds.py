"""Images, masks and numbers of the kinds that users have, as arrays for the engine, and back."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from ._pil import array_of, is_pil
from .errors import InvalidError

#: Of images of 8 bits; those of 16 have one.
CHANNELS = (1, 3, 4)
_INTEGERS = (np.dtype(np.uint8), np.dtype(np.uint16))


def orientation(image: Any) -> int:
    """How EXIF says that a PIL image is to be turned; 1 for anything else."""
    said = image.getexif().get(0x0112, 1) if is_pil(image) else 1
    return said if isinstance(said, int) and 1 <= said <= 8 else 1


def each(made: np.ndarray[Any, Any], dimensions: int, back: Callable[[Any], Any]) -> Any:
    """back() of what was made, or of each where there are several in a dimension in front."""
    if made.ndim == dimensions:
        return back(made)
    return stacked([back(one) for one in made])


def stacked(results: list[Any]) -> Any:
    """Images of one size in one array or tensor; PIL images as a tuple."""
    if is_tensor(results[0]):
        import torch

        return torch.stack(results)
    return np.stack(results) if isinstance(results[0], np.ndarray) else tuple(results)


def result(image: Any, made: dict[str, Any], back: Callable[[Any], Any]) -> Any:
    """The image that was made, as the one that was given; of the type that the list ends in, if it names one. What a
    function made that is no image stays an array, or becomes a tensor."""
    pixels = made["image"]
    if pixels.ndim not in (3, 4) or (made.get("by_function", False) and pixels.shape[-1] not in CHANNELS):
        return like(image, pixels)
    kind = made.get("type")
    if kind is None or (kind == "uint8" and is_pil(image)):
        return each(pixels, 3, back)
    if not is_tensor(image):
        if kind == "bfloat16":
            raise InvalidError("numpy has no bfloat16; pass a tensor, or use ToFloat16 in place of ToBfloat16")
        flat = not is_pil(image) and np.ndim(image) == 2 and pixels.shape[-1] == 1
        return pixels[..., 0] if flat else pixels
    import torch

    pixels = np.ascontiguousarray(np.moveaxis(pixels, -1, -3))
    if kind == "bfloat16":
        return torch.from_numpy(pixels.view(np.int16)).view(torch.bfloat16).to(image.device)
    return torch.from_numpy(pixels).to(image.device)


def is_tensor(value: Any) -> bool:
    return not isinstance(value, np.ndarray) and hasattr(value, "untyped_storage")


def pixels_of(image: Any) -> tuple[np.ndarray[Any, Any], Callable[[Any], Any]]:
    """The image as a contiguous array [H, W, C] or [H, W], and what makes a result like it."""
    if is_pil(image):
        from PIL import Image

        def to_pil(made: Any) -> Any:
            if made.dtype.kind == "f":
                return made
            return Image.fromarray(made[:, :, 0] if made.shape[2] == 1 else made)

        return np.ascontiguousarray(array_of(image)), to_pil
    if is_tensor(image):
        import torch

        if image.ndim != 3 or image.shape[0] not in CHANNELS:
            raise InvalidError(
                f"a tensor must have the shape [C, H, W] with 1, 3 or 4 channels, got {tuple(image.shape)}"
            )
        held = image.detach().cpu()
        held = held.float() if held.is_floating_point() else held
        pixels, from_pixels = pixels_of(held.permute(1, 2, 0).contiguous().numpy())

        def to_tensor(made: Any) -> Any:
            result = torch.from_numpy(from_pixels(made)).permute(2, 0, 1).contiguous().to(image.device)
            return result.to(image.dtype) if image.is_floating_point() else result

        return pixels, to_tensor
    pixels = np.asarray(image)
    if pixels.ndim not in (2, 3) or not (pixels.dtype in _INTEGERS or pixels.dtype.kind == "f"):
        raise InvalidError(
            f"an image must be uint8, uint16 or float [H, W, C] or [H, W], got {pixels.dtype} {pixels.shape}"
        )
    if pixels.ndim == 3 and pixels.shape[2] not in CHANNELS:
        raise InvalidError(
            f"an array must have the shape [H, W, C] with 1, 3 or 4 channels, or [H, W], got {pixels.shape}"
            + ("; move its channels to the end: image.transpose(1, 2, 0)" if pixels.shape[0] in CHANNELS else "")
        )
    if pixels.ndim == 3 and pixels.dtype == _INTEGERS[1] and pixels.shape[2] != 1:
        raise InvalidError(f"an image of uint16 must be gray, [H, W] or [H, W, 1], got {pixels.shape}")
    flat = pixels.ndim == 2
    kind = pixels.dtype
    if kind.kind == "f":
        pixels = bytes_of(pixels)

    def to_array(made: Any) -> Any:
        made = made[:, :, 0] if flat and made.shape[2] == 1 else made
        if kind.kind != "f":
            return made
        return (made if made.dtype.kind == "f" else made.astype(np.float32) / np.float32(255)).astype(kind, copy=False)

    return np.ascontiguousarray(pixels), to_array


def bytes_of(pixels: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Floats of 0 to 1 as 8 bits: exactly what they came from, if they are whole numbers divided by 255."""
    if pixels.size and not (pixels.min() >= 0 and pixels.max() <= 1):
        raise InvalidError("an image of floats must have values of 0 to 1; transform it before it is normalised")
    rounded: np.ndarray[Any, Any] = np.rint(pixels.astype(np.float32, copy=False) * np.float32(255))
    return rounded.astype(np.uint8)


def indices_of(mask: Any) -> tuple[np.ndarray[Any, Any], Callable[[Any], Any]]:
    """The mask as a contiguous array [H, W] of uint8 or uint16, and what makes a result like it."""
    if is_pil(mask):
        from PIL import Image

        palette = mask.getpalette() if mask.mode == "P" else None
        indices = np.asarray(mask)
        wide = mask.mode.startswith("I;16")  # those of I;16B have their bytes the other way round
        indices = indices.astype(np.uint16) if wide else indices
        back: Callable[[Any], Any] | None = None
        if mask.mode in ("1", "I"):
            indices, back = indices_of(indices)

        def to_pil(made: Any) -> Any:
            result = Image.fromarray(made if back is None else back(made))
            if palette is not None:
                result.putpalette(palette)
            return result

        return np.ascontiguousarray(indices), to_pil
    if is_tensor(mask):
        import torch

        pixels, back = indices_of(mask.detach().cpu().numpy())
        return pixels, lambda made: torch.from_numpy(back(made)).to(mask.device)
    indices = np.asarray(mask)
    if indices.dtype in _INTEGERS:
        return np.ascontiguousarray(indices), lambda made: made
    if indices.dtype.kind not in "iub" or (indices.size and not (indices.min() >= 0 and indices.max() < 1 << 16)):
        raise InvalidError(f"a mask must hold integers between 0 and 65535, got {indices.dtype}")
    kind = indices.dtype
    return np.ascontiguousarray(indices, dtype=np.uint16), lambda made: made.astype(kind)


def numbers_of(name: str, given: Any, each: int) -> np.ndarray[Any, Any]:
    try:
        numbers = np.ascontiguousarray(given.detach().cpu().numpy() if is_tensor(given) else given, dtype=np.float32)
    except (TypeError, ValueError):
        raise InvalidError(f"{name} must be numbers of the shape [N, {each}], got {given!r}") from None
    if numbers.size == 0:
        numbers = numbers.reshape(0, each)
    grouped = each == 2 and numbers.ndim == 3
    if (numbers.ndim != 2 and not grouped) or numbers.shape[-1] != each:
        raise InvalidError(f"{name} must have the shape [N, {each}], got {list(numbers.shape)}")
    return numbers


def those_of(labels: Any, kept: np.ndarray[Any, Any]) -> Any:
    if is_tensor(labels):
        import torch

        return labels[torch.from_numpy(kept).to(labels.device)]
    if isinstance(labels, list | tuple):
        return type(labels)(itertools.compress(labels, kept))
    return np.asarray(labels)[kept]


def like(given: Any, made: np.ndarray[Any, Any]) -> Any:
    if is_tensor(given):
        import torch

        return torch.from_numpy(made).to(given.device)
    return made
