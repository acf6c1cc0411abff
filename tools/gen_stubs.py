"""Writes the type stubs of the Python package: of the compiled module, and of the classes made from the catalogue.

    python tools/gen_stubs.py [--check]

python/penstock/_core.pyi is what the build made for the installed module; python/penstock/transforms.pyi lists every
operation of the catalogue. --check writes nothing and exits 1 when a stub differs from what it would be.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import penstock
from penstock import transforms

PACKAGE = Path(__file__).resolve().parent.parent / "python" / "penstock"
HEAD = '''# Made by tools/gen_stubs.py from the catalogue of operations.
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from . import _core

__all__: list[str]

class Transform:
    """An operation with its parameters. An immutable value: compares, hashes, prints as it is written."""

    handle: _core.Transform
    info: ClassVar[dict[str, Any]]
    @property
    def params(self) -> dict[str, Any]: ...

def make(name: str, params: dict[str, Any]) -> Transform: ...
'''


def parameter_text(parameter: Mapping[str, Any]) -> str:
    default = "" if parameter["required"] else f" = {parameter['default']!r}"
    return f"{parameter['name']}: {parameter['type']}{default}"


def operation_class(info: Mapping[str, Any]) -> str:
    lines = [f"class {info['name']}(Transform):", f'    """{info["summary"]}"""', ""]
    if info["parameters"]:
        lines += ["    def __init__(", "        self,"]
        lines += [f"        {parameter_text(parameter)}," for parameter in info["parameters"]]
        lines += ["    ) -> None: ...", ""]
    else:
        lines += ["    def __init__(self) -> None: ...", ""]
    return "\n".join(lines)


def transforms_stub() -> str:
    kinds = [getattr(transforms, name) for name in transforms.__all__]
    operations = [operation_class(kind.info) for kind in kinds if isinstance(kind, type) and hasattr(kind, "info")]
    return "\n".join([HEAD, *operations])


def core_stub() -> str:
    """What nanobind wrote for the compiled module, with the types that it cannot know."""
    text = (Path(penstock.__file__).parent / "_core.pyi").read_text(encoding="utf-8")
    text = re.sub(r"(: |-> )dict(?=[,):])", r"\1dict[str, Any]", text)
    text = re.sub(r"(: |-> )list(?=[,):])", r"\1list[Any]", text)
    text = text.replace("list[Exception]", "list[Error]")
    head = "# Made by tools/gen_stubs.py from nanobind's stub of the compiled module.\nfrom typing import Any\n"
    return f"{head}{text.rstrip()}\n\nfrom .errors import Error\n\n__version__: str\n"


def main() -> int:
    parser = argparse.ArgumentParser(description="Writes the stubs of the Python package.")
    parser.add_argument("--check", action="store_true", help="only compare")
    check = parser.parse_args().check
    stale = 0
    for name, text in (("_core.pyi", core_stub()), ("transforms.pyi", transforms_stub())):
        stub = PACKAGE / name
        if stub.exists() and stub.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        if check:
            print(f"python/penstock/{name} is not what the installed penstock gives; run python tools/gen_stubs.py")
        else:
            stub.write_text(text, encoding="utf-8")
            print(f"wrote python/penstock/{name}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
