"""tools/check_docs.py: a page that shows something else than its example prints must be reported."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_docs", ROOT / "tools" / "check_docs.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "check_docs", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    return module


def page(folder: Path, output: str) -> Path:
    path = folder / "page.md"
    path.write_text(
        "# Page\n\n```python run\nvalue = 6 * 7\n```\n\nText between.\n\n"
        f"```python run\nprint('the answer')\nprint(value)\n```\n\n```output\n{output}```\n\nMore text.\n"
    )
    return path


@pytest.mark.parametrize(
    ("output", "good"),
    [
        ("the answer\n42\n", True),
        ("the answer\n...\n", True),
        ("...\n42\n", True),
        ("the ...er\n42\n", True),
        ("the answer\n43\n", False),
        ("the answer\n", False),
        ("", False),
        ("42\n...\n", False),
    ],
)
def test_compares_what_is_printed(docs: ModuleType, tmp_path: Path, output: str, good: bool) -> None:
    assert docs.check_examples(page(tmp_path, output), tmp_path, False) == ((2, 0) if good else (1, 1))


def test_update_writes_what_was_printed(docs: ModuleType, tmp_path: Path) -> None:
    path = page(tmp_path, "something old\n")
    assert docs.check_examples(path, tmp_path, True) == (2, 0)
    assert path.read_text() == page(tmp_path, "the answer\n42\n").read_text()


def test_update_renews_the_notebooks(docs: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "gen_notebooks.py").write_text("open('renewed', 'w').write('of ' + open('page.md').read())")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(docs, "make_data", lambda folder: None)
    monkeypatch.setattr(sys, "argv", ["check_docs.py", "--update", str(page(tmp_path, "something old\n"))])
    assert docs.main() == 0
    assert Path("renewed").read_text() == "of " + page(tmp_path, "the answer\n42\n").read_text()


def test_an_exception_is_a_difference(docs: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("```python run\nraise ValueError('no')\n```\n")
    assert docs.check_examples(path, tmp_path, False) == (0, 1)


def test_dead_links_are_reported(docs: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text('[a](page.md#part) [b](gone.md) ![c](gone.png) <img src="page.md"> [d](https://example.com)\n')
    assert docs.check_links(path) == (2, 2)
