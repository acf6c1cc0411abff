"""Images and recordings: headers that claim, data that is all alike, chunks that repeat."""

from __future__ import annotations

import io
import struct
import sys
import zlib
from pathlib import Path

from case import Case, Used, one_file, png_chunk
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fuzz"))
import audio_seeds  # noqa: E402 - beside the fuzz targets

SIGNATURE = b"\x89PNG\r\n\x1a\n"


# --- PNG -------------------------------------------------------------------------------------------------------------


def png(width: int, height: int, *others: bytes, interlaced: int = 0, pixels: bytes | None = None) -> bytes:
    """`others` come before the pixels, which are black."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, interlaced)
    data = zlib.compress(bytes((1 + 3 * width) * height), 9) if pixels is None else pixels
    chunks = [png_chunk(b"IHDR", head), *others, png_chunk(b"IDAT", data), png_chunk(b"IEND", b"")]
    return SIGNATURE + b"".join(chunks)


def claimed_png(folder: Path) -> Used:
    return one_file(folder, "png", png(0x7FFFFFFF, 0x7FFFFFFF, pixels=zlib.compress(bytes(100))), says="1 samples")


def empty_png_within_the_limit(folder: Path) -> Used:
    """All pixels are missing."""
    return one_file(folder, "png", png(8000, 8000, pixels=zlib.compress(bytes(100))), pixels=64_000_000)


def black_png(folder: Path) -> Used:
    return one_file(folder, "png", png(4000, 4000), pixels=16_000_000)


def interlaced_png(folder: Path) -> Used:
    rows = sum(
        (1 + 3 * (-(-(2000 - x) // dx))) * (-(-(2000 - y) // dy))
        for x, y, dx, dy in (
            (0, 0, 8, 8),
            (4, 0, 8, 8),
            (0, 4, 4, 8),
            (2, 0, 4, 4),
            (0, 2, 2, 4),
            (1, 0, 2, 2),
            (0, 1, 1, 2),
        )
    )
    data = zlib.compress(bytes(rows), 9)
    return one_file(folder, "png", png(2000, 2000, interlaced=1, pixels=data), pixels=4_000_000)


def png_texts_that_grow(folder: Path) -> Used:
    text = png_chunk(b"zTXt", b"a\0\0" + zlib.compress(bytes(32 << 20), 9))
    return one_file(folder, "png", png(8, 8, *[text] * 20))


def png_profile_that_grows(folder: Path) -> Used:
    profile = png_chunk(b"iCCP", b"a\0\0" + zlib.compress(bytes(256 << 20), 9))
    return one_file(folder, "png", png(8, 8, profile))


def png_of_many_chunks(folder: Path) -> Used:
    return one_file(folder, "png", png(8, 8, *[png_chunk(b"tEXt", b"a\0b")] * 200_000))


def png_of_empty_chunks(folder: Path) -> Used:
    return one_file(folder, "png", png(8, 8, *[png_chunk(b"IDAT", b"")] * 200_000))


# --- JPEG ------------------------------------------------------------------------------------------------------------


def jpeg(width: int, height: int, **options: object) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (width, height)).save(out, "JPEG", quality=30, **options)  # type: ignore[arg-type]
    return out.getvalue()


def with_size(data: bytes, width: int, height: int) -> bytes:
    at = min(at for at in (data.find(b"\xff\xc0\0\x11"), data.find(b"\xff\xc2\0\x11")) if at >= 0)
    return data[: at + 5] + struct.pack(">HH", height, width) + data[at + 9 :]


def with_segments(data: bytes, *segments: bytes) -> bytes:
    return data[:2] + b"".join(segments) + data[2:]


def segment(marker: int, body: bytes) -> bytes:
    return bytes([0xFF, marker]) + struct.pack(">H", len(body) + 2) + body


def claimed_jpeg(folder: Path) -> Used:
    return one_file(folder, "jpg", with_size(jpeg(8, 8), 65_500, 65_500), says="1 samples")


def empty_jpeg_within_the_limit(folder: Path) -> Used:
    return one_file(folder, "jpg", with_size(jpeg(8, 8), 8000, 8000), pixels=64_000_000)


def empty_progressive_jpeg_within_the_limit(folder: Path) -> Used:
    """Its coefficients are kept for the whole image."""
    return one_file(folder, "jpg", with_size(jpeg(8, 8, progressive=True), 8000, 8000), pixels=64_000_000)


def black_jpeg(folder: Path) -> Used:
    return one_file(folder, "jpg", jpeg(4000, 4000), pixels=16_000_000)


def progressive_jpeg_of_many_scans(folder: Path) -> Used:
    """490 scans over the whole image, in the right order, each of 221 bytes that say that nothing changes."""
    side = 12_000
    out = io.BytesIO()
    Image.new("L", (side, side)).save(out, "JPEG", quality=30, progressive=True)
    data = out.getvalue()
    first_ac = data.find(b"\xff\xda\0\x08\1\1\0\1\5\2")
    end = data.find(b"\xff\xc4", first_ac)
    body = data[first_ac + 10 : end]  # with the code tables that come before the first of them
    steps = [(k, high, low) for k in range(1, 64) for high, low in [(0, 7)] + [(b, b - 1) for b in range(7, 0, -1)]]
    scans = b"".join(b"\xff\xda\0\x08\1\1\0" + bytes([k, k, high << 4 | low]) + body for k, high, low in steps[:490])
    return one_file(folder, "jpg", data[:first_ac] + scans + b"\xff\xd9", pixels=side * side)


def jpeg_of_profiles(folder: Path) -> Used:
    part = [segment(0xE2, b"ICC_PROFILE\0" + bytes([1 + i % 255, 255]) + bytes(65_000)) for i in range(60)]
    return one_file(folder, "jpg", with_segments(jpeg(64, 64), *part))


def jpeg_of_tables(folder: Path) -> Used:
    table = segment(0xDB, b"\0" + bytes([1]) * 64)
    return one_file(folder, "jpg", with_segments(jpeg(64, 64), *[table] * 50_000))


def jpeg_of_comments(folder: Path) -> Used:
    return one_file(folder, "jpg", with_segments(jpeg(64, 64), *[segment(0xFE, b"")] * 500_000))


def jpeg_of_restarts(folder: Path) -> Used:
    return one_file(folder, "jpg", with_segments(jpeg(64, 64), segment(0xDD, b"\0\1")) + b"\xff\xd0" * 500_000)


# --- WebP ------------------------------------------------------------------------------------------------------------


def webp(width: int, height: int, **options: object) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (width, height)).save(out, "WEBP", **options)  # type: ignore[arg-type]
    return out.getvalue()


def claimed_webp(folder: Path) -> Used:
    data = bytearray(webp(8, 8, lossless=True))
    at = data.find(b"VP8L") + 9
    struct.pack_into("<I", data, at, 0x0FFFFFFF)
    return one_file(folder, "webp", bytes(data), says="1 samples")


def empty_webp_within_the_limit(folder: Path) -> Used:
    data = bytearray(webp(8, 8, lossless=True))
    at = data.find(b"VP8L") + 9
    struct.pack_into("<I", data, at, 7999 | 7999 << 14)
    return one_file(folder, "webp", bytes(data), pixels=64_000_000)


def black_webp(folder: Path) -> Used:
    return one_file(folder, "webp", webp(4000, 4000, lossless=True), pixels=16_000_000)


def black_lossy_webp(folder: Path) -> Used:
    return one_file(folder, "webp", webp(4000, 4000, quality=1), pixels=16_000_000)


def webp_of_many_chunks(folder: Path) -> Used:
    data = webp(8, 8, lossless=True)
    chunks = b"VP8X" + struct.pack("<I", 10) + bytes([0x08]) + bytes(3) + bytes([7, 0, 0, 7, 0, 0])
    body = b"WEBP" + chunks + (b"EXIF" + struct.pack("<I", 0)) * 200_000 + data[12:]
    return one_file(folder, "webp", b"RIFF" + struct.pack("<I", len(body)) + body)


# --- recordings ------------------------------------------------------------------------------------------------------


def wav(data: bytes, channels: int = 1, rate: int = 8000, size: int | None = None, before: bytes = b"") -> bytes:
    form = struct.pack("<HHIIHH", 1, channels, rate, rate * 2 * channels & 0xFFFFFFFF, 2 * channels & 0xFFFF, 16)
    body = b"WAVE" + before + b"fmt " + struct.pack("<I", 16) + form
    body += b"data" + struct.pack("<I", len(data) if size is None else size) + data
    return b"RIFF" + struct.pack("<I", min(len(body), 0xFFFFFFFF)) + body


def claimed_wav(folder: Path) -> Used:
    return one_file(folder, "wav", wav(bytes(100), size=0x7FFFFFF0), says="1 samples")


def wav_of_many_channels(folder: Path) -> Used:
    return one_file(folder, "wav", wav(bytes(131_070), channels=65_535), says="1 samples")


def wav_of_a_high_rate(folder: Path) -> Used:
    return one_file(folder, "wav", wav(bytes(2000), rate=0xFFFFFFFF), says="1 samples")


def wav_of_many_chunks(folder: Path) -> Used:
    return one_file(folder, "wav", wav(bytes(100), before=(b"LIST" + bytes(4)) * 400_000), says="1 samples")


def wav_of_bits(folder: Path) -> Used:
    """8 bits become floats: the largest growth that a WAV file can have."""
    data = bytes(4 << 20)
    form = struct.pack("<HHIIHH", 1, 1, 8000, 8000, 1, 8)
    body = b"WAVEfmt " + struct.pack("<I", 16) + form + b"data" + struct.pack("<I", len(data)) + data
    return one_file(folder, "wav", b"RIFF" + struct.pack("<I", len(body)) + body)


def claimed_flac(folder: Path) -> Used:
    data = bytearray(audio_seeds.RECORDINGS["flac"])
    data[21] |= 0x0F
    data[22:26] = b"\xff" * 4
    return one_file(folder, "flac", bytes(data), says="1 samples")


def flac_of_large_metadata(folder: Path) -> Used:
    """Blocks that claim 16 MiB each."""
    data = audio_seeds.RECORDINGS["flac"]
    block = b"\x06\xff\xff\xff"
    return one_file(folder, "flac", data[:42] + block * 1000 + data[42:], says="1 samples")


def flac_of_empty_metadata(folder: Path) -> Used:
    data = audio_seeds.RECORDINGS["flac"]
    return one_file(folder, "flac", data[:42] + b"\x01\0\0\0" * 400_000 + data[42:], says="1 samples")


def crc(data: bytes, bits: int, polynomial: int) -> int:
    value = 0
    for byte in data:
        value ^= byte << (bits - 8)
        for _ in range(8):
            value = (value << 1 ^ (polynomial if value >> (bits - 1) & 1 else 0)) & ((1 << bits) - 1)
    return value


def silent_flac(samples: int) -> bytes:
    """65,535 samples in 14 bytes, again and again."""
    block = 65_535
    info = struct.pack(">HH", block, block) + bytes(6) + struct.pack(">Q", 8000 << 44 | 15 << 36 | samples) + bytes(16)
    frames = [b"fLaC\x80\0\0\x22" + info]
    for number in range(samples // block):
        coded = chr(number).encode("utf-8", "surrogatepass")
        head = b"\xff\xf8\x70\x08" + coded + struct.pack(">H", block - 1)
        frame = head + bytes([crc(head, 8, 0x07)]) + bytes(3)
        frames.append(frame + struct.pack(">H", crc(frame, 16, 0x8005)))
    return b"".join(frames)


def flac_that_grows(folder: Path) -> Used:
    samples = 65_535 * 250
    return one_file(folder, "flac", silent_flac(samples), extra=4 * 2 * samples, says="1 samples, 2 batches, 0 errors")


def flac_that_grows_beyond_the_limit(folder: Path) -> Used:
    return one_file(folder, "flac", silent_flac(65_535 * 16_500), says="1 samples")


def ogg_checksum(page: bytes) -> int:
    crc = 0
    for byte in page:
        crc ^= byte << 24
        for _ in range(8):
            crc = (crc << 1 ^ (0x04C11DB7 if crc & 0x80000000 else 0)) & 0xFFFFFFFF
    return crc


def ogg_page(kind: int, granule: int, serial: int, number: int, body: bytes) -> bytes:
    lacing = bytes([255] * (len(body) // 255) + [len(body) % 255])
    head = b"OggS" + struct.pack("<BBqIII", 0, kind, granule, serial, number, 0) + bytes([len(lacing)]) + lacing
    crc = ogg_checksum(head + body)
    return head[:22] + struct.pack("<I", crc) + head[26:] + body


def claimed_ogg(folder: Path) -> Used:
    """The last page says that there are 2^62 samples."""
    data = audio_seeds.RECORDINGS["opus"]
    (serial,) = struct.unpack_from("<I", data, 14)
    return one_file(folder, "opus", data + ogg_page(4, 1 << 62, serial, 99, b"x"), says="1 samples")


def ogg_of_many_streams(folder: Path) -> Used:
    pages = b"".join(ogg_page(2, 0, serial, 0, b"x") for serial in range(5000))
    return one_file(folder, "opus", audio_seeds.RECORDINGS["opus"] + pages, says="1 samples")


def ogg_of_empty_pages(folder: Path) -> Used:
    data = audio_seeds.RECORDINGS["opus"]
    (serial,) = struct.unpack_from("<I", data, 14)
    return one_file(folder, "opus", data + ogg_page(0, -1, serial, 50, b"") * 50_000, says="1 samples")


def claimed_mp3(folder: Path) -> Used:
    data = bytearray(audio_seeds.RECORDINGS["mp3"])
    at = data.find(b"Xing")
    data[at + 8 : at + 12] = b"\xff" * 4
    return one_file(folder, "mp3", bytes(data), says="1 samples")


def mp3_behind_a_claimed_tag(folder: Path) -> Used:
    tag = b"ID3\4\0\0\x7f\x7f\x7f\x7f"
    return one_file(folder, "mp3", tag + audio_seeds.RECORDINGS["mp3"], says="1 samples")


def mp3_of_many_tags(folder: Path) -> Used:
    return one_file(folder, "mp3", b"ID3\4\0\0\0\0\0\0" * 200_000 + audio_seeds.RECORDINGS["mp3"], says="1 samples")


def mp3_of_zeros(folder: Path) -> Used:
    """No frame in sight."""
    return one_file(folder, "mp3", audio_seeds.RECORDINGS["mp3"] + bytes(4 << 20), says="1 samples")


CASES = [
    Case(f"{kind}: {make.__name__.replace('_', ' ')}", make)
    for kind, makers in (
        (
            "image",
            (
                claimed_png,
                empty_png_within_the_limit,
                black_png,
                interlaced_png,
                png_texts_that_grow,
                png_profile_that_grows,
                png_of_many_chunks,
                png_of_empty_chunks,
                claimed_jpeg,
                empty_jpeg_within_the_limit,
                empty_progressive_jpeg_within_the_limit,
                black_jpeg,
                progressive_jpeg_of_many_scans,
                jpeg_of_profiles,
                jpeg_of_tables,
                jpeg_of_comments,
                jpeg_of_restarts,
                claimed_webp,
                empty_webp_within_the_limit,
                black_webp,
                black_lossy_webp,
                webp_of_many_chunks,
            ),
        ),
        (
            "audio",
            (
                claimed_wav,
                wav_of_many_channels,
                wav_of_a_high_rate,
                wav_of_many_chunks,
                wav_of_bits,
                claimed_flac,
                flac_of_large_metadata,
                flac_of_empty_metadata,
                flac_that_grows,
                flac_that_grows_beyond_the_limit,
                claimed_ogg,
                ogg_of_many_streams,
                ogg_of_empty_pages,
                claimed_mp3,
                mp3_behind_a_claimed_tag,
                mp3_of_many_tags,
                mp3_of_zeros,
            ),
        ),
    )
    for make in makers
]
