"""Checks the layout rules of HACKING.md that the compiler does not.

- A folder of src/ includes only itself and folders above it in the data flow; include/penstock/ includes only itself
  and the standard library.
- Every header says `#pragma once`.
- Every C++ source, *_test.cpp among them, is listed in a CMakeLists.txt and so is built.
- Types and constants in the anonymous namespaces of a folder's sources, or of its tests, have names of their own: such
  files are compiled together.
- Every Python test file is named so that pytest collects it.
- The constants and tests that docs/design/limits.md names exist.
- src/formats, src/store and src/pipeline name no file by its path: they read through Storage and write through Folder.
- No source has more than 400 lines.
- Words that docs/glossary.md has replaced are not used again.

Prints what breaks a rule, one per line, then the counts; exits 1 when something does.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Data flows down this list; a folder may use only those before it.
FOLDERS = ["core", "io", "codecs", "formats", "audio", "transforms", "store", "pipeline", "cli"]
STORED = ["formats", "store", "pipeline"]  # reached through Storage and Folder alone
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
ANONYMOUS = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.MULTILINE | re.DOTALL)
HIDDEN_TYPE = re.compile(r"^(?:class|struct|enum class) (\w+)", re.MULTILINE)
HIDDEN_CONSTANT = re.compile(r"^(?:constexpr|const) [^=({;]*?\b(k[A-Z]\w*)\b", re.MULTILINE)
LIMIT = re.compile(r"`(k[A-Z]\w*)`")
LIMIT_TEST = re.compile(r"`(\w+)\.([a-z]\w*)`")
# What opens, lists or looks at files by path. Descriptors are fine.
PATH_CALL = re.compile(
    r"\bMappedFile\b|std::filesystem|<(?:filesystem|fstream|dirent\.h)>|\bstd::[io]?fstream\b"
    r"|(?<!\w)::(?:open|openat|creat|stat|lstat|access|mkdir|rmdir|unlink|rename|truncate|readlink|opendir)\("
    r"|(?<![\w.>:~])(?:openat|creat|l?stat|mkdir|rmdir|unlink|rename|truncate|readlink)\("
    r"|\b(?:fopen|opendir|realpath|glob|std::rename|std::remove)\("
)
OLD_WORD = re.compile(
    r"[Pp]icture|PICTURE|(?<![A-Za-z])[Ss]ounds?(?![a-z])|(?<=[a-z])Sound|SOUND|\bk(?:Most|Largest)[A-Z]"
)
# Names of others, what files say that exist, a term of acoustics, and names that are on their way out.
NOT_OURS = re.compile(r"WebPPicture\w*|penstock sound|sound fields?|.*deprecated name.*")
ABOUT_OLD_WORDS = re.compile(r"(^|/)(CHANGELOG|glossary|stability|(test)?_renamed|deprecated_|sound_|\w*check_layout)")
MAX_LINES = 400
STANDARD_HEADER = re.compile(r"^[a-z_0-9]+$")  # the standard library's headers: no folder, no suffix


def tracked(*patterns: str) -> list[Path]:
    """Files known to git, or about to be, that match."""
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return [ROOT / line for line in sorted(set(listing.stdout.splitlines())) if (ROOT / line).exists()]


def includes(path: Path) -> Iterator[tuple[int, str, bool]]:
    """(line number, header, was it in quotes) of each include."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if found := INCLUDE.match(line):
            yield number, found.group(1) or found.group(2), found.group(1) is not None


def check_include_direction(path: Path) -> Iterator[str]:
    where = path.relative_to(ROOT)
    folder = where.parts[1]
    if folder not in FOLDERS:
        yield f"{where}: src/{folder} is not one of the folders of the layout ({', '.join(FOLDERS)})"
        return
    for number, header, quoted in includes(path):
        other = header.split("/")[0]
        if quoted and "/" in header and (path.parent / header).exists() and other not in FOLDERS:
            continue  # a folder inside this one
        if quoted and "/" not in header and not (path.parent / header).exists():
            yield f'{where}:{number}: "{header}" is not in this folder; name it by its folder'
        if other in FOLDERS and "/" in header and FOLDERS.index(other) > FOLDERS.index(folder):
            yield f'{where}:{number}: src/{folder} may not include "{header}": {other} comes after {folder}'


def check_public_header(path: Path) -> Iterator[str]:
    where = path.relative_to(ROOT)
    for number, header, _ in includes(path):
        ours = header.startswith("penstock/") and (ROOT / "include" / header).exists()
        if not ours and not STANDARD_HEADER.match(header):
            yield f"{where}:{number}: public headers include only the standard library and <penstock/...>, not {header}"


def check_pragma_once(path: Path) -> Iterator[str]:
    # Highway compiles *-inl.hpp files once per CPU target, so they have a guard of their own.
    text = path.read_text(encoding="utf-8")
    if "#pragma once" not in text and "HWY_TARGET_TOGGLE" not in text:
        yield f"{path.relative_to(ROOT)}: no #pragma once"


