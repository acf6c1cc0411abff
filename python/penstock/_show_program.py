"""`penstock show`: a contact sheet of a source, as the command line draws it."""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from pathlib import Path
from typing import Any

from . import transforms as transforms_module
from ._readings import Boxes, Keypoints, Mask
from .dataset import Dataset
from .errors import Error, InvalidError, NotFoundError

_WRONG_USAGE = 2
_FINDING = 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="penstock show",
        description="Draws samples of a source to a contact sheet: labels, masks, boxes and points, and what "
        "transforms make of them, several draws of an image side by side.",
    )
    parser.add_argument("path", nargs="+", help="any source of images")
    parser.add_argument("-o", "--output", default="sheet.png", help="the file to write (default: sheet.png)")
    parser.add_argument("--transforms", help="a JSON or YAML file: what penstock.transforms.to_config() gives")
    parser.add_argument("--samples", type=int, default=16, help="how many, spread over the source (default: 16)")
    parser.add_argument("--draws", type=int, help="of the transforms, for each sample (default: 4)")
    parser.add_argument("--seed", type=int, default=0, help="of the draws")
    parser.add_argument("--columns", type=int, help="of a sheet without transforms")
    parser.add_argument("--side", type=int, default=160, help="of each image in pixels (default: 160)")
    parser.add_argument("--mask", metavar="EXT", help="extension of a mask in each sample, as seg.png")
    parser.add_argument("--boxes", metavar="EXT:PATH[:FORMAT]", help="boxes of a json field, as json:boxes.*.bbox:xywh")
    parser.add_argument("--keypoints", metavar="EXT:PATH", help="key points of a json field")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    return parser


def _dataset(arguments: argparse.Namespace) -> Dataset:
    """The source with what is drawn of it: what it has by itself, and what was asked for."""
    extra: dict[str, Any] = {}
    if arguments.mask:
        extra["mask"] = Mask(arguments.mask)
    if arguments.boxes:
        extra["boxes"] = Boxes(*_parts("--boxes", arguments.boxes, 3))
    if arguments.keypoints:
        extension, path = _parts("--keypoints", arguments.keypoints, 2)
        extra["keypoints"] = Keypoints(extension, path)
    known = Dataset(arguments.path)
    drawn: dict[str, Any] = {name: name for name in ("image", "label", *known._core.planes) if name in known.fields}
    return Dataset(arguments.path, fields={**drawn, **extra}) if "image" in drawn else known


def _parts(option: str, text: str, most: int) -> list[str]:
    parts = text.split(":")
    if not 2 <= len(parts) <= most or not all(parts):
        raise InvalidError(f"{option} must be EXT:PATH, got {text!r}")
    return parts


def _transforms(path: str | None) -> Any:
    if path is None:
        return None
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as problem:
        raise NotFoundError(f"{path}: {problem.strerror}") from None
    read = transforms_module.from_yaml if path.endswith((".yaml", ".yml")) else transforms_module.from_json
    try:
        return read(text)
    except InvalidError as problem:
        raise InvalidError(f"{path}: {problem}") from None


def _run(arguments: argparse.Namespace) -> dict[str, Any]:
    transforms = _transforms(arguments.transforms)
    drawn = _dataset(arguments).show(
        arguments.samples,
        transforms=transforms,
        draws=arguments.draws,
        seed=arguments.seed,
        columns=arguments.columns,
        side=arguments.side,
    )
    try:
        drawn.save(arguments.output)
    except (OSError, ValueError) as problem:
        raise InvalidError(f"{arguments.output}: {problem}") from None
    return {"output": arguments.output, "width": drawn.width, "height": drawn.height}


def _with_warnings(arguments: argparse.Namespace) -> dict[str, Any]:
    """Runs, and tells what was warned of as every verb does."""
    told: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        try:
            report = _run(arguments)
        finally:
            told += dict.fromkeys(str(warning.message) for warning in caught)
            for text in told if not arguments.json else []:
                print(f"warning: {text}", file=sys.stderr)
    return {**report, "warnings": told}


def main(words: list[str] | None = None) -> int:
    """The exit code, as of every verb: 0, 1 for a finding, 2 for wrong usage."""
    arguments = _parser().parse_args(words)
    try:
        report = _with_warnings(arguments)
    except Error as problem:
        if arguments.json:
            print(json.dumps({"error": {"kind": type(problem).__name__, "message": str(problem)}}))
        else:
            print(f"penstock: {problem}", file=sys.stderr)
        return _WRONG_USAGE if isinstance(problem, InvalidError | NotFoundError) else _FINDING
    print(json.dumps(report) if arguments.json else "{output}: {width} x {height} pixels".format(**report))
    return 0


if __name__ == "__main__":
    sys.exit(main())
