"""Draws what each operation on images does, for the reference page: docs/images/transforms/<operation>.jpg.

    python tools/gen_images.py [--check]

Each image has the scene as it is and draws of the operation beside it, made by the installed penstock. --check writes
nothing and exits 1 when an operation has no image, an image no operation, or one shows something else.
"""

from __future__ import annotations

import argparse
import functools
import io
import itertools
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

import penstock
from penstock import transforms
from penstock._made_functions import ON_ANNOTATIONS
from penstock._sheet import Cell, as_bytes, sheet

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "images" / "transforms"
WIDTH, HEIGHT, SIDE, DRAWS = 128, 96, 104, 3
#: The largest mean difference of two images of the same: encoders of JPEG differ a little.
TOLERANCE = 2.0

#: Parameters that show what an operation does, where its defaults do not; others follow from CANDIDATES.
EXAMPLES: dict[str, dict[str, Any]] = {
    "Resize": {"size": (48, 96)},
    "CenterCrop": {"size": 64},
    "RandomCrop": {"size": 64},
    "RandomResizedCrop": {"size": 64},
    "RandomRotation": {"degrees": 40, "interpolation": "bilinear"},
    "ColorJitter": {"brightness": 0.5, "contrast": 0.5, "saturation": 0.5, "hue": 0.3},
    "RandomSolarize": {"threshold": 128},
    "PillowGaussianBlur": {"radius": (1, 4)},
    "FiveCrop": {"size": 48},
    "TenCrop": {"size": 48},
    "RandomEmbed": {"canvas_size": 128, "x_range": (0, 1), "y_range": (0, 1), "background": "power_law"},
    "RandomBackgroundBlend": {"background": "power_law", "fade_mode": "circular", "fade_radius": (0.2, 0.7)},
    "Normalize": {"mean": (0.485, 0.456, 0.406), "std": (0.229, 0.224, 0.225)},
    "Sequential": {"transforms": [transforms.RandomCrop(64), transforms.RandomInvert(p=1.0)]},
    "RandomApply": {"transforms": [transforms.RandomCrop(64), transforms.RandomInvert(p=1.0)]},
    "RandomChoice": {"transforms": [transforms.RandomCrop(64), transforms.RandomInvert(p=1.0)]},
    "RandomOrder": {"transforms": [transforms.Pad(16, fill=90), transforms.RandomResizedCrop((96, 128))]},
    "RandomPatchMask": {"grid": (12, 16)},
    "RandomBlockMask": {"grid": (12, 16), "mask_ratio": (0.4, 0.5)},
    "IJEPAMask": {"grid": (12, 16)},
    "RandAugment": {"magnitude": 20},
    "AugMix": {"severity": 8},
    "TimmMixup": {"cutmix_alpha": 1.0, "mode": "elem"},
}
CANDIDATES: tuple[Any, ...] = (64, 8, 4, 2, 1, 0.5, (0.3, 0.6), (32, 64), (0.4, 0.5, 0.6))


