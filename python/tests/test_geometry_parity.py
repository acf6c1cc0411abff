"""Operations that move pixels beside torchvision v2 on Pillow images, with what was drawn: byte for byte."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from image_parity import FILTERS, IMAGES, compare, fields_go_along, images, modes_of, words_of
from PIL import Image

import penstock
from penstock import transforms

functional = pytest.importorskip("torchvision.transforms.v2.functional")
tv_tensors = pytest.importorskip("torchvision.tv_tensors")
torch = pytest.importorskip("torch")


def test_vertical_flip_is_torchvisions() -> None:
    def flip(value: Any, drawn: dict[str, Any]) -> Any:
        return functional.vertical_flip(value) if drawn["apply"] else value

    compare(transforms.RandomVerticalFlip(), flip)
    fields_go_along(transforms.RandomVerticalFlip(), flip)


def test_quarter_turns_are_torchvisions() -> None:
    def turn(value: Any, drawn: dict[str, Any]) -> Any:
        return functional.rotate(value, 90 * drawn["turns"], expand=True) if drawn["turns"] else value

    compare(transforms.RandomRotate90(p=0.9), turn)
    fields_go_along(transforms.RandomRotate90(p=0.9), turn)


PADDINGS = [3, (2, 5), (1, 0, 7, 2), (9, 9, 150, 210), (-1, 2, 3, -4), (-5, -6, -7, -8), (0, -3, 0, 40)]


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "symmetric"])
@pytest.mark.parametrize("padding", PADDINGS)
def test_pad_is_torchvisions(mode: str, padding: Any) -> None:
    numbers = padding if isinstance(padding, tuple) and len(padding) == 4 else None
    least = 20 if numbers is not None and min(numbers) < 0 else 1
    fill = 7

    def pad(image: Any, drawn: dict[str, Any]) -> Any:
        del drawn
        sides = padding if isinstance(padding, int) else list(padding)
        return functional.pad(image, sides, fill=fill, padding_mode=mode)

    compare(transforms.Pad(padding, fill=fill, padding_mode=mode), pad, least=least)
    if mode == "constant":
        fill = 0
        fields_go_along(transforms.Pad(padding), pad, least=least)


def test_pad_fills_each_channel() -> None:
    image = np.zeros((2, 3, 3), dtype=np.uint8)
    made = transforms.Compose([transforms.Pad(1, fill=(1, 2, 3))])(image)
    assert made[0, 0].tolist() == [1, 2, 3]


def test_zoom_out_is_torchvisions() -> None:
    def zoom(image: Any, drawn: dict[str, Any]) -> Any:
        sides = [drawn["left"], drawn["top"], drawn["right"], drawn["bottom"]]
        return functional.pad(image, sides, fill=5 if isinstance(image, Image.Image) and image.mode == "RGB" else 0)

    compare(transforms.RandomZoomOut(fill=5), zoom, modes=("RGB",))
    fields_go_along(transforms.RandomZoomOut(), zoom)


def resized(image: Any, size: list[int], name: str = "bilinear") -> Any:
    """Sides that a tiny image would lose are left out of the comparison by the callers."""
    return functional.resize(image, size, interpolation=functional.InterpolationMode(name))


@pytest.mark.parametrize("name", ["nearest", "bilinear", "bicubic"])
def test_random_resizes_are_torchvisions(name: str) -> None:
    modes = ("RGB", "L", "RGBA", "I;16")
    for operation in (
        transforms.RandomShortestSize((8, 30, 45), max_size=90, interpolation=name),
        transforms.ScaleJitter((40, 30), interpolation=name),
    ):
        compare(operation, lambda image, drawn: resized(image, [drawn["height"], drawn["width"]], name), modes, 21)
    compare(
        transforms.RandomResize(5, 40, interpolation=name),
        lambda image, drawn: resized(image, [drawn["size"]], name),
        modes,
    )


def test_fields_go_along_with_random_resizes() -> None:
    fields_go_along(
        transforms.RandomShortestSize((8, 30, 45)),
        lambda value, drawn: resized(value, [drawn["height"], drawn["width"]]),
        masks=False,
    )


def test_sizes_of_random_resizes_are_torchvisions() -> None:
    v2 = pytest.importorskip("torchvision.transforms.v2")
    image = Image.new("RGB", (97, 61))
    jitter = transforms.Compose([transforms.ScaleJitter((300, 200))])
    ours = {(drawn["height"], drawn["width"]) for (drawn,) in (jitter.draw(image, seed=seed) for seed in range(3000))}
    theirs = {v2.ScaleJitter((300, 200)).make_params([image])["size"] for _ in range(3000)}
    assert len(ours & theirs) > 0.85 * min(len(ours), len(theirs))


def test_short_crop_long_is_a_resize_and_a_crop() -> None:
    def cut(image: Image.Image, drawn: dict[str, Any]) -> Image.Image:
        size = drawn["size"]
        whole = resized(image, [size])
        left = round((whole.width - size) * drawn["x"])
        top = round((whole.height - size) * drawn["y"])
        return functional.crop(whole, top, left, size, size)

    compare(transforms.ResizeShortCropLong((5, 30), x_range=(0, 1), y_range=(0, 1)), cut)


def test_direct_crop_is_a_resized_crop() -> None:
    def crop(value: Any, drawn: dict[str, Any]) -> Any:
        return functional.resized_crop(
            value, drawn["top"], drawn["left"], drawn["height"], drawn["width"], size=[20, 30]
        )

    compare(transforms.DirectRandomResizedCrop((20, 30)), crop)
    fields_go_along(transforms.DirectRandomResizedCrop((20, 30)), crop, masks=False)


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize(
    "options",
    [
        {"degrees": 180},
        {"degrees": 0, "translate": (0.4, 0.4)},
        {"degrees": 0, "shear": 20},
        {"degrees": 0, "shear": (0, 0, -20, 20)},
        {"degrees": 10, "translate": (0.3, 0.1), "scale": (0.3, 2), "shear": (-10, 10, -10, 10)},
        {"degrees": (40, 60), "scale": (0.5, 0.6), "center": (3, 8.5)},
    ],
)
def test_affine_is_torchvisions(name: str, options: dict[str, Any]) -> None:
    fill = 9

    def affine(value: Any, drawn: dict[str, Any]) -> Any:
        return functional.affine(
            value,
            **drawn_of(drawn),
            interpolation=functional.InterpolationMode(name),
            fill=fill,
            center=list(options["center"]) if "center" in options else None,
        )

    compare(transforms.RandomAffine(**options, interpolation=name, fill=fill), affine, modes_of(name))
    if name == "nearest":
        fill = 0
        fields_go_along(transforms.RandomAffine(**options), affine)


def drawn_of(drawn: dict[str, Any]) -> dict[str, Any]:
    """Without the operation's name, lists as lists."""
    return {name: list(v) if isinstance(v, tuple) else v for name, v in drawn.items() if name != "op"}


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize("scale", [0.5, 0.9])
def test_perspective_is_torchvisions(name: str, scale: float) -> None:
    fill = 9

    def perspective(value: Any, drawn: dict[str, Any]) -> Any:
        to = drawn["endpoints"]
        if not to:
            return value
        height, width = functional.get_size(value) if isinstance(value, Image.Image) else value.canvas_size
        corners = [[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]]
        ends = [[to[2 * i], to[2 * i + 1]] for i in range(4)]
        mode = functional.InterpolationMode(name)
        return functional.perspective(value, corners, ends, interpolation=mode, fill=fill)

    operation = transforms.RandomPerspective(scale, p=0.8, interpolation=name, fill=fill)
    # torchvision solves for the map by QR: where a coefficient is 0 it finds 1e-17, which shows in tiny images
    # whose corners stay where they are.
    compare(operation, perspective, modes_of(name), least=21)
    if name == "nearest":
        fill = 0
        fields_go_along(transforms.RandomPerspective(0.3, p=0.8, interpolation=name), perspective, least=21)


