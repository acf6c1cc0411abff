#!/usr/bin/env python3
"""Renames the words of penstock in a working tree: picture -> image, sound -> audio, and so on.

    rename.py REPO [--no-format]

Works on what git tracks below REPO, moves files with `git mv`, then formats C++ and Python. The same tree gives the same
result, and running it again changes nothing.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

# --- what stays ------------------------------------------------------------------------------------------------------

# Names of other libraries, stored formats, terms of the trade.
PROTECTED = re.compile(
    r"""[^\n]*deprecated\ name[^\n]*
      | WebPPicture\w*            # libwebp
      | \bsoundfile\b | \blibsndfile\w* | \bsndfile\w*
      | penstock\ sound           # HDF5 attribute `format` of files that exist
      | \bsound\ fields?\b        # ambisonics
      | https?://[^\s)>"'`]+
      | at\ most | At\ most | almost | mostly | innermost | outermost
    """,
    re.VERBOSE,
)
# Files that talk about the old words, or hold what an earlier version wrote.
SKIPPED = re.compile(
    r"(^|/)fixtures/|^python/tests/data/(?!\w+\.py$)|^LICENSE|^docs/glossary\.md$|^docs/design/stability\.md$"
    r"|^python/penstock/_renamed\.py$|^python/tests/test_renamed\.py$"
)

# --- identifiers -----------------------------------------------------------------------------------------------------

# Whole identifiers, first of all. None of the public names of api.md is here.
NAMES = {
    "PictureDecoder": "ImageFormatDecoder",  # ImageDecoder reads all formats with these
    "picture_decoder": "image_format_decoder",
    "is_sound_huffman_table": "is_valid_huffman_table",
    "part_sound": "part_intact",
    "whole_sound": "whole_intact",
    "BadSound": "BadRecording",
    "usual_sound": "usual_audio",
    "sounds_in": "recordings_in",
    "sounds_for_test": "recordings_for_test",
    "Sounds": "Recordings",
    "SOUNDS": "RECORDINGS",
    "Sound": "Audio",
    "kSounds": "kRecordings",
    "go_on_from": "resume_from",
    "go_on": "resume",
    "go_on_": "proceed_",
    "let_go_on_": "may_work_",
    "bytes_at_hand": "bytes_available",
    "look_behind_the_end": "check_trailing_data",
    "all_scans_came": "all_scans_arrived",
    "clear_away": "remove_remains",
    "tidy_after_kill": "clean_up_after_kill",
    "could_change_unseen": "could_change_unnoticed",
    "ask_to_end": "request_stop",
    "let_work": "set_active_workers",
    "made_up": "synthetic",
    "lose_rows": "fail_rows",
    "tell_progress": "report_progress",
    "strangers_write": "writable_by_others",
    "refuse_stranger": "refuse_untrusted",
    "check_closely": "check_page_by_page",
    "way_out_": "error_exit_",
    "windows_unlike_": "differing_windows_",
    "kWindowsUnlike": "kDifferingWindows",
    "warn_of_unchanged": "warn_about_unchanged",
    "kMostInCache": "kMaxCachedValues",
    "kMostNamed": "kMaxNamed",
    "kMostOnDevice": "kMaxOnDevice",
    "kMostOpen": "kMaxOpenFiles",
    "MOST_FOR_LOOKING": "MAX_SHARE_FOR_LOOKING",
    "kLongest": "kMaxLength",
    "kLongestKey": "kMaxKeyLength",
    "kLongestName": "kMaxNameLength",
    "kLongestInteger": "kMaxIntegerDigits",
    "kLongestClause": "kMaxClauseLength",
    "kDeepestBraces": "kMaxBraceDepth",
    "kDeepestHdf5Tree": "kMaxHdf5TreeDepth",
    "kDeepestJson": "kMaxJsonDepth",
    "kDeepestValue": "kMaxValueDepth",
    "kHighestRate": "kMaxRate",
    "kSmallestUserBlock": "kMinUserBlock",
    "keep_at_most": "keep_at_most",
    "timed_epochs_at_least": "timed_epochs_at_least",
    "timed_seconds_at_least": "timed_seconds_at_least",
    "resize_longest": "resize_longest",
    "largest_radix": "max_radix",
    "largest_batch": "max_batch_rows",
}
# Parts of identifiers, where letters change: `sound_list`, `PictureSpec`, `kMostRows`.
PARTS = [
    (re.compile(r"picture"), "image"),
    (re.compile(r"Picture"), "Image"),
    (re.compile(r"PICTURE"), "IMAGE"),
    (re.compile(r"unsound"), "invalid"),
    (re.compile(r"(?<=resampled_)sound(?![a-z])"), "recording"),
    (re.compile(r"sounds(?![a-z])"), "recordings"),
    (re.compile(r"Sounds(?![a-z])"), "Recordings"),
    (re.compile(r"SOUNDS(?![A-Z])"), "RECORDINGS"),
    (re.compile(r"(?<![a-z])sound(?![a-z])"), "audio"),
    (re.compile(r"Sound(?![a-z])"), "Audio"),
    (re.compile(r"(?<![A-Z])SOUND(?![A-Z])"), "AUDIO"),
    (re.compile(r"^(k(?:Store)?)(?:Most|Largest|Longest)(?=[A-Z]|$)"), r"\1Max"),
    (re.compile(r"^(k(?:Store)?)(?:Least|Smallest)(?=[A-Z]|$)"), r"\1Min"),
    (re.compile(r"^(_?)MOST_"), r"\1MAX_"),
    (re.compile(r"^(_?)LEAST_"), r"\1MIN_"),
    (re.compile(r"^(_?)(?:most|largest)_(?=(?:workers|prefetch|runs|loaders|errors|batches)_?$)"), r"\1max_"),
    (re.compile(r"^(_?)(?:least|fewest|smallest)_(?=(?:workers|prefetch|runs|loaders|errors|batches)_?$)"), r"\1min_"),
    (re.compile(r"(?<![A-Za-z])a_(?=(?:image|audio|intact)(?![a-z]))"), "an_"),
]

# Identifiers of one file (by the name that the file has before, in any folder). `sound` there means intact.
IN_FILE = {
    "jpeg_huffman.cpp": {"sound": "valid"},
    "coefficients.cpp": {"sound": "valid"},
    "packed_header.cpp": {"sound": "valid"},
    "scan_writer.cpp": {"sound": "valid"},
    "loader_state.cpp": {"sound": "valid"},
    "jpeg_test.cpp": {"sound": "intact"},
    "webp_test.cpp": {"sound": "intact"},
    "repacked_test.cpp": {"sound": "intact"},
    "tar_index_test.cpp": {"sound": "intact"},
    "index_cache_test.cpp": {"sound": "intact"},
    "decode_fuzz.hpp": {"sound": "intact"},
    "repacked_fuzz.cpp": {"sound": "intact"},
    "sound_fuzz.cpp": {"sound": "intact"},
    "seeds.py": {"sound": "audio"},
    "sndfile.cpp": {"Sound": "SndFile", "CloseSound": "CloseSndFile", "sound_": "sndfile_", "sound": "sndfile"},
    "mp3_length.cpp": {"sound": "first"},
    "sound_samples.cpp": {"most": "bound"},
    "cached_store.cpp": {"go_on": "keep_building"},
    "cached_store.hpp": {"go_on": "keep_building"},
    "mel_spectrogram.cpp": {"least": "min", "most": "max"},
    "sound_shape.cpp": {"least": "min", "most": "max"},
    "tar_naming.cpp": {"kPictures": "kImageSignatures", "kSounds": "kAudioSignatures"},
    "make_data.py": {"picture": "encoded"},
    "dali.py": {"pictures": "arrays"},
    "audio_digits.py": {"picture": "spectrogram"},
    "pytorch_replacement.py": {"pictures": "count"},
    "test_lifecycle.py": {"pictures": "members"},
    "picture_program_test.cpp": {"Picture": "TestImage"},
}
# Bounds that are called `most` in code.
LIMIT_FILES = {
    "read_sound.cpp", "sndfile.cpp", "sound_decoder.cpp", "wav.cpp",
    "json.hpp", "json_parse.cpp", "bad_rows.cpp", "scheduler.cpp",
    "sound_build.cpp", "sound_table.cpp", "sound_worker.cpp", "make_data.py",
    "make_data_test.py", "huffman_lookup_test.cpp",
}  # fmt: skip

# Tests whose users call a field "picture": a name that is none of ours.
OWN_FIELD = re.compile(r"(?<=[\"'])picture(?=[\"'.:])")
OWN_FIELD_FILES = {
    "test_dataset.py", "test_store.py", "image_folder_test.cpp",
    "tar_table_test.cpp", "tar_naming_test.cpp", "verify_test.cpp", "cli_test.cpp",
}  # fmt: skip

# --- prose -----------------------------------------------------------------------------------------------------------

# Anywhere in a file, before all else.
PHRASES = [
    (r'fields=\{"sound": "wav"', 'fields={"clip": "wav"'),
    (r"│ picture: repack and prove,   │", "│ image: repack and prove,     │"),
    (r"arguments\.picture", "arguments.image"),
    (r"decodes no more than it keeps", "decodes only what it keeps"),
    (r"^# --- sounds -----", "# --- recordings -"),
    (r" --num-mega-buffers 10 --workers 1\"\n    limited = \[\"bash\", \"-c\", f\"ulimit -v 200000; exec \{command\} ",
     ' --num-mega-buffers 10"\n    limited = ["bash", "-c", f"ulimit -v 200000; exec {command} --workers 1 '),
    (r"(ready|complete),? and sound", r"\1 and intact"),
    (r"if it is there, and sound", "if it is there and intact"),
    (r"once in a sound file", "once in an intact file"),
    (r"mean a sound file", "mean an intact file"),
    (r"Sound data gives", "Intact data gives"),
    (r"`out` is sound only", "`out` is valid only"),
    (r"environment sound", "environment in order"),
    (r"store is sound", "store is intact"),
    (r"beside a sound sample", "beside an intact sample"),
    (r"`sound` falls when", "`valid` becomes false when"),
    (r"no known sound\b", "no known audio"),
    (r"hears the sound\b", "hears the audio"),
    (r"not the sound around", "not the audio around"),
    (r"in front of the sound\b", "in front of the audio"),
    (r"hold no sound\b", "hold no recording"),
    (r"holds no sound\b", "holds no audio"),
    (r"this is no sound\b", "this is no audio"),
    (r"decode no picture and no sound", "decode no image and no recording"),
    (r"libraries for sound\b", "libraries for audio"),
    (r'"(\w+)", "picture", "pictures"', r'"\1", "image", "images"'),
    (r'"audio", "sound", "sounds"', '"audio", "recording", "recordings"'),
    (r'"\{\} sound\{\} not say', '"{} recording{} not say'),
]
PHRASES = [(re.compile(a, re.MULTILINE), b) for a, b in PHRASES]

NOUNS = (
    r"files?|builds?|codecs?|data|loaders?|samples?|formats?|buffers?|catalogue|decoders?|operations?|transforms?|fields?"
)
DETERMINER = (
    r"a|the|A|The|or|each|every|Each|Every|that|This|this|another|its|their|first|second|next|last|longer|shorter|padded|"
    r"compressed|whole|one|long|short|opened|resampled|same|other|delivered|his|decoded|any|Any|stereo|mono|silent|1|quiet"
)
PROSE = [
    (re.compile(rf"\bsound (?={NOUNS})\b"), "audio "),
    (re.compile(rf"\bSound (?={NOUNS})\b"), "Audio "),
    (re.compile(rf"\b({DETERMINER})((?:\s|//+|#)+)sound\b(?!/)"), r"\1\2recording"),
    (re.compile(r"\bfrom sound to sound\b"), "from recording to recording"),
    (re.compile(r"\bsound(?=/)"), "audio"),
    (re.compile(r"\bunsound\b"), "invalid"),
    (re.compile(r"\bsound\b"), "audio"),
    (re.compile(r"\bSound\b"), "Audio"),
    (re.compile(r"\bsounds\b"), "recordings"),
    (re.compile(r"\bSounds\b"), "Recordings"),
    (re.compile(r"\bpictures\b"), "images"),
    (re.compile(r"\bPictures\b"), "Images"),
    (re.compile(r"\bpicture\b"), "image"),
    (re.compile(r"\bPicture\b"), "Image"),
]
ARTICLE = re.compile(r"(?<![A-Za-z0-9_'.])([Aa])((?:\s|//+|#|[`*\"'(])+)(?=(?:image|audio|intact|Image|Audio)(?![a-z]))")

# The library's names live in an inline namespace of their version; tools and tests stay where they are.
NAMESPACE = re.compile(r"\bnamespace penstock(?=(?:::(?:detail|transforms|presets))?\s*\{)")
IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
CPP = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<raw>R"(?P<tag>\w*)\(.*?\)(?P=tag)")
      | (?P<string>"(?:\\.|[^"\\\n])*")
      | (?P<char>(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+')""",
    re.VERBOSE | re.DOTALL,
)
PYTHON = re.compile(
    r"""(?P<comment>\#[^\n]*)
      | (?P<string>\"\"\".*?\"\"\"|'''.*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')""",
    re.VERBOSE | re.DOTALL,
)


