"""Lists of transforms outside of a loader."""

from __future__ import annotations

import itertools
import numbers
import secrets
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from . import _core
from ._box_formats import boxes_like, corners_of
from ._foreign import as_function
from ._functions import Python, work_of
from ._helper import generator
from ._image_kinds import each, indices_of, like, numbers_of, orientation, pixels_of, result, stacked, those_of
from ._operations import Transform, flat, refuse_what_is_no_list
from .errors import InvalidError
from .views import Views

Operation = Transform | Python | Callable[..., Any]
_Given = tuple[Any, Any, Any]  # mask, boxes and keypoints, or None of each
_Rows = list[dict[str, Any]]


class _Operations:
    """Neighbours in a list, and the number of the first of them."""

    def __init__(self, operations: Sequence[Transform], first: int) -> None:
        self.size = len(operations)
        self._handles = [operation.handle for operation in operations]
        self._first = first
        self._programs: dict[tuple[int, bool], _core.SampleProgram] = {}
        self._lock = threading.Lock()
        self._refuse_what_suits_no_image()

    def _refuse_what_suits_no_image(self) -> None:
        problems = []
        for channels, wide in ((3, False), (1, False), (4, False), (1, True)):
            try:
                self._program(channels, wide)
            except InvalidError as problem:
                problems.append(problem)
            else:
                return
        raise problems[0]

    def _program(self, channels: int, wide: bool) -> _core.SampleProgram:
        made = self._programs.get((channels, wide))
        if made is not None:
            return made
        with self._lock:
            if (channels, wide) not in self._programs:
                self._programs[channels, wide] = _core.SampleProgram(self._handles, channels, wide, self._first)
            return self._programs[channels, wide]

    def run(
        self,
        pixels: np.ndarray[Any, Any],
        given: _Given,
        seed: int,
        rows: _Rows | None,
        turns: tuple[int, int],
        draws: bool,
    ) -> dict[str, Any]:
        program = self._program(pixels.shape[2] if pixels.ndim == 3 else 1, pixels.itemsize == 2)
        return program.run(pixels, *given, seed, rows, turns, draws)


class _Function:
    """A function in a list, and its number in it."""

    def __init__(self, given: Any, number: int) -> None:
        self.size = 1
        self._work = work_of(given.fn if isinstance(given, Python) else given)
        self._number = number

    def run(self, pixels: np.ndarray[Any, Any], seed: int, rows: _Rows | None) -> dict[str, Any]:
        work = self._work
        if rows is not None and (rows[0].get("op") != "Python" or work.takes_rng):
            raise InvalidError(
                f"params do not say what {work.name} drew: it cannot be replayed"
                if work.takes_rng
                else f"params of {rows[0].get('op')}, where the list has the function {work.name}"
            )
        array = np.array(pixels[..., np.newaxis] if pixels.ndim == 2 else pixels)
        drawn = (generator(_core.stream_of_seed(seed), 0, self._number),) if work.takes_rng else ()
        made = np.asarray(work.function(array, *drawn))
        return {"image": made, "by_function": True, "patch_masks": {}, "params": [{"op": "Python"}]}

    def image_for_others(self, made: dict[str, Any]) -> np.ndarray[Any, Any]:
        """What it returned, for operations behind it."""
        array: np.ndarray[Any, Any] = made["image"]
        if array.dtype not in (np.uint8, np.uint16) or array.ndim != 3:
            raise InvalidError(
                f"{self._work.name} returned {array.dtype} {list(array.shape)}; operations after a function take "
                "images [H, W, C] of uint8"
            )
        return pixels_of(array)[0]


