"""Where a warning belongs."""

from __future__ import annotations

import sys


def caller_level() -> int:
    """The stacklevel of a warning that points at the user's line, not at penstock's."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "penstock":
        level, frame = level + 1, frame.f_back
    return level
