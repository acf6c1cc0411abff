"""Which parameters functions have: those that still matter once it is known what is drawn."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import penstock
from penstock import transforms
from penstock._made_functions import DECIDES_DRAWS, WITHOUT_USE
from penstock.transforms import functional

RNG = np.random.default_rng(7)
IMAGE = RNG.integers(0, 256, (48, 64, 3), dtype=np.uint8)
RGBA = RNG.integers(0, 256, (48, 64, 4), dtype=np.uint8)

STEPS = [{"op": "Rotate", "degrees": 20.0}]
#: Parameters, and what is drawn in place of a draw, with which all that matters can be seen.
Situation = tuple[dict[str, Any], dict[str, Any]]
SITUATIONS: dict[str, list[Situation]] = {
    "RandomShortestSize": [({"min_size": 24}, {})],
    "ScaleJitter": [({"target_size": 24}, {"height": 20, "width": 30})],
    "FiveCrop": [({"size": 24}, {})],
    "TenCrop": [({"size": 24}, {})],
    "DirectRandomResizedCrop": [({"size": 24}, {})],
    "ResizeShortCropLong": [({"size": 24}, {"x": 0.3})],
    "Pad": [({"padding": 3}, {})],
    "RandomEmbed": [
        ({"canvas_size": 80, "background": "constant", "fade_radius": (0.2, 0.7)}, {}),
        ({"canvas_size": 80, "background": "power_law"}, {}),
    ],
    "RandomZoomOut": [({}, {"left": 3, "top": 2, "right": 5, "bottom": 7})],
    "RandomRotateObject": [({}, {"scale": 2.0}), ({"pad_mode": "zeros"}, {"scale": 2.0})],
    "OpticalDistortion": [({"dx": 12.0}, {"distortion": 0.9})],
    "RandomZoom": [({}, {"zoom": 2.0})],
    "RandomPosterize": [({"bits": 3}, {})],
    "RandomSolarize": [({"threshold": 128}, {})],
    "RandomAdjustSharpness": [({"sharpness_factor": 2.5}, {})],
    "Gamma": [({"gamma": 0.7}, {})],
    "JPEG": [({"quality": 60}, {})],
    "GaussianNoise": [({"sigma": 0.5}, {})],
    "Cutout": [({"crop_size": 12}, {})],
    "GridMask": [({"unit_size": (12, 20)}, {})],
    "RandomBackgroundBlend": [
        ({"background": "constant", "fade_mode": "circular", "fade_radius": (0.2, 0.7)}, {}),
        ({"background": "power_law", "fade_mode": "cosine", "inset": 6.0}, {}),
    ],
    "RandomPatchShuffle": [({"sizes": 0.25}, {})],
    "AutoAugment": [({}, {"operations": STEPS})],
    "RandAugment": [({}, {"operations": STEPS})],
    "TrivialAugmentWide": [({}, {"operations": STEPS})],
    "TimmRandAugment": [({}, {"operations": STEPS})],
    "AugMix": [({}, {"weights": [0.5, 0.5], "depths": [1], "operations": STEPS})],
}
#: What parameters are changed to, as far as the operation takes it.
OTHERS: tuple[Any, ...] = (
    *(0, 1, 2, 3, 5, 8, 12, 30, 90, 200, 0.0, 0.25, 0.5, 0.9, 1.5, True, False, None),
    *((0.1, 0.2), (0.5, 0.9), (1.0, 3.0), (0.0, 0.3), (16, 24), (30, 40), (0.2, 0.3, 0.4), (3, 80, 200)),
    *("nearest", "bilinear", "bicubic", "constant", "power_law", "zeros", "edge", "reflection", "circular", "cosine"),
    *("cifar10", "svhn", "rand-m3-n1", "rand-m5-n2"),
)


def made(operation: transforms.Transform, image: np.ndarray, drawn: dict[str, Any]) -> bytes | str:
    """The pixels, or why there are none."""
    try:
        pixels = transforms.apply([operation], image, [drawn])
    except penstock.InvalidError as refused:
        return str(refused)
    return np.asarray(pixels).tobytes() + repr(np.shape(pixels)).encode()


def drawn_by(operation: transforms.Transform, image: np.ndarray) -> dict[str, Any]:
    for seed in range(100):
        (drawn,) = transforms.Compose([operation]).draw(image, seed=seed)
        if drawn.get("apply", True):
            return drawn
    raise AssertionError("it is never applied")


def changed(name: str, params: dict[str, Any], parameter: str) -> list[transforms.Transform]:
    """The operation with other values of one parameter."""
    operations = []
    for other in OTHERS:
        try:
            operations.append(transforms.make(name, params | {parameter: other}))
        except penstock.InvalidError:
            continue
    return operations


@pytest.mark.parametrize("name", [name for name in functional.MADE if name != "ToBfloat16"])  # which numpy has not
def test_functions_have_the_parameters_that_matter_and_no_others(name: str) -> None:
    image = RGBA if name == "RandomBackgroundBlend" else IMAGE
    kind = getattr(transforms, name)
    taken = inspect.signature(functional.MADE[name]).parameters
    matters = set()
    for params, in_place in SITUATIONS.get(name, [({}, {})]):
        operation = transforms.make(name, params)
        drawn = drawn_by(operation, image) | in_place
        wanted = made(operation, image, drawn)
        assert isinstance(wanted, bytes), wanted
        for parameter in (each["name"] for each in kind.info["parameters"]):
            others = changed(name, params, parameter)
            assert len(others) > 1, f"OTHERS has nothing that {parameter} can be"
            results = [made(other, image, drawn) for other in others]
            if any(result != wanted for result in results):
                matters.add(parameter)
    drawn_names = {value["name"] for value in kind.info["drawn"]}
    own = {each["name"] for each in kind.info["parameters"]}
    left_out = set(DECIDES_DRAWS.get(name, ()))
    assert not matters & {*left_out, *WITHOUT_USE}, "it changes results"
    assert matters >= own - {*WITHOUT_USE} - drawn_names - left_out, "it changes nothing: DECIDES_DRAWS should have it"
    assert matters <= set(taken), "functions lack what changes results"
    assert left_out <= own, "an entry of DECIDES_DRAWS is no parameter"


def test_what_is_left_out_belongs_to_functions() -> None:
    assert set(DECIDES_DRAWS) <= set(functional.MADE)


#: What each function that is written by hand can be given.
GIVEN: dict[str, dict[str, Any]] = {
    "adjust_brightness": {"brightness_factor": 1.5},
    "adjust_contrast": {"contrast_factor": 1.5},
    "adjust_hue": {"hue_factor": 0.25},
    "adjust_saturation": {"saturation_factor": 1.5},
    "affine": {"angle": 3.0, "translate": [1, 2], "scale": 1.5, "shear": [2.0, 1.0], "fill": 3, "center": [1.0, 2.0]},
    "center_crop": {"output_size": [24, 30]},
    "crop": {"top": 1, "left": 2, "height": 24, "width": 30},
    "erase": {"i": 1, "j": 2, "h": 3, "w": 4, "v": 5},
    "exif_transpose": {"orientation": 3},
    "gaussian_blur": {"kernel_size": [3, 5], "sigma": 1.5},
    "normalize": {"mean": [0.5, 0.4, 0.3], "std": [0.25, 0.5, 1.0]},
    "perspective": {
        "startpoints": [[0, 0], [63, 0], [63, 47], [0, 47]],
        "endpoints": [[3, 2], [58, 1], [61, 43], [1, 44]],
        "fill": [1, 2, 3],
    },
    "resize": {"size": 24, "max_size": 60},
    "resized_crop": {"top": 1, "left": 2, "height": 24, "width": 30, "size": [20, 24]},
    "rotate": {"angle": 30.0, "center": [1.0, 2.0], "fill": 3},
}
#: Those without parameters, or whose first argument is no image, have tests of their own.
BY_THEMSELVES = {
    *("convert_bounding_box_format", "get_dimensions", "get_num_channels", "get_size", "hflip", "horizontal_flip"),
    *("to_dtype", "vflip", "to_bfloat16"),
}
#: Of any value one knows whether it is true.
TRUTHS = {"antialias", "expand", "clip", "vertical_flip", "fade", "has_background"}


def given_to(name: str) -> tuple[np.ndarray, dict[str, Any]]:
    """An image, and arguments by name."""
    if name in GIVEN:
        return IMAGE, GIVEN[name]
    names = {function.__name__: operation for operation, function in functional.MADE.items()}
    operation = names["rgb_to_grayscale" if name == "to_grayscale" else name]
    params, in_place = SITUATIONS.get(operation, [({}, {})])[0]
    made_of = transforms.make(operation, params)
    image = RGBA if operation == "RandomBackgroundBlend" else IMAGE
    values = made_of.params | drawn_by(made_of, image) | in_place
    taken = inspect.signature(getattr(functional, name)).parameters
    return image, {key: value for key, value in values.items() if key in taken}


@pytest.mark.parametrize("name", sorted({*functional.__all__} - BY_THEMSELVES))
def test_wrong_arguments_are_refused_in_the_words_of_the_function(name: str) -> None:
    function = getattr(functional, name)
    image, given = given_to(name)
    function(image, **given)
    for parameter in [each for each in inspect.signature(function).parameters if each != "image"]:
        for wrong in (object(), "no such", [object()], float("nan"), 2**70, {"a": 1}):
            try:
                function(image, **(given | {parameter: wrong}))
            except penstock.InvalidError as refused:
                message = str(refused)
                assert message.startswith(f"{function.__name__}: ")
                assert "batch.params" not in message
                assert "params of" not in message
                assert parameter in message or "angle, scale or places" in message
            else:
                assert parameter in TRUTHS or not isinstance(wrong, str), f"{parameter}={wrong!r}"
    for wrong_image in (None, "image", np.zeros((4, 4, 7), np.uint8)):
        with pytest.raises(penstock.InvalidError, match=f"^{function.__name__}: "):
            function(wrong_image, **given)


def of_numpy(value: Any) -> Any:
    if isinstance(value, bool | str) or value is None:
        return value
    if isinstance(value, int | float):
        return np.int64(value) if isinstance(value, int) else np.float64(value)
    if isinstance(value, dict):
        return {name: of_numpy(each) for name, each in value.items()}
    return [of_numpy(each) for each in value]


@pytest.mark.parametrize("name", sorted({*functional.__all__} - BY_THEMSELVES))
def test_numbers_of_numpy_are_numbers(name: str) -> None:
    function = getattr(functional, name)
    image, given = given_to(name)
    wanted = function(image, **given)
    np.testing.assert_array_equal(function(image, **of_numpy(given)), wanted)
    arrays = {
        key: np.array(value) if isinstance(value, list | tuple) and value and not isinstance(value[0], dict) else value
        for key, value in given.items()
    }
    np.testing.assert_array_equal(function(image, **arrays), wanted)


def test_numbers_of_numpy_are_seeds_and_counts() -> None:
    compose = transforms.Compose([transforms.GaussianNoise()])
    np.testing.assert_array_equal(compose(IMAGE, seed=np.uint32(5)), compose(IMAGE, seed=5))
    np.testing.assert_array_equal(
        functional.gaussian_noise(IMAGE, seed=np.int64(5)), functional.gaussian_noise(IMAGE, seed=5)
    )
    views = penstock.Views(a=(np.int64(3), [transforms.ToFloat()]))
    assert views == penstock.Views(a=(3, [transforms.ToFloat()]))
    for wrong in (np.int64(-1), np.float64(1), np.bool_(True), "x"):
        with pytest.raises(penstock.InvalidError, match="gaussian_noise: seed must be an integer of 0"):
            functional.gaussian_noise(IMAGE, seed=wrong)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: functional.adjust_hue(IMAGE, 0.7), "adjust_hue: hue_factor must be between -0.5 and 0.5, got 0.7"),
        (
            lambda: functional.adjust_contrast(IMAGE, -1),
            "adjust_contrast: contrast_factor must not be negative, got -1",
        ),
        (lambda: functional.adjust_brightness(IMAGE, None), "brightness_factor must be a number, got None"),
        (lambda: functional.rotate(IMAGE, float("nan")), "rotate: angle must be finite, got nan"),
        (lambda: functional.rotate(IMAGE, 3, expand=True, center=(1, 1)), "rotate: expand cannot be combined with"),
        (lambda: functional.rotate90(IMAGE, 7), "rotate90: turns must be 0, 1, 2 or 3, got 7"),
        (lambda: functional.affine(IMAGE, 0, [0, 0], 0, 0), "affine: scale must be positive, got 0"),
        (lambda: functional.affine(IMAGE, 0, 3, 1, 0), "affine: translate must be a sequence of 2 numbers, got 3"),
        (lambda: functional.affine(IMAGE, 0, [0, 0.5], 1, 0), "affine: translate must be integers"),
        (lambda: functional.affine(IMAGE, 0, [0, 0], 1, None), "affine: shear must be one number or a sequence of 2"),
        (lambda: functional.crop(IMAGE, None, 0, 1, 1), "crop: top must be an integer, got None"),
        (lambda: functional.crop(IMAGE, 0, 0, -1, 1), "crop: height and width must be between 1 and 65536"),
        (lambda: functional.gaussian_blur(IMAGE, 3, -1), "gaussian_blur: sigma must be positive, got -1"),
        (lambda: functional.gaussian_blur(IMAGE, 4), "gaussian_blur: kernel_size must be odd"),
        (lambda: functional.jpeg(IMAGE, (20, 30)), "jpeg: quality must be an integer"),
        (lambda: functional.normalize(IMAGE, [0.5], [0]), "normalize: std must not contain 0"),
        (lambda: functional.normalize(IMAGE, [0.5, 0.5], [1]), "normalize: mean must be one number or a sequence of 3"),
        (lambda: functional.perspective(IMAGE, None, None), "perspective: startpoints must be the corners"),
        (lambda: functional.solarize(IMAGE), "solarize: missing a required argument: 'threshold'"),
    ],
)
def test_messages_are_about_the_parameters_of_the_function(call: Any, message: str) -> None:
    with pytest.raises(penstock.InvalidError) as refused:
        call()
    assert message in str(refused.value)


def test_names_can_be_read() -> None:
    names = {function.__name__ for function in functional.MADE.values()}
    wanted = {"iou_crop", "direct_resized_crop", "srgb_to_lms", "lms_to_parvo", "lms_to_magno", "lms_to_konio"}
    assert names >= {*wanted, "rgb_to_lgn", "rgb_to_magno", "color_jitter_hsv", "rotate90", "normalize_lgn"}


def test_sentences_are_those_of_functions() -> None:
    classes = {name for name in transforms.__all__ if name[0].isupper()}
    for name in functional.__all__:
        doc = inspect.getdoc(getattr(functional, name)) or ""
        assert doc.endswith("."), name
        words = {word.strip(".,:;()'") for word in doc.replace("timm's RandAugment", "").split()}
        assert not words & {"random", "randomly", "probability", "chosen", "anywhere"}, name
        policies = {"AutoAugment", "RandAugment", "TrivialAugmentWide"}
        assert not words & (classes - policies - {"JPEG", "RGB"}) or name.startswith("pillow"), name


@pytest.mark.parametrize("wrong", [3, transforms.Resize(3)])
def test_what_is_no_list_is_refused_with_words(wrong: Any) -> None:
    for call, name in ((transforms.Compose, "Compose: "), (transforms.on_device, "on_device: ")):
        with pytest.raises(penstock.InvalidError, match=f"{name}transforms must be a list of transforms, got"):
            call(wrong)
    with pytest.raises(penstock.InvalidError, match="view 'a' must be a list of penstock.transforms, got"):
        penstock.Views(a=wrong)


@pytest.mark.parametrize("function", [np.asarray, transforms.Lambda(np.asarray), transforms.Python(np.asarray)])
def test_functions_in_views_are_refused_with_what_to_do(function: Any) -> None:
    with pytest.raises(penstock.InvalidError, match=r"views run no functions of yours: call it on batch\['a'\]"):
        penstock.Views(a=[transforms.Resize(3), function])


def test_what_cannot_be_called_says_what_can() -> None:
    with pytest.raises(penstock.InvalidError, match=r"Resize cannot be called by itself; call transforms\.Compose"):
        transforms.Resize(3)(IMAGE)
    with pytest.raises(penstock.InvalidError, match="fn must be a function of an array"):
        transforms.Lambda(transforms.Resize(3))


def test_crops_that_are_too_large_are_called_crops() -> None:
    with pytest.raises(penstock.InvalidError, match="^five_crop: a crop of 100 x 100 .* is larger than the image"):
        functional.five_crop(IMAGE, 100)


def test_steps_of_policies_are_a_list() -> None:
    wanted = r"auto_augment: operations must be a sequence of \{'op': name, ...\}, got \{'op': 'Rotate', 'degrees': 3\}"
    with pytest.raises(penstock.InvalidError, match=wanted):
        functional.auto_augment(IMAGE, {"op": "Rotate", "degrees": 3})
