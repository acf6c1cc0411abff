# Made by tools/gen_stubs.py from the catalogue of operations.
from collections.abc import Sequence
from typing import Literal

from .._batch_replay import apply_batch as apply_batch
from .._compose import Compose as Compose
from .._compose import apply as apply
from .._config import from_config as from_config
from .._config import from_json as from_json
from .._config import from_yaml as from_yaml
from .._config import to_config as to_config
from .._config import to_json as to_json
from .._config import to_yaml as to_yaml
from .._functions import Lambda as Lambda
from .._functions import Python as Python
from .._on_device import on_device as on_device
from .._operations import Transform as Transform
from .._operations import make as make
from . import functional as functional

__all__: list[str]

class ExifTranspose(Transform):
    """Turns images as EXIF in their files says, as Pillow's exif_transpose does; stands first in a list. Masks, boxes
    and keypoints lie in the upright image: they stay as they are."""

    def __init__(self) -> None: ...

class Resize(Transform):
    """Resizes the image to a given size, or its shorter side to a given length."""

    def __init__(
        self,
        size: int | Sequence[int] | None,
        interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'bilinear',
        max_size: int | None = None,
        antialias: bool = True,
    ) -> None: ...

class RandomResize(Transform):
    """Resizes the image so that its shorter side has a random length."""

    def __init__(
        self,
        min_size: int,
        max_size: int,
        interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'bilinear',
        antialias: bool = True,
        key: str | None = None,
    ) -> None: ...

class RandomShortestSize(Transform):
    """Resizes the image so that its shorter side has one of the given lengths."""

    def __init__(
        self,
        min_size: int | Sequence[int],
        max_size: int | None = None,
        interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'bilinear',
        antialias: bool = True,
        key: str | None = None,
    ) -> None: ...

class ScaleJitter(Transform):
    """Resizes the image by a random factor, relative to the size at which it fits a target."""

    def __init__(
        self,
        target_size: int | Sequence[int],
        scale_range: Sequence[float] = (0.1, 2.0),
        interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'bilinear',
        antialias: bool = True,
        key: str | None = None,
    ) -> None: ...

class CenterCrop(Transform):
    """Keeps the centre of the image."""

    def __init__(
        self,
        size: int | Sequence[int],
        mask_fill: float | None = 0,
    ) -> None: ...

class FiveCrop(Transform):
    """Makes five images of one: its corners, top ones first, and its middle; a row is [5, C, H, W]."""

    def __init__(
        self,
        size: int | Sequence[int],
    ) -> None: ...

class TenCrop(Transform):
    """Makes ten images of one: those of FiveCrop, then those of the mirrored image; a row is [10, C, H, W]."""

    def __init__(
        self,
        size: int | Sequence[int],
        vertical_flip: bool = False,
    ) -> None: ...

class RandomCrop(Transform):
    """Keeps a rectangle of the given size at a random position."""

    def __init__(
        self,
        size: int | Sequence[int],
        padding: int | Sequence[int] | None = None,
        pad_if_needed: bool = False,
        fill: float | Sequence[float] | None = 0,
        padding_mode: Literal['constant', 'edge', 'reflect', 'symmetric'] = 'constant',
        mask_fill: float | None = 0,
        key: str | None = None,
    ) -> None: ...

class RandomResizedCrop(Transform):
    """Keeps a rectangle of random area, shape and position, and resizes it."""

    def __init__(
        self,
        size: int | Sequence[int],
        scale: Sequence[float] = (0.08, 1.0),
        ratio: Sequence[float] = (0.75, 1.3333333333333333),
        interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'bilinear',
        antialias: bool = True,
        key: str | None = None,
    ) -> None: ...

class DirectRandomResizedCrop(Transform):
    """RandomResizedCrop without failing tries: a ratio, then the longer side, then a place, all uniform among those
    that fit."""

    def __init__(
        self,
        size: int | Sequence[int],
        scale: Sequence[float] = (0.08, 1.0),
        ratio: Sequence[float] = (0.75, 1.3333333333333333),
        interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'bilinear',
        antialias: bool = True,
        key: str | None = None,
    ) -> None: ...

