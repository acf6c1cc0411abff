"""Packs class folders into WebDataset tar shards: ImageNet as most people have it, as a few large files.

    python examples/pack_shards.py /data/imagenet/train /data/shards/train [--per-shard 8000]

Writes <prefix>-000000.tar, <prefix>-000001.tar, ... with <class>_<name>.<extension> and .cls (the class number, in
sorted order) for each image; folders inside a class become part of the name. Images are copied as they are, in an
order shuffled once from a fixed seed, so that every shard holds a mixture of classes. Afterwards both sides are opened
with penstock and compared.
"""

from __future__ import annotations

import argparse
import io
import random
import tarfile
from pathlib import Path

import penstock

EXTENSIONS = {".jpg", ".jpeg", ".png", ".webp"}


def images_of(root: Path) -> list[tuple[Path, int]]:
    """Every image with its class number."""
    classes = sorted(folder for folder in root.iterdir() if folder.is_dir() and not folder.name.startswith("."))
    return [
        (path, number)
        for number, folder in enumerate(classes)
        for path in sorted(folder.rglob("*"))
        if path.suffix.lower() in EXTENSIONS
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    ]


def new_key(image: Path, taken: set[str]) -> str:
    """The path below the root as a sample's key, which a dot would end; unlike all that are taken."""
    key = "_".join(image.with_suffix("").parts).replace(".", "_")
    while key in taken:  # a/b_c.jpg and a/b/c.jpg, x.jpg and x.png
        key += "_"
    taken.add(key)
    return key


def add(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    tar.addfile(info, io.BytesIO(data))


def main() -> None:
    parser = argparse.ArgumentParser(description="Packs class folders into WebDataset tar shards.")
    parser.add_argument("folders", type=Path, help="a folder with a folder per class")
    parser.add_argument("prefix", type=Path, help="where the shards go, without -000000.tar")
    parser.add_argument("--per-shard", type=int, default=8000, help="images per shard")
    parser.add_argument("--seed", type=int, default=0, help="of the order")
    arguments = parser.parse_args()

    images = images_of(arguments.folders)
    if not images:
        raise SystemExit(f"no images in folders of {arguments.folders}")
    random.Random(arguments.seed).shuffle(images)
    arguments.prefix.parent.mkdir(parents=True, exist_ok=True)
    shards: list[str] = []
    taken: set[str] = set()
    for start in range(0, len(images), arguments.per_shard):
        shards.append(f"{arguments.prefix}-{len(shards):06d}.tar")
        with tarfile.open(shards[-1], "w") as tar:
            for path, label in images[start : start + arguments.per_shard]:
                key = new_key(path.relative_to(arguments.folders), taken)
                add(tar, key + path.suffix.lower(), path.read_bytes())
                add(tar, f"{key}.cls", str(label).encode())

    packed, original = penstock.Dataset(shards), penstock.Dataset(arguments.folders)
    if len(packed) != len(original):
        raise SystemExit(f"the shards hold {len(packed)} samples, the folders {len(original)}")
    middle = len(packed) // 2
    path, label = images[middle]
    stored = packed.raw(middle)
    if stored["image"] != path.read_bytes() or int(stored["label"]) != label:
        raise SystemExit(f"sample {middle} ({packed.key(middle)}) is not {path}")
    print(f"{len(packed)} images of {len(original.classes or [])} classes in {len(shards)} shards: {shards[0]} ...")


if __name__ == "__main__":
    main()
