"""Writes the type stubs of the Python package: of the compiled module, and of what is made from the catalogues.

    python tools/gen_stubs.py [--check]

python/penstock/_core.pyi is what the build made for the installed module; python/penstock/transforms/ lists every
operation and function, and python/penstock/_option_types.pyi every option of a Loader. --check writes nothing and
exits 1 when a stub differs from what it would be.
"""

from __future__ import annotations

import inspect
import re
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import penstock
from generated_files import write_or_compare
from penstock import LoaderOptions, transforms
from penstock._operations import first_by_name
from penstock._option_list import OPTIONS, Option

HEAD = """# Made by tools/gen_stubs.py from the catalogue of operations.
from collections.abc import Sequence
from typing import Literal

from .._batch_replay import apply_batch as apply_batch
from .._compose import Compose as Compose
from .._compose import apply as apply
from .._config import from_config as from_config
from .._config import from_json as from_json
from .._config import from_yaml as from_yaml
from .._config import to_config as to_config
from .._config import to_json as to_json
from .._config import to_yaml as to_yaml
from .._functions import Lambda as Lambda
from .._functions import Python as Python
from .._on_device import on_device as on_device
from .._operations import Transform as Transform
from .._operations import make as make
from . import functional as functional

__all__: list[str]
"""


def parameter_text(parameter: Mapping[str, Any]) -> str:
    default = "" if parameter["required"] else f" = {parameter['default']!r}"
    return f"{parameter['name']}: {parameter['type']}{default}"


def operation_class(info: Mapping[str, Any]) -> str:
    doc = textwrap.wrap(f'"""{info["summary"]}"""', 116)
    lines = [f"class {info['name']}(Transform):", *(f"    {line}" for line in doc), ""]
    if info["parameters"]:
        lines += ["    def __init__(", "        self,"]
        texts = [f"        {parameter_text(parameter)}," for parameter in info["parameters"]]
        if (by_name := first_by_name(info["parameters"])) < len(texts):
            texts.insert(by_name, "        *,")
        lines += texts
        lines += ["    ) -> None: ...", ""]
    else:
        lines += ["    def __init__(self) -> None: ...", ""]
    return "\n".join(lines)


def transforms_stub() -> str:
    kinds = [getattr(transforms, name) for name in transforms.__all__]
    operations = [operation_class(kind.info) for kind in kinds if isinstance(kind, type) and hasattr(kind, "info")]
    return "\n".join([HEAD, *operations])


FUNCTIONS_HEAD = """# Made by tools/gen_stubs.py from functional.py and the catalogue of operations.
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar

T = TypeVar("T")
Interpolation = Literal["nearest", "box", "bilinear", "hamming", "bicubic", "lanczos"]
Fill = int | Sequence[int] | None

MADE: dict[str, Callable[..., Any]]
ELSEWHERE: dict[str, str]
NARROWER: dict[str, str]
__all__: list[str]
"""


def function_text(name: str) -> str:
    function = getattr(transforms.functional, name)
    signature = inspect.signature(function)
    doc = " ".join((inspect.getdoc(function) or "").split())
    lines = [f"def {name}("]
    for parameter in signature.parameters.values():
        default = "" if parameter.default is inspect.Parameter.empty else f" = {parameter.default!r}"
        lines.append(f"    {parameter.name}: {parameter.annotation}{default},")
    quoted = textwrap.wrap(f'"""{doc}"""', 114)
    return "\n".join([*lines, f") -> {signature.return_annotation}:", *(f"    {line}" for line in quoted), ""])


def functions_stub() -> str:
    names = sorted(transforms.functional.__all__)
    return "\n".join([FUNCTIONS_HEAD, *(function_text(name) for name in names)])


OPTIONS_HEAD = """# Made by tools/gen_stubs.py from the declarations of the options.
import os
from multiprocessing.context import BaseContext
from typing import Literal, TypedDict

import torch

from .options import LoaderOptions
from .samplers import Sampler, SamplerLike
"""


def option_members(name: str, option: Option) -> list[str]:
    """The property of an option, and the method that changes it, unless LoaderOptions has one of its own."""
    doc = textwrap.wrap(option.doc, 100)
    quoted = [f'        """{doc[0]}', *(f"        {line}" for line in doc[1:])]
    quoted[-1] += '"""'
    lines = ["    @property", f"    def {name}(self) -> {option.held}:", *quoted]
    if f"with_{name}" not in vars(LoaderOptions):
        lines += [f"    def with_{name}(", f"        self, value: {option.type}, /", "    ) -> LoaderOptions:", *quoted]
    return lines


def options_stub() -> str:
    lines = [OPTIONS_HEAD, "class OptionKeywords(TypedDict, total=False):"]
    lines += [f"    {name}: {option.type}" for name, option in OPTIONS.items()]
    lines += ["", "class OptionFields:"]
    for name, option in OPTIONS.items():
        lines += option_members(name, option)
    return "\n".join(lines) + "\n"


def core_stub() -> str:
    """What nanobind wrote for the compiled module, with the types that it cannot know."""
    text = (Path(penstock.__file__).parent / "_core.pyi").read_text(encoding="utf-8")
    text = re.sub(r"(: |-> )dict(?=[,):])", r"\1dict[str, Any]", text)
    text = re.sub(r"(: |-> )list(?=[,):])", r"\1list[Any]", text)
    text = text.replace("list[Exception]", "list[Error]")
    head = "# Made by tools/gen_stubs.py from nanobind's stub of the compiled module.\nfrom typing import Any\n"
    return f"{head}{text.rstrip()}\n\nfrom .errors import Error\n\n__version__: str\n"


def main() -> int:
    texts = {
        "python/penstock/_core.pyi": core_stub(),
        "python/penstock/transforms/__init__.pyi": transforms_stub(),
        "python/penstock/transforms/functional.pyi": functions_stub(),
        "python/penstock/_option_types.pyi": options_stub(),
    }
    return write_or_compare("Writes the stubs of the Python package.", "gen_stubs.py", texts)


if __name__ == "__main__":
    sys.exit(main())
