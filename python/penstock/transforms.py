"""Operations on images and audio, lists of them outside of a loader, and lists as plain values."""

from __future__ import annotations

from ._compose import Compose, apply
from ._config import from_config, to_config
from ._functions import Python
from ._operations import CLASSES, Transform, make

globals().update(CLASSES)

__all__ = ["Compose", "Python", "Transform", "apply", "from_config", "make", "to_config", *CLASSES]
