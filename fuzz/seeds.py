#!/usr/bin/env python3
"""Writes seed inputs for the fuzz targets: seeds.py FOLDER makes FOLDER/<target>/*. Standard library only.

A target without a function here gets no seeds beyond those of ../shared, where that exists.
"""

import io
import struct
import sys
import tarfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import audio_seeds
import hdf5_seeds
import image_seeds

SHARED = Path(__file__).resolve().parents[2] / "shared"
Seeds = Iterator[tuple[str, bytes]]


def png(width: int = 3, height: int = 2) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = (b"\0" + bytes(3 * width)) * height
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def jpeg_start() -> bytes:
    frame = b"\xff\xc0\x00\x11\x08\x01\x2c\x01\xf4\x03\x01\x22\x00\x02\x11\x01\x03\x11\x01"
    return b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00" + frame


def archive(form: int) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as tar:
        long = "d" * 60 + "/" + "n" * (40 if form == tarfile.USTAR_FORMAT else 200)
        for name, data in [
            ("a.jpg", jpeg_start()),
            ("a.cls", b" 12\n"),
            ("a.seg.png", png()),
            (long + ".txt", b"text"),
            (long + ".json", b"{}"),
        ]:
            member = tarfile.TarInfo(name)
            member.size = len(data)
            if form == tarfile.PAX_FORMAT:
                member.mtime = 1.25
            tar.addfile(member, io.BytesIO(data))
        link = tarfile.TarInfo("link.jpg")
        link.type, link.linkname = tarfile.SYMTYPE, "a.jpg"
        tar.addfile(link)
    return out.getvalue()[:-8192]  # most of the padding


def tar() -> Seeds:
    for name, form in [("ustar", tarfile.USTAR_FORMAT), ("gnu", tarfile.GNU_FORMAT), ("pax", tarfile.PAX_FORMAT)]:
        yield name, archive(form) + b"\0"
    for path in sorted(SHARED.glob("fixtures/webdataset/*.tar")):
        yield path.stem, path.read_bytes().rstrip(b"\0") + bytes(1024) + b"\0"


def tar_index() -> Seeds:
    """One shard, two samples of two members."""
    keys, text = b"ab", b"/x.tarjpgimageclslabel"
    head = struct.pack(
        "<8sIIQQ6QII32sQ", b"PNSTKIDX", 1, 128, 0, 0, 1, 2, 4, 2, len(keys), len(text), 0, 0, b"f" * 32, 0
    )
    samples = struct.pack("<6Q", 0, 0, 2, 1, 4, 2)
    members = b"".join(struct.pack("<IIHHHH", 1 + i, 10, 0, i % 2, 5, 5) for i in range(4))
    extensions = struct.pack("<IIIIQII", 6, 3, 9, 5, 2, 1, 0) + struct.pack("<IIIIQII", 14, 3, 17, 5, 2, 1, 0)
    parts = [head, struct.pack("<IIQqq", 0, 6, 4096, 1, 1), samples, members, extensions, keys, text]
    yield "small", b"".join(part + bytes(-len(part) % 32) for part in parts)


def image_header() -> Seeds:
    yield "jpeg", jpeg_start()
    yield "png", png()
    yield "vp8", b"RIFF\x40\0\0\0WEBPVP8 \x30\0\0\0\x10\x02\0\x9d\x01\x2a\x90\x01\x2c\x01"
    yield "vp8l", b"RIFF\x40\0\0\0WEBPVP8L\x30\0\0\0\x2f\x8f\xc1\x4a\x00\0\0\0\0\0"
    yield "vp8x", b"RIFF\x40\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\xff\x0f\x01\x63\0\0"


def jpeg() -> Seeds:
    yield from image_seeds.JPEG.items()


