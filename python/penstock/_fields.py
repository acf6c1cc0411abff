"""From stored bytes to Python values, by kind of field."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from . import _core
from .errors import CorruptError, _make


def _corrupt(problem: str, field: str, place: Mapping[str, Any]) -> CorruptError:
    sample = f"sample {place['index']} ({_core.printable(place['key'])})"
    message = f"{sample}: field '{_core.printable(field)}' is {problem}"
    error = _make("corrupt", message, {**place, "stage": "decode"})
    assert isinstance(error, CorruptError)
    return error


def decode_text(stored: bytes, field: str, place: Mapping[str, Any]) -> str:
    """UTF-8 text; raises CorruptError."""
    try:
        return stored.decode()
    except UnicodeDecodeError as problem:
        raise _corrupt(f"not UTF-8: {problem}", field, place) from None


def decode_json(stored: bytes, field: str, place: Mapping[str, Any]) -> Any:
    """Parsed JSON; raises CorruptError."""
    try:
        return json.loads(stored)
    except (ValueError, RecursionError) as problem:
        raise _corrupt(f"not JSON: {problem}", field, place) from None


def decode_stored(kind: str, value: Any, field: str, place: Mapping[str, Any]) -> Any:
    """What users see of a field that arrives as bytes."""
    if kind == "text":
        return decode_text(value, field, place)
    if kind == "json":
        return decode_json(value, field, place)
    return value
