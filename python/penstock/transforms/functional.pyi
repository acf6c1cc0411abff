# Made by tools/gen_stubs.py from functional.py and the catalogue of operations.
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar

T = TypeVar("T")
Interpolation = Literal["nearest", "box", "bilinear", "hamming", "bicubic", "lanczos"]
Fill = int | Sequence[int] | None

MADE: dict[str, Callable[..., Any]]
ELSEWHERE: dict[str, str]
NARROWER: dict[str, str]
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

def adjust_gamma(
    image: Any,
    gamma: float,
    gain: float = 1.0,
) -> Any:
    """Raises values to a power, as torchvision's adjust_gamma does on Pillow images."""

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

def adjust_sharpness(
    image: Any,
    sharpness_factor: float,
) -> Any:
    """Makes images smoother or sharper by a factor."""

def affine(
    image: T,
    angle: float,
    translate: Sequence[int],
    scale: float,
    shear: float | Sequence[float],
    interpolation: Literal['nearest', 'bilinear', 'bicubic'] = 'nearest',
    fill: Fill = None,
    center: Sequence[float] | None = None,
) -> T:
    """Turns clockwise by degrees, moves by whole pixels across and down, scales, and shears by degrees across (and
    down)."""

def aug_mix(
    image: Any,
    weights: Sequence[float],
    depths: Sequence[int],
    operations: Sequence[dict[str, Any]],
    interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'bilinear',
    fill: float | Sequence[float] | None = None,
) -> Any:
    """Mixes the image with what chains of operations make of it: depths has how many of the operations each chain
    has, weights the share of the image, then that of each chain."""

def auto_augment(
    image: Any,
    operations: Sequence[dict[str, Any]],
    interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'nearest',
    fill: float | Sequence[float] | None = None,
) -> Any:
    """Runs operations of AutoAugment: the steps that batch.params has of it, such as {'op': 'Rotate', 'degrees':
    9.0}."""

def autocontrast(
    image: Any,
) -> Any:
    """Stretches the values of each channel so that the smallest is 0 and the largest 255."""

def background_blend(
    image: Any,
    fade: bool,
    has_background: bool,
    alpha: float,
    background: Literal['zeros', 'constant', 'power_law'] = 'zeros',
    fill: float | Sequence[float] | None = 0,
    fade_mode: Literal['circular', 'cosine'] | None = None,
    fade_radius: Sequence[float] | None = None,
    inset: float | None = None,
    seed: int = 0,
) -> Any:
    """Puts RGBA images before a background that is seen where they are transparent; they are RGB then."""

def brightness(
    image: Any,
    factor: float,
) -> Any:
    """Multiplies all values by a factor, as adjust_brightness does: slipstream's operation with Pillow's
    arithmetic."""

def center_crop(
    image: T,
    output_size: int | Sequence[int],
) -> T:
    """Keeps the centre of the image; a smaller one is padded with black."""

def circular_mask(
    image: Any,
    blur_span: float = 8.0,
    tol: float = 0.0005,
) -> Any:
    """Fades images to black outside a circle, with a soft edge; transparency stays."""

def color_jitter_hsv(
    image: Any,
    hue: float,
    saturation: float,
    value: float,
    contrast: float,
) -> Any:
    """Changes value, contrast, saturation and hue by these amounts, in this order: slipstream's operation with
    Pillow's arithmetic."""

def color_jitter_yiq(
    image: Any,
    hue: float,
    saturation: float,
    value: float,
    brightness: float,
    contrast: float,
) -> Any:
    """Changes hue, saturation, value, brightness and contrast by these amounts, as one matrix in YIQ: slipstream's
    operation, DALI's color_twist, in float32 and rounded."""

def contrast(
    image: Any,
    factor: float,
) -> Any:
    """Moves all values from or to their mean gray by a factor, as adjust_contrast does: slipstream's operation with
    Pillow's arithmetic."""

def convert_bounding_box_format(
    boxes: Any,
    old_format: str,
    new_format: str,
) -> Any:
    """Boxes [..., 4], an array or a tensor, in another format: xyxy, xywh or cxcywh. Integers stay integers, and lose
    halves as torchvision's do."""

def crop(
    image: T,
    top: int,
    left: int,
    height: int,
    width: int,
) -> T:
    """Keeps a rectangle; what of it lies outside of the image is black."""

def cutout(
    image: Any,
    top: int,
    left: int,
    height: int,
    width: int,
    fill: float | Sequence[float] = (0.0,),
) -> Any:
    """Fills a rectangle inside the image."""

