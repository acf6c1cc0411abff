"""Operations on images and audio, lists of them outside of a loader, and lists as plain values. `functional` has them
as functions, with values given that the operations draw."""

from __future__ import annotations

from .._batch_replay import apply_batch
from .._compose import Compose, apply
from .._config import from_config, from_json, from_yaml, to_config, to_json, to_yaml
from .._functions import Lambda, Python
from .._on_device import on_device
from .._operations import CLASSES, Transform, make

globals().update(CLASSES)

from . import functional  # noqa: E402 - its functions are made of the classes

__all__ = [
    "Compose",
    "Lambda",
    "Python",
    "Transform",
    "apply",
    "apply_batch",
    "from_config",
    "from_json",
    "from_yaml",
    "functional",
    "make",
    "on_device",
    "to_config",
    "to_json",
    "to_yaml",
    *CLASSES,
]
