"""Operations on one image as functions: what an operation would draw is given.

The names and parameters are torchvision's where torchvision.transforms.v2.functional has such a function, and the
pixels those that it makes of PIL images. Every other operation on images has a function too, named after it without
"Random": what it draws, then those of its parameters that still matter. Images are PIL images, numpy arrays [H, W, C]
or [H, W] and tensors [C, H, W], and so are results; Compose says more of them. What is not possible raises
InvalidError, which names the function and the parameter. `fill` and `threshold` are values of the image: 0 to 1 where
it has floats. Any number of threads may call; the work is done without the GIL.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeVar

import numpy as np

from .._box_formats import boxes_as
from .._erasing import erased
from .._image_kinds import is_tensor
from .._made_functions import made_functions
from .._one_operation import (
    compose_of,
    dimensions_of,
    in_bytes,
    in_words_of,
    integer,
    number,
    numbers,
    plain,
    run,
    whole_numbers,
)
from .._operations import make
from .._pil import array_of, is_pil
from .._pixel_types import as_type, scaled, type_name
from ..errors import InvalidError

T = TypeVar("T")
Interpolation = Literal["nearest", "box", "bilinear", "hamming", "bicubic", "lanczos"]
Fill = float | Sequence[float] | None

#: Functions of torchvision.transforms.v2.functional that are not here, and what takes their place.
ELSEWHERE = {
    "clamp_bounding_boxes": "`Compose([ClampBoundingBoxes()])(image, boxes=boxes)`",
    "clamp_keypoints": "`Compose([ClampKeyPoints()])(image, keypoints=points)`",
    "convert_image_dtype": "`to_dtype(image, dtype, scale=True)`",
    "elastic": "torchvision's own: no operation takes a field of displacements; `random_elastic` makes one from a seed",
    "elastic_transform": "as `elastic`",
    "get_image_num_channels": "`get_num_channels`",
    "get_image_size": "`get_size`, which gives the height first",
    "get_num_frames": "nothing: of video",
    "pil_to_tensor": "nothing: functions take all kinds of images",
    "sanitize_bounding_boxes": "`Compose([SanitizeBoundingBoxes()])(image, boxes=boxes, labels=labels)`",
    "sanitize_keypoints": "`Compose([SanitizeKeyPoints()])(image, keypoints=points)`",
    "to_image": "nothing: functions take all kinds of images",
    "to_pil_image": "`PIL.Image.fromarray`",
    "to_tensor": "`to_float`",
    "uniform_temporal_subsample": "nothing: of video",
}
#: What torchvision's functions take and those of the same name refuse, and what to use in its place.
NARROWER = {
    "`perspective` from other `startpoints` than the corners, or with `coefficients=`": "refused, since the operation "
    "moves the corners to whole pixels: torchvision's own, or Pillow's `image.transform`",
    "`rotate(expand=True, center=...)`": "refused: omit one of them; the size is that of a turn around the middle",
    "`gaussian_blur` with two different numbers as `sigma`": "refused: one blurs both ways",
    "`inplace=`": "not a parameter: results are new images",
    "`fill=` as a dict by type": "refused: one number, or one for each channel",
}


# --- what an image is -------------------------------------------------------------------------------------------------


def get_dimensions(image: Any) -> list[int]:
    """Channels, height and width of the image."""
    return dimensions_of("get_dimensions", image)


def get_size(image: Any) -> list[int]:
    """Height and width of the image."""
    return dimensions_of("get_size", image)[1:]


def get_num_channels(image: Any) -> int:
    """How many channels the image has."""
    return dimensions_of("get_num_channels", image)[0]


# --- geometry ---------------------------------------------------------------------------------------------------------


def resize(
    image: T,
    size: int | Sequence[int] | None,
    interpolation: Interpolation = "bilinear",
    max_size: int | None = None,
    antialias: bool = True,
) -> T:
    """Resizes the image to (height, width), or its shorter side to one number."""
    params = {"size": size, "interpolation": interpolation, "max_size": max_size, "antialias": antialias}
    return run("resize", image, "Resize", params)  # type: ignore[no-any-return]


def _cropped(function: str, image: Any, **place: Any) -> Any:
    top, left, height, width = (integer(function, name, value) for name, value in place.items())
    _, rows, columns = dimensions_of(function, image)
    sides = (-left, -top, left + width - columns, top + height - rows)
    padding = [max(side, 0) for side in sides]
    params = {"size": (height, width), "padding": padding if any(padding) else None}
    drawn = {"top": top + padding[1], "left": left + padding[0]}
    names = {"size": "height and width", "padding": "top, left, height and width"}
    return run(function, image, "RandomCrop", params, drawn, names)


def crop(image: T, top: int, left: int, height: int, width: int) -> T:
    """Keeps a rectangle; what of it lies outside of the image is black."""
    return _cropped("crop", image, top=top, left=left, height=height, width=width)  # type: ignore[no-any-return]


def center_crop(image: T, output_size: int | Sequence[int]) -> T:
    """Keeps the centre of the image; a smaller one is padded with black."""
    names = {"size": "output_size"}
    return run("center_crop", image, "CenterCrop", {"size": output_size}, names=names)  # type: ignore[no-any-return]


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
    """Keeps a rectangle and resizes it to (height, width), or its shorter side to one number."""
    part = _cropped("resized_crop", image, top=top, left=left, height=height, width=width)
    params = {"size": size, "interpolation": interpolation, "antialias": antialias}
    return run("resized_crop", part, "Resize", params)  # type: ignore[no-any-return]


def hflip(image: T) -> T:
    """Mirrors left and right."""
    return run("hflip", image, "RandomHorizontalFlip", {}, {"apply": True})  # type: ignore[no-any-return]


def rotate(
    image: T,
    angle: float,
    interpolation: Literal["nearest", "bilinear", "bicubic"] = "nearest",
    expand: bool = False,
    center: Sequence[float] | None = None,
    fill: Fill = None,
) -> T:
    """Turns the image by an angle in degrees, counter-clockwise. expand makes it as large as the turned one needs, and
    cannot be combined with center."""
    outside = in_bytes("rotate", image, "fill", fill)
    params = {"degrees": 0, "interpolation": interpolation, "expand": expand, "center": center, "fill": outside}
    drawn = {"angle": number("rotate", "angle", angle)}
    return run("rotate", image, "RandomRotation", params, drawn)  # type: ignore[no-any-return]


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
    """Turns clockwise by degrees, moves by whole pixels across and down, scales, and shears by degrees across (and
    down)."""
    outside = in_bytes("affine", image, "fill", fill)
    params = {"degrees": 0, "interpolation": interpolation, "fill": outside, "center": center}
    shears = numbers("affine", "shear", shear, (1, 2))
    # As torchvision has it: one number shears across, a list of one both ways.
    both = shears if isinstance(plain(shear), list) else [*shears, 0.0]
    factor = number("affine", "scale", scale)
    if not factor > 0:
        raise InvalidError(f"affine: scale must be positive, got {scale!r}")
    drawn = {
        "angle": number("affine", "angle", angle),
        "translate": whole_numbers("affine", "translate", translate, (2,)),
        "scale": factor,
        "shear": [float(both[0]), float(both[-1])],
    }
    return run("affine", image, "RandomAffine", params, drawn)  # type: ignore[no-any-return]


def perspective(
    image: T,
    startpoints: Sequence[Sequence[int]],
    endpoints: Sequence[Sequence[int]],
    interpolation: Literal["nearest", "bilinear", "bicubic"] = "bilinear",
    fill: Fill = None,
) -> T:
    """Moves the corners, clockwise from the upper left one, from where they are to other points [x, y]. Other
    startpoints, and coefficients in their place, are not possible."""
    _, height, width = dimensions_of("perspective", image)
    corners = [[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]]
    if plain(startpoints) != corners:
        raise InvalidError(f"perspective: startpoints must be the corners of the image, {corners}, got {startpoints!r}")
    params = {"interpolation": interpolation, "fill": in_bytes("perspective", image, "fill", fill)}
    points = plain(endpoints)
    is_four = isinstance(points, list) and len(points) == 4
    if not is_four or not all(isinstance(point, list) and len(point) == 2 for point in points):
        raise InvalidError(f"perspective: endpoints must be 4 points [x, y], got {endpoints!r}")
    flat = [each for point in points for each in point]
    drawn = {"endpoints": whole_numbers("perspective", "endpoints", flat, (8,))}
    return run("perspective", image, "RandomPerspective", params, drawn)  # type: ignore[no-any-return]


def convert_bounding_box_format(boxes: Any, old_format: str, new_format: str) -> Any:
    """Boxes [..., 4], an array or a tensor, in another format: xyxy, xywh or cxcywh. Integers stay integers, and lose
    halves as torchvision's do."""
    return boxes_as(boxes, old_format, new_format)


