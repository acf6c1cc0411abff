"""Operations as functions with their draws given, and lists outside of a loader on every kind of image."""

from __future__ import annotations

import inspect
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PIL import Image

import penstock
from penstock import transforms
from penstock.transforms import functional

torch = pytest.importorskip("torch")
reference = pytest.importorskip("torchvision.transforms.v2.functional")

RNG = np.random.default_rng(16)
SIZES = [(1, 1), (7, 1), (1, 7), (2, 2), (33, 21), (64, 64), (101, 77)]
NOISE = [RNG.integers(0, 256, (height, width, 3), dtype=np.uint8) for width, height in SIZES]
SMOOTH = [np.asarray(Image.fromarray(image).resize((96, 80), Image.Resampling.BICUBIC)) for image in NOISE[3:]]
IMAGES = [Image.fromarray(pixels) for pixels in [*NOISE, *SMOOTH]]

#: Calls that both libraries take, by the function's name: positional arguments and keywords.
CALLS: dict[str, list[tuple[tuple[Any, ...], dict[str, Any]]]] = {
    "resize": [((40,), {}), (((30, 50),), {"interpolation": "bicubic"}), ((20,), {"max_size": 30})],
    "crop": [((0, 0, 1, 1), {}), ((-3, -5, 40, 60), {}), ((1, 2, 200, 9), {})],
    "center_crop": [((8,), {}), (((5, 120),), {})],
    "resized_crop": [((0, 0, 9, 7, [16, 16]), {}), ((-2, 3, 30, 20, [12, 25]), {"interpolation": "bicubic"})],
    "hflip": [((), {})],
    "horizontal_flip": [((), {})],
    "rotate": [
        ((33.3,), {}),
        ((-90,), {"expand": True}),
        ((12,), {"interpolation": "bilinear", "fill": (9, 80, 200)}),
        ((200.5,), {"interpolation": "bicubic", "center": (3.5, 2)}),
    ],
    "adjust_brightness": [((factor,), {}) for factor in (0, 0.4, 1, 1.7, 3)],
    "adjust_contrast": [((factor,), {}) for factor in (0, 0.4, 1, 1.7, 3)],
    "adjust_saturation": [((factor,), {}) for factor in (0, 0.4, 1, 1.7, 3)],
    "adjust_hue": [((factor,), {}) for factor in (-0.5, -0.2, 0, 0.001, 0.31, 0.5)],
    "solarize": [((threshold,), {}) for threshold in (0, 77.5, 128, 256)],
    "vertical_flip": [((), {})],
    "vflip": [((), {})],
    "affine": [
        ((20.0, [3, -2], 1.2, [10.0, 0.0]), {}),
        ((-75.5, [0, 0], 0.7, [0.0, 15.0]), {"interpolation": "bilinear", "fill": 80}),
        ((5.0, [1, 1], 1.0, [4.0, -3.0]), {"interpolation": "bicubic", "center": [3.0, 2.0]}),
    ],
    "pad": [((3,), {}), (((1, 0, 4, 2),), {"fill": 9}), (((2, 3),), {"padding_mode": "edge"})],
    "invert": [((), {})],
    "autocontrast": [((), {})],
    "equalize": [((), {})],
    "posterize": [((bits,), {}) for bits in (1, 4, 8)],
    "adjust_sharpness": [((factor,), {}) for factor in (0, 0.5, 1, 2.5)],
    "adjust_gamma": [((0.5,), {}), ((2.2,), {"gain": 1.1})],
    "rgb_to_grayscale": [((), {}), ((3,), {})],
}
#: Those of operations in the catalogue.
CALLS = {name: calls for name, calls in CALLS.items() if hasattr(functional, name)}


def named(interpolation: str) -> Any:
    modes = pytest.importorskip("torchvision.transforms.v2").InterpolationMode
    return modes(interpolation)