def direct_resized_crop(
    image: Any,
    top: int,
    left: int,
    height: int,
    width: int,
    size: int | Sequence[int],
    interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'bilinear',
) -> Any:
    """Keeps a rectangle inside the image and resizes it."""

def embed(
    image: Any,
    left: int,
    top: int,
    alpha: float,
    fade: bool,
    canvas_size: int | Sequence[int],
    background: Literal['zeros', 'constant', 'power_law'] = 'zeros',
    fill: float | Sequence[float] | None = 0,
    fade_radius: Sequence[float] | None = None,
    seed: int = 0,
) -> Any:
    """Puts the image on a canvas of a given size, at a place; with fade, its edge fades to the background, whose
    noise has the exponent alpha."""

def equalize(
    image: Any,
) -> Any:
    """Spreads the values of each channel so that all are used about equally often."""

def erase(
    image: T,
    i: int,
    j: int,
    h: int,
    w: int,
    v: Any,
) -> T:
    """Puts v into the rectangle whose first row is i and first column j, h high and w wide: one number, one for each
    channel, or an array or tensor [C, h, w]. The values are those of the image's type."""

def exif_transpose(
    image: T,
    orientation: int | None = None,
) -> T:
    """Turns an image as EXIF says: by what a PIL image has, or by the orientation that is given, 1 to 8."""

def five_crop(
    image: Any,
    size: int | Sequence[int],
) -> Any:
    """Makes five images of one, in a dimension in front: its corners, top ones first, and its middle. Of a PIL image
    they are a tuple."""

def gaussian_blur(
    image: T,
    kernel_size: int | Sequence[int],
    sigma: float | Sequence[float] | None = None,
) -> T:
    """Blurs as torchvision's gaussian_blur does; its values may differ by 1. sigma is the same both ways; None is
    0.15 * kernel_size + 0.35. pillow_gaussian_blur is another blur."""

def gaussian_noise(
    image: Any,
    mean: float = 0.0,
    sigma: float = 0.1,
    clip: bool = True,
    seed: int = 0,
) -> Any:
    """Adds normal noise, which the seed decides, to every value of the image, but not to transparency."""

def get_dimensions(
    image: Any,
) -> list[int]:
    """Channels, height and width of the image."""

def get_num_channels(
    image: Any,
) -> int:
    """How many channels the image has."""

def get_size(
    image: Any,
) -> list[int]:
    """Height and width of the image."""

def grayscale(
    image: Any,
) -> Any:
    """Takes the colour out of images; they keep their channels."""

def grayscale_to_rgb(
    image: Any,
) -> Any:
    """Makes images of three channels: of gray ones by repeating it, of RGBA without its transparency."""

def grid_mask(
    image: Any,
    unit: int,
    top: int,
    left: int,
    ratio: float = 0.5,
    fill: float | Sequence[float] = (0.0,),
) -> Any:
    """Fills a square in each cell of a grid: one of the cells begins at top and left."""

def hflip(
    image: T,
) -> T:
    """Mirrors left and right."""

def horizontal_flip(
    image: T,
) -> T:
    """Mirrors left and right."""

def identity(
    image: Any,
) -> Any:
    """Leaves images as they are."""

def invert(
    image: Any,
) -> Any:
    """Inverts all values."""

def iou_crop(
    image: Any,
    top: int,
    left: int,
    height: int,
    width: int,
) -> Any:
    """Keeps a rectangle inside the image."""

def jpeg(
    image: Any,
    quality: int,
) -> Any:
    """Compresses images as JPEG with a quality, 4:2:0, and decompresses them again."""

def lms_to_konio(
    image: Any,
    sigma_c: float = 2.5,
    sigma_s: float = 6.5,
) -> Any:
    """Makes the channel of the koniocellular pathway from L, M and S: blue against yellow."""

def lms_to_magno(
    image: Any,
    sigma_c: float = 2.5,
    sigma_s: float = 5.0,
) -> Any:
    """Makes the two channels of the magnocellular pathway from L, M and S: light and dark."""

def lms_to_parvo(
    image: Any,
    sigma_c: float = 1.5,
    sigma_s: float = 5.0,
) -> Any:
    """Makes the two channels of the parvocellular pathway from L, M and S: red against green, and green against
    red."""

def normalize(
    image: Any,
    mean: Sequence[float],
    std: Sequence[float],
) -> Any:
    """(value - mean) / std of each channel, in float32. Bytes are divided by 255 before; floats are taken as they
    are."""

