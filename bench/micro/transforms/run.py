"""Every operation on one core beside torchvision, albumentations and kornia, then chains of some from a JPEG file.

    <environment>/bin/python bench/micro/transforms/run.py [--rounds 9] [--quick] [--rows Flip,Crop] [--engine PROGRAM]

The environment is `transforms` of bench/environments.py. All libraries run in one process, one thread each, held to one
CPU, at real-time priority where that is allowed. In every round each library does its share of calls, one after the
other, and another one begins. Before that, answers are compared. Results: bench/results/transforms.json, from which
bench/report.py makes the table and the chart.
"""

from __future__ import annotations

import os

for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NO_ALBUMENTATIONS_UPDATE"):
    os.environ[name] = "1"  # before the libraries are imported

import argparse  # noqa: E402
import functools  # noqa: E402
import importlib.metadata  # noqa: E402
import io  # noqa: E402
import json  # noqa: E402
import statistics  # noqa: E402
import sys  # noqa: E402
import tarfile  # noqa: E402
import tempfile  # noqa: E402
import warnings  # noqa: E402
from collections.abc import Iterator, Mapping  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
warnings.filterwarnings("ignore", module="albumentations|kornia|torch")

import cv2  # noqa: E402
import numpy as np  # noqa: E402
import numpy.typing as npt  # noqa: E402
import torch  # noqa: E402
from PIL import Image  # noqa: E402

import chains  # noqa: E402
import colours  # noqa: E402
import contest  # noqa: E402
import environments  # noqa: E402
import geometry  # noqa: E402
import policies  # noqa: E402
import report  # noqa: E402
from circumstances import circumstances  # noqa: E402
from common import BENCH, RESULTS, SAMPLE  # noqa: E402
from engine import Engine, built  # noqa: E402
from pairs import priority  # noqa: E402
from penstock import transforms  # noqa: E402
from rows import Row  # noqa: E402

SIZES = ((224, 224), (375, 500))  # height, width
PACKAGES = ("torch", "torchvision", "pillow", "albumentations", "opencv-python-headless", "kornia", "numpy")
#: What stands for itself in no row: what holds others, moves boxes and points alone, leaves an image of three
#: channels that stands upright as it is, needs a fourth channel, or makes several images of one, masks of patches, or
#: a type that numpy lacks.
LEFT_OUT = {
    "Sequential", "RandomApply", "RandomChoice", "RandomOrder",
    "ClampBoundingBoxes", "ClampKeyPoints", "ConvertBoundingBoxFormat", "SanitizeBoundingBoxes", "SanitizeKeyPoints",
    "ExifTranspose", "Identity", "RGB", "RandomBackgroundBlend", "FiveCrop", "TenCrop",
    "ToBfloat16", "RandomPatchMask", "RandomBlockMask", "IJEPAMask",
}  # fmt: skip


def sample_image() -> bytes:
    """The first JPEG of 500 x 375 in the sample of ImageNet."""
    height, width = SIZES[1]
    for path in sorted(SAMPLE.glob("*.tar")):
        with tarfile.open(path) as tar:
            for member in tar:
                file = tar.extractfile(member)
                if file is not None and member.name.endswith((".jpg", ".jpeg")):
                    encoded = file.read()
                    image = Image.open(io.BytesIO(encoded))
                    if image.size == (width, height) and image.mode == "RGB":
                        return encoded
    raise SystemExit(f"no JPEG of {width} x {height} in {SAMPLE}")


def pixels_of(encoded: bytes, height: int, width: int) -> npt.NDArray[np.uint8]:
    image = Image.open(io.BytesIO(encoded))
    return np.array(image if image.size == (width, height) else image.resize((width, height)))


def missing(rows: list[Row]) -> list[str]:
    """Operations on images that no row has."""
    timed = {type(operation).__name__ for row in rows for operation in row.ours}
    kinds = {name: getattr(transforms, name) for name in transforms.__all__}
    images = [name for name, kind in kinds.items() if getattr(kind, "info", {}).get("kind") == "image"]
    return [name for name in images if name not in timed | LEFT_OUT]


def figures(taken: Mapping[str, list[float]]) -> dict[str, dict[str, float]]:
    return {
        name: {"median": statistics.median(times), "min": min(times), "max": max(times)}
        for name, times in taken.items()
    }


