"""Several views of one image."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from typing import Any

from ._functions import Python
from ._operations import Transform, flat, refuse_what_is_no_list
from .errors import InvalidError


class Views:
    """Several lists of transforms for one image, which is decoded once: Views(a=[...], b=[...], local=(6, [...])).

    batch["a"] and batch["b"] have the shape [B, C, H, W]; with a count, batch["local"] has [B, 6, C, H, W]. Each view
    draws for itself; operations with one key= draw alike in all views. Masks, boxes and keypoints of the data set move
    with the image, in each view: batch["a.mask"], batch["a.boxes"]; batch["local.mask"] has the shape [B, 6, H, W].
    """

    __slots__ = ("lists",)
    #: For each name how many there are, None for one without a count, and the operations.
    lists: dict[str, tuple[int | None, tuple[Transform, ...]]]

    def __init__(self, **views: Iterable[Transform] | tuple[int, Iterable[Transform]]) -> None:
        if not views:
            raise InvalidError("Views must have at least one list: Views(a=[...], b=[...])")
        self.lists = {name: _list_of(name, given) for name, given in views.items()}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Views) and self.lists == other.lists

    def __hash__(self) -> int:
        return hash(frozenset(self.lists.items()))  # the order of names does not matter

    def __repr__(self) -> str:
        texts = []
        for name, (count, operations) in self.lists.items():
            text = repr(list(operations))
            texts.append(f"{name}={text}" if count is None else f"{name}=({count}, {text})")
        return f"Views({', '.join(texts)})"


def _list_of(name: str, given: Any) -> tuple[int | None, tuple[Transform, ...]]:
    count = None
    is_pair = isinstance(given, tuple) and len(given) == 2
    if is_pair and isinstance(given[0], numbers.Integral) and not isinstance(given[0], bool):
        count, given = int(given[0]), given[1]
        if count < 1:
            raise InvalidError(f"view {name!r}: the count must be a positive integer, got {count}")
    refuse_what_is_no_list(f"view {name!r}", given, "penstock.transforms")
    operations = tuple(flat(given))
    for operation in operations:
        if not isinstance(operation, Transform):
            is_function = callable(operation) or isinstance(operation, Python)
            raise InvalidError(
                f"view {name!r} must be a list of penstock.transforms, got {operation!r}"
                + (f"; views run no functions of yours: call it on batch[{name!r}]" if is_function else "")
            )
    return count, operations
