"""Operations that put an image elsewhere, or something behind it, beside Pillow and plain numpy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from PIL import Image

import penstock
from penstock import transforms

FILTERS = {"nearest": 0, "bilinear": 2, "bicubic": 3}
SIZES = [(1, 1), (1, 7), (7, 1), (33, 21), (50, 61)]


def _images(channels: int, count: int = 300) -> list[np.ndarray]:
    rng = np.random.default_rng(4)
    return [rng.integers(0, 256, (*SIZES[number % 5], channels), dtype=np.uint8) for number in range(count)]


def _object_matrix(drawn: dict[str, Any], width: int, height: int) -> list[float]:
    """slipstream's: rotate, zoom and move, in pixels."""
    turn = -drawn["angle"] * (math.pi / 180)
    cos, sin = drawn["scale"] * math.cos(turn), drawn["scale"] * math.sin(turn)
    x, y = drawn["dest_x"] * width, drawn["dest_y"] * height
    from_x, from_y = drawn["ctr_x"] * width, drawn["ctr_y"] * height
    return [cos, sin, from_x - cos * x - sin * y, -sin, cos, from_y + sin * x - cos * y]


@pytest.mark.parametrize("interpolation", FILTERS)
@pytest.mark.parametrize("pad_mode", ["zeros", "border", "reflection"])
def test_objects_are_turned_and_moved_by_pillows_pixels(pad_mode: str, interpolation: str) -> None:
    operation = transforms.RandomRotateObject(
        p=0.9, max_deg=170, ctr_x=(0.2, 0.8), scale=(0.5, 2), dest_y=(0, 1), pad_mode=pad_mode,
        interpolation=interpolation, fill=9,
    )  # fmt: skip
    compose = transforms.Compose([operation])
    turned = 0
    for seed, image in enumerate(_images(3)):
        (drawn,) = compose.draw(image, seed=seed)
        made = compose(image, seed=seed)
        if not drawn["apply"]:
            np.testing.assert_array_equal(made, image)
            continue
        turned += 1
        height, width = image.shape[:2]
        matrix = _object_matrix(drawn, width, height)
        around = image
        if pad_mode != "zeros":  # far enough that nothing comes from outside
            reach = 4 * max(width, height)
            mode = "edge" if pad_mode == "border" else "symmetric"
            around = np.pad(image, ((reach, reach), (reach, reach), (0, 0)), mode=mode)
            # In the order of operations in which the matrix is made for the padding that is needed.
            pads = _padding(matrix, width, height)
            around = around[reach - pads[1] : reach + height + pads[3], reach - pads[0] : reach + width + pads[2]]
            matrix = [*matrix[:2], matrix[2] + pads[0], *matrix[3:5], matrix[5] + pads[1]]
        wanted = Image.fromarray(around).transform(
            (width, height), Image.Transform.AFFINE, matrix, FILTERS[interpolation], fillcolor=(9, 9, 9)
        )
        np.testing.assert_array_equal(made, np.asarray(wanted), err_msg=f"{seed} {drawn}")
    assert turned > 200


def _padding(m: list[float], w: int, h: int) -> tuple[int, int, int, int]:
    corners = [(x, y) for x in (0, w) for y in (0, h)]
    xs = [m[0] * x + m[1] * y + m[2] for x, y in corners]
    ys = [m[3] * x + m[4] * y + m[5] for x, y in corners]
    beyond = [-min(xs), -min(ys), max(xs) - w, max(ys) - h]
    left, top, right, bottom = (math.ceil(pixels) + 2 if pixels > 0 else 2 for pixels in beyond)
    return left, top, right, bottom


def test_draws_are_uniform() -> None:
    operation = transforms.RandomRotateObject(p=1, max_deg=30, scale=(1, 2), dest_x=(0.25, 0.75))
    compose = transforms.Compose([operation])
    image = np.zeros((4, 4, 3), dtype=np.uint8)
    drawn = [compose.draw(image, seed=seed)[0] for seed in range(2000)]
    for name, low, high in (("angle", -30, 30), ("scale", 1, 2), ("dest_x", 0.25, 0.75)):
        shares = np.sort([(row[name] - low) / (high - low) for row in drawn])
        assert np.abs(shares - (np.arange(2000) + 0.5) / 2000).max() < 1.63 / math.sqrt(2000)  # 1 % of such tests


