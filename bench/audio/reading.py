"""Small WAV files to arrays: penstock beside soundfile, on one thread, files in the page cache.

    python bench/audio/reading.py RECORDINGS

Each library reads every WAV file of the folder in a process of its own; rounds are interleaved and the median counts.
Results: bench/results/audio.json and audio.md.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
import zlib
from pathlib import Path
from typing import Any

from common import save

ROUNDS = 5
LIBRARIES = ("penstock", "soundfile")


def reader(library: str) -> Any:
    if library == "soundfile":
        import soundfile

        return lambda path: soundfile.read(path, dtype="float32")[0]
    from penstock import audio

    return lambda path: audio.read(path)[0]


def run(library: str, folder: Path) -> dict[str, float]:
    read = reader(library)
    paths = [str(path) for path in sorted(folder.rglob("*.wav"))]
    checksum = 0
    for path in paths:  # into the page cache, too
        checksum = zlib.crc32(read(path).tobytes(), checksum)
    cpu, wall = time.process_time(), time.perf_counter()
    for path in paths:
        read(path)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return {
        "files": len(paths),
        "bytes": sum(Path(path).stat().st_size for path in paths),
        "files_per_second": len(paths) / wall,
        "files_per_cpu_second": len(paths) / cpu,
        "checksum": checksum,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures the reading of WAV files.")
    parser.add_argument("recordings", type=Path)
    parser.add_argument("--library", choices=LIBRARIES, help="what a process of its own measures")
    arguments = parser.parse_args()
    if arguments.library:
        print(json.dumps(run(arguments.library, arguments.recordings)))
        return
    rounds: dict[str, list[dict[str, float]]] = {library: [] for library in LIBRARIES}
    for _ in range(ROUNDS):
        for library in LIBRARIES:
            command = [sys.executable, __file__, str(arguments.recordings), "--library", library]
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
            print(library, done.stdout.strip(), flush=True)
            rounds[library].append(json.loads(done.stdout))
    if len({one["checksum"] for rows in rounds.values() for one in rows}) != 1:
        raise SystemExit("the libraries do not agree")
    first = rounds[LIBRARIES[0]][0]
    rates = ("files_per_second", "files_per_cpu_second")
    medians = {
        library: {rate: statistics.median(one[rate] for one in rows) for rate in rates}
        for library, rows in rounds.items()
    }
    save("reading", {"libraries": medians, "files": first["files"], "bytes": first["bytes"], "rounds": ROUNDS})


if __name__ == "__main__":
    main()
