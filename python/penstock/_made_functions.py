"""Functions of one image that follow from the catalogue of operations: one for each that draws and makes an image."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection
from typing import Any

from ._one_operation import OF_THE_IMAGE, in_bytes, run, stream_of
from ._operations import CLASSES, holds_operations
from .errors import InvalidError

#: Operations that leave the image as it is, and change what lies in its plane: they are no functions of an image.
ON_ANNOTATIONS = (
    "ClampBoundingBoxes",
    "ClampKeyPoints",
    "ConvertBoundingBoxFormat",
    "SanitizeBoundingBoxes",
    "SanitizeKeyPoints",
)

#: Operations that add masks of patches to the image.
PATCH_MASKS = ("RandomPatchMask", "RandomBlockMask", "IJEPAMask")

#: Parameters that functions have no use for, of all operations: two decide what is drawn, one can only be True, and one
#: is of masks, which functions do not take.
WITHOUT_USE = ("p", "key", "antialias", "mask_fill")
#: Those of single operations that only decide what is drawn, which functions are given.
DECIDES_DRAWS: dict[str, tuple[str, ...]] = {
    "RandomShortestSize": ("min_size", "max_size"),
    "ScaleJitter": ("target_size", "scale_range"),
    "DirectRandomResizedCrop": ("scale", "ratio"),
    "ResizeShortCropLong": ("x_range", "y_range"),
    "RandomIoUCrop": (
        "min_scale",
        "max_scale",
        "min_aspect_ratio",
        "max_aspect_ratio",
        "sampler_options",
        "trials",
    ),
    "RandomEmbed": ("x_range", "y_range", "alpha_range", "p_fade"),
    "RandomZoomOut": ("side_range",),
    "RandomRotateObject": ("max_deg",),
    "RandomBrightness": ("scale_range",),
    "RandomContrast": ("scale_range",),
    "Gamma": ("gamma",),
    "JPEG": ("quality",),
    "Cutout": ("crop_size",),
    "GridMask": ("unit_size",),
    "RandomBackgroundBlend": ("alpha_range", "p_fade", "p_background"),
    "RandomPatchShuffle": ("sizes",),
    "AutoAugment": ("policy",),
    "RandAugment": ("num_ops", "magnitude", "num_magnitude_bins"),
    "TrivialAugmentWide": ("num_magnitude_bins",),
    "AugMix": ("severity", "mixture_width", "chain_depth", "alpha", "all_ops"),
    "TimmRandAugment": ("config",),
    "ThreeAugment": ("color_jitter",),
}

#: Names that do not follow from the operation's: torchvision's, where it has the function.
_NAMES = {
    "ElasticTransform": "random_elastic",  # torchvision's elastic_transform takes a field of displacements
    "Gamma": "adjust_gamma",
    "Grayscale": "rgb_to_grayscale",
    "RandomChannelPermutation": "permute_channels",
    "RandomIoUCrop": "iou_crop",
    "RGB": "grayscale_to_rgb",
}
#: What stands behind the image, where torchvision's order is another.
_FIRST = {"Gamma": ("gamma", "gain"), "ElasticTransform": ("alpha", "sigma")}

_MOVE_STEPS = "the steps that batch.params has of it, such as {'op': 'Rotate', 'degrees': 9.0}"
#: What functions do, where the sentence of the operation tells what it draws, or whom it serves.
_SENTENCES = {
    "RandomShortestSize": "Resizes the image to a height and a width.",
    "ScaleJitter": "Resizes the image to a height and a width.",
    "FiveCrop": "Makes five images of one, in a dimension in front: its corners, top ones first, and its middle. Of a "
    "PIL image they are a tuple.",
    "TenCrop": "Makes ten images of one, in a dimension in front: those of five_crop, then those of the mirrored "
    "image. Of a PIL image they are a tuple.",
    "DirectRandomResizedCrop": "Keeps a rectangle inside the image and resizes it.",
    "ResizeShortCropLong": "Resizes the shorter side to a length and keeps a square: x and y, 0 to 1, say where along "
    "the longer side.",
    "RandomIoUCrop": "Keeps a rectangle inside the image.",
    "RandomEmbed": "Puts the image on a canvas of a given size, at a place; with fade, its edge fades to the "
    "background, whose noise has the exponent alpha.",
    "RandomZoomOut": "Puts the image on a larger canvas, with so many pixels around it.",
    "RandomRotate90": "Turns the image by quarters, counter-clockwise; height and width are exchanged by odd ones.",
    "ElasticTransform": "Moves every pixel by a smooth field that the seed decides. For the same noise the values are "
    "torchvision's, but for single ones that are off by 1.",
    "RandomColorJitterHSV": "Changes value, contrast, saturation and hue by these amounts, in this order: "
    "slipstream's operation with Pillow's arithmetic.",
    "RandomColorJitterYIQ": "Changes hue, saturation, value, brightness and contrast by these amounts, as one matrix "
    "in YIQ: slipstream's operation, DALI's color_twist, in float32 and rounded.",
    "RandomPhotometricDistort": "Changes brightness, contrast, saturation, hue and the order of channels, each where "
    "it is to be applied: contrast before saturation or after hue.",
    "RandomBrightness": "Multiplies all values by a factor, as adjust_brightness does: slipstream's operation with "
    "Pillow's arithmetic.",
    "RandomContrast": "Moves all values from or to their mean gray by a factor, as adjust_contrast does: "
    "slipstream's operation with Pillow's arithmetic.",
    "RandomChannelPermutation": "Puts the channels of colour in an order; transparency stays.",
    "GaussianNoise": "Adds normal noise, which the seed decides, to every value of the image, but not to transparency.",
    "JPEG": "Compresses images as JPEG with a quality, 4:2:0, and decompresses them again.",
    "PillowGaussianBlur": "Blurs as Pillow's GaussianBlur does: three box blurs each way, which is not gaussian_blur.",
    "Cutout": "Fills a rectangle inside the image.",
    "GridMask": "Fills a square in each cell of a grid: one of the cells begins at top and left.",
    "RandomPatchShuffle": "Cuts the image into tiles of a width and a height, and puts them in an order.",
    "AutoAugment": f"Runs operations of AutoAugment: {_MOVE_STEPS}.",
    "RandAugment": f"Runs operations of RandAugment: {_MOVE_STEPS}.",
    "TrivialAugmentWide": f"Runs operations of TrivialAugmentWide: {_MOVE_STEPS}.",
    "AugMix": "Mixes the image with what chains of operations make of it: depths has how many of the operations each "
    "chain has, weights the share of the image, then that of each chain.",
    "TimmRandAugment": f"Runs operations of timm's RandAugment: {_MOVE_STEPS}.",
    "ThreeAugment": "Runs operations of DeiT III's augmentation: the steps that batch.params has of it, such as "
    "{'op': 'Solarize', 'threshold': 128.0}.",
    "ToFloat16": "Rounds floats to half precision; integers become floats as by to_float first.",
    "ToBfloat16": "Rounds floats to bfloat16, which torch has and numpy has not; integers become floats as by "
    "to_float first.",
    "ToUint8": "Turns floats from 0 to 1 into bytes, as to_dtype does with scale: 255.999 times the value, cut off "
    "below 0, above 255 and behind the point.",
}


def name_of(operation: str) -> str:
    """What the function of an operation is called: SRGBToLMS is srgb_to_lms."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=To[A-Z])", "_", operation.replace("Random", ""))
    return _NAMES.get(operation, words.lower())