class ResizeShortCropLong(Transform):
    """Resizes the shorter side to a length and keeps a square, at a place along the longer side."""

    def __init__(
        self,
        size: int | Sequence[int],
        x_range: float | Sequence[float] = (0.5,),
        y_range: float | Sequence[float] = (0.5,),
        interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'bilinear',
        key: str | None = None,
    ) -> None: ...

class RandomIoUCrop(Transform):
    """Keeps a random rectangle that overlaps a box by a random share. Boxes whose centre is outside become 0, 0, 0, 0;
    an image without boxes is cropped anywhere."""

    def __init__(
        self,
        min_scale: float = 0.3,
        max_scale: float = 1.0,
        min_aspect_ratio: float = 0.5,
        max_aspect_ratio: float = 2.0,
        sampler_options: float | Sequence[float] | None = None,
        trials: int = 40,
        key: str | None = None,
    ) -> None: ...

class Pad(Transform):
    """Adds pixels on the four sides of the image."""

    def __init__(
        self,
        padding: int | Sequence[int],
        fill: float | Sequence[float] | None = 0,
        padding_mode: Literal['constant', 'edge', 'reflect', 'symmetric'] = 'constant',
        mask_fill: float | None = 0,
    ) -> None: ...

class RandomEmbed(Transform):
    """Puts the image at a random place of a canvas of a given size."""

    def __init__(
        self,
        canvas_size: int | Sequence[int],
        x_range: float | Sequence[float] = (0.5,),
        y_range: float | Sequence[float] = (0.5,),
        background: Literal['zeros', 'constant', 'power_law'] = 'zeros',
        fill: float | Sequence[float] | None = 0,
        alpha_range: float | Sequence[float] = (2.0,),
        fade_radius: Sequence[float] | None = None,
        p_fade: float = 1.0,
        mask_fill: float | None = 0,
        key: str | None = None,
    ) -> None: ...

class RandomZoomOut(Transform):
    """Puts the image at a random place of a larger canvas."""

    def __init__(
        self,
        fill: float | Sequence[float] | None = 0,
        side_range: Sequence[float] = (1.0, 4.0),
        p: float = 0.5,
        mask_fill: float | None = 0,
        key: str | None = None,
    ) -> None: ...

class RandomHorizontalFlip(Transform):
    """Mirrors left and right with a given probability."""

    def __init__(
        self,
        p: float = 0.5,
        key: str | None = None,
    ) -> None: ...

class RandomVerticalFlip(Transform):
    """Mirrors top and bottom with a given probability."""

    def __init__(
        self,
        p: float = 0.5,
        key: str | None = None,
    ) -> None: ...

class RandomRotate90(Transform):
    """Turns the image by a random number of quarters; height and width are exchanged by odd ones."""

    def __init__(
        self,
        p: float = 0.5,
        key: str | None = None,
    ) -> None: ...

class RandomRotation(Transform):
    """Turns the image by a random angle."""

    def __init__(
        self,
        degrees: float | Sequence[float],
        interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'nearest',
        expand: bool = False,
        center: Sequence[float] | None = None,
        fill: float | Sequence[float] | None = 0,
        mask_fill: float | None = 0,
        key: str | None = None,
    ) -> None: ...

class RandomAffine(Transform):
    """Turns, shifts, scales and shears the image by random amounts; its size stays the same."""

    def __init__(
        self,
        degrees: float | Sequence[float],
        translate: Sequence[float] | None = None,
        scale: Sequence[float] | None = None,
        shear: float | Sequence[float] | None = None,
        interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'nearest',
        fill: float | Sequence[float] | None = 0,
        center: Sequence[float] | None = None,
        mask_fill: float | None = 0,
        key: str | None = None,
    ) -> None: ...

class RandomPerspective(Transform):
    """Shows the image from a random direction; its size stays the same."""

    def __init__(
        self,
        distortion_scale: float = 0.5,
        p: float = 0.5,
        interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'bilinear',
        fill: float | Sequence[float] | None = 0,
        mask_fill: float | None = 0,
        key: str | None = None,
    ) -> None: ...

