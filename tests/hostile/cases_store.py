"""Stores, made by hand: manifests, indexes, keys, records, journals."""

from __future__ import annotations

import json
import struct
from pathlib import Path

from case import Case, Used, crc32c, member, tar_of

ORIGINAL, REPACKED, PIXELS, NUMBER = range(4)
SHARD_HEADER = b"PNSTKSHD" + struct.pack("<II", 1, 0)


def record(offset: int, data: bytes, codec: int = ORIGINAL, width: int = 0, height: int = 0) -> bytes:
    size = len(data)
    return struct.pack("<QIIHHHHIBBH", offset, size, size, 0, 0, width, height, crc32c(data), codec, 0, 0)


def write_manifest(store: Path, **members: object) -> None:
    text = json.dumps(members, indent=2)
    body = text[: text.rindex("\n}")] + ","
    (store / "manifest.json").write_text(f'{body}\n  "crc32c": "{crc32c(body.encode()):08x}"\n}}\n')


def manifest(kind: str, samples: int, index: int, keys: int, shard: int, **others: object) -> dict[str, object]:
    none = "00000000"  # compared by verify alone
    return {
        "format": "penstock store",
        "version": 1,
        "written_by": "nobody",
        "fingerprint": "0" * 32,
        "samples": samples,
        "skipped": 0,
        "fields": [{"name": "value", "kind": kind}],
        "classes": None,
        "sources": [{"description": "x", "fingerprint": "0" * 32, "samples": samples}],
        "settings": {
            "image": "keep",
            "resize_shorter": None,
            "resize_longest": None,
            "quality": None,
            "shard_bytes": 1 << 28,
        },
        "kept_because": [],
        "index": {"size": index, "crc32c": none},
        "keys": {"size": keys, "crc32c": none},
        "tables": None,
        "shards": [{"size": shard, "crc32c": none}],
    } | others


def write(folder: Path, kind: str, rows: list[bytes], keys: bytes, shard: bytes, **others: object) -> Path:
    store = folder / "store"
    store.mkdir()
    header = b"PNSTKSTO" + struct.pack("<IIQIIQI", 1, 64, len(rows), 1, 40, len(keys), 1) + bytes(16)
    index = header + struct.pack("<I", crc32c(header)) + b"".join(rows)
    (store / "index.bin").write_bytes(index)
    (store / "keys.bin").write_bytes(keys)
    (store / "shard-000000.bin").write_bytes(SHARD_HEADER + shard)
    sizes = (len(rows), len(index), len(keys), len(SHARD_HEADER) + len(shard))
    write_manifest(store, **manifest(kind, *sizes) | others)
    return store


def row(key_end: int, rest: bytes) -> bytes:
    return struct.pack("<Q", key_end) + rest


def overlapping_keys(folder: Path, rows: int = 20_000, key: int = 1 << 20) -> Path:
    """Every second key is all of them; everything else is as it should be, checksums too."""
    value = record(0, b"x")[8:]
    ends = [row(0 if i % 2 else key, struct.pack("<Q", 16 + i) + value) for i in range(rows)]
    store = write(folder, "text", ends, bytes(key), b"x" * rows)
    described = {
        name: {"size": (store / file).stat().st_size, "crc32c": f"{crc32c((store / file).read_bytes()):08x}"}
        for name, file in (("index", "index.bin"), ("keys", "keys.bin"), ("shard", "shard-000000.bin"))
    }
    shards = [described.pop("shard")]
    write_manifest(store, **manifest("text", rows, 0, 0, 0) | described | {"shards": shards})
    return store


def overlapping_keys_read(folder: Path) -> Used:
    return Used(overlapping_keys(folder))


def overlapping_keys_verified(folder: Path) -> Used:
    return Used(overlapping_keys(folder), kind="verify", says="1 problems")


def overlapping_short_keys(folder: Path) -> Used:
    """Each of a length that is accepted."""
    return Used(overlapping_keys(folder, key=60_000), says="20000 samples")


def overlapping_values(folder: Path) -> Used:
    """One long text for all."""
    text = b"x" * (1 << 20)
    rows = [row(1 + i, record(16, text)) for i in range(2)] * 2000
    return Used(write(folder, "text", rows, bytes(4000), text), kind="verify", says=" problems")


