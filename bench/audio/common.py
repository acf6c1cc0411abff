"""What the benchmarks of audio share: the results file and the page made from it."""

from __future__ import annotations

import json
import os
import platform
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parents[1] / "results" / "audio.json"


def circumstances() -> dict[str, Any]:
    model = next((line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                  if line.startswith("model name")), platform.machine())  # fmt: skip
    return {"cpu": model, "cores": os.cpu_count(), "load": round(os.getloadavg()[0], 1)}


def save(part: str, result: dict[str, Any]) -> None:
    """Puts one part into the results and writes the page again."""
    known = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    known[part] = {**result, "circumstances": circumstances()}
    RESULTS.write_text(json.dumps(known, indent=1) + "\n")
    RESULTS.with_suffix(".md").write_text("\n\n".join(["# Audio, measured", *pages(known)]) + "\n")


def pages(known: dict[str, Any]) -> list[str]:
    texts = []
    if "reading" in known:
        texts.append(reading_page(known["reading"]))
    if "features" in known:
        texts.append(features_page(known["features"]))
    if "build" in known:
        texts.append(build_page(known["build"]))
    return texts


def machine(result: dict[str, Any]) -> str:
    c = result["circumstances"]
    return f"{c['cpu']}, {c['cores']} cores, load of the machine meanwhile {c['load']}."


def reading_page(r: dict[str, Any]) -> str:
    ours = r["libraries"]["penstock"]
    rows = [
        f"| {name} | {row['files_per_second']:,.0f} | {row['files_per_cpu_second']:,.0f} | "
        f"{ours['files_per_second'] / row['files_per_second']:.1f} |"
        for name, row in r["libraries"].items()
    ]
    return "\n".join(
        [
            "## WAV files to arrays (bench/audio/reading.py)",
            "",
            f"{machine(r)} One thread, {r['files']:,} files of {r['bytes'] / r['files']:,.0f} bytes on average, in the "
            f"page cache; median of {r['rounds']} interleaved rounds. The samples were equal.",
            "",
            "| library | files/s | files per second of CPU | penstock is faster by |",
            "|---|---|---|---|",
            *rows,
        ]
    )


def features_page(r: dict[str, Any]) -> str:
    rates = {name: row["files_per_cpu_second"] for name, row in r["libraries"].items()}
    rows = [f"| {name} | {rate:,.0f} | {rates['penstock'] / rate:.1f} |" for name, rate in rates.items()]
    transforms = [f"| {name} | {row['microseconds']:.2f} |" for name, row in r["transforms"].items()]
    return "\n".join(
        [
            "## Mel spectrograms (bench/audio/features.py)",
            "",
            f"{machine(r)} One thread, {r['recordings']} recordings of {r['mean_samples']:,.0f} samples on average, "
            "in memory; n_fft 512, hop 128, 64 mels, decibels. Time of the CPU, so that others on the machine "
            "count for little.",
            "",
            "| library | files per second of CPU | penstock is faster by |",
            "|---|---|---|",
            *rows,
            "",
            f"Largest difference to librosa over all recordings and {r['settings']} random settings: "
            f"{r['float32_error']:.1e} of the largest value of the spectrogram in float32; "
            f"{r['float16_error']:.3f} dB in float16 where values lie within 100 dB of the largest.",
            "",
            "A real transform of 512 samples, many at once, on one thread (window, transform and magnitude for "
            "penstock, transform alone for the others):",
            "",
            "| | microseconds of CPU per frame |",
            "|---|---|",
            *transforms,
        ]
    )


def build_page(r: dict[str, Any]) -> str:
    rows = [
        f"| {name} | {row['files_per_second']:,.0f} | {best(row):,.0f} | {row['files_per_cpu_second']:,.0f} | "
        f"{row['bottleneck']} |"
        for name, row in r["variants"].items()
    ]
    pairs = [
        f"| {t['technique']} | {t['before']['files_per_second']:,.0f} | {t['after']['files_per_second']:,.0f} | "
        f"{t['before']['files_per_cpu_second']:,.0f} | {t['after']['files_per_cpu_second']:,.0f} |"
        for t in r["techniques"]
    ]
    writes = [
        f"| {name} | {row['files_per_second']:,.0f} | {row['files_per_cpu_second']:,.0f} |"
        for name, row in r["writes"].items()
    ]
    return "\n".join(
        [
            "## The whole build (bench/audio/build.py)",
            "",
            f"{machine(r)} {r['files']:,} files of 10 s at 4,096 Hz, 16 bits, in the page cache, to HDF5 in the page "
            f"cache, in memory that was used before; median of {r['rounds']} interleaved rounds. Finding the files is "
            "in it, the flush to disk is not.",
            "",
            "| variant | files/s | best round | files per second of CPU | bottleneck |",
            "|---|---|---|---|---|",
            *rows,
            "",
            "Each technique, before and after. Pinned or pageable memory makes a difference on a GPU only.",
            "",
            "| technique | files/s before | after | files per second of CPU before | after |",
            "|---|---|---|---|---|",
            *pairs,
            "",
            "Writing alone: the waveforms of as many files, a few rows at a time, by one thread.",
            "",
            "| way | files/s | files per second of CPU |",
            "|---|---|---|",
            *writes,
        ]
    )


def best(row: dict[str, Any]) -> float:
    return max(one["files_per_second"] for one in row["rounds"])