class RandomZoom(Transform):
    """Looks at a point of the image from closer or further away; its size stays the same."""

    def __init__(
        self,
        p: float = 0.5,
        zoom: float | Sequence[float] = (0.5, 1.0),
        x: float | Sequence[float] = (0.5,),
        y: float | Sequence[float] = (0.5,),
        interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'bilinear',
        fill: float | Sequence[float] | None = 0,
        mask_fill: float | None = 0,
        key: str | None = None,
    ) -> None: ...

class RandomRotateObject(Transform):
    """Turns the image around a point, shows more or less of it, and puts the point elsewhere; its size stays the
    same."""

    def __init__(
        self,
        p: float = 0.5,
        max_deg: float = 45.0,
        ctr_x: float | Sequence[float] = (0.5,),
        ctr_y: float | Sequence[float] = (0.5,),
        scale: float | Sequence[float] = (1.0, 2.0),
        dest_x: float | Sequence[float] = (0.25, 0.75),
        dest_y: float | Sequence[float] = (0.25, 0.75),
        pad_mode: Literal['zeros', 'border', 'reflection'] = 'border',
        interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'bilinear',
        fill: float | Sequence[float] | None = 0,
        mask_fill: float | None = 0,
        key: str | None = None,
    ) -> None: ...

class ElasticTransform(Transform):
    """Moves every pixel by a smooth random field. Values are torchvision's for the same noise, but for single ones that
    are off by 1."""

    def __init__(
        self,
        alpha: float | Sequence[float] = (50.0,),
        sigma: float | Sequence[float] = (5.0,),
        interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'bilinear',
        fill: float | Sequence[float] | None = 0,
        mask_fill: float | None = 0,
        key: str | None = None,
    ) -> None: ...

class OpticalDistortion(Transform):
    """Bends the image as a lens does, like a barrel or a cushion."""

    def __init__(
        self,
        distortion: float | Sequence[float] = (-0.5,),
        dx: float = 0.0,
        dy: float = 0.0,
        p: float = 1.0,
        interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'bilinear',
        fill: float | Sequence[float] | None = 0,
        mask_fill: float | None = 0,
        key: str | None = None,
    ) -> None: ...

class ColorJitter(Transform):
    """Changes brightness, contrast, saturation and hue by random amounts, in a random order."""

    def __init__(
        self,
        brightness: float | Sequence[float] | None = None,
        contrast: float | Sequence[float] | None = None,
        saturation: float | Sequence[float] | None = None,
        hue: float | Sequence[float] | None = None,
        key: str | None = None,
    ) -> None: ...

class RandomColorJitterHSV(Transform):
    """Changes value, contrast, saturation and hue by random amounts, in this order: slipstream's operation with
    Pillow's arithmetic."""

    def __init__(
        self,
        p: float = 1.0,
        hue: float | Sequence[float] | None = 0.0,
        saturation: float | Sequence[float] | None = 0.0,
        value: float | Sequence[float] | None = 0.0,
        contrast: float | Sequence[float] | None = 0.0,
        key: str | None = None,
    ) -> None: ...

class RandomColorJitterYIQ(Transform):
    """Changes hue, saturation, value, brightness and contrast by random amounts, as one matrix in YIQ: slipstream's
    operation, DALI's color_twist, in float32 and rounded."""

    def __init__(
        self,
        p: float = 0.8,
        hue: float | Sequence[float] | None = 0.0,
        saturation: float | Sequence[float] | None = 0.0,
        value: float | Sequence[float] | None = 0.0,
        brightness: float | Sequence[float] | None = 0.0,
        contrast: float | Sequence[float] | None = 0.0,
        key: str | None = None,
    ) -> None: ...

class RandomPhotometricDistort(Transform):
    """Changes brightness, contrast, saturation, hue and the order of channels, each with a given probability."""

    def __init__(
        self,
        brightness: Sequence[float] = (0.875, 1.125),
        contrast: Sequence[float] = (0.5, 1.5),
        saturation: Sequence[float] = (0.5, 1.5),
        hue: Sequence[float] = (-0.05, 0.05),
        p: float = 0.5,
        key: str | None = None,
    ) -> None: ...

