"""Prepares the images: the shared ImageNet sample when it is there, else drawn ones of the same sizes.

    python make_data.py images [--data FOLDER_OF_TARS] [--max-images N] [--root CACHE]    needs numpy and Pillow
    python make_data.py beton [--root CACHE]                                                needs FFCV
    python make_data.py tbl [--root CACHE]                                                  needs TurboLoader
    python make_data.py stores [--root CACHE]                                               needs penstock

`images` writes the forms that the libraries read (one tar, class folders) and Pillow's reference arrays. The checks
know an image by its label: where labels repeat, as those of classes do, the tars are written again with the same
images and the sample's number as its label.
`beton`, `tbl` and `stores` write what FFCV, TurboLoader and penstock read faster than tars and folders. Each does
nothing when its result is there already, except `stores`, which follows the format.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import itertools
import json
import os
import shutil
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from common import CROP, MAX_IMAGES, SAMPLE, SHORT_SIDE, Data

# Rises when what is written changes, so that an older cache is made again.
LAYOUT = 2
DRAWN_IMAGES = 1000
DRAWN_SHARDS = 4
FFCV_QUALITY = 90
UNLABELLED = -1

Sample = tuple[int, bytes]  # label, image


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("images", *STEPS))
    parser.add_argument("--data", type=Path, default=None, help="folder of WebDataset tars (default: the sample)")
    parser.add_argument("--max-images", type=int, default=MAX_IMAGES, help="take no more (default %(default)s)")
    parser.add_argument("--root", type=Path, default=Data.default_root(), help="cache folder for the prepared forms")
    arguments = parser.parse_args()
    data = Data(arguments.root.resolve())
    if arguments.step == "images":
        make_images(data, arguments.data, arguments.max_images)
    else:
        STEPS[arguments.step](data)


def make_images(data: Data, given: Path | None, limit: int) -> None:
    data.root.mkdir(parents=True, exist_ok=True)
    source = given or (SAMPLE if any(SAMPLE.glob("*.tar")) else data.root / "drawn")
    if source == data.root / "drawn":
        draw_tars(source)
    tars = sorted(source.resolve().glob("*.tar"))
    if not tars:
        raise SystemExit(f"no .tar files in {source}")
    identity = hashlib.sha256(
        repr([LAYOUT, limit, *((str(t), t.stat().st_size, t.stat().st_mtime_ns) for t in tars)]).encode()
    ).hexdigest()
    if data.manifest_path.exists() and data.manifest()["identity"] == identity:
        print(f"data: {data.manifest()['count']} images ready in {data.root}")
        return
    described = "ImageNet sample" if source == SAMPLE else "drawn" if given is None else str(given.resolve())
    if data.manifest_path.exists() and data.manifest()["source"] != described:
        raise SystemExit(
            f"{data.root} holds data made from another source ({data.manifest()['source']}, now {described}), which "
            "may be in use: give another --root (or PENSTOCK_BENCH_DATA), or remove it"
        )
    data.manifest_path.unlink(missing_ok=True)
    for old in (data.folders, data.reference, data.numbered_tars):
        shutil.rmtree(old, ignore_errors=True)
    for old in (data.beton, data.bytes_beton, data.pixel_beton, data.tbl):
        Path(old).unlink(missing_ok=True)
    shards = list(read_shards(tars, limit))
    samples = [sample for shard in shards for sample in shard]
    if len(samples) == limit or sorted(label for label, _ in samples) != list(range(len(samples))):
        shards = numbered(shards)
        samples = [sample for shard in shards for sample in shard]
        tars = write_numbered_tars(data, shards)
    write_one_tar(data, samples)
    write_folders(data, samples)
    facts = write_reference(data, samples)
    manifest = {
        "identity": identity,
        "tars": [str(tar) for tar in tars],
        "source": described,
        "count": len(samples),
        "bytes": sum(len(encoded) for _, encoded in samples),
        **facts,
    }
    data.manifest_path.write_text(json.dumps(manifest, indent=1))
    print(f"data: {len(samples)} images from {source} prepared in {data.root}")


def read_shards(tars: list[Path], limit: int) -> Iterator[list[Sample]]:
    """The samples of each tar, up to `most` in all; a sample is the members that share a name before the dot."""
    for path in tars:
        if limit <= 0:
            return
        with tarfile.open(path) as tar:
            images: dict[str, bytes] = {}
            labels: dict[str, int] = {}
            for member in tar:
                key, _, extension = member.name.partition(".")
                extracted = tar.extractfile(member) if member.isfile() else None
                if extracted is None:
                    continue
                if extension == "cls":
                    labels[key] = int(extracted.read())
                elif extension.lower() in ("jpg", "jpeg"):
                    images[key] = extracted.read()
        shard = [(labels.get(key, UNLABELLED), encoded) for key, encoded in images.items()][:limit]
        limit -= len(shard)
        yield shard


def numbered(shards: list[list[Sample]]) -> list[list[Sample]]:
    """The same images, each with its number as its label."""
    numbers = itertools.count()
    return [[(next(numbers), encoded) for _, encoded in shard] for shard in shards]


def write_numbered_tars(data: Data, shards: list[list[Sample]]) -> list[Path]:
    folder = Path(data.numbered_tars)
    folder.mkdir(parents=True)
    paths = []
    for number, shard in enumerate(shards):
        paths.append(folder / f"numbered-{number:06d}.tar")
        with tarfile.open(paths[-1], "w", format=tarfile.USTAR_FORMAT) as tar:
            for label, encoded in shard:
                add_member(tar, f"{label:06d}.jpg", encoded)
                add_member(tar, f"{label:06d}.cls", str(label).encode())
    return paths


def write_one_tar(data: Data, samples: list[Sample]) -> None:
    with tarfile.open(data.one_tar, "w", format=tarfile.USTAR_FORMAT) as tar:
        for label, encoded in samples:
            add_member(tar, f"{label:06d}.jpg", encoded)


def write_folders(data: Data, samples: list[Sample]) -> None:
    for label, encoded in samples:
        folder = Path(data.folders) / f"{label:0{max(4, len(str(len(samples) - 1)))}d}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{label:06d}.jpg").write_bytes(encoded)


def write_reference(data: Data, samples: list[Sample]) -> dict[str, Any]:
    """Pillow's answers: the centre crops, every image decoded in full, and the stored bytes, all in label order."""
    from PIL import Image

    data.reference.mkdir(parents=True)
    crops = np.empty((len(samples), CROP, CROP, 3), np.uint8)
    squashed = np.empty_like(crops)
    shapes = np.empty((len(samples), 2), np.int64)
    with (data.reference / "decoded.bin").open("wb") as decoded, (data.reference / "stored.bin").open("wb") as stored:
        sizes = np.empty(len(samples), np.int64)
        for label, encoded in sorted(samples):
            image = Image.open(io.BytesIO(encoded)).convert("RGB")
            shapes[label] = image.height, image.width
            decoded.write(np.asarray(image).tobytes())
            stored.write(encoded)
            sizes[label] = len(encoded)
            crops[label] = np.asarray(centre_crop(image))
            squashed[label] = np.asarray(image.resize((CROP, CROP), Image.Resampling.BILINEAR))
    np.save(data.reference / "crops.npy", crops)
    np.save(data.reference / "squashed.npy", squashed)
    np.save(data.reference / "shapes.npy", shapes)
    np.save(data.reference / "sizes.npy", sizes)
    return {
        "mean_height": float(shapes[:, 0].mean()),
        "mean_width": float(shapes[:, 1].mean()),
        "channel_means": crops.mean(axis=(0, 1, 2), dtype=np.float64).tolist(),
        "channel_stds": crops.std(axis=(0, 1, 2), dtype=np.float64).tolist(),
    }