def reference_call(name: str, image: Image.Image, args: tuple[Any, ...], keywords: dict[str, Any]) -> Image.Image:
    if "interpolation" in keywords:
        keywords = keywords | {"interpolation": named(keywords["interpolation"])}
    result = getattr(reference, name)(image, *args, **keywords)
    assert isinstance(result, Image.Image)
    return result


@pytest.mark.parametrize("name", CALLS)
def test_functions_are_torchvisions_on_pil_images(name: str) -> None:
    for image in IMAGES:
        for args, keywords in CALLS[name]:
            made = getattr(functional, name)(image, *args, **keywords)
            wanted = reference_call(name, image, args, keywords)
            assert isinstance(made, Image.Image)
            np.testing.assert_array_equal(np.asarray(made), np.asarray(wanted), err_msg=f"{name}{args} {image.size}")


def test_perspective_is_torchvisions_on_pil_images() -> None:
    for image in IMAGES[4:]:
        width, height = image.size
        corners = [[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]]
        moved = [[3, 2], [width - 5, 1], [width - 2, height - 4], [1, height - 3]]
        for interpolation in ("nearest", "bilinear", "bicubic"):
            made = functional.perspective(image, corners, moved, interpolation=interpolation, fill=(9, 80, 200))
            keywords = {"interpolation": interpolation, "fill": (9, 80, 200)}
            wanted = reference_call("perspective", image, (corners, moved), keywords)
            np.testing.assert_array_equal(np.asarray(made), np.asarray(wanted))
        with pytest.raises(penstock.InvalidError, match="corners of the image"):
            functional.perspective(image, moved, corners)


def test_parameters_have_torchvisions_names_and_order() -> None:
    theirs_only = {"coefficients", "inplace"}
    for name in functional.__all__:
        wanted = getattr(reference, name, None)
        if wanted is None:
            continue
        theirs = [each for each in inspect.signature(wanted).parameters if each not in theirs_only][1:]
        ours = list(inspect.signature(getattr(functional, name)).parameters)[1:]
        assert ours[: len(theirs)] == theirs, name


def test_erase_is_torchvisions() -> None:
    for pixels in NOISE[3:]:
        tensor = torch.from_numpy(pixels).permute(2, 0, 1)
        value = torch.tensor([1, 2, 3], dtype=torch.uint8)[:, None, None]
        made = functional.erase(tensor, 1, 0, 1, 2, value)
        assert torch.equal(made, reference.erase(tensor, 1, 0, 1, 2, value))


def test_normalize_is_torchvisions() -> None:
    mean, std = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
    tensor = torch.from_numpy(SMOOTH[0].copy()).permute(2, 0, 1)
    floats = reference.to_dtype(tensor, torch.float32, scale=True)
    wanted = reference.normalize(floats, mean, std)
    assert torch.equal(functional.normalize(floats, mean, std), wanted)
    torch.testing.assert_close(functional.normalize(tensor, mean, std), wanted, rtol=0, atol=1e-6)
    array = functional.normalize(floats.permute(1, 2, 0).numpy(), mean, std)
    np.testing.assert_array_equal(array, wanted.permute(1, 2, 0).numpy())