def many_findings(folder: Path) -> Used:
    """A wrong checksum in every row."""
    rows = 150_000
    value = record(0, b"y")[8:]
    ends = [row(1 + i, struct.pack("<Q", 16 + i) + value) for i in range(rows)]
    return Used(write(folder, "text", ends, bytes(rows), b"x" * rows), kind="verify", says=" 100000 of them kept")


def claimed_samples(folder: Path) -> Used:
    store = write(folder, "text", [row(1, record(16, b"x"))], b"k", b"x")
    write_manifest(store, **manifest("text", 1 << 60, 104, 1, 17))
    return Used(store, says="CorruptError")


def claimed_array(folder: Path) -> Used:
    store = write(folder, "text", [row(1, record(16, b"x"))], b"k", b"x")
    field = {"name": "value", "kind": "array", "type": "float64", "shape": [1 << 20, 1 << 20]}
    write_manifest(store, **manifest("text", 1, 104, 1, 17, fields=[field]))
    return Used(store, says="CorruptError")


def many_shards(folder: Path) -> Used:
    """Lines of the manifest for files that are not there."""
    store = write(folder, "text", [row(1, record(16, b"x"))], b"k", b"x")
    shards = [{"size": 1, "crc32c": "00000000"}] * 60_000
    write_manifest(store, **manifest("text", 1, 104, 1, 17, shards=shards))
    return Used(store, says="CorruptError")


def many_classes(folder: Path) -> Used:
    store = write(folder, "text", [row(1, record(16, b"x"))], b"k", b"x")
    write_manifest(store, **manifest("text", 1, 104, 1, 17, classes=[""] * 300_000))
    return Used(store)


def many_fields(folder: Path) -> Used:
    store = write(folder, "text", [row(1, record(16, b"x"))], b"k", b"x")
    fields = [{"name": str(i), "kind": "text"} for i in range(30_000)]
    write_manifest(store, **manifest("text", 1, 104, 1, 17, fields=fields))
    return Used(store, says="CorruptError")


def manifest_of(text: str, folder: Path) -> Used:
    store = write(folder, "text", [row(1, record(16, b"x"))], b"k", b"x")
    body = '{\n  "format": "penstock store",\n  "classes": ' + text + ","
    (store / "manifest.json").write_text(f'{body}\n  "crc32c": "{crc32c(body.encode()):08x}"\n}}\n')
    return Used(store, says="CorruptError")


def deep_manifest(folder: Path) -> Used:
    return manifest_of("[" * 500_000 + "]" * 500_000, folder)


def wide_manifest(folder: Path) -> Used:
    return manifest_of("[" + "0," * 1_000_000 + "0]", folder)


def manifest_of_long_text(folder: Path) -> Used:
    return manifest_of('"' + "\\u00e9" * 300_000 + '"', folder)


def large_manifest(folder: Path) -> Used:
    """Most of it is a hole."""
    store = write(folder, "text", [row(1, record(16, b"x"))], b"k", b"x")
    with (store / "manifest.json").open("r+b") as file:
        file.truncate(257 << 20)
    return Used(store, says="too large")


def claimed_pixels(folder: Path) -> Used:
    pixels = b"PNPX" + struct.pack("<HHII", 1, 3, 60_000, 60_000) + bytes(100)
    return Used(write(folder, "image", [row(1, record(16, pixels, PIXELS))], b"k", pixels), says="1 samples")


def claimed_repacked(folder: Path) -> Used:
    """Records that begin as repacked ones do, without the code tables that they need."""
    rows, shard = [], b""
    for i in range(64):
        data = b"PNRJ" + bytes([1, 0, 0, 0]) + struct.pack("<HH", 65_500, 65_500) + bytes([i]) * 64
        rows.append(row(1 + i, record(16 + len(shard), data, REPACKED, 65_500, 65_500)))
        shard += data
    return Used(write(folder, "image", rows, bytes(64), shard), says="64 samples")


