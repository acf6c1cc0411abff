"""Who takes part in a row, whether their answers agree, and how long they take."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from PIL import Image

from engine import Engine
from penstock import transforms
from rows import ALBUMENTATIONS, CALL, ENGINE, KORNIA, PIL, TENSOR, Row

SHARE_SECONDS = 0.004  # what a contender's share of a round lasts
MAX_CALLS = 2000

#: How long that many calls took, in seconds.
Contender = Callable[[int], float]


class WrongAnswerError(Exception):
    """A contender gave another answer."""


@dataclass(frozen=True)
class Forms:
    """One image in the form that each library takes."""

    file: Path  # for the engine
    given: Mapping[str, Any]

    @staticmethod
    def of(pixels: npt.NDArray[np.uint8], folder: Path) -> Forms:
        height, width, _ = pixels.shape
        file = folder / f"pixels.{width}x{height}.rgb"
        file.write_bytes(pixels.tobytes())
        tensor = torch.from_numpy(pixels).permute(2, 0, 1).contiguous()
        given = {
            CALL: pixels,
            PIL: Image.fromarray(pixels),
            TENSOR: tensor,
            ALBUMENTATIONS: pixels,
            KORNIA: (tensor.float() / 255)[None],
        }
        return Forms(file, given)


def timed(call: Callable[[], Any]) -> Contender:
    def seconds(calls: int) -> float:
        start = time.perf_counter()
        for _ in range(calls):
            call()
        return time.perf_counter() - start

    return seconds


def contenders(row: Row, forms: Forms, engine: Engine) -> dict[str, Contender]:
    """All that take part in a row, ours first."""
    compose = transforms.Compose(row.ours)
    image = forms.given[CALL]
    found: dict[str, Contender] = {
        CALL: timed(lambda: compose(image)),
        ENGINE: lambda calls: engine.nanoseconds(row.ours, forms.file, calls) / 1e9,
    }
    for name, call in row.calls().items():
        found[name] = timed(lambda call=call, given=forms.given[name]: call(given))  # type: ignore[misc]
    return found


def values_of(result: Any) -> npt.NDArray[Any]:
    """[H, W, C], of whichever library."""
    if isinstance(result, torch.Tensor):
        return (result[0] if result.ndim == 4 else result).permute(1, 2, 0).numpy()
    return np.atleast_3d(np.asarray(result))


def check(row: Row, forms: Forms, engine: Engine) -> dict[str, float]:
    """How far each rival's image is from ours on average, where the row says that it may be compared. Raises
    WrongAnswerError."""
    ours = transforms.Compose(row.ours)(forms.given[CALL], seed=1)
    if engine.result(row.ours, forms.file).tobytes() != ours.tobytes():
        raise WrongAnswerError(f"{row.name}: a worker gives other pixels than Compose")
    differences = {}
    for name, call in row.calls().items():
        theirs = values_of(call(forms.given[name]))
        if name not in row.within:
            continue
        if theirs.shape != ours.shape:
            raise WrongAnswerError(f"{row.name}: {name} gives {theirs.shape}, penstock {ours.shape}")
        levels = 255.0 if theirs.dtype.kind == "f" and ours.dtype.kind != "f" else 1.0
        difference = float(np.abs(theirs.astype(np.float64) * levels - ours.astype(np.float64)).mean())
        if difference > row.within[name]:
            raise WrongAnswerError(f"{row.name}: {name} is {difference:.5f} away on average, not {row.within[name]}")
        differences[name] = difference
    return differences


def calls_in(share: float, contender: Contender) -> int:
    contender(2)
    each = contender(3) / 3
    return max(1, min(MAX_CALLS, round(share / each)))


def microseconds(found: Mapping[str, Contender], rounds: int, share: float = SHARE_SECONDS) -> dict[str, list[float]]:
    """Of a call of each, round by round. Who begins changes with the round."""
    calls = {name: calls_in(share, contender) for name, contender in found.items()}
    names = list(found)
    taken: dict[str, list[float]] = {name: [] for name in names}
    gc.collect()
    gc.disable()
    for number in range(rounds):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            taken[name].append(found[name](calls[name]) / calls[name] * 1e6)
    gc.enable()
    return taken
