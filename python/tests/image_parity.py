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
#: Of images with boxes and points.
BESIDE = [(96, 80), (33, 57), (150, 23), (29, 30), (5, 4), (1, 9)]
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
    tolerance: float = 2e-5,
    masks: bool = True,
    least: int = 1,
    count: int = 48,
) -> None:
    """Boxes, keypoints and masks are moved as torchvision moves its own, which computes in float32: the tolerance is a
    share of the image's longer side."""
    compose = transforms.Compose([operation])
    rng = np.random.default_rng(2)
    for seed in range(count):
        sizes = [size for size in BESIDE if min(size) >= least]
        width, height = sizes[seed % len(sizes)]
        image = rng.integers(0, 256, (height, width, 3), dtype=np.uint8)
        mask = rng.integers(0, 21, (height, width)).astype(np.uint8)
        corners = np.sort(rng.uniform(0, 1, (12, 2, 2)), axis=1) * (width, height)
        whole = [[0, 0, width, height], [0, 0, width / 2, height / 2], [1, 0, 1, height]]
        boxes = torch.from_numpy(np.concatenate([corners.reshape(12, 4), whole]).astype(np.float32))
        ends = [[0, 0], [width - 1, height - 1], [0, height - 1]]
        points = torch.from_numpy(
            np.concatenate([rng.uniform(0, 1, (12, 2)) * (width - 1, height - 1), ends]).astype(np.float32)
        )
        canvas_boxes = tv_tensors.BoundingBoxes(boxes, format="XYXY", canvas_size=(height, width))
        canvas_points = tv_tensors.KeyPoints(points, canvas_size=(height, width))
        (drawn,) = compose.draw(image, boxes=boxes, seed=seed)
        made = compose(image, mask=mask, boxes=boxes, keypoints=points, seed=seed)
        bound = tolerance * max(width, height, *made["mask"].shape)
        for name, value in (("boxes", canvas_boxes), ("keypoints", canvas_points)):
            wanted = np.asarray(move(value, drawn))
            np.testing.assert_allclose(made[name], wanted, rtol=0, atol=bound, err_msg=f"{name} {seed} {drawn}")
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
        given = operation.params
        if own["op"] == "Resize":
            theirs["Resize"] = v2.Resize(given["size"], **nearest)
        elif own["op"] == "CenterCrop":
            theirs["CenterCrop"] = v2.CenterCrop(given["size"])
        elif own["op"] == "RandomCrop":
            settings = {name: given[name] for name in ("size", "padding", "pad_if_needed")}
            crop = theirs["RandomCrop"] = v2.RandomCrop(**settings, fill=given["mask_fill"])
            params = crop.make_params([value]) | own | {"needs_crop": True}
        elif own["op"] == "RandomZoomOut":
            params = {"padding": [own[side] for side in ("left", "top", "right", "bottom")]}
        elif own["op"] == "RandomIoUCrop":
            middle = (value[:, :2] + value[:, 2:]) / 2 - torch.tensor([own["left"], own["top"]])
            inside = (middle > 0) & (middle < torch.tensor([own["width"], own["height"]]))
            params["is_within_crop_area"] = inside.all(1)
        elif own["op"] in ("RandomShortestSize", "ScaleJitter"):
            params["size"] = own["height"], own["width"]
        if own["op"] in theirs and own.get("apply", True):
            value = theirs[own["op"]].transform(value, params)
    return value
