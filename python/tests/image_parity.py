"""Images of every kind and size, and what operations make of them beside what torchvision makes of Pillow's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from PIL import Image

from penstock import transforms

v2 = pytest.importorskip("torchvision.transforms.v2")
tv_tensors = pytest.importorskip("torchvision.tv_tensors")
torch = pytest.importorskip("torch")

#: Images that an operation is compared on, and on which it is in the modes that are not its first.
IMAGES = 300
OTHERS = 40
SIZES = [(1, 1), (1, 7), (7, 1), (2, 2), (33, 21), (64, 64), (101, 77), (50, 90)]
SMOOTH = Image.Resampling.BICUBIC
FILTERS = ["nearest", "bilinear", "bicubic"]


def modes_of(name: str) -> tuple[str, ...]:
    """Pillow mixes up the bytes of 16-bit pixels unless the filter is nearest."""
    return ("RGB", "L", "RGBA", "I;16") if name == "nearest" else ("RGB", "L", "RGBA")


def images(mode: str = "RGB", count: int = IMAGES, least: int = 1, first: int = 0) -> Iterator[tuple[int, Image.Image]]:
    """Noise and smooth images, with a seed each, from `first` on."""
    rng = np.random.default_rng(1 + first)
    sizes = [size for size in SIZES if min(size) >= least]
    for seed in range(first, first + count):
        width, height = sizes[seed % len(sizes)]
        if mode == "I;16":
            yield seed, Image.fromarray(rng.integers(0, 65536, (height, width), dtype=np.uint16))
            continue
        shape = (height, width, 3) if mode == "RGB" else (height, width, 4)
        noise = Image.fromarray(rng.integers(0, 256, shape, dtype=np.uint8)).convert(mode)
        if seed // len(sizes) % 2:
            noise = noise.resize((max(width // 6, 1), max(height // 6, 1))).resize((width, height), SMOOTH)
        yield seed, noise


def compare(
    operation: transforms.Transform,
    wanted: Callable[[Image.Image, dict[str, Any]], Image.Image],
    modes: tuple[str, ...] = ("RGB", "L", "RGBA", "I;16"),
    least: int = 1,
    count: int = IMAGES,
    first: int = 0,
) -> None:
    """Pixels are those that torchvision makes of Pillow images with the same parameters."""
    compose = transforms.Compose([operation])
    for number, mode in enumerate(modes):
        for seed, image in images(mode, count if number == 0 else min(count, OTHERS), least, first):
            (drawn,) = compose.draw(np.asarray(image), seed=seed)
            made = compose(np.asarray(image), seed=seed)
            np.testing.assert_array_equal(made, np.asarray(wanted(image, drawn)), err_msg=f"{mode} {seed} {drawn}")


def fields_go_along(
    operation: transforms.Transform,
    move: Callable[[Any, dict[str, Any]], Any],
    tolerance: float = 2e-3,
    masks: bool = True,
) -> None:
    """Boxes, keypoints and masks are moved as torchvision moves its own."""
    compose = transforms.Compose([operation])
    rng = np.random.default_rng(2)
    image = rng.integers(0, 256, (80, 96, 3), dtype=np.uint8)
    mask = rng.integers(0, 21, (80, 96)).astype(np.uint8)
    boxes = torch.tensor([[10.0, 12.0, 50.0, 60.0], [3.0, 4.0, 90.0, 20.0], [0.0, 0.0, 96.0, 80.0]])
    points = torch.tensor([[10.0, 12.0], [70.0, 3.0], [95.0, 79.0], [0.0, 0.0]])
    canvas_boxes = tv_tensors.BoundingBoxes(boxes, format="XYXY", canvas_size=(80, 96))
    canvas_points = tv_tensors.KeyPoints(points, canvas_size=(80, 96))
    for seed in range(30):
        (drawn,) = compose.draw(image, seed=seed)
        made = compose(image, mask=mask, boxes=boxes, keypoints=points, seed=seed)
        np.testing.assert_allclose(made["boxes"], np.asarray(move(canvas_boxes, drawn)), atol=tolerance)
        np.testing.assert_allclose(made["keypoints"], np.asarray(move(canvas_points, drawn)), atol=tolerance)
        assert made["mask"].shape == made["image"].shape[:2]
        if masks:
            wanted = np.asarray(move(Image.fromarray(mask), drawn))
            np.testing.assert_array_equal(made["mask"], wanted)


def philox(key: tuple[int, int], sample: int, op: int, blocks: np.ndarray) -> np.ndarray:
    """Philox4x32-10, four words for each block."""
    low = np.uint64(0xFFFFFFFF)
    counter = [np.full(blocks.shape, value, np.uint64) for value in (sample & 0xFFFFFFFF, sample >> 32, op)]
    counter.append(blocks.astype(np.uint64))
    keys = [key[0], key[1]]
    for _ in range(10):
        first = counter[0] * np.uint64(0xD2511F53)
        second = counter[2] * np.uint64(0xCD9E8D57)
        counter = [
            (second >> np.uint64(32)) ^ counter[1] ^ np.uint64(keys[0]),
            second & low,
            (first >> np.uint64(32)) ^ counter[3] ^ np.uint64(keys[1]),
            first & low,
        ]
        keys = [(keys[0] + 0x9E3779B9) & 0xFFFFFFFF, (keys[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return np.stack(counter, axis=-1).ravel()


def words_of(stream: list[float], count: int) -> np.ndarray:
    """The numbers of 32 bits that an operation draws, from the address that it has kept of them."""
    key_a, key_b, low, high, op, drawn = (int(value) for value in stream)
    words = philox((key_a, key_b), low | high << 32, op, np.arange(drawn // 4, (drawn + count) // 4 + 1))
    return words[drawn % 4 :][:count]


def moved(value: Any, listed: list[transforms.Transform], drawn: list[dict[str, Any]]) -> Any:
    """A mask, as an image of Pillow's, or boxes after torchvision's own operations with what was drawn."""
    nearest = {"interpolation": v2.InterpolationMode.NEAREST}
    theirs = {
        "RandomResize": v2.RandomResize(1, 2, **nearest),
        "RandomShortestSize": v2.RandomShortestSize([1], **nearest),
        "ScaleJitter": v2.ScaleJitter((1, 1), **nearest),
        "RandomZoomOut": v2.RandomZoomOut(),
        "RandomIoUCrop": v2.RandomIoUCrop(),
        "RandomHorizontalFlip": v2.RandomHorizontalFlip(),
    }
    for operation, own in zip(listed, drawn, strict=True):
        params = dict(own)
        if own["op"] == "Resize":
            theirs["Resize"] = v2.Resize(operation.params["size"], **nearest)
        elif own["op"] == "RandomCrop":
            crop = theirs["RandomCrop"] = v2.RandomCrop(operation.params["size"], pad_if_needed=True)
            params = crop.make_params([value]) | own | {"needs_crop": True}
        elif own["op"] == "RandomZoomOut":
            params["padding"] = [own[side] for side in ("left", "top", "right", "bottom")]
        elif own["op"] == "RandomIoUCrop":
            middle = (value[:, :2] + value[:, 2:]) / 2 - torch.tensor([own["left"], own["top"]])
            inside = (middle > 0) & (middle < torch.tensor([own["width"], own["height"]]))
            params["is_within_crop_area"] = inside.all(1)
        elif own["op"] in ("RandomShortestSize", "ScaleJitter"):
            params["size"] = own["height"], own["width"]
        if own["op"] in theirs and own.get("apply", True):
            value = theirs[own["op"]].transform(value, params)
    return value
