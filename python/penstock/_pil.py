"""PIL images as arrays, without losing anything of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .errors import InvalidError

#: What images of other modes become: nothing of their colours and their transparency is lost.
_BECOME = {
    **{mode: mode for mode in ("RGB", "L", "RGBA")},
    **dict.fromkeys(("1", "P", "CMYK", "YCbCr", "HSV", "LAB", "RGBX"), "RGB"),
    **dict.fromkeys(("LA", "PA"), "RGBA"),
}
_ADVICE = {
    "I": "convert it to 'I;16'",
    "F": "pass an array of its values, of 0 to 1",
    "La": "convert it to 'LA'",
    "RGBa": "convert it to 'RGBA'",
}


def is_pil(value: Any) -> bool:
    """Whether it is a PIL image."""
    return not isinstance(value, np.ndarray) and hasattr(value, "getbands") and hasattr(value, "convert")


def array_of(image: Any) -> np.ndarray[Any, Any]:
    """The pixels in mode RGB, RGBA, L or I;16: [H, W, C] of uint8, or [H, W] of uint8 or uint16."""
    if image.mode.startswith("I;16"):
        return np.asarray(image).astype(np.uint16)  # those of I;16B have their bytes the other way round
    wanted = "RGBA" if _has_transparent_colours(image) else _BECOME.get(image.mode)
    if wanted is None:
        advice = _ADVICE.get(image.mode, "convert it to 'RGB', 'RGBA', 'L' or 'I;16'")
        raise InvalidError(
            f"images must have 8 bits, or 16 in mode 'I;16', got a PIL image of mode {image.mode!r}; {advice}"
        )
    return np.asarray(image if image.mode == wanted else image.convert(wanted))


def _has_transparent_colours(image: Any) -> bool:
    return image.mode == "P" and ("transparency" in image.info or image.palette.mode.endswith("A"))