class RandomBrightness(Transform):
    """Multiplies all values by a random factor, as ColorJitter does: slipstream's operation with Pillow's
    arithmetic."""

    def __init__(
        self,
        p: float = 1.0,
        scale_range: Sequence[float] = (0.6, 1.4),
        key: str | None = None,
    ) -> None: ...

class RandomContrast(Transform):
    """Moves all values from or to their mean gray by a random factor, as ColorJitter does: slipstream's operation with
    Pillow's arithmetic."""

    def __init__(
        self,
        p: float = 1.0,
        scale_range: Sequence[float] = (0.6, 1.4),
        key: str | None = None,
    ) -> None: ...

class Gamma(Transform):
    """Raises values to a power, as torchvision's adjust_gamma does on Pillow images."""

    def __init__(
        self,
        gamma: float | Sequence[float],
        gain: float = 1.0,
        key: str | None = None,
    ) -> None: ...

class RandomAutocontrast(Transform):
    """Stretches the values of each channel so that the smallest is 0 and the largest 255, with a given probability."""

    def __init__(
        self,
        p: float = 0.5,
        key: str | None = None,
    ) -> None: ...

class RandomEqualize(Transform):
    """Spreads the values of each channel so that all are used about equally often, with a given probability."""

    def __init__(
        self,
        p: float = 0.5,
        key: str | None = None,
    ) -> None: ...

class RandomInvert(Transform):
    """Inverts all values, with a given probability."""

    def __init__(
        self,
        p: float = 0.5,
        key: str | None = None,
    ) -> None: ...

class RandomPosterize(Transform):
    """Keeps only the upper bits of each value, with a given probability."""

    def __init__(
        self,
        bits: int,
        p: float = 0.5,
        key: str | None = None,
    ) -> None: ...

class RandomSolarize(Transform):
    """Inverts all values from a threshold on, with a given probability."""

    def __init__(
        self,
        threshold: float,
        p: float = 0.5,
        key: str | None = None,
    ) -> None: ...

class RandomAdjustSharpness(Transform):
    """Makes images smoother or sharper by a factor, with a given probability."""

    def __init__(
        self,
        sharpness_factor: float,
        p: float = 0.5,
        key: str | None = None,
    ) -> None: ...

class Grayscale(Transform):
    """Takes the colour out of images, and transparency: one channel, or three that are the same."""

    def __init__(
        self,
        num_output_channels: int = 1,
    ) -> None: ...

class RandomGrayscale(Transform):
    """Takes the colour out of images, with a given probability; they keep their channels."""

    def __init__(
        self,
        p: float = 0.1,
        key: str | None = None,
    ) -> None: ...

class RandomChannelPermutation(Transform):
    """Puts the channels of colour in a random order; transparency stays."""

    def __init__(
        self,
        key: str | None = None,
    ) -> None: ...

class RGB(Transform):
    """Makes images of three channels: of gray ones by repeating it, of RGBA without its transparency."""

    def __init__(self) -> None: ...

class GaussianBlur(Transform):
    """Blurs as torchvision's GaussianBlur does; its values may differ by 1. PillowGaussianBlur is another blur."""

    def __init__(
        self,
        kernel_size: int | Sequence[int],
        sigma: float | Sequence[float] = (0.1, 2.0),
        key: str | None = None,
    ) -> None: ...

class GaussianNoise(Transform):
    """Adds normal noise to every value of the image, but not to transparency."""

    def __init__(
        self,
        mean: float = 0.0,
        sigma: float = 0.1,
        clip: bool = True,
        key: str | None = None,
    ) -> None: ...

class JPEG(Transform):
    """Compresses images as JPEG with a random quality, 4:2:0, and decompresses them again."""

    def __init__(
        self,
        quality: int | Sequence[int],
        key: str | None = None,
    ) -> None: ...

class PillowGaussianBlur(Transform):
    """Blurs as Pillow's GaussianBlur does: three box blurs each way, which is not torchvision's blur."""

    def __init__(
        self,
        radius: float | Sequence[float] = (0.1, 2.0),
        p: float = 1.0,
        key: str | None = None,
    ) -> None: ...

