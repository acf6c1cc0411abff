"""Lists of transforms outside of a loader."""

from __future__ import annotations

import itertools
import numbers
import secrets
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from . import _core
from ._operations import Transform, flat, refuse_what_is_no_list
from ._pil import array_of, is_pil
from .errors import InvalidError

#: Of images of 8 bits; those of 16 have one.
_CHANNELS = (1, 3, 4)
_INTEGERS = (np.dtype(np.uint8), np.dtype(np.uint16))


class Compose:
    """A list of transforms as one function of an image, and of what lies in its plane.

    Compose([...])(image, mask=, boxes=, labels=, keypoints=, seed=, params=) returns the transformed image, or a dict
    where more than the image was given, or the list adds masks of patches (RandomPatchMask), each under its name.
    Geometry moves masks (by the nearest pixel), boxes ([N, 4], left, top, right, bottom) and keypoints ([N, 2]) with
    the image; colours change the image alone. Where boxes are dropped, so are their labels ([N, ...]) and keypoints of
    the shape [N, K, 2], which belong to boxes. Images are numpy arrays [H, W, C] or [H, W], tensors [C, H, W] or PIL
    images; the result is of the same kind, but that floats of a PIL image are a numpy array. PIL images of mode RGB,
    RGBA, L and I;16 keep it; other modes with transparency (LA, PA, a transparent palette) become RGBA, and those
    without become RGB.
    Values are uint8, uint16, or floats of 0 to 1, which are rounded to 8 bits and divided by 255 again afterwards,
    unless the list says what type it ends in (ToFloat16, ToBfloat16, ToUint8). Where it makes several images of one
    (FiveCrop), there is a dimension more in front; of a PIL image they are a tuple. ExifTranspose asks PIL images for
    their EXIF; arrays and tensors have none.

    seed decides what is drawn; without one every call draws again. params, a row of batch.params or one view's list of
    it, takes the place of drawing. Any number of threads may call; the work is done without the GIL.
    """

    def __init__(self, transforms: Iterable[Transform]) -> None:
        refuse_what_is_no_list("Compose: transforms", transforms)
        self.transforms = tuple(flat(transforms))
        for operation in self.transforms:
            if not isinstance(operation, Transform):
                raise InvalidError(f"Compose takes penstock.transforms, got {operation!r}")
        self._programs: dict[tuple[int, bool], _core.SampleProgram] = {}
        self._lock = threading.Lock()
        self._refuse_what_suits_no_image()

    @property
    def held_transforms(self) -> tuple[Transform, ...]:
        """What takes its place in a list of transforms."""
        return self.transforms

    def __iter__(self) -> Iterator[Transform]:
        return iter(self.transforms)

    def __len__(self) -> int:
        return len(self.transforms)

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
        if labels is not None and boxes is None:
            raise InvalidError("labels are those of boxes: pass boxes= too, or leave labels out")
        if labels is not None and len(labels) != len(boxes):
            raise InvalidError(f"labels must be as many as boxes, got {len(labels)} and {len(boxes)}")
        made, back, mask_back = self._run(image, mask, boxes, keypoints, seed, params)
        result = _result(image, made, back)
        patch_masks = made["patch_masks"]
        if mask is None and boxes is None and keypoints is None and not patch_masks:
            return result
        results = {"image": result}
        if mask is not None:
            results["mask"] = _each(made["mask"], 2, mask_back)
        for name, given in (("boxes", boxes), ("keypoints", keypoints)):
            if given is not None:
                results[name] = _like(given, made[name])
        if labels is not None:
            results["labels"] = _those_of(labels, made["kept"])
        for name, patches in patch_masks.items():
            if name in results:
                raise InvalidError(f"two results would be called {name!r}; give the mask of patches another name")
            results[name] = _like(image, patches)
        return results

    def draw(self, image: Any, *, boxes: Any = None, seed: int | None = None) -> list[dict[str, Any]]:
        """What a call with this seed would draw, as batch.params has it."""
        made, _, _ = self._run(image, None, boxes, None, seed, None)
        drawn: list[dict[str, Any]] = made["params"]
        return drawn

    def _refuse_what_suits_no_image(self) -> None:
        problems = []
        for channels, wide in ((3, False), (1, False), (4, False), (1, True)):
            try:
                self._program(channels, wide)
            except InvalidError as problem:
                problems.append(problem)
            else:
                return
        raise problems[0]

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
        program = self._program(channels, pixels.dtype == _INTEGERS[1])
        made = program.run(
            pixels,
            indices,
            _numbers_of("boxes", boxes, 4),
            _numbers_of("keypoints", keypoints, 2),
            secrets.randbits(53) if seed is None else seed_of(seed),
            None if params is None else _list_of(params),
            (_orientation(image), _orientation(mask)),
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
    if params is None:
        raise InvalidError("params must be a row of batch.params, or one view's list, got None; Compose draws anew")
    return Compose(transforms)(image, mask=mask, boxes=boxes, labels=labels, keypoints=keypoints, params=params)


def seed_of(seed: Any) -> int:
    """The seed as an integer, whoever's it is."""
    if isinstance(seed, bool) or not isinstance(seed, numbers.Integral) or not 0 <= int(seed) < 1 << 64:
        raise InvalidError(f"seed must be an integer of 0 to 2**64 - 1, got {seed!r}")
    return int(seed)


def _list_of(params: Any) -> list[dict[str, Any]]:
    if isinstance(params, Mapping):
        params = {view: drawn for view, drawn in params.items() if view != "batch"}  # that of whole batches
        if len(params) != 1:
            raise InvalidError(f"params has the views {list(params)}; pass one of them")
        (params,) = params.values()
    if not isinstance(params, Sequence) or isinstance(params, str):
        raise InvalidError(f"params must be a row of batch.params, got {params!r}")
    return [dict(entry) if isinstance(entry, Mapping) else entry for entry in params]


def _orientation(image: Any) -> int:
    """How EXIF says that a PIL image is to be turned; 1 for anything else."""
    said = image.getexif().get(0x0112, 1) if is_pil(image) else 1
    return said if isinstance(said, int) and 1 <= said <= 8 else 1


def _each(made: np.ndarray[Any, Any], dimensions: int, back: Callable[[Any], Any]) -> Any:
    """back() of what was made, or of each where there are several in a dimension in front."""
    if made.ndim == dimensions:
        return back(made)
    results = [back(one) for one in made]
    if _is_tensor(results[0]):
        import torch

        return torch.stack(results)
    return np.stack(results) if isinstance(results[0], np.ndarray) else tuple(results)


def _result(image: Any, made: dict[str, Any], back: Callable[[Any], Any]) -> Any:
    """The image that was made, as the one that was given; of the type that the list ends in, if it names one."""
    pixels = made["image"]
    kind = made.get("type")
    if kind is None or (kind == "uint8" and is_pil(image)):
        return _each(pixels, 3, back)
    if not _is_tensor(image):
        if kind == "bfloat16":
            raise InvalidError("numpy has no bfloat16; pass a tensor, or use ToFloat16 in place of ToBfloat16")
        flat = not is_pil(image) and np.ndim(image) == 2 and pixels.shape[-1] == 1
        return pixels[..., 0] if flat else pixels
    import torch

    pixels = np.ascontiguousarray(np.moveaxis(pixels, -1, -3))
    if kind == "bfloat16":
        return torch.from_numpy(pixels.view(np.int16)).view(torch.bfloat16).to(image.device)
    return torch.from_numpy(pixels).to(image.device)


def _is_tensor(value: Any) -> bool:
    return hasattr(value, "untyped_storage")


def _pixels_of(image: Any) -> tuple[np.ndarray[Any, Any], Callable[[Any], Any]]:
    """The image as a contiguous array [H, W, C] or [H, W], and what makes a result like it."""
    if is_pil(image):
        from PIL import Image

        def to_pil(made: Any) -> Any:
            if made.dtype.kind == "f":
                return made
            return Image.fromarray(made[:, :, 0] if made.shape[2] == 1 else made)

        return np.ascontiguousarray(array_of(image)), to_pil
    if _is_tensor(image):
        import torch

        if image.ndim != 3 or image.shape[0] not in _CHANNELS:
            raise InvalidError(
                f"a tensor must have the shape [C, H, W] with 1, 3 or 4 channels, got {tuple(image.shape)}"
            )
        held = image.detach().cpu()
        held = held.float() if held.is_floating_point() else held
        pixels, from_pixels = _pixels_of(held.permute(1, 2, 0).contiguous().numpy())

        def to_tensor(made: Any) -> Any:
            result = torch.from_numpy(from_pixels(made)).permute(2, 0, 1).contiguous().to(image.device)
            return result.to(image.dtype) if image.is_floating_point() else result

        return pixels, to_tensor
    pixels = np.asarray(image)
    if pixels.ndim not in (2, 3) or not (pixels.dtype in _INTEGERS or pixels.dtype.kind == "f"):
        raise InvalidError(
            f"an image must be uint8, uint16 or float [H, W, C] or [H, W], got {pixels.dtype} {pixels.shape}"
        )
    if pixels.ndim == 3 and pixels.shape[2] not in _CHANNELS:
        raise InvalidError(
            f"an array must have the shape [H, W, C] with 1, 3 or 4 channels, or [H, W], got {pixels.shape}"
            + ("; move its channels to the end: image.transpose(1, 2, 0)" if pixels.shape[0] in _CHANNELS else "")
        )
    if pixels.ndim == 3 and pixels.dtype == _INTEGERS[1] and pixels.shape[2] != 1:
        raise InvalidError(f"an image of uint16 must be gray, [H, W] or [H, W, 1], got {pixels.shape}")
    flat = pixels.ndim == 2
    kind = pixels.dtype
    if kind.kind == "f":
        pixels = _bytes_of(pixels)

    def to_array(made: Any) -> Any:
        made = made[:, :, 0] if flat and made.shape[2] == 1 else made
        if kind.kind != "f":
            return made
        return (made if made.dtype.kind == "f" else made.astype(np.float32) / np.float32(255)).astype(kind, copy=False)

    return np.ascontiguousarray(pixels), to_array


def _bytes_of(pixels: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Floats of 0 to 1 as 8 bits: exactly what they came from, if they are whole numbers divided by 255."""
    if pixels.size and not (pixels.min() >= 0 and pixels.max() <= 1):
        raise InvalidError("an image of floats must have values of 0 to 1; transform it before it is normalised")
    rounded: np.ndarray[Any, Any] = np.rint(pixels.astype(np.float32, copy=False) * np.float32(255))
    return rounded.astype(np.uint8)


def _indices_of(mask: Any) -> tuple[np.ndarray[Any, Any], Callable[[Any], Any]]:
    """The mask as a contiguous array [H, W] of uint8 or uint16, and what makes a result like it."""
    if is_pil(mask):
        from PIL import Image

        palette = mask.getpalette() if mask.mode == "P" else None

        def to_pil(made: Any) -> Any:
            result = Image.fromarray(made)
            if palette is not None:
                result.putpalette(palette)
            return result

        indices = np.asarray(mask)
        return np.ascontiguousarray(indices.astype(np.uint16) if mask.mode.startswith("I;16") else indices), to_pil
    if _is_tensor(mask):
        import torch

        pixels, back = _indices_of(mask.detach().cpu().numpy())
        return pixels, lambda made: torch.from_numpy(back(made)).to(mask.device)
    indices = np.asarray(mask)
    if indices.dtype in _INTEGERS:
        return np.ascontiguousarray(indices), lambda made: made
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
