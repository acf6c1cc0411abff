"""What a case of the suite is, and the small writers that several formats share."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

BLOCK = 512


@dataclass
class Used:
    """How probe.py is to use what a case wrote."""

    source: Path | str
    kind: str = "read"
    pixels: int = 0  #: of the image that is decoded, if it is within max_pixels
    extra: int = 0  #: bytes that are allowed beyond the rule, for a reason that the case tells
    says: str = ""  #: part of the outcome


@dataclass
class Case:
    name: str
    make: Callable[[Path], Used]


class CannotBeMade(Exception):  # noqa: N818 - no error: a package is missing
    """On this machine."""


def tar_header(name: bytes, size: int, kind: bytes = b"0", size_field: bytes | None = None) -> bytes:
    field = size_field or b"%011o\0" % size
    header = bytearray(
        name[:100].ljust(100, b"\0") + b"0000644\0" + b"0000000\0" * 2 + field + b"00000000000\0" + b" " * 8 + kind
    )
    header += bytes(100) + b"ustar\00000" + bytes(BLOCK - 265)
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header)


def padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % BLOCK)


def member(name: bytes | str, data: bytes = b"x", kind: bytes = b"0") -> bytes:
    encoded = name.encode() if isinstance(name, str) else name
    return tar_header(encoded, len(data), kind) + padded(data)


def pax_record(key: bytes, value: bytes) -> bytes:
    length = len(key) + len(value) + 3
    while len(b"%d" % length) + len(key) + len(value) + 3 != length:
        length = len(b"%d" % length) + len(key) + len(value) + 3
    return b"%d %s=%s\n" % (length, key, value)


def tar_of(folder: Path, *members: bytes) -> Path:
    (folder / "a.tar").write_bytes(b"".join(members) + bytes(2 * BLOCK))
    return folder / "a.tar"


def one_file(folder: Path, name: str, data: bytes, **used: object) -> Used:
    """A tar with one sample of this file, beside a good label."""
    return Used(tar_of(folder, member(f"a.{name}", data), member("a.cls", b"1")), **used)  # type: ignore[arg-type]


def png_chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


CRC_TABLE = []
for byte in range(256):
    value = byte
    for _ in range(8):
        value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    CRC_TABLE.append(value)


def crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc = CRC_TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFF
