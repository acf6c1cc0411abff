"""What LoaderOptions has for every option. The stub beside this file is made by tools/gen_stubs.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._option_list import OPTIONS, Option

#: For type checkers alone: the options as keywords.
OptionKeywords = dict


def _property(name: str, option: Option) -> property:
    return property(lambda self: self._values[name], doc=option.doc)


def _changer(name: str, option: Option) -> Callable[[Any, Any], Any]:
    def change(self: Any, value: Any) -> Any:
        return self.replace(**{name: value})

    change.__name__ = f"with_{name}"
    change.__qualname__ = f"LoaderOptions.with_{name}"
    change.__doc__ = option.doc
    change.__annotations__ = {"value": option.type, "return": "LoaderOptions"}
    return change


#: What LoaderOptions has for every option: a property, and with_<option>(value) for a changed copy.
OptionFields = type(
    "OptionFields",
    (),
    {
        "__slots__": (),
        **{name: _property(name, option) for name, option in OPTIONS.items()},
        **{f"with_{name}": _changer(name, option) for name, option in OPTIONS.items()},
    },
)