class Compose:
    """A list of transforms as one function of an image, and of what lies in its plane.

    Compose([...])(image, mask=, boxes=, labels=, keypoints=, seed=, params=) returns the transformed image, or a dict
    where more than the image was given, or the list adds masks of patches (RandomPatchMask), each under its name.
    Geometry moves masks (by the nearest pixel), boxes ([N, 4], left, top, right, bottom) and keypoints ([N, 2]) with
    the image; colours change the image alone. Where boxes are dropped, so are their labels ([N, ...]) and keypoints of
    the shape [N, K, 2], which belong to boxes. torchvision's BoundingBoxes are read in their format, and come back as
    such, with the new canvas_size; rotated ones are refused. Images are numpy arrays [H, W, C] or [H, W], tensors [C,
    H, W] or PIL images; the result is of the same kind, but that floats of a PIL image are a numpy array. PIL images of
    mode RGB, RGBA, L and I;16 keep it; other modes with transparency (LA, PA, a transparent palette) become RGBA, and
    those without become RGB.
    Values are uint8, uint16, or floats of 0 to 1, which are rounded to 8 bits and divided by 255 again afterwards,
    unless the list says what type it ends in (ToFloat16, ToBfloat16, ToUint8). Where it makes several images of one
    (FiveCrop), there is a dimension more in front; of a PIL image they are a tuple. ExifTranspose asks PIL images for
    their EXIF; arrays and tensors have none.

    Functions of an array stand in the list as in that of a Loader, and are given an array [H, W, C] of their own. With
    them only an image can be given, and what they drew from their generators cannot be replayed.

    seed decides what is drawn; without one every call draws again. params, a row of batch.params or one view's list of
    it, takes the place of drawing. Any number of threads may call; the work is done without the GIL.
    """

    def __init__(self, transforms: Iterable[Operation]) -> None:
        refuse_what_is_no_list("Compose: transforms", transforms)
        self.transforms = tuple(_known(operation) for operation in flat(transforms))
        self._stages = _stages_of(self.transforms)

    @property
    def held_transforms(self) -> tuple[Operation, ...]:
        """What takes its place in a list of transforms."""
        return self.transforms

    def __iter__(self) -> Iterator[Operation]:
        return iter(self.transforms)

    def __len__(self) -> int:
        return len(self.transforms)

    def __repr__(self) -> str:
        return f"Compose({list(self.transforms)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Compose) and self.transforms == other.transforms

    def __hash__(self) -> int:
        return hash(self.transforms)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Compose, (list(self.transforms),))

    def __call__(
        self,
        image: Any,
        *,
        mask: Any = None,
        boxes: Any = None,
        labels: Any = None,
        keypoints: Any = None,
        seed: int | None = None,
        params: Any = None,
    ) -> Any:
        if labels is not None and boxes is None:
            raise InvalidError("labels are those of boxes: pass boxes= too, or leave labels out")
        if labels is not None and len(labels) != len(boxes):
            raise InvalidError(f"labels must be as many as boxes, got {len(labels)} and {len(boxes)}")
        made, back, mask_back = self._run(image, mask, boxes, keypoints, seed, params, draws=False)
        moved = result(image, made, back)
        patch_masks = made["patch_masks"]
        if mask is None and boxes is None and keypoints is None and not patch_masks:
            return moved
        results = {"image": moved}
        if mask is not None:
            results["mask"] = each(made["mask"], 2, mask_back)
        if boxes is not None:
            results["boxes"] = boxes_like(boxes, made["boxes"], made["image"].shape[-3:-1])
        if keypoints is not None:
            results["keypoints"] = like(keypoints, made["keypoints"])
        if labels is not None:
            left = those_of(labels, made["kept"])
            results["labels"] = left if made["boxes"].ndim == 2 else stacked([left] * len(made["boxes"]))
        for name, patches in patch_masks.items():
            if name in results:
                raise InvalidError(f"two results would be called {name!r}; give the mask of patches another name")
            results[name] = like(image, patches)
        return results

    def draw(self, image: Any, *, boxes: Any = None, seed: int | None = None) -> list[dict[str, Any]]:
        """What a call with this seed would draw, as batch.params has it."""
        made, _, _ = self._run(image, None, boxes, None, seed, None, draws=True)
        drawn: list[dict[str, Any]] = made["params"]
        return drawn

    def _run(
        self, image: Any, mask: Any, boxes: Any, keypoints: Any, seed: int | None, params: Any, *, draws: bool
    ) -> tuple[dict[str, Any], Callable[[Any], Any], Callable[[Any], Any]]:
        pixels, back = pixels_of(image)
        indices, mask_back = (None, back) if mask is None else indices_of(mask)
        given = (
            indices,
            None if boxes is None else numbers_of("boxes", corners_of(boxes), 4),
            None if keypoints is None else numbers_of("keypoints", keypoints, 2),
        )
        seed = secrets.randbits(53) if seed is None else seed_of(seed)
        rows = None if params is None else _list_of(params)
        turns = (orientation(image), 1 if mask is None else orientation(mask))
        if len(self._stages) == 1 and isinstance(self._stages[0], _Operations):
            return self._stages[0].run(pixels, given, seed, rows, turns, draws), back, mask_back
        if any(one is not None for one in given):
            raise InvalidError("a list with functions takes an image alone; omit the mask, the boxes and the keypoints")
        return self._run_stages(pixels, seed, rows, turns), back, mask_back

    def _run_stages(
        self, pixels: np.ndarray[Any, Any], seed: int, rows: _Rows | None, turns: tuple[int, int]
    ) -> dict[str, Any]:
        if rows is not None and len(rows) != len(self.transforms):
            raise InvalidError(
                f"params for {len(rows)} operations, the list has {len(self.transforms)}; pass the params of this "
                "list, one for each operation"
            )
        made: dict[str, Any] = {"image": pixels}
        drawn: _Rows = []
        patch_masks: dict[str, Any] = {}
        before: _Function | None = None
        for stage in self._stages:
            own = None if rows is None else rows[len(drawn) : len(drawn) + stage.size]
            if isinstance(stage, _Operations):
                pixels = made["image"] if before is None else before.image_for_others(made)
                made = stage.run(pixels, (None, None, None), seed, own, turns, draws=True)
            elif made.get("type") == "bfloat16":
                raise InvalidError("numpy has no bfloat16; put ToBfloat16 behind all functions")
            else:
                made, before = stage.run(made["image"], seed, own), stage
            drawn += made["params"]
            patch_masks |= made["patch_masks"]
        return {**made, "params": drawn, "patch_masks": patch_masks}


