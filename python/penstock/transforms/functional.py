"""Operations on one image as functions: what an operation would draw is given.

The names and parameters are torchvision's where torchvision.transforms.v2.functional has such a function, and the
pixels those that it makes of PIL images. Every other operation on images has a function too, named after it without
"Random": what it draws, then its parameters. Images are PIL images, numpy arrays [H, W, C] or [H, W] and tensors
[C, H, W], and so are results; Compose says more of them. Any number of threads may call; the work is done without the
GIL.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar

import numpy as np

from .._compose import Compose, _is_tensor
from .._operations import CLASSES, Transform, make
from .._pil import array_of, is_pil
from ..errors import InvalidError

T = TypeVar("T")
Interpolation = Literal["nearest", "box", "bilinear", "hamming", "bicubic", "lanczos"]
Fill = int | Sequence[int] | None


@functools.lru_cache(maxsize=256)
def _compose(operations: tuple[Transform, ...]) -> Compose:
    return Compose(operations)


def _apply(image: Any, name: str, params: dict[str, Any], **drawn: Any) -> Any:
    """The image after one operation that draws these values."""
    return _compose((make(name, params),))(image, params=[{"op": name, **drawn}])


def _size_of(image: Any) -> tuple[int, int]:
    """Height and width."""
    if hasattr(image, "getbands"):
        return int(image.height), int(image.width)
    return tuple(image.shape[-2:] if _is_tensor(image) else np.shape(image)[:2])  # type: ignore[return-value]


# --- geometry ---------------------------------------------------------------------------------------------------------


def resize(
    image: T,
    size: int | Sequence[int],
    interpolation: Interpolation = "bilinear",
    max_size: int | None = None,
    antialias: bool = True,
) -> T:
    """Resizes the image to (height, width), or its shorter side to one number."""
    params = {"size": size, "interpolation": interpolation, "max_size": max_size, "antialias": antialias}
    return _apply(image, "Resize", params)  # type: ignore[no-any-return]


def crop(image: T, top: int, left: int, height: int, width: int) -> T:
    """Keeps a rectangle; what of it lies outside of the image is black."""
    rows, columns = _size_of(image)
    sides = (-left, -top, left + width - columns, top + height - rows)
    padding = [max(side, 0) for side in sides]
    params = {"size": (height, width), "padding": padding if any(padding) else None}
    return _apply(image, "RandomCrop", params, top=top + padding[1], left=left + padding[0])  # type: ignore[no-any-return]


def center_crop(image: T, output_size: int | Sequence[int]) -> T:
    """Keeps the centre of the image; a smaller one is padded with black."""
    return _apply(image, "CenterCrop", {"size": output_size})  # type: ignore[no-any-return]


def resized_crop(
    image: T,
    top: int,
    left: int,
    height: int,
    width: int,
    size: int | Sequence[int],
    interpolation: Interpolation = "bilinear",
    antialias: bool = True,
) -> T:
    """Keeps a rectangle and resizes it."""
    part = crop(image, top, left, height, width)
    square = (size, size) if isinstance(size, int) else (*size, *size)[:2]
    return resize(part, square, interpolation, antialias=antialias)


def hflip(image: T) -> T:
    """Mirrors left and right."""
    return _apply(image, "RandomHorizontalFlip", {}, apply=True)  # type: ignore[no-any-return]


def rotate(
    image: T,
    angle: float,
    interpolation: Literal["nearest", "bilinear", "bicubic"] = "nearest",
    expand: bool = False,
    center: Sequence[float] | None = None,
    fill: Fill = None,
) -> T:
    """Turns the image by an angle in degrees, counter-clockwise."""
    params = {"degrees": 0, "interpolation": interpolation, "expand": expand, "center": center, "fill": _fill(fill)}
    return _apply(image, "RandomRotation", params, angle=angle)  # type: ignore[no-any-return]


def affine(
    image: T,
    angle: float,
    translate: Sequence[int],
    scale: float,
    shear: float | Sequence[float],
    interpolation: Literal["nearest", "bilinear", "bicubic"] = "nearest",
    fill: Fill = None,
    center: Sequence[float] | None = None,
) -> T:
    """Turns clockwise by degrees, moves by pixels across and down, scales, and shears by degrees across (and down)."""
    params = {"degrees": 0, "interpolation": interpolation, "fill": _fill(fill), "center": center}
    shears = [*shear, 0.0][:2] if isinstance(shear, Sequence) else [shear, 0.0]
    drawn = {"angle": angle, "translate": list(translate), "scale": scale, "shear": [float(each) for each in shears]}
    return _apply(image, "RandomAffine", params, **drawn)  # type: ignore[no-any-return]


def perspective(
    image: T,
    startpoints: Sequence[Sequence[int]],
    endpoints: Sequence[Sequence[int]],
    interpolation: Literal["nearest", "bilinear", "bicubic"] = "bilinear",
    fill: Fill = None,
) -> T:
    """Moves the corners, clockwise from the upper left one, from where they are to other points [x, y]."""
    height, width = _size_of(image)
    corners = [[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]]
    if [[int(number) for number in point] for point in startpoints] != corners:
        raise InvalidError(f"startpoints must be the corners of the image, {corners}, got {startpoints!r}")
    params = {"interpolation": interpolation, "fill": _fill(fill)}
    points = [int(number) for point in endpoints for number in point]
    return _apply(image, "RandomPerspective", params, endpoints=points)  # type: ignore[no-any-return]


def _fill(fill: Fill) -> int | Sequence[int]:
    return 0 if fill is None else fill


# --- colour -----------------------------------------------------------------------------------------------------------

_PARTS = ("brightness", "contrast", "saturation", "hue")


def _jitter(image: Any, part: str, value: float) -> Any:
    drawn = {"brightness": 1.0, "contrast": 1.0, "saturation": 1.0, "hue": 0.0} | {part: value}
    largest = 0.5 if part == "hue" else 1.0  # any range makes the operation take this part
    return _apply(image, "ColorJitter", {part: largest}, order=[_PARTS.index(part)], **drawn)


def _factor(name: str, value: float) -> float:
    if not value >= 0:
        raise InvalidError(f"{name} must not be negative, got {value!r}")
    return value


def adjust_brightness(image: T, brightness_factor: float) -> T:
    """Multiplies all values: 0 gives black, 1 the image itself."""
    return _jitter(image, "brightness", _factor("brightness_factor", brightness_factor))  # type: ignore[no-any-return]


def adjust_contrast(image: T, contrast_factor: float) -> T:
    """Mixes the image with its mean gray value: 0 gives gray, 1 the image itself."""
    return _jitter(image, "contrast", _factor("contrast_factor", contrast_factor))  # type: ignore[no-any-return]


def adjust_saturation(image: T, saturation_factor: float) -> T:
    """Mixes the image with its gray values: 0 gives those, 1 the image itself."""
    return _jitter(image, "saturation", _factor("saturation_factor", saturation_factor))  # type: ignore[no-any-return]


def adjust_hue(image: T, hue_factor: float) -> T:
    """Turns all colours by a part of the colour circle, -0.5 to 0.5."""
    return _jitter(image, "hue", hue_factor)  # type: ignore[no-any-return]


# --- erasing and values -----------------------------------------------------------------------------------------------


def erase(image: T, i: int, j: int, h: int, w: int, v: Any) -> T:
    """Fills the rectangle whose first row is i and first column j, h high and w wide, with v: one number, or one for
    each channel."""
    value = np.asarray(v.detach().cpu().numpy() if _is_tensor(v) else v).reshape(-1).tolist()
    if len(value) not in (1, 3, 4):
        raise InvalidError(f"v must be one number, or one for each channel, got {len(value)} numbers")
    place = {"top": i, "left": j, "height": h, "width": w}
    return _apply(image, "RandomErasing", {"value": value}, apply=True, **place, more=[], stream=[])  # type: ignore[no-any-return]


def normalize(image: Any, mean: Sequence[float], std: Sequence[float]) -> Any:
    """(value - mean) / std of each channel, in float32. Bytes are divided by 255 before; floats are taken as they
    are."""
    if _is_tensor(image) and image.is_floating_point():
        import torch

        shape = (-1, 1, 1)
        means, stds = (torch.tensor(list(each), dtype=image.dtype, device=image.device) for each in (mean, std))
        return (image - means.view(shape)) / stds.view(shape)
    if not hasattr(image, "getbands") and np.asarray(image).dtype.kind == "f":
        kind = np.asarray(image).dtype
        return (image - np.asarray(mean, kind)) / np.asarray(std, kind)
    return _compose((make("ToFloat", {}), make("Normalize", {"mean": mean, "std": std})))(image)


def to_dtype(image: Any, dtype: Any = "float32", scale: bool = False) -> Any:
    """The values as another type, a name of numpy's or a dtype of torch's; with scale, those of 0 to 255 become 0 to 1
    where that is a type of floats, and the other way round."""
    name = str(dtype).removeprefix("torch.") if str(dtype).startswith("torch.") else np.dtype(dtype).name
    if is_pil(image):
        image = np.asarray(image) if image.mode in ("I", "F") else array_of(image)
    floating = image.is_floating_point() if _is_tensor(image) else image.dtype.kind == "f"
    to_floats = name.removeprefix("b").startswith("float")
    if scale and floating != to_floats:
        if not to_floats and name != "uint8":
            raise InvalidError(f"to_dtype: floats can be scaled to uint8, got {name}")
        if not to_floats:
            image = image * 255.999  # what is behind the point is cut off below, as torchvision does
    if _is_tensor(image):
        import torch

        converted = image.to(getattr(torch, name))
    else:
        converted = image.astype(name)
    return converted * (1.0 / 255) if scale and to_floats and not floating else converted


def exif_transpose(image: T, orientation: int | None = None) -> T:
    """Turns an image as EXIF says: by what a PIL image has, or by the orientation that is given, 1 to 8."""
    if orientation is None:
        return _compose((make("ExifTranspose", {}),))(image)  # type: ignore[no-any-return]
    return _apply(image, "ExifTranspose", {}, orientation=orientation)  # type: ignore[no-any-return]


# --- all others -------------------------------------------------------------------------------------------------------

#: Operations that the functions above stand for.
_WRITTEN = {
    "ExifTranspose",
    "Resize",
    "RandomResize",
    "CenterCrop",
    "RandomCrop",
    "RandomResizedCrop",
    "RandomHorizontalFlip",
    "RandomRotation",
    "RandomAffine",
    "RandomPerspective",
    "ColorJitter",
    "RandomErasing",
    "Normalize",
}


#: Operations that leave the image as it is, and change what lies in its plane: they are no functions of an image.
ON_ANNOTATIONS = (
    "ClampBoundingBoxes",
    "ClampKeyPoints",
    "ConvertBoundingBoxFormat",
    "SanitizeBoundingBoxes",
    "SanitizeKeyPoints",
)
#: Operations that torchvision's functions call otherwise, and arguments that stand first there.
_TORCHVISION: dict[str, tuple[str, tuple[str, ...]]] = {
    "ElasticTransform": ("random_elastic", ("alpha", "sigma")),  # torchvision's takes a field of displacements
    "GaussianBlur": ("gaussian_blur", ("kernel_size", "sigma")),
    "Gamma": ("adjust_gamma", ("gamma", "gain")),
    "Grayscale": ("rgb_to_grayscale", ("num_output_channels",)),
    "RandomChannelPermutation": ("permute_channels", ("permutation",)),
    "RGB": ("grayscale_to_rgb", ()),
}


def _name_of(operation: str) -> str:
    if operation in _TORCHVISION:
        return _TORCHVISION[operation][0]
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", operation.removeprefix("Random")).lower()


def _signature_of(info: dict[str, Any]) -> inspect.Signature:
    """The image, then what is drawn and what must be given, then the other parameters."""
    drawn = {value["name"]: value["type"] for value in info["drawn"] if value["name"] not in ("apply", "stream")}
    own = [each for each in info["parameters"] if each["name"] not in ("p", "key", *drawn)]
    kind, empty = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.empty
    arguments = [("image", "Any", empty), *((name, type_, empty) for name, type_ in drawn.items())]
    arguments += [(each["name"], each["type"], empty) for each in own if each["required"]]
    arguments += [(each["name"], each["type"], each["default"]) for each in own if not each["required"]]
    if any(value["name"] == "stream" for value in info["drawn"]):
        arguments.append(("seed", "int", 0))
    first = ("image", *_TORCHVISION.get(info["name"], ("", ()))[1])
    arguments.sort(key=lambda each: first.index(each[0]) if each[0] in first else len(first))
    return inspect.Signature(
        [inspect.Parameter(name, kind, default=default, annotation=type_) for name, type_, default in arguments],
        return_annotation="Any",
    )


def _function_of(info: dict[str, Any]) -> Callable[..., Any]:
    signature = _signature_of(info)
    drawn = [str(value["name"]) for value in info["drawn"]]
    needed = {each["name"] for each in info["parameters"] if each["required"]}

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            given = signature.bind(*args, **kwargs)
        except TypeError as problem:
            raise InvalidError(f"{_name_of(info['name'])}: {problem}; it takes {signature}") from None
        given.apply_defaults()
        values = dict(given.arguments)
        image, seed = values.pop("image"), int(values.pop("seed", 0))
        fixed = {"apply": True, "stream": [seed & 0xFFFFFFFF, seed >> 32]}
        held = {name: values.get(name, fixed.get(name)) for name in drawn}
        params = {name: value for name, value in values.items() if name not in drawn or name in needed}
        return _apply(image, info["name"], params, **held)

    call.__name__ = call.__qualname__ = _name_of(info["name"])
    call.__doc__ = re.sub(",? with a given probability", "", info["summary"])
    call.__module__ = __name__
    call.__signature__ = signature  # type: ignore[attr-defined]
    return call


def _is_function(info: dict[str, Any]) -> bool:
    """Whether it makes an image of an image by itself: what holds other operations does not."""
    holds = any(parameter["type"] == "Sequence[Transform]" for parameter in info["parameters"])
    return info["kind"] == "image" and not holds and info["name"] not in ON_ANNOTATIONS


#: The functions that follow from the catalogue, by operation.
MADE = {
    name: _function_of(kind.info) for name, kind in CLASSES.items() if _is_function(kind.info) and name not in _WRITTEN
}
globals().update({function.__name__: function for function in MADE.values()})

horizontal_flip = hflip
vflip = MADE["RandomVerticalFlip"]

__all__ = [
    "adjust_brightness",
    "adjust_contrast",
    "adjust_hue",
    "adjust_saturation",
    "affine",
    "center_crop",
    "crop",
    "erase",
    "exif_transpose",
    "hflip",
    "horizontal_flip",
    "normalize",
    "perspective",
    "resize",
    "resized_crop",
    "rotate",
    "to_dtype",
    "vflip",
    *(function.__name__ for function in MADE.values()),
]