class RandomErasing(Transform):
    """Erases a rectangle of random area, shape and place, or several."""

    def __init__(
        self,
        p: float = 0.5,
        scale: Sequence[float] = (0.02, 0.33),
        ratio: Sequence[float] = (0.3, 3.3),
        value: float | Sequence[float] | Literal['random'] = 0.0,
        mode: Literal['const', 'rand', 'pixel'] = 'const',
        min_count: int = 1,
        max_count: int | None = None,
        key: str | None = None,
    ) -> None: ...

class Cutout(Transform):
    """Fills one square, anywhere inside the image."""

    def __init__(
        self,
        crop_size: int,
        fill: float | Sequence[float] = (0.0,),
        key: str | None = None,
    ) -> None: ...

class GridMask(Transform):
    """Fills squares in the cells of a grid of random size and place, with a given probability."""

    def __init__(
        self,
        unit_size: Sequence[float] = (96.0, 224.0),
        ratio: float = 0.5,
        fill: float | Sequence[float] = (0.0,),
        p: float = 0.5,
        key: str | None = None,
    ) -> None: ...

class CircularMask(Transform):
    """Fades images to black outside a circle, with a soft edge; transparency stays."""

    def __init__(
        self,
        blur_span: float = 8.0,
        tol: float = 0.0005,
    ) -> None: ...

class RandomBackgroundBlend(Transform):
    """Puts RGBA images before a background that is seen where they are transparent; they are RGB then."""

    def __init__(
        self,
        background: Literal['zeros', 'constant', 'power_law'] = 'zeros',
        fill: float | Sequence[float] | None = 0,
        alpha_range: float | Sequence[float] = (2.0,),
        fade_mode: Literal['circular', 'cosine'] | None = None,
        fade_radius: Sequence[float] | None = None,
        inset: float | None = None,
        p_fade: float = 1.0,
        p_background: float = 1.0,
        key: str | None = None,
    ) -> None: ...

class RandomPatchShuffle(Transform):
    """Cuts the image into tiles and puts them in a random order, with a given probability; masks and boxes stay."""

    def __init__(
        self,
        sizes: float | Sequence[float],
        p: float = 0.5,
        key: str | None = None,
    ) -> None: ...

class AutoAugment(Transform):
    """Runs one of 25 pairs of operations, chosen at random, each part with its own probability; those that move pixels
    move masks, boxes and points too."""

    def __init__(
        self,
        policy: Literal['imagenet', 'cifar10', 'svhn'] = 'imagenet',
        interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'nearest',
        fill: float | Sequence[float] | None = None,
        mask_fill: float | None = 0,
        key: str | None = None,
    ) -> None: ...

class RandAugment(Transform):
    """Runs some operations of 14, chosen at random, with one magnitude; those that move pixels move masks, boxes and
    points too."""

    def __init__(
        self,
        num_ops: int = 2,
        magnitude: int = 9,
        num_magnitude_bins: int = 31,
        interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'nearest',
        fill: float | Sequence[float] | None = None,
        mask_fill: float | None = 0,
        key: str | None = None,
    ) -> None: ...

class TrivialAugmentWide(Transform):
    """Runs one operation of 14 with one of many magnitudes, both chosen at random; one that moves pixels moves masks,
    boxes and points too."""

    def __init__(
        self,
        num_magnitude_bins: int = 31,
        interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'nearest',
        fill: float | Sequence[float] | None = None,
        mask_fill: float | None = 0,
        key: str | None = None,
    ) -> None: ...

class AugMix(Transform):
    """Mixes the image with what chains of random operations make of it; masks, boxes and points stay where they are."""

    def __init__(
        self,
        severity: int = 3,
        mixture_width: int = 3,
        chain_depth: int = -1,
        alpha: float = 1.0,
        all_ops: bool = True,
        interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'bilinear',
        fill: float | Sequence[float] | None = None,
        key: str | None = None,
    ) -> None: ...

