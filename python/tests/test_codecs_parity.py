"""Decoded images equal Pillow's convert("RGB") bit for bit, in every variant that can be written here."""

from __future__ import annotations

import io
import shutil
import struct
import subprocess
import warnings
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from conftest import SHARED, draw, encode
from PIL import Image

import penstock

SIZES = [(1, 1), (3, 2), (17, 9), (33, 47), (100, 61)]
PNG_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
#: Offset and step in x and y of the passes of an interlaced PNG.
PNG_PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(
    width: int, height: int, color_type: int, depth: int, interlaced: bool, transparent: bool, palette: int
) -> bytes:
    """Random samples of any kind; Pillow itself writes only some. `palette`: entries of type 3."""
    rng = np.random.default_rng(width * 1000 + height + color_type * 10 + depth)
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[color_type]
    samples = rng.integers(0, 1 << depth, (height, width, channels))
    samples[rng.random(samples.shape) < 0.3] %= 256  # small ones among 16-bit samples
    parts = [samples[y::dy, x::dx] for x, y, dx, dy in PNG_PASSES] if interlaced else [samples]
    data = b""
    for part in parts:
        for row in part if part.shape[1] else []:
            bits = (row.reshape(-1, 1) >> np.arange(depth)[::-1]) & 1
            data += b"\0" + np.packbits(bits.astype(np.uint8).ravel()).tobytes()
    body = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color_type, 0, 0, interlaced))
    if color_type == 3:
        body += chunk(b"PLTE", rng.integers(0, 256, 3 * palette).astype(np.uint8).tobytes())
    if transparent:
        body += chunk(b"tRNS", b"\x00\x80" * (3 if color_type == 2 else 1))
    packed = zlib.compress(data)
    half = len(packed) // 2
    body += chunk(b"IDAT", packed[:half]) + chunk(b"IDAT", packed[half:]) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def png_files() -> Iterator[tuple[str, bytes]]:
    for color_type, depths in PNG_DEPTHS.items():
        for depth in depths:
            for width, height in SIZES:
                for interlaced in (False, True):
                    name = f"type{color_type}_{depth}bit_{width}x{height}_{'interlaced' if interlaced else 'plain'}"
                    yield name, png(width, height, color_type, depth, interlaced, False, 1 << depth)
                    if color_type in (0, 2, 3):
                        yield f"{name}_trns", png(width, height, color_type, depth, interlaced, True, 1 << depth)
    yield "short_palette", png(40, 30, 3, 8, False, False, 100)


def jpeg_files() -> Iterator[tuple[str, bytes]]:
    for width, height in SIZES:
        image = draw(width, width, height)
        for quality in (30, 90, 100):
            name = f"{width}x{height}_{quality}"
            for sampling in (0, 1, 2):
                for progressive in (False, True):
                    options = {"quality": quality, "subsampling": sampling, "progressive": progressive}
                    yield f"rgb_{name}_{sampling}_{progressive}", encode(image, **options)
                yield f"cmyk_{name}_{sampling}", encode(image.convert("CMYK"), quality=quality, subsampling=sampling)
            yield f"gray_{name}", encode(image.convert("L"), quality=quality)
            yield f"keep_rgb_{name}", encode(image, quality=quality, keep_rgb=True)
            yield f"restarts_{name}", encode(image, quality=quality, restart_marker_blocks=2)
            yield f"optimized_{name}", encode(image, quality=quality, optimize=True)


def cjpeg_files() -> Iterator[tuple[str, bytes]]:
    """Samplings and codings that Pillow does not write."""
    samplings = ["1x2", "4x1", "1x4", "4x2", "2x2,2x1,2x1", "2x2,1x2,1x2", "2x1,1x1,2x1", "1x1,2x2,2x2", "4x1,2x1,1x1"]
    codings = [[], ["-arithmetic"], ["-progressive"], ["-progressive", "-arithmetic"], ["-restart", "1"], ["-rgb"]]
    for width, height in SIZES:
        source = encode(draw(width, width, height), "PPM")
        for sampling in samplings:
            for coding in codings:
                command = ["cjpeg", "-quality", "85", "-sample", sampling, *coding]
                made = subprocess.run(command, input=source, capture_output=True, check=False)
                if made.returncode == 0:
                    yield f"{width}x{height}_{sampling}_{'_'.join(coding)}", made.stdout


