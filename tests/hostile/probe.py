"""What a user does with data of unknown origin, in a process of its own: `probe.py KIND PATH...`. Prints the CPU
seconds that it took, and what became of it; errors are fine, as long as they are penstock's."""

from __future__ import annotations

import json
import sys
import time
import warnings
from pathlib import Path

import penstock
from penstock import audio


def read(source: str) -> str:
    """Opens, reads samples and keys one by one, and takes batches."""
    ds = penstock.Dataset(source)
    errors = 0
    for i in range(min(len(ds), 64)):
        try:
            ds[i]
            ds.key(i)
        except penstock.Error:
            errors += 1
    batches = 0
    rows = 4 if {"image", "audio"} & set(ds.fields.values()) else 256
    for decode in (True, False):
        options = {"batch_size": min(rows, max(1, len(ds))), "num_workers": 1, "prefetch": 0, "output": "numpy"}
        try:
            with penstock.Loader(ds, decode=decode, on_error="skip", **options) as loader:
                for batch in loader:
                    len(batch["key"])
                    batches += 1
                    if batches % 8 == 0:
                        break
        except penstock.Error:
            errors += 1
    return f"{len(ds)} samples, {batches} batches, {errors} errors"


def verify(source: str) -> str:
    report = penstock.verify(source, progress=False)
    return f"{report.problems} problems, {len(report.errors)} of them kept"


def resume(source: str) -> str:
    """Of a build that something else claims to have begun."""
    report = penstock.build(source, f"{source}.out", image="keep", progress=False)
    return f"{report.samples} samples, {report.resumed_at} resumed"


def resume_audio(source: str) -> str:
    report = audio.build(source, f"{source}.h5", duration=0.25, progress=False)
    return f"{report.samples} samples"


def state(source: str) -> str:
    """`source` holds tar shards and, beside them, the state."""
    state = json.loads(Path(f"{source}.state").read_text())
    loader = penstock.Loader(source, batch_size=2, seed=1, output="numpy")
    loader.load_state_dict(state)
    return f"{sum(1 for _ in loader)} batches"


def main() -> None:
    kind, *arguments = sys.argv[1:]
    warnings.simplefilter("ignore")
    begun = time.process_time()
    outcome = "idle"
    if kind != "idle":
        try:
            outcome = {"read": read, "verify": verify, "resume": resume, "resume_audio": resume_audio, "state": state}[
                kind
            ](*arguments)
        except penstock.Error as error:
            outcome = f"{type(error).__name__}: {error}"
    print(time.process_time() - begun)
    print(outcome.encode("ascii", "backslashreplace").decode()[:300].replace("\n", " "))


main()
