"""Masks, boxes and keypoints beside torchvision v2's own kernels for them, with what was drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PIL import Image

from penstock import transforms

v2 = pytest.importorskip("torchvision.transforms.v2")
functional = pytest.importorskip("torchvision.transforms.v2.functional")
tv_tensors = pytest.importorskip("torchvision.tv_tensors")
torch = pytest.importorskip("torch")

SIZES = [(1, 1), (1, 7), (7, 1), (33, 21), (64, 64), (101, 77), (50, 90)]
EXACT = functional.InterpolationMode.NEAREST_EXACT


def masks(count: int = 70) -> list[np.ndarray]:
    rng = np.random.default_rng(1)
    sizes = (SIZES[seed % len(SIZES)] for seed in range(count))
    return [rng.integers(0, 21, size).astype(np.uint8) for size in sizes]


def moved(operation: transforms.Transform, mask: np.ndarray, seed: int) -> tuple[np.ndarray, dict[str, Any]]:
    """The mask after the operation, and what was drawn."""
    image = np.zeros((*mask.shape, 3), np.uint8)
    compose = transforms.Compose([operation])
    (drawn,) = compose.draw(image, seed=seed)
    return compose(image, mask=mask, seed=seed)["mask"], drawn


EXACT_MOVES: dict[str, tuple[transforms.Transform, Callable[[Any, dict[str, Any]], Any]]] = {
    "center": (
        transforms.CenterCrop((40, 30)),
        lambda mask, _: functional.center_crop(mask, [40, 30]),
    ),
    "mirrored": (
        transforms.RandomHorizontalFlip(),
        lambda mask, drawn: functional.horizontal_flip(mask) if drawn["apply"] else mask,
    ),
    "flipped": (
        transforms.RandomVerticalFlip(),
        lambda mask, drawn: functional.vertical_flip(mask) if drawn["apply"] else mask,
    ),
    "quarter turns": (
        transforms.RandomRotate90(p=1),
        lambda mask, drawn: functional.rotate(mask, 90.0 * drawn["turns"], expand=True),
    ),
    "padded": (
        transforms.Pad((3, 0, 5, 40), fill=7, mask_fill=255),
        lambda mask, _: functional.pad(mask, [3, 0, 5, 40], fill=255),
    ),
}


@pytest.mark.parametrize("name", EXACT_MOVES)
def test_masks_are_torchvisions(name: str) -> None:
    operation, move = EXACT_MOVES[name]
    for seed, mask in enumerate(masks()):
        made, drawn = moved(operation, mask, seed)
        wanted = move(tv_tensors.Mask(torch.from_numpy(mask)), drawn)
        np.testing.assert_array_equal(made, wanted.numpy(), err_msg=f"{mask.shape} {drawn}")


def between_two(length: int, size: int) -> np.ndarray:
    """Which of `size` pixels have their middle exactly between two of `length`."""
    return (2 * np.arange(size) + 1) * length % (2 * size) == 0


@pytest.mark.parametrize("size", [(9, 17), (130, 95), (64, 64), (33, 202)])
def test_resized_masks_are_torchvisions_nearest_exact(size: tuple[int, int]) -> None:
    """But where the middle of a pixel lies exactly between two: both compute in floats there, and take one or the
    other. Its plain nearest is OpenCV's, which looks at corners in place of middles."""
    others = 0
    for seed, mask in enumerate(masks()):
        for operation in (transforms.Resize(size), transforms.RandomResizedCrop(size)):
            made, drawn = moved(operation, mask, seed)
            top, left = drawn.get("top", 0), drawn.get("left", 0)
            height, width = drawn.get("height", mask.shape[0]), drawn.get("width", mask.shape[1])
            part = tv_tensors.Mask(torch.from_numpy(mask[top : top + height, left : left + width]))
            wanted = functional.resize(part, list(size), interpolation=EXACT).numpy()
            clear = np.ix_(~between_two(height, size[0]), ~between_two(width, size[1]))
            np.testing.assert_array_equal(made[clear], wanted[clear], err_msg=f"{mask.shape} {drawn}")
            others += int((made != functional.resize(part, list(size)).numpy()).sum())
    assert others or size == (64, 64)


def rotate(mask: Any, drawn: dict[str, Any]) -> Any:
    return functional.rotate(mask, drawn["angle"], fill=255)


def affine(mask: Any, drawn: dict[str, Any]) -> Any:
    numbers = {
        name: list(value) if isinstance(value, tuple) else value for name, value in drawn.items() if name != "op"
    }
    return functional.affine(mask, **numbers, fill=255)