class Session:
    """One run: its rounds, and what went wrong."""

    def __init__(self, rounds: int, wanted: list[str]) -> None:
        self.rounds = rounds
        self.wanted = wanted
        self.failures: list[dict[str, str]] = []

    def wants(self, name: str) -> bool:
        return not self.wanted or any(part in name for part in self.wanted)

    def row(self, name: str, check: Any, contenders: Any, share: float) -> dict[str, Any] | None:
        """Checks and times one row; None, with the failure kept, where an answer is wrong."""
        try:
            differences = check()
            taken = contest.microseconds(contenders(), self.rounds, share)
        except Exception as problem:  # what any library raises is said in the report
            self.failures.append({"library": "penstock", "stage": name, "message": str(problem)})
            print(f"*** {name}: {problem}", file=sys.stderr, flush=True)
            return None
        found = figures(taken)
        print(f"{name:40} " + "  ".join(f"{who} {one['median']:.1f}" for who, one in found.items()), flush=True)
        return {"microseconds": found, "rounds": dict(taken), "differences": differences}


def operations(session: Session, encoded: bytes, folder: Path, engine: Engine) -> Iterator[tuple[str, Any]]:
    for height, width in SIZES:
        print(f"\n{width} x {height}", flush=True)
        forms = contest.Forms.of(pixels_of(encoded, height, width), folder)
        rows = [*geometry.rows(height, width), *colours.rows(height, width), *policies.rows(height, width)]
        if left := missing(rows):
            raise SystemExit(f"no row has {', '.join(left)}; add one to bench/micro/transforms")
        timed = {
            row.name: session.row(
                row.name,
                functools.partial(contest.check, row, forms, engine),
                functools.partial(contest.contenders, row, forms, engine),
                contest.SHARE_SECONDS,
            )
            for row in rows
            if session.wants(row.name)
        }
        yield f"{width} x {height}", {name: found for name, found in timed.items() if found}


def timed_chains(session: Session, encoded: bytes, folder: Path, engine: Engine) -> dict[str, Any]:
    print("\nchains", flush=True)
    file = folder / "image.jpg"
    file.write_bytes(encoded)
    timed = {
        chain.name: session.row(
            chain.name,
            functools.partial(chains.check, chain, file),
            functools.partial(chains.contenders, chain, file, engine),
            chains.SHARE_SECONDS,
        )
        for chain in chains.chains()
        if session.wants(chain.name)
    }
    return {name: found for name, found in timed.items() if found}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--quick", action="store_true", help="three rounds; results go to bench/.quick")
    parser.add_argument("--rows", default="", help="only rows whose names have one of these parts")
    parser.add_argument("--engine", type=Path, help="the program, where it is built already")
    arguments = parser.parse_args()
    if "PENSTOCK_BENCH_PRIORITY" not in os.environ and (ahead := priority()):
        os.environ["PENSTOCK_BENCH_PRIORITY"] = "1"
        os.execvp(ahead[0], [*ahead, sys.executable, *sys.argv])
    program = arguments.engine or built(environments.root() / "micro-build")
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    torch.set_num_threads(1)
    cv2.setNumThreads(0)
    torch.manual_seed(0)
    session = Session(3 if arguments.quick else arguments.rounds, [part for part in arguments.rows.split(",") if part])
    encoded = sample_image()
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(program, Path(folder))
        result = {
            "workload": "transforms",
            **circumstances(),
            "versions": {name: importlib.metadata.version(name) for name in PACKAGES},
            "rounds": session.rounds,
            "real_time": "PENSTOCK_BENCH_PRIORITY" in os.environ,
            "sizes": dict(operations(session, encoded, Path(folder), engine)),
            "chains": timed_chains(session, encoded, Path(folder), engine),
            "failures": session.failures,
        }
        engine.close()
    out = BENCH / ".quick" if arguments.quick else RESULTS
    out.mkdir(exist_ok=True)
    (out / "transforms.json").write_text(json.dumps(result, indent=1) + "\n")
    for path in report.write(out):
        print(f"wrote {path}")
    return 1 if session.failures else 0


if __name__ == "__main__":
    sys.exit(main())
