"""Turns results/*.json into report.md and one SVG chart per workload. Every figure comes from the JSON.

python3 bench/report.py [FOLDER]
"""

from __future__ import annotations

import json
import statistics
import sys
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import report_transforms
from common import RESULTS

Result = dict[str, Any]
NAMES = {
    "penstock": "penstock",
    "penstock_store": "penstock, repacked store",
    "penstock_raw": "penstock, raw store",
    "pytorch": "PyTorch DataLoader",
    "pytorch_tuned": "PyTorch, hand-tuned",
    "ffcv": "FFCV",
    "dali": "DALI (CPU)",
    "turboloader": "TurboLoader",
    "tfdata": "tf.data",
    "webdataset": "WebDataset",
}
MEGA = 1e6
STYLE = """
  svg { font-family: system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif; }
  .ground { fill: #ffffff; } .title { fill: #1f2328; font-size: 16px; font-weight: 600; }
  .note { fill: #59636e; font-size: 12px; } .name { fill: #1f2328; font-size: 13px; }
  .value { fill: #1f2328; font-size: 13px; font-variant-numeric: tabular-nums; } .strong { font-weight: 600; }
  .bar { fill: #b6c2cf; } .ours { fill: #0969da; } .spread { stroke: #59636e; stroke-width: 1.5; }
  .grid { stroke: #d1d9e0; stroke-width: 1; }
  .line { fill: none; stroke: #8c96a0; stroke-width: 2; } .our-line { fill: none; stroke: #0969da; stroke-width: 3; }
  .dot { fill: #8c96a0; }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117; } .title, .name, .value { fill: #f0f6fc; } .note { fill: #9198a1; }
    .bar { fill: #4d5866; } .ours { fill: #4493f8; } .spread { stroke: #9198a1; } .grid { stroke: #3d444d; }
    .line { stroke: #7d8590; } .our-line { stroke: #4493f8; } .dot { fill: #7d8590; }
  }
"""


def main() -> int:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else RESULTS
    written = write(folder)
    if not written:
        print(f"no results in {folder}: run bench/run.py first", file=sys.stderr)
        return 1
    for path in written:
        print(path)
    return 0


def write(folder: Path) -> list[Path]:
    """Writes the report and its charts beside the results they are made from."""
    results = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
    results = [result for result in results if "workload" in result]
    written = []
    workloads = [result for result in results if "libraries" in result]
    for result in workloads:
        chart = line_chart(result) if len(result["settings"]["workers"]) > 1 else bar_chart(result)
        path = folder / f"{result['workload']}.svg"
        path.write_text(chart)
        written.append(path)
    for result in results:
        if "sizes" in result:
            path = folder / f"{result['workload']}.svg"
            path.write_text(
                report_transforms.chart(result, STYLE, chart_note("microseconds", result, result["rounds"]))
            )
            written.append(path)
    if results:
        path = folder / "report.md"
        parts = [any_section(result) for result in results]
        path.write_text("\n".join(line for part in parts for line in part))
        written.append(path)
    return written


def any_section(result: Result) -> list[str]:
    if "libraries" in result:
        return section(result)
    if "sizes" in result:
        return [*report_transforms.section(result, circumstances(result)), *failure_lines(result), ""]
    return micro_section(result)


