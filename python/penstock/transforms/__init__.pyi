# Made by tools/gen_stubs.py from the catalogue of operations.
from collections.abc import Sequence
from typing import Literal

from .._compose import Compose as Compose
from .._compose import apply as apply
from .._config import from_config as from_config
from .._config import from_json as from_json
from .._config import from_yaml as from_yaml
from .._config import to_config as to_config
from .._config import to_json as to_json
from .._config import to_yaml as to_yaml
from .._functions import Python as Python
from .._on_device import on_device as on_device
from .._operations import Transform as Transform
from .._operations import make as make
from . import functional as functional

__all__: list[str]

class Resize(Transform):
    """Resizes the image to a given size, or its shorter side to a given length."""

    def __init__(
        self,
        size: int | Sequence[int],
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
    ) -> None: ...

class RandomCrop(Transform):
    """Keeps a rectangle of the given size at a random position."""

    def __init__(
        self,
        size: int | Sequence[int],
        padding: int | Sequence[int] | None = None,
        pad_if_needed: bool = False,
        fill: int | Sequence[int] | None = 0,
        padding_mode: Literal['constant', 'edge', 'reflect', 'symmetric'] = 'constant',
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
    """RandomResizedCrop without failing tries: a ratio, then the longer side, then a place, all uniform among those that fit."""

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
    """Keeps a random rectangle that overlaps a box by a random share. Boxes whose centre is outside become 0, 0, 0, 0; an image without boxes is cropped anywhere."""

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
        fill: int | Sequence[int] | None = 0,
        padding_mode: Literal['constant', 'edge', 'reflect', 'symmetric'] = 'constant',
    ) -> None: ...

class RandomEmbed(Transform):
    """Puts the image at a random place of a canvas of a given size."""

    def __init__(
        self,
        canvas_size: int | Sequence[int],
        x_range: float | Sequence[float] = (0.5,),
        y_range: float | Sequence[float] = (0.5,),
        background: Literal['zeros', 'constant', 'power_law'] = 'zeros',
        fill: int | Sequence[int] | None = 0,
        alpha_range: float | Sequence[float] = (2.0,),
        key: str | None = None,
    ) -> None: ...

class RandomZoomOut(Transform):
    """Puts the image at a random place of a larger canvas."""

    def __init__(
        self,
        fill: int | Sequence[int] | None = 0,
        side_range: Sequence[float] = (1.0, 4.0),
        p: float = 0.5,
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
        fill: int | Sequence[int] | None = 0,
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
        fill: int | Sequence[int] | None = 0,
        center: Sequence[float] | None = None,
        key: str | None = None,
    ) -> None: ...

class RandomPerspective(Transform):
    """Shows the image from a random direction; its size stays the same."""

    def __init__(
        self,
        distortion_scale: float = 0.5,
        p: float = 0.5,
        interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'bilinear',
        fill: int | Sequence[int] | None = 0,
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
        fill: int | Sequence[int] | None = 0,
        key: str | None = None,
    ) -> None: ...

class ElasticTransform(Transform):
    """Moves every pixel by a smooth random field. Values are torchvision's for the same noise, but for single ones that are off by 1."""

    def __init__(
        self,
        alpha: float | Sequence[float] = (50.0,),
        sigma: float | Sequence[float] = (5.0,),
        interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'bilinear',
        fill: int | Sequence[int] | None = 0,
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
        fill: int | Sequence[int] | None = 0,
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

class RandomSolarize(Transform):
    """Inverts all values from a threshold on, with a given probability."""

    def __init__(
        self,
        threshold: float,
        p: float = 0.5,
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
    """Erases a rectangle of random area, shape and place."""

    def __init__(
        self,
        p: float = 0.5,
        scale: Sequence[float] = (0.02, 0.33),
        ratio: Sequence[float] = (0.3, 3.3),
        value: float | Sequence[float] | Literal['random'] = 0.0,
        key: str | None = None,
    ) -> None: ...

class ClampBoundingBoxes(Transform):
    """Cuts boxes off at the edges of the image."""

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

class ToFloat(Transform):
    """Turns values into float32 from 0 to 1: those of 8 bits divided by 255, those of 16 by 65535."""

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
        key: str | None = None,
    ) -> None: ...

class CutMix(Transform):
    """Pastes a box of the image before into every image of a batch, and mixes labels by its area."""

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        num_classes: int,
        key: str | None = None,
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