class TimmRandAugment(Transform):
    """Runs some operations, chosen at random, as timm's RandAugment does for a string like 'rand-m9-mstd0.5-inc1';
    those that move pixels move masks, boxes and points too."""

    def __init__(
        self,
        config: str = 'rand-m9-mstd0.5-inc1',
        interpolation: Literal['random', 'nearest', 'bilinear', 'bicubic'] = 'random',
        fill: float | Sequence[float] | None = (124, 116, 104),
        mask_fill: float | None = 0,
        key: str | None = None,
    ) -> None: ...

class ThreeAugment(Transform):
    """Makes the image gray, solarizes or blurs it, each as likely, then changes brightness, contrast and saturation in
    a random order: DeiT III's augmentation."""

    def __init__(
        self,
        color_jitter: float | Sequence[float] | None = 0.3,
        key: str | None = None,
    ) -> None: ...

class SRGBToLMS(Transform):
    """Makes the long, middle and short cones' answers (CAT02) from sRGB, as floats."""

    def __init__(self) -> None: ...

class LMSToParvo(Transform):
    """Makes the two channels of the parvocellular pathway from L, M and S: red against green, and green against red."""

    def __init__(
        self,
        sigma_c: float = 1.5,
        sigma_s: float = 5.0,
    ) -> None: ...

class LMSToMagno(Transform):
    """Makes the two channels of the magnocellular pathway from L, M and S: light and dark."""

    def __init__(
        self,
        sigma_c: float = 2.5,
        sigma_s: float = 5.0,
    ) -> None: ...

class LMSToKonio(Transform):
    """Makes the channel of the koniocellular pathway from L, M and S: blue against yellow."""

    def __init__(
        self,
        sigma_c: float = 2.5,
        sigma_s: float = 6.5,
    ) -> None: ...

class RGBToLGN(Transform):
    """Makes five channels from sRGB, as cells of the lateral geniculate nucleus answer: two parvo, two magno, one
    konio."""

    def __init__(
        self,
        parvo_sigma_c: float = 1.5,
        parvo_sigma_s: float = 5.0,
        magno_sigma_c: float = 2.5,
        magno_sigma_s: float = 5.0,
        konio_sigma_c: float = 2.5,
        konio_sigma_s: float = 6.5,
    ) -> None: ...

class RGBToMagno(Transform):
    """Makes the two channels of the magnocellular pathway from sRGB: light and dark."""

    def __init__(
        self,
        magno_sigma_c: float = 2.5,
        magno_sigma_s: float = 5.0,
    ) -> None: ...

class NormalizeLGN(Transform):
    """Subtracts the mean and divides by the standard deviation, after operations on floats too."""

    def __init__(
        self,
        mean: float | Sequence[float] = (0.2,),
        std: float | Sequence[float] = (0.2,),
    ) -> None: ...

class ConvertBoundingBoxFormat(Transform):
    """Has boxes delivered in another format, wherever in the list it stands; operations see corners."""

    def __init__(
        self,
        format: Literal['xyxy', 'xywh', 'cxcywh'],
    ) -> None: ...

class ClampBoundingBoxes(Transform):
    """Cuts boxes off at the edges of the image."""

    def __init__(self) -> None: ...

class ClampKeyPoints(Transform):
    """Moves keypoints outside of the image to the nearest pixel of its edge."""

    def __init__(self) -> None: ...

class SanitizeBoundingBoxes(Transform):
    """Drops boxes that are small or reach out of the image, with their labels and keypoints."""

    def __init__(
        self,
        min_size: float = 1.0,
        min_area: float = 1.0,
    ) -> None: ...

class SanitizeKeyPoints(Transform):
    """Drops keypoints outside of the image, with all that belong to the same object."""

    def __init__(self) -> None: ...

class RandomPatchMask(Transform):
    """Adds a mask of patches as MAE has it: an equal number of each image's, chosen at random; True is masked. The
    image stays."""

    def __init__(
        self,
        grid: int | Sequence[int],
        mask_ratio: float = 0.75,
        name: str = 'patch_mask',
        key: str | None = None,
    ) -> None: ...

