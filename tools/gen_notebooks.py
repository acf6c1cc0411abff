"""Writes the notebooks in examples/notebooks from pages of docs/: text, executable blocks, and what those printed.

    python tools/gen_notebooks.py [--check]

--check writes nothing and exits 1 when a notebook differs from its page.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from check_docs import BLOCK
from generated_files import ROOT, write_or_compare

NOTEBOOKS = {"environment_check": "docs/install.md", "dataset_tutorial": "docs/quickstart.md"}
DRAW_IMAGES = """\
# The images that the cells below work on.
import sys
from pathlib import Path

sys.path.insert(0, "../..")  # the repository's root
from demo.dataset import unpack_to_folders, write_dataset

train, _ = write_dataset(Path("shapes"), 240)
unpack_to_folders(train, Path("shapes/train"))
"""

Cell = dict[str, Any]


def lines_of(text: str) -> list[str]:
    return text.strip("\n").splitlines(keepends=True)


def text_cell(text: str) -> Cell:
    return {"cell_type": "markdown", "metadata": {}, "source": lines_of(text)}


def page_cell(text: str) -> Cell:
    """Text of a page, whose links start in docs/."""
    return text_cell(re.sub(r"\]\((?![a-z]+:)", "](../../docs/", text))


def code_cell(code: str, printed: str) -> Cell:
    outputs = [{"name": "stdout", "output_type": "stream", "text": lines_of(printed)}] if printed else []
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": outputs, "source": lines_of(code)}


def notebook(page: Path) -> str:
    text = page.read_text(encoding="utf-8")
    cells = [text_cell(f"*Made from [{page.name}](../../docs/{page.name}).*"), code_cell(DRAW_IMAGES, "")]
    end = 0
    for found in BLOCK.finditer(text):
        if before := text[end : found.start()].strip():
            cells.append(page_cell(before))
        cells.append(code_cell(found.group("code"), found.group("output") or ""))
        end = found.end()
    if rest := text[end:].strip():
        cells.append(page_cell(rest))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    document = {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def main() -> int:
    notebooks = {f"examples/notebooks/{name}.ipynb": notebook(ROOT / page) for name, page in NOTEBOOKS.items()}
    return write_or_compare("Writes the notebooks from pages of docs/.", "gen_notebooks.py", notebooks)


if __name__ == "__main__":
    sys.exit(main())
