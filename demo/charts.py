"""The demo's two images, drawn with Pillow: a contact sheet of a batch, and line charts of the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont

PAPER = (255, 255, 255)
INK = (32, 36, 44)
FAINT = (112, 118, 130)
GRID = (228, 231, 236)
SERIES = ((31, 111, 235), (214, 96, 34))
SCALE = 2  # drawn this much larger and scaled down, for smooth lines and letters


def font(size: float) -> Font:
    return ImageFont.load_default(size=size * SCALE)


def finish(sheet: Image.Image, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    sheet.resize((sheet.width // SCALE, sheet.height // SCALE), Image.Resampling.LANCZOS).save(path, optimize=True)


def contact_sheet(
    path: Path,
    images: Sequence[npt.NDArray[np.uint8]],
    labels: Sequence[str],
    title: str,
    subtitle: str,
    columns: int = 8,
) -> None:
    """A tidy grid of `[H, W, 3]` images with a label under each."""
    cell = images[0].shape[0]
    gap, caption, margin, head = 12, 20, 24, 66
    rows = -(-len(images) // columns)
    width = 2 * margin + columns * cell + (columns - 1) * gap
    height = head + margin + rows * (cell + caption) + (rows - 1) * gap
    sheet = Image.new("RGB", (width * SCALE, height * SCALE), PAPER)
    draw = ImageDraw.Draw(sheet)
    draw.text((margin * SCALE, 14 * SCALE), title, INK, font(20))
    draw.text((margin * SCALE, 41 * SCALE), subtitle, FAINT, font(12.5))
    for i, (image, label) in enumerate(zip(images, labels, strict=True)):
        x = margin + i % columns * (cell + gap)
        y = head + i // columns * (cell + caption + gap)
        # Whole-number enlargement keeps the batch's own pixels in the finished file.
        enlarged = Image.fromarray(image).resize((cell * SCALE, cell * SCALE), Image.Resampling.NEAREST)
        sheet.paste(enlarged, (x * SCALE, y * SCALE))
        draw.text(((x + cell / 2) * SCALE, (y + cell + 4) * SCALE), label, FAINT, font(12), anchor="ma")
    finish(sheet, path)


@dataclass(frozen=True)
class Series:
    name: str
    values: Sequence[float]


@dataclass(frozen=True)
class Panel:
    """One chart: its series share the axes; x counts epochs from 1."""

    title: str
    series: Sequence[Series]
    top: float  # upper end of the y axis
    unit: str = ""


def nice_step(top: float) -> float:
    """A round distance for about five grid lines between 0 and `top`."""
    magnitude = 10.0 ** np.floor(np.log10(top / 4))
    return float(min((m for m in (1, 2, 2.5, 5, 10) if m * magnitude >= top / 5), default=10) * magnitude)


def number_text(value: float, step: float) -> str:
    return f"{value:,.0f}" if step >= 1 else f"{value:.2f}".rstrip("0").rstrip(".") or "0"


def draw_panel(draw: ImageDraw.ImageDraw, panel: Panel, left: int, top: int, width: int, height: int) -> None:
    """Axes, grid and lines within the box, in finished pixels."""
    epochs = len(panel.series[0].values)

    def at(epoch: float, value: float) -> tuple[float, float]:
        share = (epoch - 1) / max(1, epochs - 1)
        return (left + share * width) * SCALE, (top + height - value / panel.top * height) * SCALE

    draw.text((left * SCALE, (top - 46) * SCALE), panel.title, INK, font(15))
    step = nice_step(panel.top)
    for i in range(int(panel.top / step + 1e-9) + 1):
        x, y = at(1, i * step)
        draw.line((x, y, (left + width) * SCALE, y), GRID, SCALE)
        draw.text((x - 8 * SCALE, y), number_text(i * step, step) + panel.unit, FAINT, font(11), anchor="rm")
    for epoch in range(1, epochs + 1):
        draw.text((at(epoch, 0)[0], (top + height + 8) * SCALE), str(epoch), FAINT, font(11), anchor="ma")
    draw.text(((left + width / 2) * SCALE, (top + height + 24) * SCALE), "epoch", FAINT, font(11), anchor="ma")
    legend = float(left * SCALE)
    for series, colour in zip(panel.series, SERIES, strict=False):
        points = [at(epoch, value) for epoch, value in enumerate(series.values, 1)]
        draw.line(points, colour, 2 * SCALE + 1, joint="curve")
        for x, y in points:
            radius = 3.5 * SCALE
            draw.ellipse((x - radius, y - radius, x + radius, y + radius), colour, PAPER, SCALE)
        line_y = (top - 18) * SCALE
        draw.line((legend, line_y, legend + 14 * SCALE, line_y), colour, 2 * SCALE + 1)
        draw.text((legend + 19 * SCALE, line_y), series.name, FAINT, font(11.5), anchor="lm")
        legend += 32 * SCALE + draw.textlength(series.name, font(11.5))


def run_plot(path: Path, title: str, subtitle: str, panels: Sequence[Panel]) -> None:
    """The panels side by side under a title."""
    panel_width, panel_height, margin, axis, head, foot = 250, 200, 28, 46, 132, 52
    width = margin + len(panels) * (axis + panel_width + margin)
    height = head + panel_height + foot
    sheet = Image.new("RGB", (width * SCALE, height * SCALE), PAPER)
    draw = ImageDraw.Draw(sheet)
    draw.text((margin * SCALE, 16 * SCALE), title, INK, font(20))
    draw.text((margin * SCALE, 44 * SCALE), subtitle, FAINT, font(12.5))
    for i, panel in enumerate(panels):
        draw_panel(draw, panel, margin + axis + i * (axis + panel_width + margin), head, panel_width, panel_height)
    finish(sheet, path)
