"""What a store of your own JPEG images is worth: sizes, build rate and memory, pixels beside Pillow, files rebuilt.

    python tests/soak/real_images.py 'SHARDS-*.tar' [--crops 10] [--kills 50] [--folder DIR]

Builds a store of the images, then compares every whole image and `crops` random crops of each (RandomResizedCrop
224, flip) with Pillow's, and every stored file with its original; kills builds at random moments and compares what
the next ones make with the unbroken store; times three epochs with cache=. Exits 1 if anything differs. Needs Pillow
13, whose order of resize passes penstock follows.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from PIL import Image

import penstock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python" / "tests"))
from reference import imagenet_train_uint8  # noqa: E402 - the rules in plain Python, which the suite has too

SIZE = 224
SEED = 5
BUILD = "import sys, penstock; print(penstock.build(sys.argv[1], sys.argv[2], progress=False).seconds)"


def digests(store: Path) -> dict[str, str]:
    """The digest of each file of a store."""
    files = sorted(path for path in store.rglob("*") if path.is_file())
    return {str(path.relative_to(store)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def anonymous_kilobytes(pid: int) -> int:
    """RssAnon of a process, 0 when it is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith("RssAnon")), 0)


def build_rates(source: str, folder: Path, rounds: int) -> Path:
    """Builds the store several times in processes of their own, prints rates and memory, and keeps the last one."""
    samples = len(penstock.Dataset(source))
    for round_number in range(rounds):
        store = folder / f"store-{round_number}"
        with subprocess.Popen([sys.executable, "-c", BUILD, source, store], stdout=subprocess.PIPE) as process:
            most = 0
            while process.poll() is None:
                most = max(most, anonymous_kilobytes(process.pid))
                time.sleep(0.005)
            assert process.stdout is not None
            seconds = float(process.stdout.read())
        print(
            f"build: {samples} samples in {seconds:.2f} s, {samples / seconds:.0f}/s, RssAnon {most / 1024:.0f} MB",
            flush=True,
        )
    return store


def sizes(source: str, store: Path) -> None:
    """Sizes of the records, as `penstock info` tells them, and of the whole store, beside the original files."""
    tars = penstock.Dataset(source)
    originals = sum(len(tars.raw(i)["image"]) for i in range(len(tars)))
    program = Path(sys.executable).with_name("penstock")
    info = subprocess.run([program, "info", store, "--json"], check=True, capture_output=True, text=True)
    told = json.loads(info.stdout)
    codecs = next(field["codecs"] for field in told["fields"] if field["name"] == "image")
    records = sum(codec["stored_bytes"] for codec in codecs.values())
    whole = sum(path.stat().st_size for path in store.rglob("*") if path.is_file())
    counts = ", ".join(f"{codec['fields']} {name}" for name, codec in codecs.items())
    print(f"images: {counts}; kept because: {told['kept_because'] or 'none was'}")
    print(
        f"JPEG files {originals} bytes; image records {records / originals:.4f} of that, "
        f"the whole store {whole / originals:.4f}",
        flush=True,
    )


def differences(tars: penstock.Dataset, store: penstock.Dataset) -> list[str]:
    """Stored files and whole images that are not those of the source, by Pillow."""

    def compare(i: int) -> list[str]:
        found = []
        original = tars.raw(i)["image"]
        if store.raw(i)["image"] != original:
            found.append(f"{store.key(i)}: the rebuilt file differs")
        with Image.open(io.BytesIO(original)) as image:
            if not np.array_equal(np.asarray(image.convert("RGB")), store[i]["image"]):
                found.append(f"{store.key(i)}: pixels differ from Pillow's")
        return found

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [line for lines in pool.map(compare, range(len(tars))) for line in lines]


