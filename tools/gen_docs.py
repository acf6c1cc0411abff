"""Writes the reference pages that the catalogues hold the text of: docs/transforms.md and docs/options.md.

    python tools/gen_docs.py [--check]

--check writes nothing and exits 1 when a page differs from what the installed penstock would give.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import penstock
from penstock import options, presets, transforms

DOCS = Path(__file__).resolve().parent.parent / "docs"
NOTE = "<!-- made by tools/gen_docs.py from the installed package: change the text there, beside the code -->"


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(head)} |", f"|{'|'.join('---' for _ in head)}|"]
    return lines + [f"| {' | '.join(cell(text) for text in row)} |" for row in rows]


def operation_section(info: Mapping[str, Any]) -> list[str]:
    lines = [f"## {info['name']}", "", info["summary"], ""]
    rows = [
        (
            f"`{parameter['name']}`",
            f"`{parameter['type']}`",
            "required" if parameter["required"] else f"`{parameter['default']!r}`",
            parameter["doc"],
        )
        for parameter in info["parameters"]
    ]
    return lines + ([*table(("parameter", "type", "default", "meaning"), rows), ""] if rows else [])


def preset_section(name: str, size: int) -> list[str]:
    preset = getattr(presets, name)
    steps = "\n".join(f"{number}. `{operation!r}`" for number, operation in enumerate(preset(size), 1))
    return [f"### presets.{name}({size})", "", steps, ""]


def transforms_page() -> str:
    classes = [getattr(transforms, name) for name in transforms.__all__]
    infos = [kind.info for kind in classes if isinstance(kind, type) and hasattr(kind, "info")]
    lines = [
        NOTE,
        "# Transforms",
        "",
        "Operations on pictures, for `Loader(..., transforms=[...])`. Names, parameters and defaults are those of",
        "torchvision, pixels those of Pillow. The plan (`print(loader.plan())`) fuses what it can: only the pixels",
        "that are needed are decoded and computed, and the results stay the same.",
        "",
        *table(("operation", "what it does"), [(f"[{i['name']}](#{i['name'].lower()})", i["summary"]) for i in infos]),
        "",
    ]
    for info in infos:
        lines += operation_section(info)
    lines += ["## Presets", "", "Lists of operations that training usually needs.", ""]
    lines += preset_section("imagenet_train", 224) + preset_section("imagenet_val", 224)
    return "\n".join(lines).rstrip() + "\n"


def options_page() -> str:
    defaults = penstock.LoaderOptions().to_dict()
    rows = [
        (f"`{name}`", '`"torch"` or `"numpy"`' if name == "output" else f"`{defaults[name]!r}`", text)
        for name, text in options._DOCS.items()
    ]
    lines = [
        NOTE,
        "# Options of a Loader",
        "",
        "Each is a keyword of `penstock.Loader` and a field of `penstock.LoaderOptions`. The default of `output` is",
        "torch where torch is installed. Unknown names and impossible values raise `InvalidError`.",
        "",
        *table(("option", "default", "meaning"), rows),
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description="Writes the generated pages of docs/.")
    parser.add_argument("--check", action="store_true", help="only compare")
    check = parser.parse_args().check
    stale = 0
    for name, text in (("transforms.md", transforms_page()), ("options.md", options_page())):
        page = DOCS / name
        if page.exists() and page.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        if check:
            print(f"docs/{name} is not what the installed penstock gives; run python tools/gen_docs.py")
        else:
            page.write_text(text, encoding="utf-8")
            print(f"wrote docs/{name}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