# --- colour -----------------------------------------------------------------------------------------------------------

_PARTS = ("brightness", "contrast", "saturation", "hue")


def _jitter(image: Any, part: str, value: Any) -> Any:
    function, name = f"adjust_{part}", f"{part}_factor"
    factor = number(function, name, value)
    if part != "hue" and not factor >= 0:
        raise InvalidError(f"{function}: {name} must not be negative, got {value!r}")
    drawn: dict[str, Any] = {"brightness": 1.0, "contrast": 1.0, "saturation": 1.0, "hue": 0.0} | {part: factor}
    largest = 0.5 if part == "hue" else 1.0  # any range makes the operation take this part
    drawn["order"] = list(range(len(_PARTS)))
    return run(function, image, "ColorJitter", {part: largest}, drawn, {part: name})


def adjust_brightness(image: T, brightness_factor: float) -> T:
    """Multiplies all values: 0 gives black, 1 the image itself."""
    return _jitter(image, "brightness", brightness_factor)  # type: ignore[no-any-return]


def adjust_contrast(image: T, contrast_factor: float) -> T:
    """Mixes the image with its mean gray value: 0 gives gray, 1 the image itself."""
    return _jitter(image, "contrast", contrast_factor)  # type: ignore[no-any-return]


def adjust_saturation(image: T, saturation_factor: float) -> T:
    """Mixes the image with its gray values: 0 gives those, 1 the image itself."""
    return _jitter(image, "saturation", saturation_factor)  # type: ignore[no-any-return]


