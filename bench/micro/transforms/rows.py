"""What a row of the benchmark is: one operation, or a chain, as each library does it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from penstock import transforms

Call = Callable[[Any], Any]

CALL = "penstock"  # Compose([...])(array), from Python
ENGINE = "penstock, in a worker"  # the same list as a loader's worker runs it
PIL = "torchvision, PIL"
TENSOR = "torchvision, tensor"
ALBUMENTATIONS = "albumentations"
KORNIA = "kornia"
OURS = (CALL, ENGINE)
RIVALS = (PIL, TENSOR, ALBUMENTATIONS, KORNIA)


@dataclass(frozen=True)
class Row:
    """The same work for each library that can do it.

    `torchvision` is called with PIL images and with tensors, `albumentations` is one of its objects, `kornia` takes a
    batch of one image of floats. `within` says how far a library's image may be from ours, in levels on average; what
    it does not name draws or computes something else, and only the size of the result is compared.
    """

    name: str
    ours: list[transforms.Transform]
    torchvision: Call | None = None
    tensors: bool = True  # whether torchvision takes tensors here
    albumentations: Any = None
    kornia: Call | None = None
    within: Mapping[str, float] = field(default_factory=dict)
    operation: str = ""  # the name in the catalogue, where that is not the last one of `ours`

    def calls(self) -> dict[str, Call]:
        """How each rival is called, by its name."""
        found: dict[str, Call] = {}
        if self.torchvision is not None:
            found[PIL] = self.torchvision
            if self.tensors:
                found[TENSOR] = self.torchvision
        if self.albumentations is not None:
            given = self.albumentations
            found[ALBUMENTATIONS] = lambda image: given(image=image)["image"]
        if self.kornia is not None:
            found[KORNIA] = self.kornia
        return found


#: Where the same pixels are expected of torchvision on PIL images.
EXACT = {PIL: 0.0}
#: The same, and a rounding apart on tensors.
ROUNDED = {PIL: 0.0, TENSOR: 1.0}