def check_is_built(path: Path) -> Iterator[str]:
    """A source is built when a CMakeLists.txt at or above its folder names it, or all sources of its folder."""
    folder = path.parent
    while folder != ROOT.parent:
        lists = folder / "CMakeLists.txt"
        name = path.relative_to(folder).as_posix()
        text = lists.read_text(encoding="utf-8") if lists.exists() else ""
        if re.search(rf"(?<![\w/.-]){re.escape(name)}(?![\w.-])", text):
            return
        globs = re.findall(r"file\(GLOB [^)]*\)", text)
        if any(path.parent == (folder / glob).parent for each in globs for glob in re.findall(r"[\w/]*\*\.cpp", each)):
            return
        folder = folder.parent
    yield f"{path.relative_to(ROOT)}: no CMakeLists.txt at or above its folder names it, so it is not built"


def hidden_names(path: Path) -> set[str]:
    """The types and constants of a source's anonymous namespace."""
    return {
        name
        for block in ANONYMOUS.findall(path.read_text(encoding="utf-8"))
        for name in HIDDEN_TYPE.findall(block) + HIDDEN_CONSTANT.findall(block)
    }


def check_hidden_names(path: Path) -> Iterator[str]:
    """Files of one program and folder; kernels are compiled one by one."""
    where = path.relative_to(ROOT)
    if "kernels" in where.parts:
        return
    is_test = "test" in path.stem.split("_")
    for other in (ROOT / "src" / where.parts[1]).rglob("*.cpp"):
        alike = other != path and "kernels" not in other.parts and ("test" in other.stem.split("_")) == is_test
        for name in sorted(hidden_names(path) & hidden_names(other)) if alike else []:
            yield f"{where}: {name} is also a name in {other.relative_to(ROOT)}, with which it may be compiled"


def check_path_calls(path: Path) -> Iterator[str]:
    """Tests damage files, and may name them."""
    if "test" in path.stem.split("_"):
        return
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if found := PATH_CALL.search(line.split("//")[0]):
            yield (
                f"{path.relative_to(ROOT)}:{number}: {found.group()} names a file by its path: "
                "read through a Storage, write through a Folder (src/io)"
            )


def check_python_test_name(path: Path) -> Iterator[str]:
    helper = path.name.startswith("_") or path.name in {"conftest.py", "helpers.py", "__init__.py"}
    if not helper and not path.name.startswith("test_") and "def test_" in path.read_text(encoding="utf-8"):
        yield f"{path.relative_to(ROOT)}: holds tests, but pytest collects only test_*.py"


def check_limits(path: Path) -> Iterator[str]:
    cpp_tests = "".join(test.read_text(encoding="utf-8") for test in tracked("src/**/*_test.cpp"))
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        where = f"{path.relative_to(ROOT)}:{number}"
        files = [ROOT / name for name in re.findall(r"`((?:src|include)/[^`]+)`", line)]
        for file in (file for file in files if not file.exists()):
            yield f"{where}: there is no {file.relative_to(ROOT)}"
        code = "".join(file.read_text(encoding="utf-8") for file in files if file.exists())
        for constant in LIMIT.findall(line):
            if not re.search(rf"\b{constant}\b", code):
                yield f"{where}: {constant} is not where the line says"
        for suite, test in LIMIT_TEST.findall(line) if line.startswith("|") else []:
            cases = ROOT / "tests/hostile" / f"{suite}.py"
            if cases.exists():
                found = f"def {test}(" in cases.read_text(encoding="utf-8")
            else:
                found = f"({suite}, {test})" in cpp_tests
            if not found:
                yield f"{where}: there is no test {suite}.{test}"


def check_length(path: Path) -> Iterator[str]:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    if lines > MAX_LINES:
        yield f"{path.relative_to(ROOT)}: {lines} lines; more than {MAX_LINES} hold two ideas: split it"


def check_words(path: Path) -> Iterator[str]:
    """Text that says picture for image, or sound for audio."""
    where = path.relative_to(ROOT).as_posix()
    lines = [] if ABOUT_OLD_WORDS.search(where) else path.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        if found := OLD_WORD.search(NOT_OURS.sub("", line)):
            yield f"{where}:{number}: {found[0]!r} is an old word: see docs/glossary.md"


def main() -> int:
    headers = tracked("src/**/*.hpp", "src/**/*.h")
    sources = tracked("src/**/*.cpp")
    public = tracked("include/penstock/*.hpp")
    beside = ("python/src", "tests", "fuzz", "bench/micro")  # C++ outside src/
    checks = [
        (check_include_direction, [*headers, *sources]),
        (check_public_header, public),
        (check_pragma_once, [*headers, *public, *tracked(*(f"{folder}/*.hpp" for folder in beside))]),
        (check_is_built, [*sources, *tracked(*(f"{folder}/*.cpp" for folder in beside))]),
        (check_hidden_names, sources),
        (
            check_path_calls,
            [p for folder in STORED for p in tracked(f"src/{folder}/**/*.[ch]pp", f"src/{folder}/*.[ch]pp")],
        ),
        (check_python_test_name, tracked("python/tests/*.py", "tests/**/*.py")),
        (check_limits, tracked("docs/design/limits.md")),
        (check_length, tracked("*.cpp", "*.hpp", "*.py")),
        (check_words, tracked("*.cpp", "*.hpp", "*.py", "*.pyi", "*.md", "*.cmake", "*CMakeLists.txt", "*.toml")),
    ]
    failed = 0
    passed = 0
    for check, paths in checks:
        for path in paths:
            broken = list(check(path))
            for line in broken:
                print(line)
            failed += bool(broken)
            passed += not broken
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
