"""tests/check_layout.py: each rule is broken once and must be reported."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
GOOD = {
    "src/core/rng.hpp": "#pragma once\n#include <cstdint>\n",
    "src/core/rng.cpp": '#include "core/rng.hpp"\nnamespace {\nconstexpr int kRounds = 4;\n}  // namespace\n',
    "src/core/rng_test.cpp": '#include "core/rng.hpp"\n#include <gtest/gtest.h>\n',
    "src/core/CMakeLists.txt": "penstock_library(core SOURCES rng.cpp)\npenstock_tests(core rng_test.cpp)\n",
    "src/io/file.hpp": '#pragma once\n#include "core/rng.hpp"\n#include "penstock/result.hpp"\n',
    "include/penstock/result.hpp": "#pragma once\n#include <string>\n",
    "include/penstock/batch.hpp": "#pragma once\n#include <penstock/result.hpp>\n",
    "python/tests/test_loader.py": "def test_x() -> None: ...\n",
}


@pytest.fixture
def layout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_layout", ROOT / "tests" / "check_layout.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    for name, text in GOOD.items():
        write(tmp_path, name, text)
    return module


def write(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_accepts_a_tidy_tree(layout: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert layout.main() == 0, capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "text", "report"),
    [
        ("src/core/rng.hpp", '#pragma once\n#include "io/file.hpp"\n', "io comes after core"),
        ("src/codecs/png.hpp", '#pragma once\n#include "formats/tar.hpp"\n', "formats comes after codecs"),
        ("src/io/file.hpp", '#include "core/rng.hpp"\n', "no #pragma once"),
        ("src/io/file.hpp", '#pragma once\n#include "rng.hpp"\n', "name it by its folder"),
        ("src/extra/a.hpp", "#pragma once\n", "not one of the folders"),
        ("src/core/queue_test.cpp", "", "not built"),
        ("src/core/queue.cpp", "", "not built"),
        ("src/core/queue.cpp", "namespace {\nconstexpr int kRounds = 2;\n}  // namespace\n", "kRounds is also a name"),
        ("include/penstock/batch.hpp", "#pragma once\n#include <hwy/highway.h>\n", "public headers"),
        ("include/penstock/batch.hpp", '#pragma once\n#include "core/rng.hpp"\n', "public headers"),
        ("src/core/rng.hpp", "#pragma once\n// The size of a picture.\n", "rng.hpp:2: 'picture' is an old word"),
        ("src/formats/tar.hpp", "#pragma once\n#include <filesystem>\n", "names a file by its path"),
        ("src/pipeline/loader.hpp", "#pragma once\nclass MappedFile;\n", "names a file by its path"),
        ("src/store/pack.hpp", "#pragma once\nint x = ::open(name, 0);\n", "names a file by its path"),
        ("src/store/pack.hpp", "#pragma once\nint x = stat(name, &found);\n", "names a file by its path"),
        ("src/store/pack.hpp", "#pragma once\nint x = std::rename(a, b);\n", "names a file by its path"),
        ("docs/audio.md", "A WAV file of a sound field is no sound.\n", "'sound' is an old word"),
        ("python/tests/test_loader.py", "\n" * 401, "401 lines"),
        ("python/tests/loader_test.py", "def test_x() -> None: ...\n", "pytest collects only"),
        ("docs/design/limits.md", "| 4 | `kRounds`, `src/core/rng.hpp` | |\n", "kRounds is not where the line says"),
        ("docs/design/limits.md", "| 4 | `kRounds`, `src/core/none.cpp` | |\n", "there is no src/core/none.cpp"),
        ("docs/design/limits.md", "| 4 | | `rng.draws` |\n", "there is no test rng.draws"),
    ],
)
def test_reports_a_broken_rule(
    layout: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, report: str
) -> None:
    write(tmp_path, name, text)
    assert layout.main() == 1
    assert report in capsys.readouterr().out