def _known(operation: Any) -> Operation:
    """The operation, or a function of an array; refuses what is neither."""
    if isinstance(operation, Transform | Python):
        return operation
    function = as_function(operation)
    if isinstance(function, type) or not callable(function):
        raise InvalidError(f"Compose takes penstock.transforms and functions of an array, got {operation!r}")
    return function  # type: ignore[no-any-return]


def _stages_of(operations: Sequence[Operation]) -> list[_Operations | _Function]:
    """The list, cut at its functions; of an empty one a single stage that does nothing."""
    stages: list[_Operations | _Function] = []
    neighbours: list[Transform] = []
    for number, operation in enumerate(operations):
        if isinstance(operation, Transform):
            neighbours.append(operation)
            continue
        if neighbours:
            stages.append(_Operations(neighbours, number - len(neighbours)))
            neighbours = []
        stages.append(_Function(operation, number))
    if neighbours or not stages:
        stages.append(_Operations(neighbours, len(operations) - len(neighbours)))
    return stages


def apply(
    transforms: Iterable[Operation] | Views,
    image: Any,
    params: Any,
    *,
    mask: Any = None,
    boxes: Any = None,
    labels: Any = None,
    keypoints: Any = None,
) -> Any:
    """The image after these transforms with what was drawn before: a row of batch.params, or one view's list of it. A
    dict where more than the image is given, as Compose returns. Operations on whole batches at the end of the list are
    passed over: apply_batch does those. Batches of a loader with fuse="fast" have other pixels: this is fuse="exact".

    Of Views it is a dict of that by view. A view with a count has its images and masks in one array or tensor, and
    tuples of boxes, labels, keypoints and PIL images. Of {field: list} each list is applied to the image of its field.
    """
    if params is None:
        raise InvalidError("params must be a row of batch.params, or one view's list, got None; Compose draws anew")
    if isinstance(transforms, Views):
        given = {"mask": mask, "boxes": boxes, "labels": labels, "keypoints": keypoints}
        return _views_of(transforms, image, params, given)
    if isinstance(transforms, Mapping):
        raise InvalidError(
            f"apply: transforms has a list for each of the fields {list(transforms)}; call it for each field: "
            "apply(transforms[field], image, params[field])"
        )
    refuse_what_is_no_list("apply: transforms", transforms)
    operations = list(flat(transforms))
    operations = operations[: len(operations) - len(at_end_for_batches(operations)[0])]
    return Compose(operations)(image, mask=mask, boxes=boxes, labels=labels, keypoints=keypoints, params=params)


def _views_of(views: Views, image: Any, params: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """What apply() makes of the image for each view."""
    if not isinstance(params, Mapping) or set(params) - {"batch"} != set(views.lists):
        names = list(params) if isinstance(params, Mapping) else repr(params)
        raise InvalidError(f"params must be a row of batch.params with the views {list(views.lists)}, got {names}")
    results: dict[str, Any] = {}
    for name, (count, operations) in views.lists.items():
        if count is None:
            results[name] = apply(operations, image, params[name], **given)
            continue
        rows = params[name]
        if not isinstance(rows, Sequence) or len(rows) != count:
            raise InvalidError(f"params must have {count} lists for the view {name!r}, got {rows!r}")
        made = [apply(operations, image, row, **given) for row in rows]
        results[name] = (
            {key: _together(key, [one[key] for one in made]) for key in made[0]}
            if isinstance(made[0], dict)
            else stacked(made)
        )
    return results


def _together(name: str, values: list[Any]) -> Any:
    """Boxes and what belongs to them may be of other numbers in each."""
    return tuple(values) if name in ("boxes", "labels", "keypoints") else stacked(values)


def at_end_for_batches(operations: Sequence[Any]) -> tuple[list[Transform], int]:
    """The operations at the end of a list that work on whole batches, and the classes of labels that they want."""
    last = list(itertools.takewhile(lambda operation: isinstance(operation, Transform), reversed(operations)))[::-1]
    count, classes = _core.batch_operations([operation.handle for operation in last])
    return last[len(last) - count :], classes


def seed_of(seed: Any) -> int:
    """The seed as an integer, whoever's it is."""
    if type(seed) is int and 0 <= seed < 1 << 64:  # as it nearly always is
        return seed
    if isinstance(seed, bool) or not isinstance(seed, numbers.Integral) or not 0 <= int(seed) < 1 << 64:
        raise InvalidError(f"seed must be an integer of 0 to 2**64 - 1, got {seed!r}")
    return int(seed)


def _list_of(params: Any) -> list[dict[str, Any]]:
    if isinstance(params, Mapping):
        views = [view for view in params if view != "batch"]  # which is that of whole batches
        if len(views) > 1:
            raise InvalidError(f"params has the views {views}; pass one of them")
        params = params[views[0]] if views else []  # of a list without operations on images
    if not isinstance(params, Sequence) or isinstance(params, str):
        raise InvalidError(f"params must be a row of batch.params, got {params!r}")
    return [dict(entry) if isinstance(entry, Mapping) else entry for entry in params]