@pytest.mark.parametrize("name", FILTERS)
def test_zoom_is_pillows_transform(name: str) -> None:
    def zoom(image: Image.Image, drawn: dict[str, Any]) -> Image.Image:
        z = drawn["zoom"]
        if z == 1:
            return image
        matrix = (z, 0, (1 - z) * (drawn["x"] * image.width), 0, z, (1 - z) * (drawn["y"] * image.height))
        resample = getattr(Image.Resampling, name.upper())
        return image.transform(image.size, Image.Transform.AFFINE, matrix, resample, fillcolor=None)

    operation = transforms.RandomZoom(zoom=(0.5, 1.5), x=(0, 1), y=(0, 1), interpolation=name)
    compare(operation, zoom, modes_of(name))


def test_iou_crop_marks_boxes_as_torchvision_does() -> None:
    rng = np.random.default_rng(3)
    image = rng.integers(0, 256, (80, 96, 3), dtype=np.uint8)
    compose = transforms.Compose([transforms.RandomIoUCrop()])
    cropped = 0
    for seed in range(IMAGES):
        corners = np.sort(rng.uniform(0, 1, (5, 2, 2)), axis=1) * (96, 80)
        boxes = torch.from_numpy(corners.reshape(5, 4).astype(np.float32))
        (drawn,) = compose.draw(image, boxes=boxes, seed=seed)
        made = compose(image, boxes=boxes, seed=seed)
        top, left, height, width = (drawn[name] for name in ("top", "left", "height", "width"))
        np.testing.assert_array_equal(made["image"], image[top : top + height, left : left + width])
        canvas = tv_tensors.BoundingBoxes(boxes, format="XYXY", canvas_size=(80, 96))
        if (height, width) == (80, 96):
            np.testing.assert_array_equal(made["boxes"], boxes)
            continue
        cropped += 1
        wanted = np.asarray(functional.crop(canvas, top, left, height, width)).copy()
        x, y = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
        inside = (left < x) & (x < left + width) & (top < y) & (y < top + height)
        assert inside.any()
        wanted[~inside.numpy()] = 0
        np.testing.assert_allclose(made["boxes"], wanted, atol=1e-4)
    assert cropped > IMAGES / 2