def identifier(name: str, local: dict[str, str]) -> str:
    if name in local:
        return local[name]
    if name in NAMES:
        return NAMES[name]
    for pattern, new in PARTS:
        name = pattern.sub(new, name)
    return name


def compound(name: str) -> bool:
    """Whether a word of prose is an identifier: it has an underscore or capitals within."""
    return "_" in name or any(c.isupper() for c in name[1:])


def prose(text: str, local: dict[str, str]) -> str:
    text = IDENTIFIER.sub(lambda m: identifier(m[0], local) if compound(m[0]) else m[0], text)
    for pattern, new in PROSE:
        text = pattern.sub(new, text)
    return ARTICLE.sub(lambda m: m[1] + "n" + m[2], text)


def code(text: str, local: dict[str, str]) -> str:
    return IDENTIFIER.sub(lambda m: identifier(m[0], local), text)


def by_segments(text: str, pattern: re.Pattern[str], local: dict[str, str]) -> str:
    """Code by the rules for identifiers; runs of comments, and strings, by those for prose."""
    parts: list[tuple[bool, str]] = []
    at = 0
    for found in pattern.finditer(text):
        between = text[at : found.start()]
        # Comments one below the other, and literals, are one text: an article may end a line.
        if parts and parts[-1][0] and not between.strip():
            parts[-1] = (True, parts[-1][1] + between + found[0])
        else:
            parts += [(False, between), (True, found[0])]
        at = found.end()
    parts.append((False, text[at:]))
    return "".join(prose(part, local) if is_prose else code(part, local) for is_prose, part in parts)