def perspective(mask: Any, drawn: dict[str, Any]) -> Any:
    height, width = mask.shape[-2:]
    corners = [[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]]
    to = drawn["endpoints"]
    ends = [[to[2 * i], to[2 * i + 1]] for i in range(4)]
    return functional.perspective(mask, corners, ends, interpolation=functional.InterpolationMode.NEAREST, fill=255)


WARPS: dict[str, tuple[transforms.Transform, Callable[[Any, dict[str, Any]], Any]]] = {
    "rotation": (transforms.RandomRotation(180, mask_fill=255), rotate),
    "affine": (
        transforms.RandomAffine(40, (0.2, 0.2), (0.6, 1.6), 15, mask_fill=255),
        affine,
    ),
    "perspective": (transforms.RandomPerspective(0.5, p=1, mask_fill=255), perspective),
}


@pytest.mark.parametrize("name", WARPS)
def test_warped_masks_are_torchvisions_but_for_single_pixels(name: str) -> None:
    """torchvision warps tensors by a grid of float32, Pillow in double or fixed point: places that lie between two
    pixels fall to one or the other. Of 1,000 pixels no more than 3 differ, and each is that of a neighbour."""
    operation, move = WARPS[name]
    differ = pixels = 0
    for seed in range(60):
        mask = np.arange(64 * 80, dtype=np.uint16).reshape(64, 80)
        mask = np.minimum(np.maximum(mask // 80, mask % 80), 200).astype(np.uint8)  # neighbours differ by at most 1
        made, drawn = moved(operation, mask, seed)
        wanted = move(tv_tensors.Mask(torch.from_numpy(mask)), drawn).numpy()
        inside = (made != 255) & (wanted != 255)
        assert np.abs(made.astype(int) - wanted)[inside].max() <= 1
        differ += int((made != wanted).sum())
        pixels += mask.size
    assert differ <= 0.003 * pixels


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "symmetric"])
@pytest.mark.parametrize("padding", [2, (1, 3), (0, 4, 2, 1)])
def test_a_crop_pads_once_where_both_paddings_act(mode: str, padding: Any) -> None:
    size = (70, 60)
    reference = v2.RandomCrop(
        size, padding if isinstance(padding, int) else list(padding), pad_if_needed=True, fill=9, padding_mode=mode
    )
    operation = transforms.RandomCrop(size, padding, pad_if_needed=True, fill=9, padding_mode=mode)
    rng = np.random.default_rng(3)
    for seed in range(40):
        torch.manual_seed(seed)
        shape = (int(rng.integers(20, 90)), int(rng.integers(20, 90)), 3)
        image = Image.fromarray(rng.integers(0, 256, shape, dtype=np.uint8))
        params = reference.make_params([image])
        drawn = {"op": "RandomCrop", "top": params["top"], "left": params["left"]}
        wanted = np.asarray(reference.transform(image, params))
        np.testing.assert_array_equal(np.asarray(transforms.apply([operation], image, [drawn])), wanted)


def test_boxes_and_points_of_expanded_turns_lie_where_the_pixels_do() -> None:
    """torchvision moves them so that the turned frame begins at 0; Pillow's pixels keep the middle in the middle, and
    so do ours: all of them are the same part of a pixel away, less than one each way."""
    height, width = 60, 96
    image = np.zeros((height, width, 3), np.uint8)
    image[20:41, 30:71] = 255
    boxes = np.array([[30, 20, 71, 41], [0, 0, 96, 60]], np.float32)
    points = np.array([[30, 20], [48, 30], [70.5, 3]], np.float32)
    compose = transforms.Compose([transforms.RandomRotation(180, expand=True)])
    canvas = {"canvas_size": (height, width)}
    apart = []
    for seed in range(60):
        (drawn,) = compose.draw(image, seed=seed)
        made = compose(image, boxes=boxes, keypoints=points, seed=seed)
        wanted_boxes, wanted_points = (
            np.asarray(functional.rotate(value, drawn["angle"], expand=True))
            for value in (
                tv_tensors.BoundingBoxes(torch.from_numpy(boxes), format="XYXY", **canvas),
                tv_tensors.KeyPoints(torch.from_numpy(points), **canvas),
            )
        )
        assert np.abs(made["boxes"] - wanted_boxes).max() <= 1.01
        shift = made["keypoints"] - wanted_points
        assert np.ptp(shift, axis=0).max() < 0.01
        assert shift.min() >= -0.01 and shift.max() < 1.01
        apart.append(shift.max())
        rows, columns = np.nonzero(made["image"][..., 0])
        seen = [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]
        assert np.abs(made["boxes"][0] - seen).max() <= 1  # the corners of a turned rectangle cover parts of pixels
    assert max(apart) > 0.5
