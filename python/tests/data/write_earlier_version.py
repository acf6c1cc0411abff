"""Writes data/version_<n> with the penstock that is installed: run it with the last commit of a version, never later.

python python/tests/data/write_earlier_version.py python/tests/data/version_0.1 COMMIT
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import earlier_version
from audio_sources import tone, write_wav
from conftest import draw, encode, sample_size, write_tar
from PIL import Image

import penstock


def image_file(number: int) -> tuple[str, bytes]:
    """A file of one of the kinds that are read, by number."""
    image = draw(number, *sample_size(number))
    if number % 8 == 5:
        return "png", encode(image, "PNG")
    if number % 8 == 6:
        return "webp", encode(image, "WEBP", quality=70)
    if number % 8 == 7:
        return "jpg", encode(image.convert("L"), quality=60)
    return "jpg", encode(image, quality=60, subsampling=number % 3, progressive=number % 4 == 3)


def write_sources(root: Path) -> None:
    members = []
    for number in range(24):
        kind, content = image_file(number)
        members += [
            (f"s{number:04d}.{kind}", content),
            (f"s{number:04d}.cls", b"%d" % (number % 10)),
            (f"s{number:04d}.json", json.dumps({"number": number, "name": "é"}).encode()),
            (f"s{number:04d}.txt", f"sample {number} é".encode()),
        ]
    write_tar(root / "images.tar", members)
    write_tar(root / "few.tar", [member for member in members if member[0] < "s0006"])
    for number in range(8):
        path = root / "classes" / ("a cat", "dog")[number % 2] / f"{number}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encode(draw(number, 50, 40), quality=60))
    masks = []
    for number in range(6):
        mask = Image.fromarray((np.arange(60 * 50).reshape(50, 60) % 7).astype(np.uint8))
        masks += [
            (f"m{number}.jpg", encode(draw(number, 60, 50), quality=60)),
            (f"m{number}.seg.png", encode(mask, "PNG")),
        ]
    write_tar(root / "masks.tar", masks)
    waves = []
    for number in range(8):
        path = root / "wave.wav"
        write_wav(path, tone(number, 0.3 + 0.1 * number))
        waves += [(f"w{number}.wav", path.read_bytes()), (f"w{number}.cls", b"%d" % number)]
        path.unlink()
    write_tar(root / "waves.tar", waves)


def write_what_is_built(root: Path) -> None:
    for image, source in (("repack", "images"), ("repack_pixels", "few"), ("keep", "few"), ("raw", "few")):
        penstock.build(str(root / f"{source}.tar"), str(root / f"{image}.store"), image=image, progress=False)
    recordings = root / "recordings"
    for number in range(6):
        write_wav(recordings / ("low", "high")[number % 2] / f"{number}.wav", tone(number, 0.5))
    penstock.audio.build(str(recordings), str(root / "features.h5"), duration=0.5, progress=False)
    shutil.rmtree(recordings)


def keep_index(root: Path) -> None:
    cache = root / "cache"
    os.environ["PENSTOCK_CACHE_DIR"] = str(cache)
    penstock.Dataset(str(root / "images.tar"))
    (index,) = cache.glob("tar-*.index")
    index.rename(root / "images.index")


def record(root: Path, case: tuple[str, dict[str, object]]) -> dict[str, object]:
    loader = earlier_version.open_loader(root, case)
    batches = iter(loader)
    first = [earlier_version.digest(next(batches)) for _ in range(earlier_version.STOPS_AFTER)]
    state = loader.state_dict()
    first += earlier_version.digests(batches)
    return {
        "fingerprint": penstock.Dataset(str(root / case[0])).fingerprint,
        "epochs": [first, earlier_version.digests(loader)],
        "state": state,
    }


def main() -> None:
    root, commit = Path(sys.argv[1]), sys.argv[2]
    root.mkdir(parents=True)
    write_sources(root)
    write_what_is_built(root)
    time.sleep(3)  # an index of files that changed a moment ago is not kept
    keep_index(root)
    records = {name: record(root, case) for name, case in earlier_version.CASES.items()}
    records["several_lists"] = record(root, earlier_version.SEVERAL_LISTS)
    shutil.rmtree(root / "cache")
    (root / "records.json").write_text(json.dumps({"commit": commit, "cases": records}, indent=1) + "\n")


if __name__ == "__main__":
    main()