def centre_crop(image: Any) -> Any:
    """torchvision's Resize(256) + CenterCrop(224), written with Pillow alone."""
    resized = shrink(image, SHORT_SIDE)
    left, top = round((resized.width - CROP) / 2.0), round((resized.height - CROP) / 2.0)
    return resized.crop((left, top, left + CROP, top + CROP))


def shrink(image: Any, short_side: int) -> Any:
    """torchvision's Resize(short_side)."""
    from PIL import Image

    short, long = sorted(image.size)
    long_side = int(short_side * long / short)
    size = (short_side, long_side) if image.width <= image.height else (long_side, short_side)
    return image.resize(size, Image.Resampling.BILINEAR)


def draw_tars(folder: Path) -> None:
    """Drawn images with the sizes, sampling and weight of ImageNet's: mean about 468 x 401, 110 kB."""
    if len(list(folder.glob("*.tar"))) == DRAWN_SHARDS:
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    per_shard = DRAWN_IMAGES // DRAWN_SHARDS
    for shard in range(DRAWN_SHARDS):
        unfinished = folder / f"drawn-{shard:06d}.tar.part"
        with tarfile.open(unfinished, "w", format=tarfile.USTAR_FORMAT) as tar:
            for label in range(shard * per_shard, (shard + 1) * per_shard):
                add_member(tar, f"{label:06d}.jpg", draw_image(label))
                add_member(tar, f"{label:06d}.cls", str(label).encode())
        unfinished.rename(folder / f"drawn-{shard:06d}.tar")