def normalize_lgn(
    image: Any,
    mean: float | Sequence[float] = (0.2,),
    std: float | Sequence[float] = (0.2,),
) -> Any:
    """Subtracts the mean and divides by the standard deviation, after operations on floats too."""

def optical_distortion(
    image: Any,
    distortion: float,
    dx: float = 0.0,
    dy: float = 0.0,
    interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'bilinear',
    fill: float | Sequence[float] | None = 0,
) -> Any:
    """Bends the image as a lens does, like a barrel or a cushion."""

def pad(
    image: Any,
    padding: int | Sequence[int],
    fill: float | Sequence[float] | None = 0,
    padding_mode: Literal['constant', 'edge', 'reflect', 'symmetric'] = 'constant',
) -> Any:
    """Adds pixels on the four sides of the image."""

def patch_shuffle(
    image: Any,
    width: int,
    height: int,
    permutation: Sequence[int],
) -> Any:
    """Cuts the image into tiles of a width and a height, and puts them in an order."""

def permute_channels(
    image: Any,
    permutation: Sequence[int],
) -> Any:
    """Puts the channels of colour in an order; transparency stays."""

def perspective(
    image: T,
    startpoints: Sequence[Sequence[int]],
    endpoints: Sequence[Sequence[int]],
    interpolation: Literal['nearest', 'bilinear', 'bicubic'] = 'bilinear',
    fill: Fill = None,
) -> T:
    """Moves the corners, clockwise from the upper left one, from where they are to other points [x, y]. Other
    startpoints, and coefficients in their place, are not possible."""

def photometric_distort(
    image: Any,
    apply_brightness: bool,
    brightness: float,
    apply_contrast: bool,
    contrast: float,
    apply_saturation: bool,
    saturation: float,
    apply_hue: bool,
    hue: float,
    contrast_before: bool,
    permute: bool,
    permutation: Sequence[int],
) -> Any:
    """Changes brightness, contrast, saturation, hue and the order of channels, each where it is to be applied:
    contrast before saturation or after hue."""

def pillow_gaussian_blur(
    image: Any,
    radius: float,
) -> Any:
    """Blurs as Pillow's GaussianBlur does: three box blurs each way, which is not gaussian_blur."""

def posterize(
    image: Any,
    bits: int,
) -> Any:
    """Keeps only the upper bits of each value."""

def rand_augment(
    image: Any,
    operations: Sequence[dict[str, Any]],
    interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'nearest',
    fill: float | Sequence[float] | None = None,
) -> Any:
    """Runs operations of RandAugment: the steps that batch.params has of it, such as {'op': 'Rotate', 'degrees':
    9.0}."""

def random_elastic(
    image: Any,
    alpha: float | Sequence[float] = (50.0,),
    sigma: float | Sequence[float] = (5.0,),
    interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'bilinear',
    fill: float | Sequence[float] | None = 0,
    seed: int = 0,
) -> Any:
    """Moves every pixel by a smooth field that the seed decides. For the same noise the values are torchvision's, but
    for single ones that are off by 1."""

def resize(
    image: T,
    size: int | Sequence[int] | None,
    interpolation: Interpolation = 'bilinear',
    max_size: int | None = None,
    antialias: bool = True,
) -> T:
    """Resizes the image to (height, width), or its shorter side to one number."""

def resize_short_crop_long(
    image: Any,
    size: int,
    x: float,
    y: float,
    interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'bilinear',
) -> Any:
    """Resizes the shorter side to a length and keeps a square: x and y, 0 to 1, say where along the longer side."""

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
    """Keeps a rectangle and resizes it to (height, width), or its shorter side to one number."""

def rgb_to_grayscale(
    image: Any,
    num_output_channels: int = 1,
) -> Any:
    """Takes the colour out of images, and transparency: one channel, or three that are the same."""

def rgb_to_lgn(
    image: Any,
    parvo_sigma_c: float = 1.5,
    parvo_sigma_s: float = 5.0,
    magno_sigma_c: float = 2.5,
    magno_sigma_s: float = 5.0,
    konio_sigma_c: float = 2.5,
    konio_sigma_s: float = 6.5,
) -> Any:
    """Makes five channels from sRGB, as cells of the lateral geniculate nucleus answer: two parvo, two magno, one
    konio."""

def rgb_to_magno(
    image: Any,
    magno_sigma_c: float = 2.5,
    magno_sigma_s: float = 5.0,
) -> Any:
    """Makes the two channels of the magnocellular pathway from sRGB: light and dark."""

