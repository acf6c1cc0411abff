"""Resizes, crops, turns and blurs beside torchvision v2 and Pillow, with what was drawn: byte for byte."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from image_parity import FILTERS, IMAGES, OTHERS, compare, fields_go_along, modes_of, moved
from PIL import Image, ImageFilter

from penstock import transforms

v2 = pytest.importorskip("torchvision.transforms.v2")
functional = pytest.importorskip("torchvision.transforms.v2.functional")

ALL_FILTERS = ["nearest", "box", "bilinear", "hamming", "bicubic", "lanczos"]
MODES = ("RGB", "L", "RGBA", "I;16")
#: What Resize is given: both sides, up, down and to one pixel; the shorter side, also with a limit to the longer;
#: the longer side.
RESIZES: list[dict[str, Any]] = [
    {"size": (23, 31)},
    {"size": (120, 9)},
    {"size": (1, 1)},
    {"size": 17},
    {"size": 40, "max_size": 61},
    {"size": None, "max_size": 55},
]


@pytest.mark.parametrize("name", ALL_FILTERS)
def test_resize_is_torchvisions(name: str) -> None:
    mode = functional.InterpolationMode(name)
    for number, options in enumerate(RESIZES):
        resize = v2.Resize(**options, interpolation=mode)
        compare(
            transforms.Resize(**options, interpolation=name),
            lambda image, drawn, resize=resize: resize(image),
            MODES,
            count=-(-IMAGES // len(RESIZES)),
            first=1000 * number,
        )


@pytest.mark.parametrize("name", ALL_FILTERS)
def test_resized_crop_is_torchvisions(name: str) -> None:
    def crop(image: Image.Image, drawn: dict[str, Any]) -> Image.Image:
        box = [drawn[side] for side in ("top", "left", "height", "width")]
        return functional.resized_crop(image, *box, size=[20, 30], interpolation=functional.InterpolationMode(name))

    compare(transforms.RandomResizedCrop((20, 30), interpolation=name), crop, MODES)


def test_mirroring_is_torchvisions() -> None:
    compare(
        transforms.RandomHorizontalFlip(),
        lambda image, drawn: functional.horizontal_flip(image) if drawn["apply"] else image,
    )


def test_crop_of_the_middle_is_torchvisions() -> None:
    """What is larger than the image has a black border."""
    sizes: list[Any] = [(1, 1), (10, 11), (61, 60), (100, 30), 64]
    for number, size in enumerate(sizes):
        crop = v2.CenterCrop(size)
        compare(
            transforms.CenterCrop(size),
            lambda image, drawn, crop=crop: crop(image),
            count=IMAGES // len(sizes),
            first=1000 * number,
        )


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "symmetric"])
def test_random_crop_is_torchvisions_at_the_drawn_place(mode: str) -> None:
    places = set()
    settings: list[tuple[dict[str, Any], int]] = [
        ({"size": 1}, 1),
        ({"size": (21, 30)}, 21),
        ({"size": (5, 9), "padding": 4}, 1),
        ({"size": (64, 40), "padding": (3, 0, 7, 20), "pad_if_needed": True}, 1),
        ({"size": 70, "pad_if_needed": True}, 1),
    ]
    for number, (options, least) in enumerate(settings):
        fill = {"fill": (3, 90, 250)} if mode == "constant" else {}
        theirs = v2.RandomCrop(**options, **fill, padding_mode=mode)

        def crop(image: Image.Image, drawn: dict[str, Any], theirs: Any = theirs) -> Image.Image:
            places.add((drawn["top"], drawn["left"]))
            params = theirs.make_params([image])
            cut = drawn["top"] != 0 or drawn["left"] != 0 or params["needs_crop"]
            return theirs.transform(image, params | {"needs_crop": cut, "top": drawn["top"], "left": drawn["left"]})

        operation = transforms.RandomCrop(**options, **fill, padding_mode=mode)
        compare(operation, crop, ("RGB",), least, count=IMAGES // len(settings), first=1000 * number)
        if mode != "constant":  # whose fill is of three channels
            compare(operation, crop, ("L", "RGBA", "I;16"), least, count=OTHERS // len(settings), first=1000 * number)
    assert len(places) > IMAGES / 4


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize("expand", [False, True])
def test_rotation_is_torchvisions(name: str, expand: bool) -> None:
    def turn(image: Image.Image, drawn: dict[str, Any], center: list[float] | None = None) -> Image.Image:
        mode = functional.InterpolationMode(name)
        fill = [9, 80, 200] if image.mode == "RGB" else None
        return functional.rotate(image, drawn["angle"], mode, expand=expand, center=center, fill=fill)

    own = {"interpolation": name, "expand": expand}
    others = modes_of(name)[1:]
    compare(transforms.RandomRotation(180, **own, fill=(9, 80, 200)), turn, ("RGB",))
    compare(transforms.RandomRotation(180, **own), turn, others, count=OTHERS)
    for angle, modes in itertools.product((0, 90, 180, 270, -90, 360, 450, 45), (("RGB",), others)):
        fill = {"fill": (9, 80, 200)} if modes == ("RGB",) else {}
        compare(transforms.RandomRotation((angle, angle), **own, **fill), turn, modes, count=16)
    if not expand:  # which torchvision leaves undefined with a centre of one's own
        compare(
            transforms.RandomRotation(60, **own, center=(10, 5.5), fill=(9, 80, 200)),
            lambda image, drawn: turn(image, drawn, [10, 5.5]),
            ("RGB",),
        )


def test_box_blur_is_pillows() -> None:
    def blur(image: Image.Image, drawn: dict[str, Any]) -> Image.Image:
        return image.filter(ImageFilter.GaussianBlur(drawn["radius"])) if drawn["apply"] else image

    compare(transforms.PillowGaussianBlur((0.1, 5.0), p=0.9), blur, ("RGB", "L", "RGBA"))
    compare(transforms.PillowGaussianBlur((0.0, 60.0)), blur, ("RGB", "L", "RGBA"), first=1000)


JITTERED: list[tuple[transforms.Transform, int]] = [
    *((transforms.Resize(size), 1) for size in ((23, 31), (120, 9), 17)),
    (transforms.CenterCrop((20, 21)), 21),
    (transforms.RandomCrop((21, 20)), 21),
    (transforms.RandomCrop((60, 50), padding=(3, 0, 7, 20), pad_if_needed=True), 1),
    (transforms.RandomResize(5, 40), 1),
    (transforms.RandomShortestSize((8, 30, 45), max_size=90), 21),
    (transforms.ScaleJitter((40, 30)), 21),
    (transforms.RandomZoomOut(p=0.8), 1),
    (transforms.RandomHorizontalFlip(), 1),
]


@pytest.mark.parametrize(("operation", "least"), JITTERED, ids=str)
def test_fields_go_along(operation: transforms.Transform, least: int) -> None:
    fields_go_along(operation, lambda value, drawn: moved(value, [operation], [drawn]), least=least)


def test_fields_go_along_where_a_resize_and_a_crop_are_one() -> None:
    mode = functional.InterpolationMode.NEAREST

    def crop_and_resize(value: Any, drawn: dict[str, Any]) -> Any:
        box = [drawn[side] for side in ("top", "left", "height", "width")]
        return functional.resized_crop(value, *box, size=[20, 30], interpolation=mode)

    def resize_and_crop(value: Any, drawn: dict[str, Any]) -> Any:
        size = drawn["size"]
        whole = functional.resize(value, [size], interpolation=mode)
        height, width = functional.get_size(whole)
        top, left = round((height - size) * drawn["y"]), round((width - size) * drawn["x"])
        return functional.crop(whole, top, left, size, size)

    fields_go_along(transforms.RandomResizedCrop((20, 30)), crop_and_resize)
    fields_go_along(transforms.DirectRandomResizedCrop((20, 30)), crop_and_resize)
    fields_go_along(transforms.ResizeShortCropLong((5, 30), x_range=(0, 1), y_range=(0, 1)), resize_and_crop)


@pytest.mark.parametrize("expand", [False, True])
def test_fields_go_along_with_rotations(expand: bool) -> None:
    """torchvision puts what lies in an image that it makes larger up to a pixel from where its pixels go: its frame
    begins at 0, where the pixels have theirs in the middle of the new image."""

    def turn(value: Any, drawn: dict[str, Any]) -> Any:
        made = functional.rotate(value, drawn["angle"], expand=expand)
        if not expand or isinstance(value, Image.Image):
            return made
        height, width = value.canvas_size
        size = np.array(Image.new("L", (width, height)).rotate(drawn["angle"], expand=True).size)
        angle = np.radians(drawn["angle"])
        across, down = abs(np.cos(angle)), abs(np.sin(angle))
        frame = np.array([width * across + height * down, width * down + height * across])
        return np.asarray(made) + np.tile((size - frame) / 2, np.shape(made)[1] // 2)

    fields_go_along(transforms.RandomRotation(180, expand=expand), turn)
    for angle in (90, 180, 270):
        fields_go_along(transforms.RandomRotation((angle, angle), expand=expand), turn, count=12)