@pytest.mark.parametrize("dtype", ["uint8", "int32", "float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("scale", [False, True])
def test_to_dtype_is_torchvisions(dtype: str, scale: bool) -> None:
    tensor = torch.from_numpy(SMOOTH[0].copy()).permute(2, 0, 1)
    for image in (tensor, reference.to_dtype(tensor, torch.float32, scale=True)):
        if image.is_floating_point() and scale and dtype == "int32":
            with pytest.raises(penstock.InvalidError, match="scaled to uint8, got int32"):
                functional.to_dtype(image, torch.int32, scale=True)
            continue
        if scale and dtype == "int32":
            continue  # torchvision stretches integers to the range of the other type
        wanted = reference.to_dtype(image, getattr(torch, dtype), scale=scale)
        made = functional.to_dtype(image, getattr(torch, dtype), scale=scale)
        assert made.dtype == wanted.dtype
        torch.testing.assert_close(made, wanted, rtol=1e-2 if "16" in dtype else 0, atol=0)
        if dtype != "bfloat16":
            array = functional.to_dtype(image.permute(1, 2, 0).numpy(), dtype, scale=scale)
            assert array.dtype == dtype
            np.testing.assert_allclose(array, made.permute(1, 2, 0).numpy(), rtol=1e-3 if dtype == "float16" else 0)


def test_impossible_arguments_are_refused_by_name() -> None:
    for call, word in [
        (lambda: functional.adjust_hue(IMAGES[5], 0.7), "hue"),
        (lambda: functional.adjust_contrast(IMAGES[5], -1), "contrast_factor"),
        (lambda: functional.rotate(IMAGES[5], 3, interpolation="lanczos"), "interpolation"),
        (lambda: functional.solarize(IMAGES[5]), "threshold"),
        (lambda: functional.erase(IMAGES[5], 0, 0, 1000, 1, 0), "RandomErasing"),
        (lambda: functional.erase(IMAGES[5], 0, 0, 1, 1, [1, 2]), "v must be"),
    ]:
        with pytest.raises(penstock.InvalidError, match=word):
            call()


def kinds(pixels: np.ndarray) -> dict[str, Any]:
    """One image as everything that can be given."""
    planes = torch.from_numpy(pixels.copy()).permute(2, 0, 1)
    return {
        "array": pixels,
        "pil": Image.fromarray(pixels),
        "tensor": planes,
        "turned": planes.contiguous(),
        "float": planes.float() / 255,
        "double": planes.double() / 255,
        "floats": pixels.astype(np.float32) / np.float32(255),
    }


def as_bytes(made: Any) -> np.ndarray:
    if isinstance(made, torch.Tensor):
        made = made.permute(1, 2, 0).numpy()
    made = np.asarray(made)
    return np.rint(made * 255).astype(np.uint8) if made.dtype.kind == "f" else made


def test_every_kind_of_image_gives_the_same_pixels_as_its_kind() -> None:
    compose = transforms.Compose([transforms.RandomResizedCrop(24), transforms.ColorJitter(0.4, 0.4, 0.4, 0.1)])
    given = kinds(SMOOTH[0])
    wanted = compose(given["array"], seed=5)
    for kind, image in given.items():
        made = compose(image, seed=5)
        assert type(made) is type(image) or isinstance(image, Image.Image), kind
        if not isinstance(image, Image.Image):
            assert made.dtype == image.dtype, kind
        np.testing.assert_array_equal(as_bytes(made), wanted, err_msg=kind)


def test_floats_outside_of_0_to_1_are_refused() -> None:
    compose = transforms.Compose([transforms.CenterCrop(8)])
    for wrong in (np.full((9, 9, 3), 1.5, np.float32), np.full((9, 9, 3), np.nan, np.float32)):
        with pytest.raises(penstock.InvalidError, match="0 to 1"):
            compose(wrong)


def test_results_of_floats_keep_the_precision_of_the_operations() -> None:
    compose = transforms.Compose([transforms.ToFloat(), transforms.Normalize([0.5], [0.25])])
    planes = torch.from_numpy(SMOOTH[0].copy()).permute(2, 0, 1)
    assert torch.equal(compose(planes.float() / 255), compose(planes))


def longest_standstill(work: Callable[[], Any]) -> float:
    """The longest time for which a counter in Python stood still while two threads worked, in seconds."""
    threads = [threading.Thread(target=work) for _ in range(2)]
    longest, last = 0.0, time.perf_counter()
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
    return longest


def test_threads_work_without_the_gil() -> None:
    image = RNG.integers(0, 256, (4000, 6000, 3), dtype=np.uint8)
    compose = transforms.Compose([transforms.PillowGaussianBlur((8, 8)), transforms.ColorJitter(hue=0.3)])
    compose(image, seed=1)  # makes its program
    begin = time.perf_counter()
    compose(image, seed=1)
    alone = time.perf_counter() - begin
    assert longest_standstill(lambda: compose(image, seed=2)) < alone / 2  # with the GIL: alone, at least