def rotate(
    image: T,
    angle: float,
    interpolation: Literal['nearest', 'bilinear', 'bicubic'] = 'nearest',
    expand: bool = False,
    center: Sequence[float] | None = None,
    fill: Fill = None,
) -> T:
    """Turns the image by an angle in degrees, counter-clockwise. expand makes it as large as the turned one needs,
    and cannot be combined with center."""

def rotate90(
    image: Any,
    turns: int,
) -> Any:
    """Turns the image by quarters, counter-clockwise; height and width are exchanged by odd ones."""

def rotate_object(
    image: Any,
    angle: float,
    ctr_x: float,
    ctr_y: float,
    scale: float,
    dest_x: float,
    dest_y: float,
    pad_mode: Literal['zeros', 'border', 'reflection'] = 'border',
    interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'bilinear',
    fill: float | Sequence[float] | None = 0,
) -> Any:
    """Turns the image around a point, shows more or less of it, and puts the point elsewhere; its size stays the
    same."""

def scale_jitter(
    image: Any,
    height: int,
    width: int,
    interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'bilinear',
) -> Any:
    """Resizes the image to a height and a width."""

def shortest_size(
    image: Any,
    height: int,
    width: int,
    interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'bilinear',
) -> Any:
    """Resizes the image to a height and a width."""

def solarize(
    image: Any,
    threshold: float,
) -> Any:
    """Inverts all values from a threshold on."""

def srgb_to_lms(
    image: Any,
) -> Any:
    """Makes the long, middle and short cones' answers (CAT02) from sRGB, as floats."""

def ten_crop(
    image: Any,
    size: int | Sequence[int],
    vertical_flip: bool = False,
) -> Any:
    """Makes ten images of one, in a dimension in front: those of five_crop, then those of the mirrored image. Of a
    PIL image they are a tuple."""

def three_augment(
    image: Any,
    operations: Sequence[dict[str, Any]],
) -> Any:
    """Runs operations of DeiT III's augmentation: the steps that batch.params has of it, such as {'op': 'Solarize',
    'threshold': 128.0}."""

def timm_rand_augment(
    image: Any,
    operations: Sequence[dict[str, Any]],
    interpolation: Literal['random', 'nearest', 'bilinear', 'bicubic'] = 'random',
    fill: float | Sequence[float] | None = (124, 116, 104),
) -> Any:
    """Runs operations of timm's RandAugment: the steps that batch.params has of it, such as {'op': 'Rotate',
    'degrees': 9.0}."""

def to_bfloat16(
    image: Any,
) -> Any:
    """Rounds floats to bfloat16, which torch has and numpy has not; integers become floats as by to_float first."""

def to_dtype(
    image: Any,
    dtype: Any = 'float32',
    scale: bool = False,
) -> Any:
    """The values as another type, a name of numpy's or a dtype of torch's. With scale they are stretched as
    torchvision stretches them: floats are 0 to 1, integers have the range of their type; what lies outside is cut
    off."""

def to_float(
    image: Any,
) -> Any:
    """Turns values into float32 from 0 to 1: those of 8 bits divided by 255, those of 16 by 65535."""

def to_float16(
    image: Any,
) -> Any:
    """Rounds floats to half precision; integers become floats as by to_float first."""

def to_grayscale(
    image: Any,
    num_output_channels: int = 1,
) -> Any:
    """Takes the colour out of images, and transparency: one channel, or three that are the same."""

def to_uint8(
    image: Any,
) -> Any:
    """Turns floats from 0 to 1 into bytes, as to_dtype does with scale: 255.999 times the value, cut off below 0,
    above 255 and behind the point."""

def trivial_augment_wide(
    image: Any,
    operations: Sequence[dict[str, Any]],
    interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'nearest',
    fill: float | Sequence[float] | None = None,
) -> Any:
    """Runs operations of TrivialAugmentWide: the steps that batch.params has of it, such as {'op': 'Rotate',
    'degrees': 9.0}."""

def vertical_flip(
    image: Any,
) -> Any:
    """Mirrors top and bottom."""

def vflip(
    image: Any,
) -> Any:
    """Mirrors top and bottom."""

def zoom(
    image: Any,
    zoom: float,
    x: float,
    y: float,
    interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'bilinear',
    fill: float | Sequence[float] | None = 0,
) -> Any:
    """Looks at a point of the image from closer or further away; its size stays the same."""

def zoom_out(
    image: Any,
    left: int,
    top: int,
    right: int,
    bottom: int,
    fill: float | Sequence[float] | None = 0,
) -> Any:
    """Puts the image on a larger canvas, with so many pixels around it."""
