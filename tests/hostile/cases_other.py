"""Class folders, patterns and states."""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path

from case import Case, Used, member, png_chunk, tar_of

HEAD = struct.pack(">IIBBBBB", 2, 2, 8, 2, 0, 0, 0)
PNG = (
    b"\x89PNG\r\n\x1a\n"
    + png_chunk(b"IHDR", HEAD)
    + png_chunk(b"IDAT", zlib.compress(bytes(14)))
    + png_chunk(b"IEND", b"")
)


def links_to_above(folder: Path) -> Used:
    """Every folder holds links to all others and to the root."""
    root = folder / "in"
    for name in "abcdefgh":
        (root / name).mkdir(parents=True)
        (root / name / "a.png").write_bytes(PNG)
        for other in "abcdefgh":
            (root / name / f"to_{other}").symlink_to(root / other)
        (root / name / "up").symlink_to(root)
    return Used(root)


def deep_folders(folder: Path) -> Used:
    root = folder / "in" / "class"
    path = root
    while len(str(path)) < 3900:
        path /= "d" * 20
    path.mkdir(parents=True)
    (path / "a.png").write_bytes(PNG)
    return Used(folder / "in", says="1 samples")


def many_classes(folder: Path) -> Used:
    for i in range(2000):
        (folder / "in" / str(i)).mkdir(parents=True)
        (folder / "in" / str(i) / "a.png").write_bytes(PNG)
    return Used(folder / "in", says="2000 samples")


def link_to_a_device(folder: Path) -> Used:
    (folder / "in/a").mkdir(parents=True)
    (folder / "in/a/zero.png").symlink_to("/dev/zero")
    return Used(folder / "in", says="1 samples, 2 batches, 1 errors")


def braces(pattern: str, folder: Path) -> Used:
    """Not data, but words of the user: up to a million names may come of them."""
    return Used(f"{folder}/{pattern}.tar", extra=256 << 20, says="Error")


STATE = {
    "version": 1,
    "epoch": 0,
    "position": 2,
    "samples": 4,
    "seed": 1,
    "generator_seed": 1,
    "dataset": "0" * 32,
    "order": "in order",
    "pipeline": "0" * 16,
}


def state_of(folder: Path, text: str) -> Used:
    tar = tar_of(folder, *(member(f"{i}.txt") for i in range(4)))
    Path(f"{tar}.state").write_text(text)
    return Used(tar, kind="state", says="Error")


def state_of_many_steps(folder: Path) -> Used:
    long = STATE | {"batch_size": 2, "rank": 0, "world": 1, "delivered": "e" + "f" * (4 << 20)}
    return state_of(folder, json.dumps(long))


def state_of_large_numbers(folder: Path) -> Used:
    return state_of(folder, json.dumps(STATE | {"position": 2**64 - 1, "epoch": 2**64 - 1, "samples": 2**64 - 1}))


def state_that_nests(folder: Path) -> Used:
    return state_of(folder, json.dumps(STATE)[:-1] + ', "order": ' + "[" * 80 + "]" * 80 + "}")


CASES = [
    *(
        Case(f"folder: {make.__name__.replace('_', ' ')}", make)
        for make in (links_to_above, deep_folders, many_classes, link_to_a_device)
    ),
    Case("pattern: a billion shards", lambda folder: braces("{0..999999999}", folder)),
    Case(
        "pattern: shards from below to above",
        lambda folder: braces("{-9223372036854775808..9223372036854775807}", folder),
    ),
    Case("pattern: products", lambda folder: braces("{a,b}" * 60, folder)),
    Case("pattern: nested braces", lambda folder: braces("{" * 2000 + "a" + "}" * 2000, folder)),
    Case("pattern: long numbers", lambda folder: braces("{1.." + "9" * 2000 + "}", folder)),
    Case("pattern: many stars", lambda folder: braces("*a" * 60 + "c", stars(folder))),
    *(
        Case(f"state: {make.__name__[6:].replace('_', ' ')}", make)
        for make in (state_of_many_steps, state_of_large_numbers, state_that_nests)
    ),
]


def stars(folder: Path) -> Path:
    """A name that a pattern of many stars nearly fits, in very many ways."""
    (folder / ("a" * 200 + "b.tar")).write_bytes(bytes(1024))
    return folder