def wrong_crops(tars: penstock.Dataset, store: Path, epochs: int) -> list[str]:
    """Crops of the store's loader that are not Pillow's, one of each image per epoch."""
    found: list[str] = []
    images = []
    for i in range(len(tars)):
        with Image.open(io.BytesIO(tars.raw(i)["image"])) as image:
            images.append(image.convert("RGB"))
    transforms = [penstock.transforms.RandomResizedCrop(SIZE), penstock.transforms.RandomHorizontalFlip()]
    loader = penstock.Loader(store, transforms=transforms, seed=SEED, shuffle=True, output="numpy")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for epoch in range(epochs):

            def compare(index: int, row: np.ndarray, epoch: int = epoch) -> str:
                wanted = imagenet_train_uint8(images[index], SIZE, SEED, epoch, index)
                return "" if np.array_equal(wanted.transpose(2, 0, 1), row) else f"epoch {epoch}, sample {index}"

            for batch in loader:
                found += [text for text in pool.map(compare, batch["index"].tolist(), batch["image"]) if text]
    print(f"decoded by: {loader.stats()['decoded']}")
    return found


def killed_builds(source: str, store: Path, folder: Path, kills: int) -> list[str]:
    """Builds that were killed and continued with and do not hold the unbroken store's bytes."""
    expected = digests(store)
    chance = random.Random(1)
    started = time.monotonic()
    subprocess.run([sys.executable, "-c", BUILD, source, folder / "timed"], check=True, stdout=subprocess.DEVNULL)
    usual = time.monotonic() - started
    found = []
    unfinished = 0
    for kill in range(kills):
        copy = folder / f"killed-{kill}"
        with subprocess.Popen([sys.executable, "-c", BUILD, source, copy], stdout=subprocess.DEVNULL) as process:
            timer = threading.Timer(chance.uniform(0.0, usual), process.kill)
            timer.start()
            process.wait()
            timer.cancel()
        unfinished += not copy.exists()
        penstock.build(source, copy, progress=False)
        if digests(copy) != expected:
            found.append(f"build {kill} has other bytes")
        shutil.rmtree(copy)
    print(
        f"{kills} builds killed, {unfinished} of them unfinished; {len(found)} differ from the unbroken one", flush=True
    )
    return found


def cached_epochs(source: str, folder: Path) -> None:
    """Times three epochs that build and then use a cache, beside the source's own."""
    transforms = penstock.presets.imagenet_train(SIZE)
    for cache in (None, folder / "cache"):
        loader = penstock.Loader(source, batch_size=32, shuffle=True, transforms=transforms, cache=cache)
        times = []
        for _ in range(3):
            begin = time.perf_counter()
            rows = sum(len(batch["label"]) for batch in loader)
            times.append(time.perf_counter() - begin)
        told = ", ".join(f"{seconds:.2f} s ({rows / seconds:.0f}/s)" for seconds in times)
        print(f"three epochs {'with cache=' if cache else 'from the source'}: {told}", flush=True)
        loader.close()


def main() -> int:
    parser = argparse.ArgumentParser(description="A store of your own JPEG images, compared with Pillow.")
    parser.add_argument("source")
    parser.add_argument("--crops", type=int, default=10)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--builds", type=int, default=4)
    parser.add_argument("--folder", type=Path, help="where stores are made (default: a temporary folder)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        os.environ["PENSTOCK_CACHE_DIR"] = str(folder / "index")
        store = build_rates(options.source, folder, options.builds)
        sizes(options.source, store)
        tars = penstock.Dataset(options.source)
        wrong = differences(tars, penstock.Dataset(store))
        print(f"{len(tars)} files and whole images compared, {len(wrong)} differ", flush=True)
        crops = wrong_crops(tars, store, options.crops)
        print(f"{options.crops * len(tars)} crops compared with Pillow's, {len(crops)} differ", flush=True)
        wrong += crops
        cached_epochs(options.source, folder)
        wrong += killed_builds(options.source, store, folder, options.kills)
    for line in wrong[:50]:
        print(f"FINDING {line}")
    print("nothing found" if not wrong else f"{len(wrong)} findings")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
