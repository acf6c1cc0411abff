"""Names that were changed: the old ones work for one more minor version, with a warning that says the new one."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any


def warn_renamed(old: str, new: str, stacklevel: int = 3) -> None:
    """`stacklevel` counts from here: 3 is the caller of whoever calls this."""
    warnings.warn(
        f"{old} has been renamed to {new}; the old name will be removed in the next minor version",
        DeprecationWarning,
        stacklevel=stacklevel,
    )


class RenamedKeys(dict[str, Any]):
    """A dict that still answers to the old names of its keys. Listing and comparing it shows the new ones only."""

    def __init__(self, values: Mapping[str, Any], renamed: Mapping[str, str], owner: str) -> None:
        super().__init__(values)
        self._renamed = dict(renamed)
        self._owner = owner

    def __missing__(self, key: str) -> Any:
        if key not in self._renamed:
            raise KeyError(key)
        new = self._renamed[key]
        warn_renamed(f"{self._owner}[{key!r}]", f"{self._owner}[{new!r}]")
        return self[new]