def changed_repacked(folder: Path) -> Used:
    """Records of a real store in which the bytes of the header claim something else, with right checksums."""
    import io
    import os
    import subprocess
    import sys

    from PIL import Image

    jpeg = io.BytesIO()
    Image.radial_gradient("L").convert("RGB").save(jpeg, "JPEG", quality=80)
    tar = tar_of(folder, *(member(f"{i:03}.jpg", jpeg.getvalue()) for i in range(128)))
    program = "import penstock, sys; penstock.build(sys.argv[1], sys.argv[2], progress=False)"
    environment = {**os.environ, "PENSTOCK_CACHE_DIR": str(folder / "cache")}
    store = folder / "store"
    subprocess.run([sys.executable, "-c", program, str(tar), str(store)], check=True, env=environment)
    tar.unlink()
    index = bytearray((store / "index.bin").read_bytes())
    shard = bytearray((store / "shard-000000.bin").read_bytes())
    for i in range(128):
        at = 64 + 40 * i + 8
        where, size = struct.unpack_from("<QI", index, at)
        shard[where + i % 64] = 0xFF if i < 64 else shard[where + i % 64] ^ 0x80
        struct.pack_into("<I", index, at + 24, crc32c(bytes(shard[where : where + size])))
    (store / "index.bin").write_bytes(index)
    (store / "shard-000000.bin").write_bytes(shard)
    return Used(store, pixels=1 << 25, says="128 samples")


def changed_tables(folder: Path) -> Used:
    """Code tables of nothing but ones, with the right checksum."""
    tables = b"PNRT" + bytes([1, 0, 0, 0]) + struct.pack("<I", 0xFFFFFFFF) + b"\xff" * 30_000
    data = b"\xff" * 100
    store = write(folder, "image", [row(1, record(16, data, REPACKED, 10, 10))], b"k", data)
    (store / "tables.bin").write_bytes(tables)
    described = {"size": len(tables), "crc32c": f"{crc32c(tables):08x}"}
    write_manifest(store, **manifest("image", 1, 104, 1, 16 + len(data), tables=described))
    return Used(store)


# --- journals --------------------------------------------------------------------------------------------------------


def journal_of(folder: Path, *lines: str) -> Used:
    tar = tar_of(folder, *(member(f"{i}.txt") for i in range(4)))
    building = Path(f"{tar}.out.building")
    building.mkdir()
    text = "".join(f"{crc32c(line.encode()):08x} {line}\n" for line in lines)
    (building / "journal").write_text(text)
    (building / "lock").write_bytes(b"")
    return Used(tar, kind="resume", says="4 samples")


def deep_journal(folder: Path) -> Used:
    return journal_of(folder, "[" * 500_000 + "]" * 500_000)


def long_journal(folder: Path) -> Used:
    """Checkpoints that claim ever more."""
    checkpoint = {"done": 1 << 60, "samples": 1 << 60, "skipped": 0, "open_shard": [1 << 60, 0], "rows": [1 << 60, 0]}
    line = json.dumps(checkpoint | {"keys": [1 << 60, 0], "kept_because": [], "shard": [1 << 60, 0]})
    return journal_of(folder, "{}", *([line] * 10_000))


def wide_journal(folder: Path) -> Used:
    return journal_of(folder, "{}", json.dumps({"kept_because": [""] * 300_000}))


def journal_of_recordings(folder: Path) -> Used:
    """Of a build into HDF5, with lines that claim ever more, and one that nests."""
    recordings = folder / "in"
    (recordings / "a").mkdir(parents=True)
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, 8000, 16_000, 2, 16)
    body = b"WAVE" + form + b"data" + struct.pack("<I", 3200) + bytes(range(200)) * 16
    (recordings / "a/a.wav").write_bytes(b"RIFF" + struct.pack("<I", len(body)) + body)
    building = folder / "in.h5.building"
    building.mkdir()
    lines = ["{}", *[json.dumps({"files": 1 << 60, "rows": 1 << 60, "bad": []})] * 10_000, "[" * 500_000]
    (building / "journal").write_text("".join(f"{crc32c(line.encode()):08x} {line}\n" for line in lines))
    (building / "data.h5").write_bytes(b"x")
    return Used(recordings, kind="resume_audio", says="1 samples")


CASES = [
    Case(f"store: {make.__name__.replace('_', ' ')}", make)
    for make in (
        overlapping_keys_read,
        overlapping_keys_verified,
        overlapping_short_keys,
        overlapping_values,
        many_findings,
        claimed_samples,
        claimed_array,
        many_shards,
        many_classes,
        many_fields,
        deep_manifest,
        wide_manifest,
        manifest_of_long_text,
        large_manifest,
        claimed_pixels,
        claimed_repacked,
        changed_repacked,
        changed_tables,
        deep_journal,
        long_journal,
        wide_journal,
        journal_of_recordings,
    )
]
