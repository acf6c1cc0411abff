"""Operations on colours beside torchvision on Pillow images, with the numbers that were drawn."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PIL import Image

from penstock import transforms

functional = pytest.importorskip("torchvision.transforms.v2.functional")
torch = pytest.importorskip("torch")

SIZES = [(1, 1), (7, 1), (1, 7), (2, 2), (3, 3), (33, 21), (64, 48), (101, 77), (97, 3), (224, 60)]
#: Images an operation is compared on.
COUNT = 300


def images(mode: str = "RGB", count: int = COUNT) -> list[Image.Image]:
    """Noise, few values, smooth ones, and those that do not use the whole range; of every size."""
    rng = np.random.default_rng(7)
    channels = {"L": 1, "RGB": 3, "RGBA": 4}[mode]
    made = []
    for number in range(count):
        width, height = SIZES[number % len(SIZES)]
        kind = number // len(SIZES) % 4
        pixels = rng.integers(0, 256, (height, width, channels), dtype=np.uint8)
        if kind == 1:
            pixels = pixels // 64 * 50
        elif kind == 2:
            y, x = np.mgrid[0:height, 0:width]
            pixels = np.stack([(x * (c + 1) + y * 2 + number) % 256 for c in range(channels)], -1).astype(np.uint8)
        elif kind == 3:
            pixels = (pixels // 3 + rng.integers(0, 160, channels)).astype(np.uint8)
        made.append(Image.fromarray(pixels[:, :, 0] if channels == 1 else pixels, mode=None))
    return made


Reference = Callable[[Image.Image, dict[str, Any]], Image.Image]


def compare(operation: transforms.Transform, reference: Reference, mode: str = "RGB", bound: int = 0) -> float:
    """The share of values that differ; none by more than the bound."""
    compose = transforms.Compose([operation])
    different = values = 0
    for seed, image in enumerate(images(mode)):
        (drawn,) = compose.draw(image, seed=seed)
        made = compose(image, seed=seed)
        wanted = reference(image, drawn)
        assert made.mode == wanted.mode
        distance = np.abs(np.asarray(made).astype(int) - np.asarray(wanted))
        assert distance.max() <= bound, (operation, drawn, image.size, mode)
        different += np.count_nonzero(distance)
        values += distance.size
    return different / values


BY_CHANCE: list[tuple[transforms.Transform, Callable[[Image.Image], Image.Image]]] = [
    *[
        (transforms.RandomPosterize(bits, p=0.8), lambda image, bits=bits: functional.posterize(image, bits))
        for bits in range(1, 9)
    ],
    (transforms.RandomPosterize(0, p=0.8), lambda image: Image.eval(image, lambda _: 0)),
    *[
        (
            transforms.RandomSolarize(threshold, p=0.8),
            lambda image, threshold=threshold: functional.solarize(image, threshold),
        )
        for threshold in (0, 100, 127.5, 256)
    ],
    (transforms.RandomInvert(0.8), functional.invert),
    (transforms.RandomAutocontrast(0.8), functional.autocontrast),
    (transforms.RandomEqualize(0.8), functional.equalize),
]


@pytest.mark.parametrize(("operation", "function"), BY_CHANCE, ids=lambda value: repr(value)[:40])
@pytest.mark.parametrize("mode", ["RGB", "L"])
def test_operations_by_chance_are_torchvisions(operation: Any, function: Any, mode: str) -> None:
    compare(operation, lambda image, drawn: function(image) if drawn["apply"] else image, mode)


@pytest.mark.parametrize("mode", ["RGB", "L", "RGBA"])
def test_brightness_and_contrast_are_torchvisions(mode: str) -> None:
    for operation, function in [
        (transforms.RandomBrightness(p=0.9, scale_range=(0, 2)), functional.adjust_brightness),
        (transforms.RandomContrast(p=0.9, scale_range=(0, 2)), functional.adjust_contrast),
    ]:
        compare(
            operation,
            lambda image, drawn, function=function: function(image, drawn["factor"]) if drawn["apply"] else image,
            mode,
        )


@pytest.mark.parametrize("mode", ["RGB", "L"])
def test_gamma_is_torchvisions(mode: str) -> None:
    for gain in (1.0, 0.5, 2.0):
        compare(
            transforms.Gamma((0.0, 3.0), gain=gain),
            lambda image, drawn, gain=gain: functional.adjust_gamma(image, drawn["gamma"], gain),
            mode,
        )


def test_a_chain_of_tables_is_its_parts_one_after_the_other() -> None:
    chain = [
        transforms.RandomBrightness(),
        transforms.RandomContrast(),
        transforms.RandomPosterize(5, p=0.7),
        transforms.RandomSolarize(130, p=0.7),
        transforms.RandomAutocontrast(0.7),
        transforms.RandomEqualize(0.7),
    ]
    compose = transforms.Compose(chain)
    for seed, image in enumerate(images()):
        drawn = compose.draw(image, seed=seed)
        wanted = functional.adjust_contrast(functional.adjust_brightness(image, drawn[0]["factor"]), drawn[1]["factor"])
        for step, function in enumerate(
            [
                lambda it: functional.posterize(it, 5),
                lambda it: functional.solarize(it, 130),
                functional.autocontrast,
                functional.equalize,
            ]
        ):
            wanted = function(wanted) if drawn[2 + step]["apply"] else wanted
        np.testing.assert_array_equal(np.asarray(compose(image, seed=seed)), np.asarray(wanted))


@pytest.mark.parametrize("mode", ["RGB", "L", "RGBA"])
def test_sharpness_is_torchvisions(mode: str) -> None:
    for factor in (0.0, 0.3, 1.0, 1.9, 7.5):
        compare(
            transforms.RandomAdjustSharpness(factor, p=0.9),
            lambda image, drawn, factor=factor: functional.adjust_sharpness(image, factor) if drawn["apply"] else image,
            mode,
        )


def test_color_jitter_is_torchvisions() -> None:
    def reference(image: Image.Image, drawn: dict[str, Any]) -> Image.Image:
        for step in drawn["order"]:
            name = ["brightness", "contrast", "saturation", "hue"][step]
            image = getattr(functional, f"adjust_{name}")(image, drawn[name])
        return image

    compare(transforms.ColorJitter(0.8, 0.8, 0.8, 0.2), reference)
    compare(transforms.ColorJitter(0.8, 0.8), reference, "L")


@pytest.mark.parametrize("mode", ["RGB", "L"])
def test_grayscale_is_torchvisions(mode: str) -> None:
    for channels in (1, 3):
        compare(
            transforms.Grayscale(channels),
            lambda image, _, channels=channels: functional.to_grayscale(image, channels),
            mode,
        )
    compare(
        transforms.RandomGrayscale(0.6),
        lambda image, drawn: functional.to_grayscale(image, len(image.getbands())) if drawn["apply"] else image,
        mode,
    )


def test_permutation_is_torchvisions() -> None:
    compare(
        transforms.RandomChannelPermutation(),
        lambda image, drawn: functional.permute_channels(image, drawn["permutation"]),
    )


def test_photometric_distortion_is_torchvisions() -> None:
    def reference(image: Image.Image, drawn: dict[str, Any]) -> Image.Image:
        contrast = drawn["apply_contrast"]
        if drawn["apply_brightness"]:
            image = functional.adjust_brightness(image, drawn["brightness"])
        if contrast and drawn["contrast_before"]:
            image = functional.adjust_contrast(image, drawn["contrast"])
        if drawn["apply_saturation"]:
            image = functional.adjust_saturation(image, drawn["saturation"])
        if drawn["apply_hue"]:
            image = functional.adjust_hue(image, drawn["hue"])
        if contrast and not drawn["contrast_before"]:
            image = functional.adjust_contrast(image, drawn["contrast"])
        if drawn["permute"]:
            image = functional.permute_channels(image, drawn["permutation"])
        return image

    compare(transforms.RandomPhotometricDistort(), reference)


def test_hsv_jitter_is_torchvisions_functions_in_slipstreams_order() -> None:
    def reference(image: Image.Image, drawn: dict[str, Any]) -> Image.Image:
        if drawn["apply"]:
            for name, function in [
                ("value", functional.adjust_brightness),
                ("contrast", functional.adjust_contrast),
                ("saturation", functional.adjust_saturation),
                ("hue", functional.adjust_hue),
            ]:
                image = function(image, drawn[name])
        return image

    compare(transforms.RandomColorJitterHSV(p=0.8, hue=0.2, saturation=0.8, value=0.8, contrast=0.8), reference)


def test_yiq_jitter_is_its_matrix() -> None:
    to_yiq = np.array([[0.299, 0.587, 0.114], [0.596, -0.274, -0.321], [0.211, -0.523, 0.311]])

    def reference(image: Image.Image, drawn: dict[str, Any]) -> Image.Image:
        if not drawn["apply"]:
            return image
        angle = np.radians(drawn["hue"])
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) * drawn["saturation"]
        change = np.eye(3)
        change[1:, 1:] = turn
        matrix = drawn["brightness"] * drawn["contrast"] * np.linalg.inv(to_yiq) @ change @ to_yiq * drawn["value"]
        offset = 127.5 * (1 - drawn["contrast"]) * drawn["brightness"]
        return Image.fromarray(np.rint(np.clip(np.asarray(image) @ matrix.T + offset, 0, 255)).astype(np.uint8))

    share = compare(
        transforms.RandomColorJitterYIQ(hue=40, saturation=0.4, value=0.3, brightness=0.4, contrast=0.4),
        reference,
        bound=1,
    )
    assert share < 1e-4


@pytest.mark.parametrize("mode", ["RGB", "L", "RGBA"])
def test_gaussian_blur_is_torchvisions_but_for_rounding(mode: str) -> None:
    """torchvision refuses images no larger than half the kernel."""
    for kernel, sigma in [(3, (0.1, 2.0)), (5, (0.1, 5.0)), ((9, 23), (0.1, 2.0))]:
        sides = (kernel, kernel) if isinstance(kernel, int) else kernel
        compose = transforms.Compose([transforms.GaussianBlur(kernel, sigma)])
        different = values = 0
        for seed, image in enumerate(images(mode)):
            if image.width <= sides[0] // 2 or image.height <= sides[1] // 2:
                continue
            (drawn,) = compose.draw(image, seed=seed)
            wanted = np.asarray(functional.gaussian_blur(image, list(sides), [drawn["sigma"]] * 2))
            distance = np.abs(np.asarray(compose(image, seed=seed)).astype(int) - wanted)
            assert distance.max() <= 1
            different += np.count_nonzero(distance)
            values += distance.size
        assert different / values < 2e-4


def test_noise_is_torchvisions_given_the_same_normal_numbers() -> None:
    gray = np.full((400, 500, 3), 128, np.uint8)
    noise = transforms.Compose([transforms.GaussianNoise(mean=0.05, sigma=0.1)])
    made = noise(gray, seed=3).astype(int) - 128
    rounded = (torch.randn(600000, generator=torch.Generator().manual_seed(0)) * 25.5 + 12.75).to(torch.int16).numpy()
    for quantile in (0.01, 0.1, 0.5, 0.9, 0.99):
        assert abs(np.quantile(made, quantile) - np.quantile(rounded, quantile)) <= 1
    assert abs(made.mean() - rounded.mean()) < 0.2
    np.testing.assert_array_equal(noise(gray, seed=3), made + 128)
    assert not np.array_equal(noise(gray, seed=4), made + 128)
    wrapped = transforms.Compose([transforms.GaussianNoise(sigma=0.5, clip=False)])(gray, seed=3)
    assert wrapped.min() == 0
    assert wrapped.max() == 255


@pytest.mark.parametrize("mode", ["RGB", "L"])
def test_jpeg_is_pillows_but_for_its_library(mode: str) -> None:
    """Pillow brings a libjpeg-turbo of its own: what that writes is read by ours, and the pixels are equal."""

    def reference(image: Image.Image, drawn: dict[str, Any]) -> Image.Image:
        file = io.BytesIO()
        image.save(file, "JPEG", quality=drawn["quality"])
        return Image.open(file).copy()

    compare(transforms.JPEG((1, 100)), reference, mode)
