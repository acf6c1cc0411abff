# Made by tools/gen_stubs.py from functional.py and the catalogue of operations.
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar

T = TypeVar("T")
Interpolation = Literal["nearest", "box", "bilinear", "hamming", "bicubic", "lanczos"]
Fill = int | Sequence[int] | None

MADE: dict[str, Callable[..., Any]]
ON_ANNOTATIONS: tuple[str, ...]
__all__: list[str]

def adjust_brightness(
    image: T,
    brightness_factor: float,
) -> T:
    """Multiplies all values: 0 gives black, 1 the image itself."""

def adjust_contrast(
    image: T,
    contrast_factor: float,
) -> T:
    """Mixes the image with its mean gray value: 0 gives gray, 1 the image itself."""

def adjust_hue(
    image: T,
    hue_factor: float,
) -> T:
    """Turns all colours by a part of the colour circle, -0.5 to 0.5."""

def adjust_saturation(
    image: T,
    saturation_factor: float,
) -> T:
    """Mixes the image with its gray values: 0 gives those, 1 the image itself."""

def center_crop(
    image: T,
    output_size: int | Sequence[int],
) -> T:
    """Keeps the centre of the image; a smaller one is padded with black."""

def crop(
    image: T,
    top: int,
    left: int,
    height: int,
    width: int,
) -> T:
    """Keeps a rectangle; what of it lies outside of the image is black."""

def erase(
    image: T,
    i: int,
    j: int,
    h: int,
    w: int,
    v: Any,
) -> T:
    """Fills the rectangle whose first row is i and first column j, h high and w wide, with v: one number, or one for
    each channel."""

def hflip(
    image: T,
) -> T:
    """Mirrors left and right."""

def horizontal_flip(
    image: T,
) -> T:
    """Mirrors left and right."""

def normalize(
    image: Any,
    mean: Sequence[float],
    std: Sequence[float],
) -> Any:
    """(value - mean) / std of each channel, in float32. Bytes are divided by 255 before; floats are taken as they
    are."""

def pillow_gaussian_blur(
    image: Any,
    radius: float,
) -> Any:
    """Blurs as Pillow's GaussianBlur does: three box blurs each way, which is not torchvision's blur."""

def resize(
    image: T,
    size: int | Sequence[int],
    interpolation: Interpolation = 'bilinear',
    max_size: int | None = None,
    antialias: bool = True,
) -> T:
    """Resizes the image to (height, width), or its shorter side to one number."""

def resized_crop(
    image: T,
    top: int,
    left: int,
    height: int,
    width: int,
    size: int | Sequence[int],
    interpolation: Interpolation = 'bilinear',
    antialias: bool = True,
) -> T:
    """Keeps a rectangle and resizes it."""

def rotate(
    image: T,
    angle: float,
    interpolation: Literal['nearest', 'bilinear', 'bicubic'] = 'nearest',
    expand: bool = False,
    center: Sequence[float] | None = None,
    fill: Fill = None,
) -> T:
    """Turns the image by an angle in degrees, counter-clockwise."""

def solarize(
    image: Any,
    threshold: float,
) -> Any:
    """Inverts all values from a threshold on."""

def to_dtype(
    image: Any,
    dtype: Any = 'float32',
    scale: bool = False,
) -> Any:
    """The values as another type, a name of numpy's or a dtype of torch's; with scale, those of 0 to 255 become 0 to
    1 where that is a type of floats, and the other way round."""

def to_float(
    image: Any,
) -> Any:
    """Turns values into float32 from 0 to 1: those of 8 bits divided by 255, those of 16 by 65535."""