class RandomBlockMask(Transform):
    """Adds a mask of patches as iBOT and DINOv2 have it: blocks of them in some images of a batch; True is masked. The
    image stays."""

    def __init__(
        self,
        grid: int | Sequence[int],
        mask_ratio: Sequence[float] = (0.1, 0.5),
        p: float = 0.5,
        min_patches: int = 4,
        aspect: Sequence[float] = (0.3, 3.3333333333333335),
        per_batch: bool = True,
        name: str = 'patch_mask',
        key: str | None = None,
    ) -> None: ...

class IJEPAMask(Transform):
    """Adds the masks of I-JEPA: the patches of a context, as many in each image of a batch, and of some targets; True
    is part of them. The image stays."""

    def __init__(
        self,
        grid: int | Sequence[int],
        context_scale: Sequence[float] = (0.85, 1.0),
        target_scale: Sequence[float] = (0.15, 0.2),
        target_aspect: Sequence[float] = (0.75, 1.5),
        targets: int = 4,
        min_keep: int = 10,
        context_name: str = 'context_mask',
        target_name: str = 'target_mask',
        key: str | None = None,
    ) -> None: ...

class Identity(Transform):
    """Leaves images as they are."""

    def __init__(self) -> None: ...

class Sequential(Transform):
    """Runs a list of operations as if it were one: what a list inside of RandomChoice stands for."""

    def __init__(
        self,
        transforms: Sequence[Transform],
        key: str | None = None,
    ) -> None: ...

class RandomApply(Transform):
    """Runs a list of operations with a given probability."""

    def __init__(
        self,
        transforms: Sequence[Transform],
        p: float = 0.5,
        key: str | None = None,
    ) -> None: ...

class RandomChoice(Transform):
    """Runs one operation of a list, chosen at random."""

    def __init__(
        self,
        transforms: Sequence[Transform],
        p: float | Sequence[float] | None = None,
        key: str | None = None,
    ) -> None: ...

class RandomOrder(Transform):
    """Runs all operations of a list, in a random order."""

    def __init__(
        self,
        transforms: Sequence[Transform],
        key: str | None = None,
    ) -> None: ...

class ToFloat(Transform):
    """Turns values into float32 from 0 to 1: those of 8 bits divided by 255, those of 16 by 65535."""

    def __init__(self) -> None: ...

class ToFloat16(Transform):
    """Rounds floats to half precision; integers become floats as by ToFloat first."""

    def __init__(self) -> None: ...

class ToBfloat16(Transform):
    """Rounds floats to bfloat16, which torch has and numpy has not; integers become floats as by ToFloat first."""

    def __init__(self) -> None: ...

class ToUint8(Transform):
    """Turns floats from 0 to 1 into bytes, as ToDtype(uint8, scale=True): 255.999 times the value, cut off below 0,
    above 255 and behind the point."""

    def __init__(self) -> None: ...

class Normalize(Transform):
    """Subtracts the mean and divides by the standard deviation; integers become floats as by ToFloat first."""

    def __init__(
        self,
        mean: float | Sequence[float],
        std: float | Sequence[float],
    ) -> None: ...

class MixUp(Transform):
    """Mixes every image of a batch, and its label, with the one before it; the first with the last."""

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        num_classes: int,
        pairing: Literal['roll', 'mirror'] = 'roll',
        mode: Literal['batch', 'pair', 'elem'] = 'batch',
        label_smoothing: float = 0.0,
        key: str | None = None,
    ) -> None: ...

class CutMix(Transform):
    """Pastes a box of the image before into every image of a batch, and mixes labels by its area."""

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        num_classes: int,
        pairing: Literal['roll', 'mirror'] = 'roll',
        mode: Literal['batch', 'pair', 'elem'] = 'batch',
        label_smoothing: float = 0.0,
        key: str | None = None,
    ) -> None: ...

class TimmMixup(Transform):
    """Mixes the rows of a batch that mirror each other, by MixUp or CutMix, with their labels: timm's Mixup."""

    def __init__(
        self,
        mixup_alpha: float = 1.0,
        cutmix_alpha: float = 0.0,
        cutmix_minmax: Sequence[float] | None = None,
        prob: float = 1.0,
        switch_prob: float = 0.5,
        mode: Literal['batch', 'pair', 'elem'] = 'batch',
        correct_lam: bool = True,
        label_smoothing: float = 0.1,
        num_classes: int = 1000,
        key: str | None = None,
    ) -> None: ...