def section(result: Result) -> list[str]:
    settings, data = result["settings"], result["data"]
    lines = [
        f"## {result['workload']}",
        "",
        f"{result['title']}. {data['count']} images ({data['source']}, mean {data['mean_width']:.0f} x "
        f"{data['mean_height']:.0f}, {data['bytes'] / MEGA:.0f} MB), batch {settings['batch_size']}; "
        f"median of {settings['rounds']} interleaved rounds, with the lowest and highest in brackets.",
        "",
        circumstances(result),
        "",
        f"![{result['workload']}]({result['workload']}.svg)",
        "",
        "| library | workers | images/s | penstock is | CPU-s per 1000 | first batch, s | peak RSS, MB | PSS, MB "
        "| RssAnon over imports, MB | from Pillow, levels |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for workers in settings["workers"]:
        for library in ranking(result, workers):
            lines.append(row(result, library, workers))
    lines += ["", "How each was run:", ""]
    for library, found in result["libraries"].items():
        versions = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
        notes = found["rounds"][0]["notes"] if found["rounds"] else "no round was completed."
        allowed = found["verification"]
        lines.append(f"- **{NAMES[library]}** ({versions}): {notes} Check: {check_text(allowed)}.")
    lines += [f"- **{NAMES[library]}**: not measured, {why}." for library, why in result["cannot"].items()]
    return [*lines, *failure_lines(result), ""]


def micro_section(result: Result) -> list[str]:
    """Each component's variants beside the one whose name begins with "before", or else the slowest."""
    lines = [
        "## Components",
        "",
        f"Time per operation, median of {result['repetitions']} repetitions in random order, lowest and highest in "
        "brackets.",
        "",
        circumstances(result),
        "",
        "| component | variant | time | speed-up |",
        "|---|---|--:|--:|",
    ]
    for group, variants in result["groups"].items():
        requirement, _, component = group.partition("_")
        slowest = max(variants.values(), key=lambda figure: figure["median"])
        base = next((figure for name, figure in variants.items() if name.startswith("before_")), slowest)
        for name, figure in sorted(variants.items(), key=lambda item: -item[1]["median"]):
            label = name.removeprefix("before_").removeprefix("after_").replace("_", " ")
            gain = f"{base['median'] / figure['median']:.1f}x" if figure is not base else ""
            lines.append(f"| {requirement} {component.replace('_', ' ')} | {label} | {duration(figure)} | {gain} |")
    return [*lines, "", *failure_lines(result), ""]


def duration(figure: Result) -> str:
    """Nanoseconds in the unit that suits them."""
    for limit, unit in ((1e3, "ns"), (1e6, "us"), (1e9, "ms")):
        if figure["median"] < limit:
            scaled = {key: value / limit * 1e3 for key, value in figure.items()}
            return f"{spread(scaled, 1)} {unit}"
    return f"{spread({key: value / 1e9 for key, value in figure.items()}, 2)} s"


def circumstances(result: Result) -> str:
    machine = result["machine"]
    return (
        f"Machine: {machine['cpu']}, {machine['cores']} cores, SIMD {' '.join(machine['simd'])}, "
        f"Linux {machine['kernel']}, Python {machine['python']}, load {machine['load_average']:.1f} at the end; "
        f"commit {result['commit'][:10]}{' with changes' if result['uncommitted_changes'] else ''}, {result['when']}."
    )


def failure_lines(result: Result) -> list[str]:
    return [
        f"- **{NAMES[failure['library']]} FAILED** ({failure['stage']}): {failure['message'].splitlines()[0]}"
        for failure in result["failures"]
    ]


def check_text(verification: Result) -> str:
    if "mean_difference_levels" not in verification:
        return f"{verification['samples']} samples, {verification['reason']}"
    return (
        f"{verification['samples']} images within {verification['allowed_levels']:g} levels of Pillow's on average "
        f"(found {verification['mean_difference_levels']:.2g}): {verification['reason']}"
    )


def row(result: Result, library: str, workers: int) -> str:
    found = result["libraries"][library]
    figures = found["summary"][str(workers)]
    above = figures["peak_anon"]["median"] - figures["anon_after_imports"]["median"]
    difference = found["verification"].get("mean_difference_levels")
    cells = [
        f"**{NAMES[library]}**" if library == ours_of(result) else NAMES[library],
        str(workers),
        spread(figures["rate"], 0),
        ratio_text(result, library, workers),
        spread(figures["cpu_seconds_per_1000"], 2),
        f"{figures['first_batch_seconds']['median']:.2f}",
        f"{figures['peak_rss']['median'] / MEGA:.0f}",
        f"{figures['peak_pss']['median'] / MEGA:.0f}",
        f"{above / MEGA:.0f}",
        "exact" if difference is None or difference < 0.001 else f"{difference:.2f}",
    ]
    return "| " + " | ".join(cells) + " |"


def spread(figure: Result, digits: int) -> str:
    return f"{figure['median']:,.{digits}f} ({figure['min']:,.{digits}f} to {figure['max']:,.{digits}f})"


def ratio_text(result: Result, library: str, workers: int) -> str:
    """How many times faster penstock was, as the median of the ratios within each round."""
    ours, theirs = by_round(result, ours_of(result), workers), by_round(result, library, workers)
    shared = sorted(ours.keys() & theirs.keys())
    if library == ours_of(result) or not shared:
        return ""
    return f"{statistics.median(ours[r] / theirs[r] for r in shared):.2f}x"


def ours_of(result: Result) -> str:
    """The row that the others are compared with."""
    return str(result.get("ours", "penstock"))


def by_round(result: Result, library: str, workers: int) -> dict[int, float]:
    rounds = result["libraries"].get(library, {"rounds": []})["rounds"]
    return {r["round"]: r["rate"] for r in rounds if r["workers"] == workers}


def ranking(result: Result, workers: int) -> list[str]:
    """Libraries with a result at that many workers, the fastest first."""
    rates = {
        library: found["summary"][str(workers)]["rate"]["median"]
        for library, found in result["libraries"].items()
        if found["summary"].get(str(workers))
    }
    return sorted(rates, key=lambda library: -rates[library])


def bar_chart(result: Result) -> str:
    workers = result["settings"]["workers"][0]
    libraries = ranking(result, workers)
    left, right, top, pitch, width = 160, 150, 66, 34, 760
    highest = max((rate(result, library, workers)["max"] for library in libraries), default=1.0)
    scale = (width - left - right) / highest
    shapes = []
    for place, library in enumerate(libraries):
        figure = rate(result, library, workers)
        y = top + place * pitch
        middle = y + 11
        kind = "ours" if library == ours_of(result) else "bar"
        strong = " strong" if library == ours_of(result) else ""
        end = left + figure["median"] * scale
        low, high = left + figure["min"] * scale, left + figure["max"] * scale
        name = escape(NAMES[library])
        whisker = f"M{low:.1f} {middle}H{high:.1f}M{low:.1f} {middle - 4}v8M{high:.1f} {middle - 4}v8"
        shapes += [
            f'<text class="name{strong}" x="{left - 12}" y="{y + 16}" text-anchor="end">{name}</text>',
            f'<rect class="{kind}" x="{left}" y="{y}" width="{end - left:.1f}" height="22" rx="3"/>',
            f'<path class="spread" d="{whisker}"/>',
            f'<text class="value{strong}" x="{max(end, high) + 10:.1f}" y="{y + 16}">{figure["median"]:,.0f}'
            f"{relative(result, library, workers)}</text>",
        ]
    height = top + len(libraries) * pitch + 14
    return image(result, f"images/s, {workers} workers", width, height, shapes)


def relative(result: Result, library: str, workers: int) -> str:
    text = ratio_text(result, library, workers)
    return f'<tspan class="note" dx="8">penstock {text}</tspan>' if text else ""


def line_chart(result: Result) -> str:
    counts: list[int] = result["settings"]["workers"]
    left, right, top, plot, width = 60, 190, 76, 260, 760
    libraries = ranking(result, counts[-1])
    highest = max((rate(result, lib, w)["max"] for w in counts for lib in ranking(result, w)), default=1.0)
    columns = {w: left + place * (width - left - right) / (len(counts) - 1) for place, w in enumerate(counts)}
    shapes = []
    for tick in ticks(highest):
        y = top + plot * (1 - tick / highest)
        shapes.append(f'<path class="grid" d="M{left} {y:.1f}H{width - right}"/>')
        shapes.append(f'<text class="note" x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{tick:,.0f}</text>')
    for workers, x in columns.items():
        shapes.append(f'<text class="note" x="{x:.1f}" y="{top + plot + 22}" text-anchor="middle">{workers}</text>')
    labels = spaced([top + plot * (1 - rate(result, lib, counts[-1])["median"] / highest) for lib in libraries], 17)
    for library, label in zip(libraries, labels, strict=True):
        ours = library == ours_of(result)
        points = [
            (columns[w], top + plot * (1 - rate(result, library, w)["median"] / highest))
            for w in counts
            if library in ranking(result, w)
        ]
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        shapes.append(f'<path class="{"our-line" if ours else "line"}" d="{path}"/>')
        shapes += [f'<circle class="{"ours" if ours else "dot"}" cx="{x:.1f}" cy="{y:.1f}" r="4"/>' for x, y in points]
        median = rate(result, library, counts[-1])["median"]
        shapes.append(
            f'<text class="name{" strong" if ours else ""}" x="{width - right + 12}" y="{label + 4:.1f}">'
            f"{escape(NAMES[library])} {median:,.0f}</text>"
        )
    return image(result, "images/s by number of workers", width, top + plot + 36, shapes)


def ticks(highest: float) -> list[float]:
    """About four round numbers from zero up."""
    step = 10.0 ** len(str(int(highest / 4))) / 10
    while highest / step > 5:
        step *= 2 if str(step)[0] != "2" else 2.5
    return [step * number for number in range(int(highest / step) + 1)]


def spaced(heights: list[float], gap: float) -> list[float]:
    """The same heights, from the top down, moved apart so that labels do not overlap."""
    placed: list[float] = []
    for height in heights:
        placed.append(max(height, placed[-1] + gap) if placed else height)
    return placed


def rate(result: Result, library: str, workers: int) -> Result:
    figure: Result = result["libraries"][library]["summary"][str(workers)]["rate"]
    return figure


def chart_note(unit: str, result: Result, rounds: int) -> str:
    machine = result["machine"]
    return f"{unit}; median of {rounds} interleaved rounds; {machine['cpu']}, {machine['cores']} cores"


def image(result: Result, unit: str, width: int, height: int, shapes: list[str]) -> str:
    note = chart_note(unit, result, result["settings"]["rounds"])
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{escape(result["workload"])}">',
        f"<style>{STYLE}</style>",
        f'<rect class="ground" width="{width}" height="{height}" rx="6"/>',
        f'<text class="title" x="20" y="28">{escape(result["workload"])}: {escape(result["title"])}</text>',
        f'<text class="note" x="20" y="48">{escape(note)}</text>',
    ]
    return "\n".join([*head, *shapes, "</svg>", ""])


if __name__ == "__main__":
    sys.exit(main())
