#!/usr/bin/env python3
"""Turns of phrase in comments, documentation and messages: prose.py REPO. Idempotent."""
import re
import subprocess
import sys
from pathlib import Path

W = r"(\s+(?://+\s*|#\s*|\*\s*)?)"  # between words, over a line's end too
RULES = [
    (rf"\b(is|are|be|was|were|been){W}gone{W}on{W}(?:with|from)\b", r"\1\2resumed"),
    (rf"\b(to|can|could|may|not|also){W}go{W}on{W}(?:with|from){W}(an interrupted|an unfinished|each other's interrupted|one that left)", r"\1\2resume\5\6"),
    (rf"\bgo{W}on{W}(?:with|from){W}an interrupted build", r"resume\3an interrupted build"),
    (rf"\bgoes{W}on\b", "continues"),
    (rf"\bGoes{W}on\b", "Continues"),
    (rf"(?<!what is )\bgoing{W}on{W}(in|with|from|at|where)\b", r"continuing\2\3"),
    (rf"\bwent{W}on{W}(with|without|in|at)\b", r"continued\2\3"),
    (rf"\bgone{W}on{W}(with|from|for)\b", r"continued\2\3"),
    (rf"\b(to|can|cannot|may|not|could|and|then|also|which|parent|stages|errors|window){W}go{W}on\b(?! to)", r"\1\2continue"),
    (r"\banew\b", "again"),
    (r"\bfor ever\b", "forever"),
    (r"\bin one go\b", "at once"),
    (r"\bbegin of\b", "start of"),
    (r"\bat hand\b", "available"),
    (r"\bmend(s?)\b(?= (?:them|it|the|a)\b)", r"fix\1"),
    (r"all the same\b(?=[;,.)\"]|$)", "anyway"),
    (r"(?<=[ \"])as a rule\b", "usually"),
    (r"\bA line for people\b", "A human-readable line"),
    (r"\bOne line for people\b", "One human-readable line"),
    (r"\b(lines|name) for people\b", r"human-readable \1"),
    (r"\bby a human-readable name\b", "by a human-readable name"),
    (r"(?<=, )for people\b(?! who)", "human-readable"),
    (r"(?<=///< )for people\b", "human-readable"),
    (r"(?<=// )for people$", "human-readable"),
    (r"of every so many places of the epoch's order", "within windows of this many places of the epoch's order"),
    (r"\bone behind the other\b", "one after the other"),
    (r"(?<!left )(?<!lies )(?<!hide )(?<!stay )(?<!stays )\bbehind (the (?:end|header|headers|last|first|index|row|rows|data|table|chunk|name|key|keys|shard|mark|line|other)|its (?:end|header|last|first|chunk)|what (?:it|was|that)|it\b(?= (?:is|are|lies|follows|comes)))", r"after \1"),
    (r"A (file|folder) that is there already is", r"An existing \1 is"),
    (r"the (store|file) was there already", r"the \1 already existed"),
    (r"(?<![Tt]here )\b(is|was) no (store|number|folder|list|link|transform|problem|sample|name|fault|cache|class|count|state|key|file|tar|group|JPEG)\b(?! (?:is|that))", r"\1 not a \2"),
    (r"(?<![Tt]here )\b(is|was) no (image|operation|error|integer|array|index|archive|option)\b(?! (?:is|that))", r"\1 not an \2"),
    (r"(?<!every )\bso many (workers|samples|batches|threads|files|places|frames|bytes|rows|steps)\b", r"that many \1"),
    (r"the longest that (a|the) consumer waits for a batch", r"max seconds that \1 consumer waits for a batch"),
    (r", the most there were\b", ", at their maximum"),
]
RULES = [(re.compile(a, re.MULTILINE), b) for a, b in RULES]
SKIPPED = re.compile(r"(^|/)fixtures/|^bench/results/|glossary\.md$|stability\.md$|^tests/check_layout|^LICENSE")
IDENT = [(re.compile(r"(?<=_)goes_on(?=_|\b)"), "continues"), (re.compile(r"\bgoes_on(?=_)"), "continues"), (re.compile(r"(?<=_)went_on(?=_|\b)"), "continued"), (re.compile(r"(?<=_)go_on(?=_|\b)"), "continue")]


def main() -> int:
    root = Path(sys.argv[1]).resolve()
    names = subprocess.run(["git", "ls-files"], cwd=root, check=True, capture_output=True, text=True).stdout.splitlines()
    touched = []
    for name in names:
        file = root / name
        if SKIPPED.search(name) or file.suffix not in (".cpp", ".hpp", ".py", ".pyi", ".md", ".ipynb", ".cmake") or not file.is_file():
            continue
        old = new = file.read_text()
        for pattern, to in [*RULES, *(IDENT if file.suffix in (".cpp", ".py", ".md") else [])]:
            new = pattern.sub(to, new)
        if new != old:
            file.write_text(new)
            touched.append(name)
    (form,) = Path("/tmp/ci/main/.venv/lib").glob("python3*/site-packages/clang_format/data/bin/clang-format")
    if cpp := [n for n in touched if n.endswith((".cpp", ".hpp"))]:
        subprocess.run([form, "-i", *cpp], cwd=root, check=True)
    print(f"{len(touched)} files changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