def _given(info: dict[str, Any]) -> list[dict[str, Any]]:
    """The parameters that still matter once it is known what is drawn."""
    drawn = {value["name"] for value in info["drawn"]}
    no_use = {*WITHOUT_USE, *drawn, *DECIDES_DRAWS.get(info["name"], ())}
    return [each for each in info["parameters"] if each["name"] not in no_use]


def _signature_of(info: dict[str, Any]) -> inspect.Signature:
    """The image, then what is drawn and what must be given, then the other parameters."""
    drawn = {value["name"]: value["type"] for value in info["drawn"] if value["name"] not in ("apply", "stream")}
    own = _given(info)
    kind, empty = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.empty
    arguments: list[tuple[str, str, Any]] = [
        ("image", "Any", empty),
        *((name, type_, empty) for name, type_ in drawn.items()),
    ]
    arguments += [(each["name"], each["type"], empty) for each in own if each["required"]]
    arguments += [(each["name"], each["type"], each["default"]) for each in own if not each["required"]]
    if any(value["name"] == "stream" for value in info["drawn"]):
        arguments.append(("seed", "int", 0))
    first = ("image", *_FIRST.get(info["name"], ()))
    arguments.sort(key=lambda each: first.index(each[0]) if each[0] in first else len(first))
    return inspect.Signature(
        [inspect.Parameter(name, kind, default=default, annotation=type_) for name, type_, default in arguments],
        return_annotation="Any",
    )


def _function_of(info: dict[str, Any], module: str) -> Callable[..., Any]:
    operation, name, signature = info["name"], name_of(info["name"]), _signature_of(info)
    drawn = [str(value["name"]) for value in info["drawn"]]
    needed = [each["name"] for each in info["parameters"] if each["required"]]
    steps = [str(value["name"]) for value in info["drawn"] if value["type"] == "Sequence[dict[str, Any]]"]

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            given = signature.bind(*args, **kwargs)
        except TypeError as problem:
            raise InvalidError(f"{name}: {problem}; it takes {signature}") from None
        for own in OF_THE_IMAGE:  # defaults are of 8 bits
            if own in given.arguments:
                given.arguments[own] = in_bytes(name, given.arguments["image"], own, given.arguments[own])
        for own in steps:
            if not isinstance(given.arguments[own], list | tuple):
                raise InvalidError(
                    f"{name}: {own} must be a sequence of {{'op': name, ...}}, got {given.arguments[own]!r}"
                )
        given.apply_defaults()
        values = dict(given.arguments)
        image, stream = values.pop("image"), stream_of(name, values.pop("seed", 0))
        fixed = {"apply": True, "stream": stream}
        held = {each: values.get(each, fixed.get(each)) for each in drawn}
        params = {each: value for each, value in values.items() if each not in drawn or each in needed}
        # What must be given to the class and only decides draws: a number that all such parameters take.
        params |= {each: 1 for each in needed if each in DECIDES_DRAWS.get(operation, ())}
        return run(name, image, operation, params, held)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = _SENTENCES.get(operation) or re.sub(",? with a given probability", "", info["summary"])
    call.__module__ = module
    call.__signature__ = signature  # type: ignore[attr-defined]
    return call


def _is_function(info: dict[str, Any]) -> bool:
    """Whether it makes an image of an image by itself: what holds other operations, or adds to the image, does not."""
    holds = any(holds_operations(parameter) for parameter in info["parameters"])
    return info["kind"] == "image" and not holds and info["name"] not in (*ON_ANNOTATIONS, *PATCH_MASKS)


def made_functions(module: str, but: Collection[str]) -> dict[str, Callable[..., Any]]:
    """The functions of a module by operation, of all but some operations."""
    infos = {name: kind.info for name, kind in CLASSES.items()}
    return {name: _function_of(info, module) for name, info in infos.items() if _is_function(info) and name not in but}