def adjust_hue(image: T, hue_factor: float) -> T:
    """Turns all colours by a part of the colour circle, -0.5 to 0.5."""
    return _jitter(image, "hue", hue_factor)  # type: ignore[no-any-return]


def gaussian_blur(image: T, kernel_size: int | Sequence[int], sigma: float | Sequence[float] | None = None) -> T:
    """Blurs as torchvision's gaussian_blur does; its values may differ by 1. sigma is the same both ways; None is
    0.15 * kernel_size + 0.35. pillow_gaussian_blur is another blur."""
    function = "gaussian_blur"
    sizes = (whole_numbers(function, "kernel_size", kernel_size, (1, 2)) * 2)[:2]
    if sigma is None:
        given = [size * 0.15 + 0.35 for size in sizes]
    else:
        given = (numbers(function, "sigma", sigma, (1, 2)) * 2)[:2]
    if len({each for each, size in zip(given, sizes, strict=True) if size != 1}) > 1:
        raise InvalidError(
            f"{function}: sigma must be the same across and down, got {given}"
            + ("; with two numbers as kernel_size, give one" if sigma is None else "")
        )
    used = given[1] if sizes[0] == 1 else given[0]
    params = {"kernel_size": sizes}
    return run(function, image, "GaussianBlur", params, {"sigma": used})  # type: ignore[no-any-return]


# --- erasing and values -----------------------------------------------------------------------------------------------


def erase(image: T, i: int, j: int, h: int, w: int, v: Any) -> T:
    """Puts v into the rectangle whose first row is i and first column j, h high and w wide: one number, one for each
    channel, or an array or tensor [C, h, w]. The values are those of the image's type."""
    return erased(image, {"i": i, "j": j, "h": h, "w": w}, v)  # type: ignore[no-any-return]


def normalize(image: Any, mean: Sequence[float], std: Sequence[float]) -> Any:
    """(value - mean) / std of each channel, in float32. Bytes are divided by 255 before; floats are taken as they
    are."""
    counts = tuple(sorted({1, dimensions_of("normalize", image)[0]}))
    means, stds = (numbers("normalize", *each, counts) for each in (("mean", mean), ("std", std)))
    if not all(stds):
        raise InvalidError(f"normalize: std must not contain 0, got {std!r}")
    if is_tensor(image) and image.is_floating_point():
        import torch

        shape = (-1, 1, 1)
        center, width = (torch.tensor(each, dtype=image.dtype, device=image.device) for each in (means, stds))
        return (image - center.view(shape)) / width.view(shape)
    if not hasattr(image, "getbands") and np.asarray(image).dtype.kind == "f":
        kind = np.asarray(image).dtype
        return (image - np.asarray(means, kind)) / np.asarray(stds, kind)
    params = {"mean": means, "std": stds}
    with in_words_of("normalize", "Normalize", params, {}):
        return compose_of((make("ToFloat", {}), make("Normalize", params)))(image)


def to_dtype(image: Any, dtype: Any = "float32", scale: bool = False) -> Any:
    """The values as another type, a name of numpy's or a dtype of torch's. With scale they are stretched as
    torchvision stretches them: floats are 0 to 1, integers have the range of their type; what lies outside is cut
    off."""
    name = type_name(dtype)
    if is_pil(image):
        image = np.asarray(image) if image.mode in ("I", "F") else array_of(image)
    elif not is_tensor(image):
        image = np.asarray(image)
    return scaled(image, name) if scale else as_type(image, name)


def exif_transpose(image: T, orientation: int | None = None) -> T:
    """Turns an image as EXIF says: by what a PIL image has, or by the orientation that is given, 1 to 8."""
    drawn = None if orientation is None else {"orientation": orientation}
    return run("exif_transpose", image, "ExifTranspose", {}, drawn)  # type: ignore[no-any-return]


# --- all others -------------------------------------------------------------------------------------------------------

#: Operations that the functions above stand for.
_WRITTEN = (
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
    "GaussianBlur",
    "RandomErasing",
    "Normalize",
)

#: The functions that follow from the catalogue, by operation.
MADE = made_functions(__name__, _WRITTEN)
globals().update({function.__name__: function for function in MADE.values()})

horizontal_flip = hflip
vflip = MADE["RandomVerticalFlip"]
to_grayscale = MADE["Grayscale"]

__all__ = [
    "adjust_brightness",
    "adjust_contrast",
    "adjust_hue",
    "adjust_saturation",
    "affine",
    "center_crop",
    "convert_bounding_box_format",
    "crop",
    "erase",
    "exif_transpose",
    "gaussian_blur",
    "get_dimensions",
    "get_num_channels",
    "get_size",
    "hflip",
    "horizontal_flip",
    "normalize",
    "perspective",
    "resize",
    "resized_crop",
    "rotate",
    "to_dtype",
    "to_grayscale",
    "vflip",
    *(function.__name__ for function in MADE.values()),
]
