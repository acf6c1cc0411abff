"""Two views of one decode beside two loaders with a view each: CPU time.

    python bench/views.py [--data ../shared/data/imagenet-sample/*.tar] [--rounds 9]

A view is penstock.presets.imagenet_train(224); batches of 32, 2 workers. First the answer: two equal views, whose
operations draw by a key, are the same pixels, and those that a loader with one view gives. Then both ways take turns in
every round. Writes results/views.json and .md.
"""

from __future__ import annotations

import argparse
import glob
import json
import statistics
from collections.abc import Iterator
from typing import Any

import numpy as np

import meters
import penstock
from circumstances import circumstances
from common import CROP, REPOSITORY, RESULTS
from penstock import transforms

DATA = str(REPOSITORY.parent / "shared/data/imagenet-sample/*.tar")
MAX_SHARE = 0.75  # of two loaders' CPU time
VIEWS = ("one", "two")


def loader_of(data: penstock.Dataset, listed: Any, seed: int = 0) -> penstock.Loader:
    return penstock.Loader(
        data, batch_size=32, num_workers=2, shuffle=True, seed=seed, transforms=listed, output="numpy"
    )


def check(data: penstock.Dataset) -> None:
    """What is timed gives the right images."""
    keyed = [transforms.RandomResizedCrop(CROP, key="crop"), transforms.RandomHorizontalFlip(key="flip")]
    both = loader_of(data, penstock.Views(**dict.fromkeys(VIEWS, keyed)))
    for views, alone in zip(both, loader_of(data, keyed), strict=True):
        if not np.array_equal(views["label"], alone["label"]):
            raise SystemExit("two views come in another order than one")
        if not all(np.array_equal(views[view], alone["image"]) for view in VIEWS):
            raise SystemExit("a view differs from the image of a loader with the same list")


def cpu_seconds(loaders: list[penstock.Loader]) -> float:
    """Of an epoch of each, one after the other."""
    start = meters.cpu_seconds()
    for loader in loaders:
        for _ in loader:
            pass
    return meters.cpu_seconds() - start


def measure(data: penstock.Dataset, rounds: int) -> dict[str, Any]:
    augmented = penstock.presets.imagenet_train(CROP)
    ways = {
        "two loaders": [loader_of(data, augmented, seed) for seed in range(2)],
        "two views": [loader_of(data, penstock.Views(**dict.fromkeys(VIEWS, augmented)))],
    }
    for loaders in ways.values():
        cpu_seconds(loaders)  # the first epoch pays for what later ones keep
    found: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(rounds):
        for name in ways if number % 2 == 0 else reversed(ways):
            found[name].append(cpu_seconds(ways[name]))
    shares = [views / loaders for loaders, views in zip(*found.values(), strict=True)]
    return {
        "images": len(data),
        "rounds": rounds,
        "cpu_seconds": found,
        "share": statistics.median(shares),
        "shares": [min(shares), max(shares)],
    }


def lines(result: dict[str, Any]) -> Iterator[str]:
    machine = result["machine"]
    yield "<!-- written by bench/views.py -->"
    yield "# Two views of one decode"
    yield ""
    yield (
        f"{result['images']} images of tars, each view imagenet_train({CROP}), 2 workers; median of {result['rounds']} "
        f"interleaved rounds. {machine['cpu']}, load {machine['load_average']:.1f}, {result['when']}."
    )
    yield ""
    yield "| | CPU ms per image |"
    yield "|---|--:|"
    for name, seconds in result["cpu_seconds"].items():
        yield f"| {name} | {statistics.median(seconds) / result['images'] * 1e3:.2f} |"
    low, high = result["shares"]
    yield f"| share | {result['share']:.3f} ({low:.3f} to {high:.3f}) |"
    yield ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=DATA)
    parser.add_argument("--rounds", type=int, default=9)
    settings = parser.parse_args()
    data = penstock.Dataset(sorted(glob.glob(settings.data)))  # noqa: PTH207 (an absolute pattern)
    check(data)
    result = {**circumstances(), **measure(data, settings.rounds)}
    text = "\n".join(lines(result))
    (RESULTS / "views.json").write_text(json.dumps(result, indent=1) + "\n")
    (RESULTS / "views.md").write_text(text)
    print(text)
    if result["share"] > MAX_SHARE:
        raise SystemExit(f"two views take more than {MAX_SHARE} of two loaders' time")


if __name__ == "__main__":
    main()