def scene(hue: int = 0) -> np.ndarray[Any, Any]:
    """Hills, a house and a balloon under the sun: edges, gradients, colours, and a left that is not the right."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    sky = np.stack([90 + y, 150 + y * 0.8, 255 - y * 0.4 + 0 * x], -1).clip(0, 255).astype(np.uint8)
    image = Image.fromarray(np.roll(sky, hue, axis=2))
    draw = ImageDraw.Draw(image)
    draw.ellipse([100, 8, 120, 28], fill=(255, 225, 60))
    draw.ellipse([-30, 60, 80, 140], fill=(70, 140, 60))
    draw.ellipse([50, 66, 170, 150], fill=(100, 170, 70))
    draw.rectangle([70, 50, 98, 76], fill=(225, 205, 180))
    draw.polygon([(66, 50), (102, 50), (84, 34)], fill=(190, 60, 45))
    draw.rectangle([80, 62, 88, 76], fill=(110, 70, 40))
    draw.rectangle([91, 55, 96, 61], fill=(90, 120, 160))
    draw.ellipse([22, 14, 50, 46], fill=(230, 90, 160))
    draw.polygon([(26, 38), (46, 38), (36, 52)], fill=(230, 90, 160))
    draw.rectangle([32, 54, 40, 60], fill=(120, 80, 50))
    return np.asarray(image).copy()


def given_to(operation: transforms.Transform) -> Any:
    """The scene as the operation can do something with it: on its side in a file that says so, or on a clear canvas."""
    if operation == transforms.ExifTranspose():
        image = Image.fromarray(scene()).transpose(Image.Transpose.ROTATE_90)
        image.getexif()[0x0112] = 6
        return image
    if type(operation).__name__ == "RandomBackgroundBlend":
        return np.concatenate([scene(), np.full((HEIGHT, WIDTH, 1), 255, np.uint8)], axis=-1)
    return scene()


def shown_operations() -> list[str]:
    hidden = (*ON_ANNOTATIONS, "ToBfloat16", "OneHot")  # numpy has no bfloat16
    return [name for name, kind in _classes().items() if kind.info["kind"] in ("image", "batch") and name not in hidden]


def _classes() -> dict[str, type[transforms.Transform]]:
    kinds = {name: getattr(transforms, name) for name in transforms.__all__}
    return {name: kind for name, kind in kinds.items() if isinstance(kind, type) and hasattr(kind, "info")}


@functools.cache
def example(name: str) -> tuple[transforms.Transform, str]:
    """An operation of that name whose effect can be seen, and how it is written."""
    kind = _classes()[name]
    parameters = {each["name"]: each for each in kind.info["parameters"]}
    fixed = EXAMPLES.get(name, {}) | ({"p": 1.0} if parameters.get("p", {}).get("type") == "float" else {})
    needed = [each for each, parameter in parameters.items() if parameter["required"] and each not in fixed]
    for values in itertools.product(CANDIDATES, repeat=len(needed)):
        given = dict(zip(needed, values, strict=True)) | fixed
        try:
            operation = kind(**given)
        except penstock.InvalidError:
            continue
        return operation, f"{name}({', '.join(f'{key}={value!r}' for key, value in given.items())})"
    raise SystemExit(f"{name}: no value of CANDIDATES suits {needed}; add it to EXAMPLES of tools/gen_images.py")


def draws_of(operation: transforms.Transform) -> int:
    """One where all would be the same."""
    return DRAWS if {value["name"] for value in operation.info["drawn"]} - {"apply"} else 1


def images_of(operation: transforms.Transform) -> Iterable[np.ndarray[Any, Any]]:
    """The scene, then what the operation makes of it."""
    yield np.asarray(given_to(operation))[..., :3]
    refused: Exception | None = None
    for before in ([], [transforms.ToFloat()]):
        try:
            compose = transforms.Compose([*before, operation])
            draws = [_seen(compose(given_to(operation), seed=seed)) for seed in range(draws_of(operation))]
            made = [image for drawn in draws for image in (drawn if drawn.ndim == 4 else [drawn])]
        except penstock.InvalidError as problem:
            refused = problem
        else:
            for image in as_bytes(made):
                # Pathways of the visual system are no colours.
                yield from [image] if image.ndim < 3 or image.shape[2] in (1, 3, 4) else np.moveaxis(image, 2, 0)
            return
    if type(operation).info["kind"] != "batch":
        raise SystemExit(f"{operation!r}: {refused}")
    yield from _batch_of(operation)


def _seen(made: Any) -> np.ndarray[Any, Any]:
    """The image, or what of it masks of patches leave: unmasked patches, or the context, and dimmed the targets."""
    if not isinstance(made, dict):
        return np.asarray(made)
    image = np.asarray(made["image"])
    clear = ~made["patch_mask"] if "patch_mask" in made else made["context_mask"]
    dimmed = made["target_mask"].any(0) if "target_mask" in made else np.zeros_like(clear)
    weights = np.where(clear, 1.0, np.where(dimmed, 0.5, 0.0))
    side = HEIGHT // len(clear)
    seen: np.ndarray[Any, Any] = (image * np.kron(weights, np.ones((side, side)))[..., None]).astype(image.dtype)
    return seen


def _batch_of(operation: transforms.Transform) -> Iterable[np.ndarray[Any, Any]]:
    """Rows of a batch that the operation has mixed."""
    with tempfile.TemporaryDirectory() as folder:
        for number in range(DRAWS):
            place = Path(folder) / f"class{number}"
            place.mkdir()
            Image.fromarray(scene(number)[:, :: 1 - 2 * (number % 2)]).save(place / "image.png")
        list_ = [transforms.CenterCrop((HEIGHT, WIDTH)), transforms.ToFloat(), operation]
        with penstock.Loader(folder, transforms=list_, batch_size=DRAWS, output="numpy", num_workers=1) as loader:
            yield from as_bytes([np.moveaxis(row, 0, -1) for row in next(iter(loader))["image"]])


def row_of(name: str) -> Image.Image:
    return sheet([[Cell(image) for image in images_of(example(name)[0])]], SIDE)


def encoded(image: Image.Image) -> bytes:
    file = io.BytesIO()
    image.save(file, "JPEG", quality=75, optimize=True)
    return file.getvalue()


def differs(path: Path, wanted: Image.Image) -> bool:
    if not path.exists():
        return True
    held = Image.open(path).convert("RGB")
    wanted = Image.open(io.BytesIO(encoded(wanted)))
    if held.size != wanted.size:
        return True
    return bool(np.abs(np.asarray(held, float) - np.asarray(wanted, float)).mean() > TOLERANCE)


def main() -> int:
    parser = argparse.ArgumentParser(description="Draws the images of docs/transforms.md.")
    parser.add_argument("--check", action="store_true", help="only compare")
    check = parser.parse_args().check
    names = shown_operations()
    wrong = 0
    for name in names:
        path = FOLDER / f"{name}.jpg"
        wanted = row_of(name)
        if differs(path, wanted):
            wrong += 1
            if check:
                print(f"{path.name} is not what its operation gives; run python tools/gen_images.py")
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(encoded(wanted))
                print(f"wrote {path.name}")
    for path in sorted(FOLDER.glob("*")):
        if path.stem not in names:
            wrong += 1
            print(f"{path.name} belongs to no operation")
            if not check:
                path.unlink()
    return 1 if check and wrong else 0


if __name__ == "__main__":
    sys.exit(main())
