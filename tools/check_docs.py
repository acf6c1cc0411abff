"""Runs the examples in the documentation and compares what they print with what the pages show.

    python tools/check_docs.py [--update] [FILE ...]

A block that starts with ```python run is executed; a ```output block right after it must be what it printed, where a
line of only ... stands for any lines, and ... within a line for any text. The blocks of a page share their variables
and a folder with the demo's images: `shapes/` holds train-*.tar and val-*.tar, `shapes/train/` a folder per class.
Links to files of the repository must lead somewhere. --update puts what was printed into the output blocks, and
writes the notebooks that are made of pages again.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(
    r"^```python run\n(?P<code>.*?)^```\n(?:\n*^```output\n(?P<output>.*?)^```\n)?", re.MULTILINE | re.DOTALL
)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)|!\[[^\]]*\]\(([^)\s]+)\)|<img[^>]*src=\"([^\"]+)\"")
SAMPLES = 240
# Runs in a process of its own; reads the blocks as JSON, writes what each printed as JSON.
DRIVER = """
import contextlib, io, json, sys, traceback
names = {"__name__": "__docs__"}
printed = []
for place, code in json.load(sys.stdin):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            exec(compile(code, place, "exec"), names)
        except Exception:
            out.write("".join(traceback.format_exc()))
    printed.append(out.getvalue())
json.dump(printed, sys.stdout)
"""


@dataclass(frozen=True)
class Block:
    place: str  # file:line
    code: str
    output: str
    span: tuple[int, int]  # of the output's text; empty where the page shows none


def blocks_of(path: Path) -> list[Block]:
    text = path.read_text(encoding="utf-8")
    blocks = []
    for found in BLOCK.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        span = found.span("output") if found.group("output") is not None else (-1, -1)
        blocks.append(Block(f"{path.relative_to(ROOT)}:{line}", found.group("code"), found.group("output") or "", span))
    return blocks


def matches(shown: str, printed: str) -> bool:
    """Whether the page's output stands for what was printed."""
    pattern = ""
    for line in shown.rstrip("\n").split("\n"):
        if line.strip() == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*?".join(re.escape(part) for part in line.split("...")) + r"\n"
    return re.fullmatch(pattern, printed.rstrip("\n") + "\n") is not None


def run_blocks(blocks: Sequence[Block], folder: Path) -> list[str]:
    result = subprocess.run(
        [sys.executable, "-c", DRIVER],
        input=json.dumps([(block.place, block.code) for block in blocks]),
        cwd=folder,
        env={**os.environ, "PENSTOCK_CACHE_DIR": str(folder / "cache")},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    if result.returncode != 0:
        raise SystemExit(f"{blocks[0].place}: the examples ended with {result.returncode}\n{result.stderr}")
    outputs: list[str] = json.loads(result.stdout)
    return outputs


def make_data(folder: Path) -> None:
    """The images that the examples work on."""
    sys.path.insert(0, str(ROOT))
    from demo.dataset import unpack_to_folders, write_dataset

    train, _ = write_dataset(folder / "shapes", SAMPLES)
    unpack_to_folders(train, folder / "shapes" / "train")


def update(path: Path, blocks: Sequence[Block], outputs: Sequence[str]) -> None:
    text = path.read_text(encoding="utf-8")
    for block, printed in reversed(list(zip(blocks, outputs, strict=True))):
        if block.span[0] >= 0 and not matches(block.output, printed):
            text = text[: block.span[0]] + printed.rstrip("\n") + "\n" + text[block.span[1] :]
    path.write_text(text, encoding="utf-8")


def check_examples(path: Path, folder: Path, rewrite: bool) -> tuple[int, int]:
    """(passed, failed) blocks of a page."""
    blocks = blocks_of(path)
    if not blocks:
        return 0, 0
    outputs = run_blocks(blocks, folder)
    if rewrite:
        update(path, blocks, outputs)
        blocks = blocks_of(path)
    failed = 0
    for block, printed in zip(blocks, outputs, strict=True):
        if not matches(block.output, printed) and (block.span[0] >= 0 or printed.strip()):
            failed += 1
            print(f"{block.place}: the page shows\n{block.output}but the program printed\n{printed}")
    return len(blocks) - failed, failed


def check_links(path: Path) -> tuple[int, int]:
    """(passed, failed) links of a page to files of the repository."""
    passed = failed = 0
    for found in LINK.finditer(path.read_text(encoding="utf-8")):
        target = next(group for group in found.groups() if group)
        if re.match(r"[a-z]+:", target):
            continue
        if (path.parent / target).exists():
            passed += 1
        else:
            failed += 1
            print(f"{path.relative_to(ROOT)}: nothing at {target}")
    return passed, failed


def pages() -> list[Path]:
    listing = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, check=True, capture_output=True, text=True)
    return [ROOT / line for line in listing.stdout.splitlines() if (ROOT / line).exists()]


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs the examples of the documentation.")
    parser.add_argument("--update", action="store_true", help="put what was printed into the pages")
    parser.add_argument("files", nargs="*", type=Path, help="default: every .md file that git knows")
    arguments = parser.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_data(folder)
        for path in [file.resolve() for file in arguments.files] or pages():
            for good, bad in (check_examples(path, folder, arguments.update), check_links(path)):
                passed += good
                failed += bad
    if arguments.update:
        subprocess.run([sys.executable, ROOT / "tools" / "gen_notebooks.py"], check=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
