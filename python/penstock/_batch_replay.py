"""Operations on whole batches with what was drawn before: the second half of making a stored batch again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from . import _core
from ._box_formats import boxes_like, corners_of
from ._compose import Operation, at_end_for_batches
from ._image_kinds import is_tensor, like
from ._operations import flat, refuse_what_is_no_list
from .errors import InvalidError

Array = np.ndarray[Any, Any]


def apply_batch(
    transforms: Iterable[Operation],
    images: Any,
    labels: Any,
    params: Any,
    *,
    masks: Any = None,
    boxes: Any = None,
    boxes_labels: Any = None,
    memory_format: Literal["channels_first", "channels_last"] = "channels_first",
) -> Any:
    """A batch after the operations on whole batches at the end of a list (MixUp, CutMix, TimmMixup, Mosaic, OneHot),
    with what was drawn for it before: (images, labels), or a dict where masks or boxes are given too. Each row is what
    apply() makes of its image, so that a stored batch is made again byte for byte.

    images: [B, C, H, W], an array or a tensor; of memory_format="channels_last" an array [B, H, W, C]. A list where
        they differ in size, of which OneHot alone takes the labels.
    labels: [B] integers, which become one-hot where an operation mixes them; None where there are none.
    params: batch.params, or what it has of the batch: params[0]["batch"].
    masks: [B, H, W]. boxes: B arrays [N, 4] of corners, or torchvision's BoundingBoxes, and boxes_labels B arrays
        [N].
    """
    refuse_what_is_no_list("apply_batch: transforms", transforms)
    operations, classes = at_end_for_batches(list(flat(transforms)))
    if memory_format not in ("channels_first", "channels_last"):
        raise InvalidError(f"memory_format must be 'channels_first' or 'channels_last', got {memory_format!r}")
    differ = isinstance(images, list | tuple) and len({np.shape(image) for image in images}) > 1
    # Rows without pixels stand for images that are not looked at: what mixes them refuses these.
    pixels = np.zeros((len(images), 0, 0, 0), np.uint8) if differ else _rows_of("images", images, 4)
    targets = None if labels is None else _labels_of(labels, classes, len(pixels))
    planes = None if masks is None else _rows_of("masks", masks, 3)
    height = 1 if memory_format == "channels_last" else 2
    if planes is not None and planes.shape != (len(pixels), *pixels.shape[height : height + 2]):
        raise InvalidError(f"masks must be [B, H, W] as the images are, got {list(planes.shape)}")
    corners, numbers = _boxes_of(boxes, boxes_labels, len(pixels))
    mixed = targets if targets is not None and targets.dtype == np.float32 else None
    drawn = _drawn_of(params, len(pixels))
    moved = _core.replay_on_batch(
        [operation.handle for operation in operations if len(pixels)],  # nothing is drawn for a batch without rows
        drawn,
        pixels,
        memory_format == "channels_last",
        mixed,
        planes,
        corners,
        numbers,
    )
    made: dict[str, Any] = {"images": list(images) if differ else _like(images, pixels), "labels": None}
    if targets is not None:
        made["labels"] = like(labels, targets)
    if masks is None and boxes is None:
        return made["images"], made["labels"]
    if planes is not None:
        made["masks"] = _like(masks, planes)
    if boxes is not None:
        made["boxes"] = [
            boxes_like(given, np.asarray(new), pixels.shape[height : height + 2])
            for given, (new, _) in zip(boxes, moved, strict=True)
        ]
    if boxes_labels is not None:
        made["boxes_labels"] = [
            like(given, np.asarray(new)) for given, (_, new) in zip(boxes_labels, moved, strict=True)
        ]
    return made


def _rows_of(name: str, given: Any, dimensions: int) -> Array:
    """A copy in one piece. Of bfloat16, which numpy has not, as half precision: no operation that takes it looks at
    values."""
    if is_tensor(given):
        import torch

        tensor = given.detach().cpu().clone(memory_format=torch.contiguous_format)
        array: Array = tensor.view(torch.float16).numpy() if tensor.dtype == torch.bfloat16 else tensor.numpy()
    else:
        array = np.array(given, order="C")
    if array.ndim != dimensions or array.dtype.kind not in "iuf":
        raise InvalidError(f"{name} must be an array of {dimensions} dimensions, got {array.dtype} {list(array.shape)}")
    if name == "images" and array.dtype not in (np.uint8, np.uint16, np.float16, np.float32):
        raise InvalidError(f"images must be uint8, uint16, float16, bfloat16 or float32, got {array.dtype}")
    return array


def _like(given: Any, made: Array) -> Any:
    if is_tensor(given) and made.dtype == np.float16:
        import torch

        return torch.from_numpy(made).view(given.dtype).to(given.device)
    return like(given, made)


def _labels_of(labels: Any, classes: int, rows: int) -> Array:
    numbers = np.asarray(labels.detach().cpu().numpy() if is_tensor(labels) else labels)
    if numbers.shape != (rows,) or numbers.dtype.kind not in "iu":
        raise InvalidError(f"labels must be {rows} integers, got {numbers.dtype} {list(numbers.shape)}")
    if classes == 0:
        return numbers.copy()
    if rows and not 0 <= numbers.min() <= numbers.max() < classes:
        raise InvalidError(f"labels must be between 0 and {classes - 1}, got {numbers.min()} to {numbers.max()}")
    one_hot = np.zeros((rows, classes), np.float32)
    one_hot[np.arange(rows), numbers] = 1
    return one_hot


def _boxes_of(boxes: Any, labels: Any, rows: int) -> tuple[list[Array], list[Array]]:
    if boxes is None:
        if labels is not None:
            raise InvalidError("boxes_labels are those of boxes: pass boxes= too, or leave boxes_labels out")
        return [], []
    corners = [_numbers("boxes", corners_of(given), np.float32).reshape(-1, 4) for given in boxes]
    numbers = [] if labels is None else [_numbers("boxes_labels", given, np.int64).reshape(-1) for given in labels]
    if len(corners) != rows or len(numbers) not in ([rows] if labels is not None else [0]):
        raise InvalidError(f"boxes and boxes_labels must be lists of {rows} arrays, one for each image")
    if any(len(own) != len(box) for own, box in zip(numbers, corners, strict=False)):
        raise InvalidError("boxes_labels must be as many as the boxes of each image")
    return corners, numbers


def _numbers(name: str, given: Any, dtype: Any) -> Array:
    numbers = np.ascontiguousarray(given.detach().cpu().numpy() if is_tensor(given) else given, dtype=dtype)
    if name == "boxes" and numbers.size and (numbers.ndim != 2 or numbers.shape[1] != 4):
        raise InvalidError(f"boxes must be arrays [N, 4], got {list(numbers.shape)}")
    return numbers


def _drawn_of(params: Any, rows: int) -> list[dict[str, Any]]:
    """What was drawn for the batch."""
    if not isinstance(params, Sequence) or isinstance(params, str) or not all(isinstance(p, Mapping) for p in params):
        raise InvalidError(f"params must be batch.params, or params[0]['batch'] of it, got {params!r}")
    if params and "op" not in params[0]:
        if len(params) != rows:
            raise InvalidError(f"params must have a row for each of the {rows} images, got {len(params)}")
        params = params[0].get("batch", [])
    return [dict(entry) for entry in params]
