"""Tar archives, and the indexes that are kept of them."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import time
from pathlib import Path

from case import Case, Used, member, pax_record, tar_header, tar_of

MASK = (1 << 64) - 1


def global_path(folder: Path) -> Used:
    """A long name for every second sample, written once."""
    long = pax_record(b"path", b"k" * 65_000 + b".txt")
    pairs = [member("x"), member("p", pax_record(b"path", b"other.txt"), b"x"), member("x")] * 600
    return Used(tar_of(folder, member("g", long, b"g"), *pairs), says="longer than the archive")


def global_path_of_a_mebibyte(folder: Path) -> Used:
    long = pax_record(b"path", b"k" * 1_040_000 + b".txt")
    pairs = [member("x"), member("p", pax_record(b"path", b"other.txt"), b"x"), member("x")] * 300
    return Used(tar_of(folder, member("g", long, b"g"), *pairs), says="a key of 1040000 bytes")


def global_path_of_folders(folder: Path) -> Used:
    """Members that belong to no sample, with a long name each."""
    long = pax_record(b"path", b"k/" * 500_000)
    return Used(tar_of(folder, member("g", long, b"g"), *([member("d", b"", b"5")] * 4000)))


def claimed_size(folder: Path) -> Used:
    largest = b"\x80" + b"\0" * 3 + b"\x7f" + b"\xff" * 7
    return Used(tar_of(folder, tar_header(b"a.txt", 0, size_field=largest)), says="past the end")


def claimed_pax_size(folder: Path) -> Used:
    record = pax_record(b"size", b"9223372036854775807")
    return Used(tar_of(folder, member("p", record, b"x"), member("a.txt")), says="past the end")


def claimed_long_name(folder: Path) -> Used:
    return Used(tar_of(folder, tar_header(b"././@LongLink", 1 << 30, b"L")), says="extended header")


def npy_claims(folder: Path) -> Used:
    """Arrays that would be larger than memory, and headers as long as files."""

    def npy(header: bytes, version: int = 1) -> bytes:
        length = len(header).to_bytes(2 if version == 1 else 4, "little")
        return b"\x93NUMPY" + bytes([version, 0]) + length + header

    shape = b", ".join([b"1099511627776"] * 8)
    claims = npy(b"{'descr': '<f8', 'fortran_order': True, 'shape': (" + shape + b"), }")
    long = npy(b"{" + b" " * 500_000 + b"}", 2)
    return Used(tar_of(folder, member("a.npy", claims), member("b.npy", long)), says="where float64")


def long_names(folder: Path) -> Used:
    """The last of many counts."""
    name = member("././@LongLink", b"k" * 60_000 + b"\0", b"L")
    return Used(tar_of(folder, *([name] * 64), member("a.txt")))


def pax_records(folder: Path) -> Used:
    records = pax_record(b"a", b"b") * 170_000
    return Used(tar_of(folder, member("p", records, b"x"), member("a.txt")))


def many_extensions(folder: Path) -> Used:
    members = (member(f"a.e{i}", b"") for i in range(60_000))
    return Used(tar_of(folder, *members), says="60000 fields, over the limit of 4096")


def many_empty_fields(folder: Path) -> Used:
    """As many columns as a loader takes unasked, whose rows are nothing."""
    return Used(tar_of(folder, *(member(f"{s}.e{i}", b"") for s in range(2) for i in range(4096))), says="2 batches")


def too_many_extensions(folder: Path) -> Used:
    return Used(tar_of(folder, *(member(f"a.e{i}", b"") for i in range(65_600))), says="65535")


def many_samples(folder: Path) -> Used:
    return Used(tar_of(folder, *(tar_header(b"%d.txt" % i, 0) for i in range(20_000))))


def many_links(folder: Path) -> Used:
    return Used(tar_of(folder, *(tar_header(b"%d.txt" % i, 0, b"2") for i in range(20_000)), member("a.txt")))


def sparse(folder: Path) -> Used:
    records = pax_record(b"GNU.sparse.size", b"9223372036854775807") + pax_record(b"GNU.sparse.map", b"0,1," * 1000)
    return Used(tar_of(folder, member("p", records, b"x"), member("a.txt")), says="sparse")


def zeros(folder: Path) -> Used:
    """An archive of nothing but end marks."""
    return Used(tar_of(folder, bytes(8 << 20)))


def json_of(data: bytes, folder: Path) -> Used:
    return Used(tar_of(folder, member("a.json", data), member("a.cls", b"1")))


def deep_json(folder: Path) -> Used:
    return json_of(b"[" * 1_000_000 + b"]" * 1_000_000, folder)


def deep_json_objects(folder: Path) -> Used:
    return json_of(b'{"a":' * 400_000 + b"1" + b"}" * 400_000, folder)


def long_json_number(folder: Path) -> Used:
    return json_of(b"7" * 4_000_000, folder)


def wide_json(folder: Path) -> Used:
    return json_of(b"[" + b"0," * 1_000_000 + b"0]", folder)


def repeated_json_keys(folder: Path) -> Used:
    return json_of(b"{" + b'"a":1,' * 400_000 + b'"a":1}', folder)


def long_label(folder: Path) -> Used:
    return Used(tar_of(folder, member("a.cls", b"1" * 4_000_000)))


# --- indexes ---------------------------------------------------------------------------------------------------------


def mix(a: int, b: int) -> int:
    z = (b + 0x9E3779B97F4A7C15 * (a + 1)) & MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


def checksum(data: bytes) -> int:
    lanes = [1, 2, 3, 4]
    for at in range(0, len(data) // 32 * 32, 32):
        for i, word in enumerate(struct.unpack_from("<4Q", data, at)):
            x = (lanes[i] ^ word) * 0x9E3779B97F4A7C15 & MASK
            lanes[i] = (x << 29 | x >> 35) & MASK
    return mix(mix(lanes[0], lanes[1]), mix(lanes[2], lanes[3]))


def indexed(folder: Path, samples: int = 200) -> tuple[Path, Path]:
    """An archive and its index."""
    tar = tar_of(folder, *(member(f"{i:04}.txt") for i in range(samples)))
    time.sleep(0.1)  # no index is kept of a file that was written a moment ago
    program = "import penstock, sys; penstock.Dataset(sys.argv[1])"
    environment = {**os.environ, "PENSTOCK_CACHE_DIR": str(folder / "cache")}
    subprocess.run([sys.executable, "-c", program, str(tar)], check=True, env=environment)
    return tar, next((folder / "cache").glob("*.index"))


def write_index(path: Path, data: bytearray) -> None:
    data[24:32] = struct.pack("<Q", checksum(bytes(data[32:])))
    path.write_bytes(data)


def index_claims(folder: Path) -> Used:
    """Counts that no file could hold."""
    tar, index = indexed(folder)
    data = bytearray(index.read_bytes())
    struct.pack_into("<QQ", data, 40, 1 << 44, 1 << 44)
    write_index(index, data)
    return Used(tar, says="200 samples")  # made again


def index_of_one_key(folder: Path) -> Used:
    """All samples have the same, long key."""
    tar, index = indexed(folder, 4000)
    data = bytearray(index.read_bytes())
    shards, samples, members, extensions, key_bytes = struct.unpack_from("<5Q", data, 32)
    at = 128 + 32 * shards
    for i in range(samples):
        struct.pack_into("<Q", data, at + 16 * i + 8, 0 if i % 2 == 0 else key_bytes)
    write_index(index, data)
    return Used(tar)


def index_of_warnings(folder: Path) -> Used:
    tar, index = indexed(folder)
    data = bytearray(index.read_bytes())
    (text,) = struct.unpack_from("<Q", data, 72)
    data += b"\n" * (4 << 20)
    struct.pack_into("<Q", data, 16, len(data))
    start = -(-text // 32) * 32
    struct.pack_into("<Q", data, 72, start + (4 << 20))
    struct.pack_into("<II", data, 80, start, 4 << 20)
    write_index(index, data)
    return Used(tar, says="200 samples")


CASES = [
    Case(f"tar: {make.__name__.replace('_', ' ')}", make)
    for make in (
        global_path,
        global_path_of_a_mebibyte,
        global_path_of_folders,
        claimed_size,
        claimed_pax_size,
        claimed_long_name,
        npy_claims,
        long_names,
        pax_records,
        many_extensions,
        many_empty_fields,
        too_many_extensions,
        many_samples,
        many_links,
        sparse,
        zeros,
        deep_json,
        deep_json_objects,
        long_json_number,
        wide_json,
        repeated_json_keys,
        long_label,
        index_claims,
        index_of_one_key,
        index_of_warnings,
    )
]
