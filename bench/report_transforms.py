"""The section and the chart of bench/micro/transforms. Every figure comes from the JSON."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping
from typing import Any
from xml.sax.saxutils import escape

Result = dict[str, Any]
Rows = Mapping[str, Result]

CALL, ENGINE = "penstock", "penstock, in a worker"
RIVALS = ("torchvision, PIL", "torchvision, tensor", "albumentations", "kornia")
PALETTE = ("#0969da", "#79b8ff", "#d1242f", "#f2a199", "#1a7f37", "#9a6700")
COLOURS = dict(zip((ENGINE, CALL, *RIVALS), PALETTE, strict=True))
CHARTED = "500 x 375"


def section(result: Result, circumstances: str) -> list[str]:
    versions = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    lines = [
        "## Operations on images",
        "",
        f"Microseconds per image on one core, median of {result['rounds']} interleaved rounds"
        f"{' at real-time priority' if result['real_time'] else ''}. *penstock* is `Compose([operation])(array)`, "
        "called from Python as the others are; *in a worker* is the same list where a loader runs it, with "
        '`memory_format="channels_last"`: pixels lie as in PIL images and arrays. torchvision has '
        "PIL images and tensors of bytes, albumentations arrays, kornia tensors of floats. A factor says how many "
        "times as long as *in a worker* a library took. Figures in brackets are those of libraries that compute or "
        "draw something else under that name; of the others the images were compared first.",
        "",
        circumstances,
        "",
        f"With {versions}.",
        "",
        "![transforms](transforms.svg)",
        "",
    ]
    for size, rows in result["sizes"].items():
        lines += [f"### {size}", "", *table("operation", rows), "", *summary(rows), ""]
    lines += ["### From a JPEG of 500 x 375 to floats of 224 x 224", ""]
    lines += ["*penstock* is a loader that works in the caller's thread, batches included.", ""]
    return [*lines, *table("chain", result["chains"]), ""]


def table(first: str, rows: Rows) -> list[str]:
    lines = [f"| {first} | {' | '.join((CALL, 'in a worker', *RIVALS))} |", "|---|" + "--:|" * 6]
    for name, row in rows.items():
        times = row["microseconds"]
        cells = [number(times[who]["median"]) for who in (CALL, ENGINE)]
        for rival in RIVALS:
            cells.append(beside(row, rival) if rival in times else "")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def beside(row: Result, rival: str) -> str:
    times = row["microseconds"]
    text = f"{number(times[rival]['median'])}, {ratio(row, ENGINE, rival):.1f}x"
    return text if rival in row["differences"] else f"({text})"


def ratio(row: Result, ours: str, rival: str) -> float:
    """The median of the ratios within each round."""
    return statistics.median(
        theirs / own for own, theirs in zip(row["rounds"][ours], row["rounds"][rival], strict=True)
    )


def summary(rows: Rows) -> list[str]:
    """How much faster in the median, and where least, by who is compared with whom."""
    lines = ["| compared with | from Python: median | least | in a worker: median | least |", "|---|--:|---|--:|---|"]
    for rival in RIVALS:
        cells = []
        for ours in (CALL, ENGINE):
            ratios = {name: ratio(row, ours, rival) for name, row in rows.items() if rival in row["microseconds"]}
            if not ratios:
                break
            least = min(ratios, key=lambda name: ratios[name])
            cells += [f"{statistics.median(ratios.values()):.1f}x", f"{ratios[least]:.2f}x, {least}"]
        else:
            lines.append(f"| {rival} | {' | '.join(cells)} |")
    return lines


def number(value: float) -> str:
    return f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def chart(result: Result, style: str, note: str) -> str:
    """A row of dots for each operation, one for each library, on a scale of times."""
    rows: dict[str, Result] = {**result["chains"], **result["sizes"].get(CHARTED, {})}
    left, right, top, pitch, width = 270, 30, 92, 19, 860
    medians = [figure["median"] for row in rows.values() for figure in row["microseconds"].values()]
    low, high = math.floor(math.log10(min(medians, default=1))), math.ceil(math.log10(max(medians, default=10)))
    height = top + pitch * len(rows) + 20

    def x(value: float) -> float:
        return left + (math.log10(value) - low) / (high - low) * (width - left - right)

    shapes = []
    for power in range(low, high + 1):
        at = x(10.0**power)
        shapes.append(f'<path class="grid" d="M{at:.1f} {top - 8}V{height - 14}"/>')
        shapes.append(f'<text class="note" x="{at:.1f}" y="{top - 14}" text-anchor="middle">{10.0**power:,g} us</text>')
    for place, (name, row) in enumerate(rows.items()):
        y = top + pitch * place + 8
        shapes.append(f'<text class="name" x="{left - 14}" y="{y + 4}" text-anchor="end">{escape(name)}</text>')
        for who, colour in reversed(COLOURS.items()):
            if who in row["microseconds"]:
                at = x(row["microseconds"][who]["median"])
                shapes.append(f'<circle cx="{at:.1f}" cy="{y}" r="4.5" fill="{colour}"><title>{who}</title></circle>')
    at = 20
    for who, colour in COLOURS.items():
        shapes.append(f'<circle cx="{at + 5}" cy="64" r="5" fill="{colour}"/>')
        shapes.append(f'<text class="note" x="{at + 15}" y="68">{who}</text>')
        at += 26 + 7 * len(who)
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'role="img" aria-label="transforms">',
        f"<style>{style}</style>",
        f'<rect class="ground" width="{width}" height="{height}" rx="6"/>',
        f'<text class="title" x="20" y="28">transforms: chains from a JPEG, and operations on {CHARTED} pixels</text>',
        f'<text class="note" x="20" y="48">{escape(note)}</text>',
    ]
    return "\n".join([*head, *shapes, "</svg>", ""])