def _fade(height: int, width: int, mode: str) -> np.ndarray:
    """slipstream's masks, in float64."""
    y, x = np.mgrid[0:height, 0:width]
    if mode == "circular":
        radius = np.hypot(y - (height - 1) / 2, x - (width - 1) / 2)
        inner, outer = 0.2 * min(height, width), 0.6 * min(height, width)
        faded = np.exp(-0.5 * ((radius - inner) / ((outer - inner) / 3)) ** 2)
        return np.where(radius <= inner, 1, np.where(radius >= outer, 0, faded))
    inside = np.minimum(np.minimum(x, width - 1 - x), np.minimum(y, height - 1 - y))
    return 0.5 * (1 - np.cos(np.clip(inside / (0.3 * min(height, width)), 0, 1) * np.pi))


@pytest.mark.parametrize("mode", [None, "circular", "cosine"])
def test_backgrounds_are_seen_where_images_are_transparent(mode: Any) -> None:
    options: dict[str, Any] = {"circular": {"fade_radius": (0.2, 0.6)}, "cosine": {"inset": 0.3}}.get(mode, {})
    operation = transforms.RandomBackgroundBlend(
        background="constant", fill=(200, 0, 77), fade_mode=mode, p_fade=0.7, p_background=0.8, **options
    )
    compose = transforms.Compose([operation])
    for seed, image in enumerate(_images(4)):
        opaque = np.nonzero(image[..., 3])
        (drawn,) = compose.draw(image, seed=seed)
        share = image[..., 3:] / 255.0
        if drawn["fade"] and len(opaque[0]):
            top, bottom = opaque[0].min(), opaque[0].max() + 1
            left, right = opaque[1].min(), opaque[1].max() + 1
            share[top:bottom, left:right] *= _fade(bottom - top, right - left, mode)[..., None]
        behind = np.array([200, 0, 77]) if drawn["has_background"] else np.zeros(3)
        wanted = share * image[..., :3] + (1 - share) * behind
        made = compose(image, seed=seed)
        assert made.shape == (*image.shape[:2], 3)
        assert np.abs(made - wanted).max() <= 0.5 + 1e-4, seed


def test_embedded_images_fade_into_what_is_behind_them() -> None:
    operation = transforms.RandomEmbed(
        70, x_range=(0, 1), y_range=(0, 1), background="constant", fill=50, fade_radius=(0.2, 0.6), p_fade=0.5
    )
    compose = transforms.Compose([operation])
    for seed, image in enumerate(_images(3)):
        (drawn,) = compose.draw(image, seed=seed)
        height, width = image.shape[:2]
        share = np.zeros((70, 70, 1))
        shown = _fade(height, width, "circular")[..., None] if drawn["fade"] else np.ones((height, width, 1))
        canvas = np.zeros((70, 70, 3))
        place = np.s_[drawn["top"] : drawn["top"] + height, drawn["left"] : drawn["left"] + width]
        share[place], canvas[place] = shown, image
        assert np.abs(compose(image, seed=seed) - (share * canvas + (1 - share) * 50)).max() <= 0.5 + 1e-4, seed


def test_an_image_on_a_canvas_before_noise_is_slipstreams_pair() -> None:
    operations = [transforms.RandomEmbed(64), transforms.RandomBackgroundBlend("power_law", alpha_range=(1, 3))]
    image = np.full((20, 20, 4), 255, dtype=np.uint8)
    made = transforms.Compose(operations)(image, seed=3)
    assert (made[22:42, 22:42] == 255).all()
    assert made[:20].std() > 20
    assert not np.array_equal(made, transforms.Compose(operations)(image, seed=4))
    with pytest.raises(penstock.InvalidError, match="4 channels, got 3"):
        transforms.Compose(operations)(image[..., :3])
