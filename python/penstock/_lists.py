"""The lists of operations that a loader is given, as the engine takes them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from . import _core
from ._foreign import as_function
from ._functions import Python
from ._operations import flat, refuse_what_is_no_list
from ._stages import Stages
from .dataset import Dataset
from .errors import InvalidError
from .transforms import Transform
from .views import Views

Operation = Transform | Python | Callable[..., Any]
Transforms = Iterable[Operation] | Mapping[str, Iterable[Operation]] | Views

_MAX_OPERATIONS = 1000  # whoever gives more has an iterator without an end


def transform_lists(
    transforms: Iterable[Operation] | Mapping[str, Iterable[Operation]] | None, dataset: Dataset, stages: Stages
) -> list[tuple[str, list[_core.Transform]]]:
    """By the name of each list's field; "" for the list of the sample, which the engine finds the field for."""
    usual = dataset._usual_field
    lists = transforms if isinstance(transforms, Mapping) else {"": transforms}
    handles = []
    for field, given in lists.items():
        refuse_what_is_no_list("transforms", given or [], "transforms and functions")
        operations = list(itertools.islice(flat(given or []), _MAX_OPERATIONS + 1))
        if len(operations) > _MAX_OPERATIONS:
            raise InvalidError(f"transforms: the list must be finite, got more than {_MAX_OPERATIONS:,} operations")
        handles.append((str(field), [_handle(operation, str(field) or usual, stages) for operation in operations]))
    return handles


def _handle(operation: Any, field: str, stages: Stages) -> _core.Transform:
    if isinstance(operation, Transform):
        return operation.handle
    operation = as_function(operation)
    if not isinstance(operation, Python) and (isinstance(operation, type) or not callable(operation)):
        raise InvalidError(
            f"transforms: {operation!r} is not a transform; use one of penstock.transforms, or a function of an array"
        )
    return stages.add(operation, field)