class Mosaic(Transform):
    """Makes each image of a batch of parts of itself and of three others, with their masks and boxes."""

    def __init__(
        self,
        center_range: Sequence[float] = (0.3, 0.7),
        p: float = 0.5,
        min_size: float = 1.0,
        key: str | None = None,
    ) -> None: ...

class OneHot(Transform):
    """Makes every label of a batch a number for each class, smoothed or not."""

    def __init__(
        self,
        num_classes: int,
        label_smoothing: float = 0.0,
    ) -> None: ...

class ToMono(Transform):
    """Takes the mean of all channels."""

    def __init__(self) -> None: ...

class Resample(Transform):
    """Changes the sampling rate of a recording, by soxr at its quality HQ; the same rate changes nothing."""

    def __init__(
        self,
        rate: int,
    ) -> None: ...

class RandomTimeCrop(Transform):
    """Keeps this many frames of a recording starting at a random position."""

    def __init__(
        self,
        frames: int,
        key: str | None = None,
    ) -> None: ...

class PadTime(Transform):
    """Makes a recording this many frames long: appends silence, or cuts off its end."""

    def __init__(
        self,
        frames: int,
    ) -> None: ...

class RandomGain(Transform):
    """Makes a recording louder or quieter by a random number of decibels."""

    def __init__(
        self,
        db: Sequence[float] = (-6.0, 6.0),
        key: str | None = None,
    ) -> None: ...

class RandomPolarity(Transform):
    """Changes the sign of every sample with a given probability."""

    def __init__(
        self,
        p: float = 0.5,
        key: str | None = None,
    ) -> None: ...

class AddNoise(Transform):
    """Adds white noise, the sum of four uniform numbers for each sample, at a random distance below the recording."""

    def __init__(
        self,
        snr: Sequence[float] = (10.0, 30.0),
        p: float = 1.0,
        key: str | None = None,
    ) -> None: ...

class MelSpectrogram(Transform):
    """Turns each channel of a recording into n_mels bands, as librosa does."""

    def __init__(
        self,
        n_fft: int = 512,
        hop_length: int = 128,
        n_mels: int = 64,
        power: float = 1.0,
        center: bool = False,
        fmin: float = 0.0,
        fmax: float | None = None,
        htk: bool = False,
        norm: Literal['slaney'] | None = 'slaney',
        win_length: int | None = None,
        window: Literal['hann', 'hamming', 'blackman', 'bartlett', 'rectangular'] = 'hann',
        pad_mode: Literal['constant', 'reflect', 'edge'] = 'constant',
        db_mult: float | None = None,
    ) -> None: ...

class MFCC(Transform):
    """Turns each channel of a recording into n_mfcc mel frequency cepstral coefficients, as librosa does."""

    def __init__(
        self,
        n_mfcc: int = 20,
        n_fft: int = 512,
        hop_length: int = 128,
        n_mels: int = 64,
        center: bool = False,
        fmin: float = 0.0,
        fmax: float | None = None,
        htk: bool = False,
        lifter: float = 0.0,
        top_db: float | None = 80.0,
    ) -> None: ...

class AmplitudeToDB(Transform):
    """Turns the amplitudes of a spectrogram into decibels, as librosa does for one array."""

    def __init__(
        self,
        ref: float = 1.0,
        amin: float = 1e-05,
        top_db: float | None = 80.0,
    ) -> None: ...

class TimeMasking(Transform):
    """Masks a run of frames of random length at a random position, in all rows."""

    def __init__(
        self,
        width: int,
        value: float = 0.0,
        key: str | None = None,
    ) -> None: ...

class FrequencyMasking(Transform):
    """Masks a run of bands of random length at a random position, in all channels."""

    def __init__(
        self,
        width: int,
        value: float = 0.0,
        key: str | None = None,
    ) -> None: ...