def webp_files() -> Iterator[tuple[str, bytes]]:
    for width, height in SIZES:
        image = draw(width, width, height)
        clear = image.copy()
        clear.putalpha(draw(width + 1, width, height).convert("L").point(lambda value: value if value > 90 else 0))
        for quality in (10, 80, 100):
            for lossless in (False, True):
                options = {"quality": quality, "lossless": lossless}
                name = f"{width}x{height}_{quality}_{lossless}"
                yield f"rgb_{name}", encode(image, "WEBP", **options)
                yield f"rgba_{name}", encode(clear, "WEBP", **options, exact=quality == 100)
                frames = {"save_all": True, "append_images": [image.convert("RGBA")], "background": (9, 8, 7, 255)}
                yield f"animated_{name}", encode(clear, "WEBP", **options, **frames)


def write_class_folder(root: Path, files: dict[str, bytes], extension: str) -> None:
    folder = root / "one"
    folder.mkdir()
    for name, data in files.items():
        (folder / f"{name}.{extension}").write_bytes(data)


def pillow_pixels(data: bytes) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # palettes with transparency: the point is that it is dropped
        return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))


def assert_all_equal(root: Path, files: dict[str, bytes], extension: str) -> None:
    write_class_folder(root, files, extension)
    ds = penstock.Dataset(str(root))
    assert len(ds) == len(files)
    unequal = []
    for i in range(len(ds)):
        name = Path(ds.key(i)).name.removesuffix(f".{extension}")
        if not np.array_equal(ds[i]["image"], pillow_pixels(files[name])):
            unequal.append(name)
    assert not unequal, f"{len(unequal)} of {len(files)}"


def test_png(tmp_path):
    assert_all_equal(tmp_path, dict(png_files()), "png")


def test_jpeg(tmp_path):
    assert_all_equal(tmp_path, dict(jpeg_files()), "jpg")


@pytest.mark.skipif(shutil.which("cjpeg") is None, reason="needs cjpeg (libjpeg-turbo-progs)")
def test_jpeg_of_unusual_sampling_and_coding(tmp_path):
    files = dict(cjpeg_files())
    assert len(files) > 100
    assert_all_equal(tmp_path, files, "jpg")


def test_webp(tmp_path):
    assert_all_equal(tmp_path, dict(webp_files()), "webp")


def test_content_counts_not_the_name(tmp_path):
    image = draw(1, 30, 20)
    assert_all_equal(tmp_path, {kind: encode(image, kind) for kind in ("PNG", "WEBP", "JPEG")}, "jpeg")


@pytest.mark.skipif(not (SHARED / "data/imagenet-sample").exists(), reason="needs ../shared/data/imagenet-sample")
def test_imagenet_sample():
    ds = penstock.Dataset(str(SHARED / "data/imagenet-sample/*.tar"), fields={"image": "jpg"})
    unequal = [i for i in range(len(ds)) if not np.array_equal(ds[i]["image"], pillow_pixels(ds.raw(i)["image"]))]
    assert len(ds) == 1000
    assert not unequal


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_truncated_images_are_corrupt(tmp_path, kind):
    data = encode(draw(2, 60, 50), kind)
    files = {str(size): data[:size] for size in (len(data) // 3, len(data) // 2, len(data) - 20)}
    write_class_folder(tmp_path, files, "jpg")
    ds = penstock.Dataset(str(tmp_path))
    for i in range(len(ds)):
        with pytest.raises(penstock.CorruptError):
            ds[i]


def test_other_kinds_are_named(tmp_path):
    write_class_folder(tmp_path, {"a": encode(draw(3, 20, 20), "GIF")}, "jpg")
    with pytest.raises(penstock.UnsupportedError, match="GIF"):
        penstock.Dataset(str(tmp_path))[0]