def png_of(color_type: int, depth: int, interlaced: int) -> bytes:
    """5 x 3 pixels; an interlaced file has passes of 1, 1, 1, 1, 2, 2 and 1 rows of 1, 1, 2, 1, 3, 2 and 5 pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    bits = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[color_type] * depth
    passes = [(1, 1), (1, 1), (0, 2), (2, 1), (1, 3), (2, 2), (1, 5)] if interlaced else [(3, 5)]
    data = b"".join((b"\x01" + bytes(range((width * bits + 7) // 8))) * rows for rows, width in passes)
    head = struct.pack(">IIBBBBB", 5, 3, depth, color_type, 0, 0, interlaced)
    palette = chunk(b"PLTE", bytes(range(3 << depth))) + chunk(b"tRNS", b"\0\x80") if color_type == 3 else b""
    body = chunk(b"IHDR", head) + palette + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def png_files() -> Seeds:
    for color_type, depths in {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 4), 4: (8, 16), 6: (8, 16)}.items():
        for depth in depths:
            for interlaced in (0, 1):
                yield f"type{color_type}_{depth}_{interlaced}", png_of(color_type, depth, interlaced)


def wav(tag: int, bits: int, channels: int, extensible: bool = False) -> bytes:
    """Ten frames."""
    frame = channels * ((bits + 7) // 8)
    form = struct.pack("<HHIIHH", 0xFFFE if extensible else tag, channels, 8000, 8000 * frame, frame, bits)
    if extensible:
        guid = struct.pack("<H", tag) + bytes.fromhex("000000001000800000aa00389b71")
        form += struct.pack("<HHI", 22, bits, 0) + guid
    data = bytes(range(10 * frame))
    body = b"WAVE" + b"fmt " + struct.pack("<I", len(form)) + form + b"data" + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", len(body)) + body


def audio() -> Seeds:
    for tag, bits in [(1, 8), (1, 16), (1, 24), (1, 32), (3, 32), (3, 64), (6, 8), (7, 8)]:
        for channels in (1, 3):
            yield f"wav_{tag}_{bits}_{channels}", wav(tag, bits, channels, extensible=channels == 3)
    yield "rf64", b"RF64" + bytes(4) + b"WAVEds64" + struct.pack("<IQQQI", 28, 0, 20, 10, 0) + wav(1, 16, 1)[12:]
    yield from audio_seeds.RECORDINGS.items()


def webp() -> Seeds:
    yield from image_seeds.WEBP.items()


def store() -> Seeds:
    """The parts that store_fuzz.cpp takes; rows of one image, of an image and a number, and of four fields."""

    def parts(first: int, *pieces: bytes) -> bytes:
        return bytes([first]) + b"".join(struct.pack("<H", len(piece)) + piece for piece in pieces)

    def record(offset: int, size: int, codec: int) -> bytes:
        return struct.pack("<QIIHHHHIBBH", offset, size, size, 0, 0, 3, 2, 0, codec, 0, 0)

    pixels = b"PNPX" + struct.pack("<HHII", 1, 3, 3, 2) + bytes(18)
    depth = b"PNPX" + struct.pack("<HBBII", 2, 2, 0, 3, 2) + bytes(12)
    mask = b"PNPX" + struct.pack("<HBBII", 2, 1, 1, 3, 2) + bytes(6)
    for name, file in [("pixels_16", depth), ("pixels_mask", mask)]:
        yield name, parts(0, b"x", struct.pack("<Q", 1) + record(16, len(file), 2), b"k", b"", file)
    for name, file, codec in [("pixels", pixels, 2), ("original", png(), 0), ("repacked", jpeg_start(), 1)]:
        yield name, parts(0, b"x", struct.pack("<Q", 1) + record(16, len(file), codec), b"k", b"", file)
    row = struct.pack("<Q", 1) + record(16, len(pixels), 2) + record(16 + len(pixels), 8, 3)
    yield "two_fields", parts(2, b"x", row, b"k", b"", pixels + bytes(8))
    row += record(24 + len(pixels), 2, 0) + record(26 + len(pixels), 6, 0)
    yield "four_fields", parts(6, b"x", row, b"k", b"", pixels + bytes(8) + b"hi" + bytes(6))
    yield "manifest", parts(1, b'{"format": "penstock store", "version": 1}', b"PNSTKSTO", b"", b"", b"")


def repacked() -> Seeds:
    """Files to be packed, changes to their records, and the tables in which every code has 8 bits."""
    for name, data in image_seeds.JPEG.items():
        yield f"file_{name}", b"J" + data
        yield f"pixels_{name}", b"P" + data
        yield f"record_{name}", b"M\0" + data
        yield f"changed_{name}", b"M\2\0\x40\x01\0\xf0\x10" + data
    yield "tables", b"TPNRT\1\0\0\0\0\0\0\0" + b"\x88" * 20480


def npy() -> Seeds:
    """Headers as numpy writes them, and some that it would not."""
    for number, (version, text, data) in enumerate(
        [
            (1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 24),
            (2, "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 2, 2), }", 8),
            (3, "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", 5),
            (1, "{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (), }", 4),
            (1, "{'descr': '>i8', 'fortran_order': False, 'shape': (1099511627776, 1099511627776), }", 8),
        ]
    ):
        length = len(text).to_bytes(2 if version == 1 else 4, "little")
        yield f"{number}.npy", b"\x93NUMPY" + bytes([version, 0]) + length + text.encode() + bytes(range(data))


def json_documents() -> Seeds:
    yield "document", b'{"a": [1, -2.5e3, "x\\n\\u00e9\\ud83d\\ude00\\udc80"], "b": {}, "c": [[], true, null]}'
    yield "python", b"[NaN, Infinity, -Infinity, 123456789012345678901234567890]"
    yield "utf-16", '["\u00e9"]'.encode("utf-16")


def hdf5() -> Seeds:
    yield from hdf5_seeds.HDF5.items()


TARGETS: dict[str, Callable[[], Seeds]] = {
    "tar": tar,
    "tar_index": tar_index,
    "image_header": image_header,
    "jpeg": jpeg,
    "png": png_files,
    "audio": audio,
    "webp": webp,
    "store": store,
    "repacked": repacked,
    "hdf5": hdf5,
    "npy": npy,
    "json": json_documents,
}


def main(folder: Path) -> None:
    for target, seeds in TARGETS.items():
        (folder / target).mkdir(parents=True, exist_ok=True)
        for name, data in seeds():
            (folder / target / name).write_bytes(data)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