def changed(path: str, text: str) -> str:
    for pattern, new in PHRASES:
        text = pattern.sub(new, text)
    name = Path(path).name  # folders may have changed
    if name in OWN_FIELD_FILES:
        text = OWN_FIELD.sub("photo", text)
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append(found[0])
        return f"\0{len(kept) - 1}\0"

    text = PROTECTED.sub(keep, text)
    local = dict(IN_FILE.get(name, {}))
    if name in LIMIT_FILES:
        local.setdefault("most", "limit")
    suffix = Path(path).suffix
    if suffix in (".cpp", ".hpp", ".h", ".cc"):
        text = NAMESPACE.sub("namespace penstock::inline v0", text)
        if re.search(r"\bbool&? sound\b", text):
            local.setdefault("sound", "valid")
        text = by_segments(text, CPP, local)
    elif suffix in (".py", ".pyi"):
        local.setdefault("sound", "recording")
        text = by_segments(text, PYTHON, local)
    else:
        text = prose(text, local)
    return re.sub("\0(\\d+)\0", lambda m: kept[int(m[1])], text)


def new_path(path: str) -> str:
    def part(name: str) -> str:
        stem, dot, rest = name.partition(".")
        return identifier(stem, {}) + dot + rest if not name.startswith(".") else name

    return "/".join(part(name) for name in path.split("/"))


