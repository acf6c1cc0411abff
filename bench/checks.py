"""The answers that a library must give before its time counts. Each check raises CheckError with what was wrong."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from common import CROP, LOCAL_CROP, LOCAL_CROPS, MEAN, STD, Data, Tolerance

Array = npt.NDArray[Any]
Batches = Iterable[tuple[Any, Any]]


class CheckError(Exception):
    """A library delivered other samples or other pixels than the reference."""


def as_array(value: Any) -> Array:
    """A batch's images or labels as numpy, whichever library made them."""
    return np.asarray(value.numpy() if hasattr(value, "numpy") else value)


def augmented(batches: Batches, data: Data, tolerance: Tolerance) -> dict[str, float]:
    """Random crops: every sample once, float32 [B,3,224,224], and the data's own colour statistics after undoing the
    normalisation. Their pixels are vouched for by the library's centre-crop pass."""
    del tolerance
    facts = data.manifest()
    seen: list[Array] = []
    totals, squares, pixels = np.zeros(3), np.zeros(3), 0
    for images, labels in batches:
        array = _crops(images)
        seen.append(as_array(labels).ravel().copy())
        pixels += array.shape[0] * CROP * CROP
        levels = _to_levels(array)
        totals += levels.sum(axis=(0, 2, 3), dtype=np.float64)
        squares += np.square(levels).sum(axis=(0, 2, 3), dtype=np.float64)
    _all_once(seen, facts["count"])
    means = totals / pixels
    stds = np.sqrt(squares / pixels - np.square(means))
    off_mean = float(np.abs(means - facts["channel_means"]).max())
    off_std = float(np.abs(stds - facts["channel_stds"]).max())
    if off_mean > 6.0 or off_std > 6.0:
        raise CheckError(f"colour statistics are off by {off_mean:.1f} (mean) and {off_std:.1f} (deviation) levels")
    return {"samples": facts["count"], "mean_off_levels": off_mean, "std_off_levels": off_std}


def simclr_views(batches: Batches, data: Data, tolerance: Tolerance) -> dict[str, float]:
    """Two views of 224."""
    del tolerance
    return _views(batches, data, [CROP] * 2)


def dino_views(batches: Batches, data: Data, tolerance: Tolerance) -> dict[str, float]:
    """Two views of 224 and eight of 96."""
    del tolerance
    return _views(batches, data, [CROP] * 2 + [LOCAL_CROP] * LOCAL_CROPS)


def _views(batches: Batches, data: Data, sides: list[int]) -> dict[str, float]:
    """Every sample once, as float32 [B,3,side,side] for each view or [B,count,3,side,side] for several. Colours are
    jittered, so their statistics are near the data's and no more; no view is the copy of another."""
    facts = data.manifest()
    seen: list[Array] = []
    means: list[list[Array]] = []
    for images, labels in batches:
        seen.append(as_array(labels).ravel().copy())
        views = [view for image in images for view in _apart(as_array(image))]
        shapes = [(view.dtype, *view.shape) for view in views]
        if shapes != [(np.float32, len(seen[-1]), 3, side, side) for side in sides]:
            raise CheckError(f"views are {shapes}")
        means.append([_to_levels(view).mean(axis=(2, 3)) for view in views])
    _all_once(seen, facts["count"])
    by_view = [np.concatenate(parts) for parts in zip(*means, strict=True)]
    off = max(float(np.abs(view.mean(axis=0) - facts["channel_means"]).max()) for view in by_view)
    if off > 20.0:
        raise CheckError(f"colours are off by {off:.1f} levels")
    for number, view in enumerate(by_view):
        if any(np.array_equal(view, other) for other in by_view[:number]):
            raise CheckError(f"view {number} is the copy of another")
    return {"samples": facts["count"], "mean_off_levels": off}


def _apart(images: Array) -> list[Array]:
    """[B,3,H,W] alone, or each of [B,count,3,H,W]."""
    return [images] if images.ndim == 4 else list(images.swapaxes(0, 1))


def centre_crops(batches: Batches, data: Data, tolerance: Tolerance) -> dict[str, float]:
    """Resize(256) + CenterCrop(224), normalised: compared with Pillow's images, label by label."""
    return _fixed_crops(batches, data, tolerance, "crops.npy")


def squashed(batches: Batches, data: Data, tolerance: Tolerance) -> dict[str, float]:
    """The whole image resized to 224 x 224, normalised: for a library that has no centre crop."""
    return _fixed_crops(batches, data, tolerance, "squashed.npy")


