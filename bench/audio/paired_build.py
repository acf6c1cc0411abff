"""One build of penstock.audio by 2 workers, as pairs.py asks for it.

python bench/audio/paired_build.py make FOLDER COUNT      # recordings of 10 s at 4,096 Hz
python bench/audio/paired_build.py build FOLDER OUT.h5    # prints figures as JSON, and what was built by its hash
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from pathlib import Path
from typing import Any

from build import cpu_seconds, make_files


def built(source: Path, out: Path) -> dict[str, Any]:
    from penstock import audio

    start, cpu = time.perf_counter(), cpu_seconds()
    report = audio.build(source, out, progress=False, workers=2)
    seconds, spent = time.perf_counter() - start, cpu_seconds() - cpu
    digest = hashlib.sha256(out.read_bytes()).hexdigest()
    out.unlink()
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return {
        "answer": digest,
        "rate": report.files / (seconds - report.flush_seconds),  # the disk is not what is compared
        "cpu_seconds_per_1000": spent / report.files * 1000,
        "peak_rss": int(status["VmHWM"].split()[0]) * 1024,
    }


def main() -> None:
    phase, source, last = sys.argv[1:]
    if phase == "make":
        make_files(Path(source), int(last))
    else:
        print(json.dumps(built(Path(source), Path(last))))


if __name__ == "__main__":
    main()