def git(root: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True).stdout


def main() -> int:
    root = Path(sys.argv[1]).resolve()
    paths = [p for p in git(root, "ls-files", "-z").split("\0") if p and not SKIPPED.search(p)]
    paths = [p for p in paths if (root / p).is_file() and not (root / p).is_symlink()]
    if (root / "include/penstock/audio_build.hpp").exists():  # renamed already; these keep the old names alive
        about = re.compile(r"(^|/)(CHANGELOG|deprecated_|sound_|(test_)?check_layout)")
        paths = [p for p in paths if not about.search(p)]
    touched: list[str] = []
    for path in paths:
        file = root / path
        data = file.read_bytes()
        if b"\0" not in data:
            try:
                old = data.decode()
            except UnicodeDecodeError:
                old = ""
            new = changed(path, old)
            if old and new != old:
                file.write_bytes(new.encode())
                touched.append(path)
    moved = 0
    for path in paths:
        new = new_path(path)
        if new != path:
            if (root / new).exists():
                raise SystemExit(f"{path}: {new} exists already")
            (root / new).parent.mkdir(parents=True, exist_ok=True)
            git(root, "mv", path, new)
            moved += 1
    git(root, "add", "-u")
    print(f"{len(touched)} files changed, {moved} moved")
    if "--no-format" not in sys.argv:
        # Only what changed: line lengths did.
        ours = [new_path(p) for p in touched]
        cpp = [p for p in ours if p.endswith((".cpp", ".hpp"))]
        (form,) = Path("/tmp/ci/main/.venv/lib").glob("python3*/site-packages/clang_format/data/bin/clang-format")
        for i in range(0, len(cpp), 100):
            subprocess.run([form, "-i", *cpp[i : i + 100]], cwd=root, check=True)
        subprocess.run(["/tmp/ci/main/.venv/bin/ruff", "check", "--fix", "--no-cache", "--quiet", "."], cwd=root, check=False)
        git(root, "add", "-u")
    return 0


if __name__ == "__main__":
    sys.exit(main())