def _fixed_crops(batches: Batches, data: Data, tolerance: Tolerance, expected_in: str) -> dict[str, float]:
    reference = np.load(data.reference / expected_in, mmap_mode="r")
    differences = np.full(len(reference), np.nan)
    seen: list[Array] = []
    for images, labels in batches:
        array, numbers = _crops(images), as_array(labels).ravel().copy()
        seen.append(numbers)
        expected = reference[numbers].transpose(0, 3, 1, 2)
        differences[numbers] = np.abs(_to_levels(array) - expected).mean(axis=(1, 2, 3))
    _all_once(seen, len(reference))
    return _within(differences, tolerance)


def full_decodes(batches: Batches, data: Data, tolerance: Tolerance) -> dict[str, float]:
    """Whole images, uint8 [H,W,3] or [3,H,W], in a list: compared with Pillow's decode."""
    shapes = np.load(data.reference / "shapes.npy")
    decoded = np.memmap(data.reference / "decoded.bin", np.uint8, mode="r")
    starts = np.concatenate(([0], np.cumsum(shapes.prod(axis=1) * 3)))
    differences = np.full(len(shapes), np.nan)
    seen: list[Array] = []
    for images, labels in batches:
        numbers = as_array(labels).ravel().copy()
        seen.append(numbers)
        for image, number in zip(images, numbers, strict=True):
            expected = decoded[starts[number] : starts[number + 1]].reshape(*shapes[number], 3)
            got = as_array(image)
            if got.shape == (3, *shapes[number]):
                got = got.transpose(1, 2, 0)
            if got.shape != expected.shape or got.dtype != np.uint8:
                raise CheckError(f"image {number}: {got.dtype} {got.shape}, not uint8 {expected.shape}")
            differences[number] = np.abs(got.astype(np.int16) - expected).mean()
    _all_once(seen, len(shapes))
    return _within(differences, tolerance)


def stored_bytes(batches: Batches, data: Data, tolerance: Tolerance) -> dict[str, float]:
    """Compressed images as they are: the pieces of a batch, put together, equal the stored bytes exactly."""
    del tolerance
    sizes = np.load(data.reference / "sizes.npy")
    stored = np.memmap(data.reference / "stored.bin", np.uint8, mode="r")
    starts = np.concatenate(([0], np.cumsum(sizes)))
    seen: list[Array] = []
    for pieces, labels in batches:
        numbers = as_array(labels).ravel().copy()
        seen.append(numbers)
        got = np.concatenate([as_array(piece) for piece in pieces])
        expected = np.concatenate([stored[starts[number] : starts[number + 1]] for number in numbers])
        if not np.array_equal(got, expected):
            raise CheckError(f"the bytes of samples {numbers[0]} to {numbers[-1]} differ from the source")
    _all_once(seen, len(sizes))
    return {"samples": len(sizes), "bytes": int(sizes.sum())}


def _crops(images: Any) -> Array:
    array = as_array(images)
    if array.dtype != np.float32 or array.shape[1:] != (3, CROP, CROP):
        raise CheckError(f"images are {array.dtype} {array.shape}, not float32 (B, 3, {CROP}, {CROP})")
    return array


def _to_levels(array: Array) -> Array:
    """Undoes the normalisation: back to 0..255, still float."""
    column = (1, 3, 1, 1)
    std, mean = np.array(STD, np.float32).reshape(column), np.array(MEAN, np.float32).reshape(column)
    levels: Array = (array * std + mean) * np.float32(255)
    return levels


def _all_once(seen: list[Array], count: int) -> None:
    numbers = np.concatenate(seen)
    if len(numbers) != count or len(np.unique(numbers)) != count:
        raise CheckError(f"{len(numbers)} samples, {len(np.unique(numbers))} of them different, instead of {count}")


def _within(differences: Array, tolerance: Tolerance) -> dict[str, float]:
    mean, worst = float(differences.mean()), float(differences.max())
    if not mean <= tolerance.levels:
        raise CheckError(
            f"images are {mean:.3f} levels from Pillow's on average (worst image {worst:.2f}), "
            f"more than the {tolerance.levels} allowed"
        )
    return {
        "samples": len(differences),
        "mean_difference_levels": mean,
        "worst_image_levels": worst,
        "allowed_levels": tolerance.levels,
    }