def noise_of(stream: list[float], count: int) -> np.ndarray:
    """What an elastic transform draws: two numbers of 16 bits from each word."""
    words = words_of(stream, count)
    halves = np.stack([words >> np.uint64(16), words & np.uint64(0xFFFF)])
    return (halves.astype(np.float64) / 32768 - 1).astype(np.float32)


def displacement_of(stream: list[float], size: tuple[int, int], alpha: list[float], sigma: list[float]) -> Any:
    """torchvision's field of that noise."""
    height, width = size
    planes = torch.from_numpy(noise_of(stream, height * width)).reshape(2, 1, 1, height, width)
    parts = []
    for plane, own, strength, length in zip(planes, sigma, alpha, (width, height), strict=True):
        taps = int(8 * own + 1) | 1
        parts.append(functional.gaussian_blur(plane, [taps, taps], sigma) * strength / length)
    return torch.concat(parts, 1).permute([0, 2, 3, 1])


@pytest.mark.parametrize("name", ["nearest", "bilinear"])
@pytest.mark.parametrize(("alpha", "sigma"), [([50.0, 50.0], [5.0, 5.0]), ([200.0, 90.0], [3.0, 1.7])])
def test_elastic_is_torchvisions_but_for_single_values(name: str, alpha: list[float], sigma: list[float]) -> None:
    compose = transforms.Compose([transforms.ElasticTransform(alpha, sigma, interpolation=name, fill=9)])
    values = differ = 0
    for seed, image in images(least=21):
        (drawn,) = compose.draw(np.asarray(image), seed=seed)
        field = displacement_of(drawn["stream"], image.size[::-1], alpha, sigma)
        mode = functional.InterpolationMode(name)
        wanted = np.asarray(functional.elastic(image, field, interpolation=mode, fill=[9.0])).astype(int)
        off = np.abs(compose(np.asarray(image), seed=seed).astype(int) - wanted)
        values += off.size
        differ += np.count_nonzero(off)
        if name == "bilinear":
            assert off.max() <= 1
    assert differ <= values / 5000


def test_fields_go_along_with_elastic() -> None:
    alpha, sigma = [60.0, 60.0], [4.0, 4.0]

    def move(value: Any, drawn: dict[str, Any]) -> Any:
        return functional.elastic(value, displacement_of(drawn["stream"], value.canvas_size, alpha, sigma))

    fields_go_along(transforms.ElasticTransform(alpha, sigma), move, masks=False, least=21)


def test_optical_distortion_is_the_formula() -> None:
    compose = transforms.Compose([transforms.OpticalDistortion((-0.9, 0.9), dx=3, dy=-2)])
    values = differ = 0
    for seed, image in images(least=2):
        (drawn,) = compose.draw(np.asarray(image), seed=seed)
        height, width = image.size[::-1]
        y, x = np.mgrid[0:height, 0:width].astype(np.float64)
        across, down = (x - (width / 2 + 3)) / width, (y - (height / 2 - 2)) / height
        r2 = across**2 + down**2
        stretch = 1 + drawn["distortion"] * (r2 + r2 * r2)
        column, row = across * stretch * width + width / 2 + 3, down * stretch * height + height / 2 - 2
        grid = np.stack([(2 * column + 1) / width - 1, (2 * row + 1) / height - 1], axis=-1)
        pixels = torch.from_numpy(np.asarray(image).astype(np.float32)).permute(2, 0, 1)[None]
        found = torch.nn.functional.grid_sample(pixels, torch.from_numpy(grid).float()[None], align_corners=False)
        mask = torch.nn.functional.grid_sample(
            torch.ones_like(pixels), torch.from_numpy(grid).float()[None], align_corners=False
        )
        wanted = (found * mask).round()[0].permute(1, 2, 0).numpy().astype(int)
        off = np.abs(compose(np.asarray(image), seed=seed).astype(int) - wanted)
        values += off.size
        differ += np.count_nonzero(off)
        assert off.max() <= 1
    assert differ <= values / 2000


def test_warps_of_16_bits_need_nearest() -> None:
    wide = np.zeros((8, 8), dtype=np.uint16)
    for operation in (transforms.RandomAffine(5, interpolation="bilinear"), transforms.RandomPerspective()):
        with pytest.raises(penstock.InvalidError, match="16 bits"):
            transforms.Compose([operation])(wide)