def draw_image(label: int) -> bytes:
    """Soft colour fields, a few hard edges and some grain: the mix that gives photographs their JPEG size."""
    from PIL import Image, ImageDraw

    draws = np.random.default_rng(label)
    sides = ((500, 375), (375, 500), (500, 333), (500, 500), (400, 300), (640, 480))
    width, height = sides[draws.choice(len(sides), p=(0.45, 0.18, 0.17, 0.08, 0.08, 0.04))]
    coarse = Image.fromarray(draws.integers(0, 256, (9, 12, 3), dtype=np.uint8))
    fine = Image.fromarray(draws.integers(0, 256, (height // 4, width // 4, 3), dtype=np.uint8))
    size = (width, height)
    image = Image.blend(coarse.resize(size, Image.Resampling.BICUBIC), fine.resize(size, Image.Resampling.BICUBIC), 0.2)
    pen = ImageDraw.Draw(image)
    for _ in range(12):
        x, y = int(draws.integers(0, width)), int(draws.integers(0, height))
        radius = int(draws.integers(8, 80))
        pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=tuple(draws.integers(0, 256, 3).tolist()))
    grain = draws.normal(0.0, 8.0, (height, width, 1))
    noisy = np.clip(np.asarray(image) + grain, 0, 255).astype(np.uint8)
    written = io.BytesIO()
    Image.fromarray(noisy).save(written, "JPEG", quality=92, subsampling=0 if draws.random() < 0.5 else 2)
    return written.getvalue()


def add_member(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(content)
    tar.addfile(member, io.BytesIO(content))


class Images:
    """The class folders as FFCV's writer wants them: indexable, giving one tuple per sample."""

    def __init__(self, data: Data, decode: bool, short_side: int | None) -> None:
        self.paths, self.labels = data.image_paths()
        self.decode = decode
        self.short_side = short_side

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, number: int) -> tuple[Any, ...]:
        from PIL import Image

        path, label = self.paths[number], self.labels[number]
        if self.decode:
            image = Image.open(path).convert("RGB")
            return (shrink(image, self.short_side) if self.short_side else image), label
        stored = np.fromfile(path, np.uint8)
        return stored, label, len(stored)


def make_betons(data: Data) -> None:
    from ffcv.fields import BytesField, IntField, RGBImageField
    from ffcv.writer import DatasetWriter

    workers = os.cpu_count() or 1
    image = RGBImageField(write_mode="jpg", jpeg_quality=FFCV_QUALITY)
    forms: list[tuple[str, bool, dict[str, Any]]] = [
        (data.beton, True, {"image": image, "label": IntField()}),
        (data.bytes_beton, False, {"data": BytesField(), "label": IntField(), "size": IntField()}),
        (data.pixel_beton, True, {"image": RGBImageField(write_mode="raw"), "label": IntField()}),
    ]
    for path, decode, fields in forms:
        if Path(path).exists():
            continue
        unfinished = path + ".part"
        images = Images(data, decode, SHORT_SIDE if path == data.pixel_beton else None)
        DatasetWriter(unfinished, fields, num_workers=workers).from_indexed_dataset(images)
        Path(unfinished).rename(path)
        print(f"data: wrote {path}")


def make_tbl(data: Data) -> None:
    import turboloader

    if not Path(data.tbl).exists():
        unfinished = data.tbl + ".part"
        turboloader.preprocess_to_tbl(data.one_tar, unfinished, image_size=SHORT_SIDE)
        Path(unfinished).rename(data.tbl)
        print(f"data: wrote {data.tbl}")


def make_stores(data: Data) -> None:
    """Always again: the format may have changed, and the speed of building is worth seeing."""
    import penstock

    forms: list[tuple[str, dict[str, Any]]] = [
        (data.store, {}),
        (data.pixel_store, {"image": "raw", "resize": SHORT_SIDE}),
    ]
    for path, settings in forms:
        shutil.rmtree(path, ignore_errors=True)
        report = penstock.build(data.tars, path, progress=False, **settings)
        ratio = sum(file.stat().st_size for file in Path(path).iterdir()) / data.manifest()["bytes"]
        print(f"data: wrote {path}, {report.samples / report.seconds:.0f} images/s, {ratio:.3f} of the JPEG bytes")


STEPS: dict[str, Callable[[Data], None]] = {"beton": make_betons, "tbl": make_tbl, "stores": make_stores}

if __name__ == "__main__":
    main()
