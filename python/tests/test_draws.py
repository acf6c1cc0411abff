"""What is drawn follows the laws of torchvision and timm: samples beside theirs, by Kolmogorov and Smirnov's test.

Laws of one number by itself are in src/transforms/image/draws_test.cpp.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import encode, write_tar
from PIL import Image

import penstock
from penstock import transforms

v2 = pytest.importorskip("torchvision.transforms.v2")
tv_tensors = pytest.importorskip("torchvision.tv_tensors")
torch = pytest.importorskip("torch")

COUNT = 4000
#: Kolmogorov and Smirnov's statistic is above it in one of 10,000 pairs of samples that follow one law.
DISTANCE = 2.23


def follow_one_law(ours: Any, theirs: Any, about: str) -> None:
    """Whether two samples may be of one distribution; sharing values makes the test milder."""
    ours, theirs = np.sort(np.asarray(ours, float)), np.sort(np.asarray(theirs, float))
    assert ours[0] < ours[-1] or theirs[0] == theirs[-1], f"{about}: always {ours[0]}"
    values = np.concatenate([ours, theirs])
    below = [np.searchsorted(sample, values, side="right") / sample.size for sample in (ours, theirs)]
    distance = np.abs(below[0] - below[1]).max() * np.sqrt(ours.size * theirs.size / (ours.size + theirs.size))
    assert distance < DISTANCE, f"{about}: {distance:.2f}"


def test_the_test_tells_laws_apart() -> None:
    rng = np.random.default_rng(0)
    follow_one_law(rng.uniform(size=COUNT), rng.uniform(size=COUNT), "uniform")
    for other in (rng.uniform(0, 1.1, COUNT), rng.uniform(size=COUNT) ** 1.2, np.zeros(COUNT)):
        with pytest.raises(AssertionError):
            follow_one_law(other, rng.uniform(size=COUNT), "not uniform")


def same_laws(
    ours: transforms.Transform,
    theirs: Any,
    size: tuple[int, int],
    numbers: Callable[[dict[str, Any], int, int], dict[str, float]],
    renamed: Callable[[dict[str, Any]], dict[str, Any]] = dict,
) -> None:
    """Each of the numbers that are made of what is drawn for an image of this size, ours and torchvision's."""
    image = Image.new("RGB", size)
    compose = transforms.Compose([ours])
    pixels = np.asarray(image)
    made = [numbers(compose.draw(pixels, seed=seed)[0], *size) for seed in range(COUNT)]
    torch.manual_seed(0)
    wanted = [numbers(renamed(theirs.make_params([image])), *size) for _ in range(COUNT)]
    for name in made[0]:
        samples = [[draw[name] for draw in draws] for draws in (made, wanted)]
        follow_one_law(*samples, f"{name} of {ours} in {size}")


def box_of(drawn: dict[str, Any], width: int, height: int) -> dict[str, float]:
    """A box by its area, shape, and place in what it leaves free: numbers that should be drawn apart, and together."""
    top, left, h, w = (drawn[name] for name in ("top", "left", "height", "width"))
    across, down = left / max(width - w, 1), top / max(height - h, 1)
    return {
        "area": h * w,
        "ratio": w / max(h, 1),
        "top": top,
        "left": left,
        "across": across,
        "down": down,
        "area and place": h * w * across,
        "places": across * down,
    }


@pytest.mark.parametrize("size", [(97, 61), (30, 200), (5, 4)])
def test_resized_crops_are_drawn_as_torchvision_draws(size: tuple[int, int]) -> None:
    for options in ({}, {"scale": (0.5, 0.9), "ratio": (0.5, 3.0)}):
        same_laws(transforms.RandomResizedCrop(8, **options), v2.RandomResizedCrop(8, **options), size, box_of)


def test_places_of_crops_are_drawn_as_torchvision_draws() -> None:
    def place(drawn: dict[str, Any], width: int, height: int) -> dict[str, float]:
        del width, height
        return {"top": drawn["top"], "left": drawn["left"], "both": drawn["top"] * drawn["left"]}

    for options in ({"size": (20, 90)}, {"size": 50, "padding": (3, 9)}, {"size": 120, "pad_if_needed": True}):
        same_laws(transforms.RandomCrop(**options), v2.RandomCrop(**options), (97, 61), place)


@pytest.mark.parametrize("size", [(97, 61), (12, 80), (3, 3)])
def test_erased_rectangles_are_drawn_as_torchvision_draws(size: tuple[int, int]) -> None:
    def rectangle(drawn: dict[str, Any], width: int, height: int) -> dict[str, float]:
        none = {"top": 0, "left": 0, "height": 0, "width": 0}
        return box_of(drawn if drawn["apply"] else none, width, height) | {"apply": drawn["apply"]}

    def renamed(params: dict[str, Any]) -> dict[str, Any]:
        box = {"top": params["i"], "left": params["j"], "height": params["h"], "width": params["w"]}
        return box | {"apply": params["v"] is not None}

    for options in ({}, {"scale": (0.1, 0.9), "ratio": (0.2, 1.0)}):
        same_laws(transforms.RandomErasing(1.0, **options), v2.RandomErasing(1.0, **options), size, rectangle, renamed)


def test_zoom_out_is_drawn_as_torchvision_draws() -> None:
    def sides(drawn: dict[str, Any], width: int, height: int) -> dict[str, float]:
        canvas = width + drawn["left"] + drawn["right"], height + drawn["top"] + drawn["bottom"]
        return {
            "across": canvas[0],
            "down": canvas[1],
            "left": drawn["left"],
            "top": drawn["top"],
            "left of all": drawn["left"] / max(canvas[0] - width, 1),
        }

    for options in ({}, {"side_range": (1.5, 2.0)}):
        same_laws(
            transforms.RandomZoomOut(**options, p=1.0),
            v2.RandomZoomOut(**options, p=1.0),
            (97, 61),
            sides,
            lambda params: dict(zip(("left", "top", "right", "bottom"), params["padding"], strict=True)),
        )


def test_sizes_are_drawn_as_torchvision_draws() -> None:
    def side(drawn: dict[str, Any], width: int, height: int) -> dict[str, float]:
        del width, height
        return {name: drawn[name] for name in ("height", "width", "size") if name in drawn}

    def pair(params: dict[str, Any]) -> dict[str, Any]:
        return dict(zip(("height", "width"), params["size"], strict=True))

    jitter = {"target_size": (300, 200), "scale_range": (0.2, 1.7)}
    same_laws(transforms.ScaleJitter(**jitter), v2.ScaleJitter(**jitter), (97, 61), side, pair)
    shortest = {"min_size": [20, 30, 90, 91], "max_size": 120}
    same_laws(transforms.RandomShortestSize(**shortest), v2.RandomShortestSize(**shortest), (97, 61), side, pair)
    whole = {"min_size": 16, "max_size": 47}
    theirs = v2.RandomResize(**whole)
    same_laws(transforms.RandomResize(**whole), theirs, (97, 61), side, lambda params: {"size": params["size"][0]})


@pytest.mark.parametrize("options", [None, [0.0, 0.5, 1.0]])
def test_iou_crops_are_drawn_as_torchvision_draws(options: list[float] | None) -> None:
    """torchvision's are slow."""
    image, count = Image.new("RGB", (97, 61)), 600
    boxes = torch.tensor([[3.0, 4.0, 30.0, 40.0], [50.0, 10.0, 90.0, 60.0]])
    canvas = tv_tensors.BoundingBoxes(boxes, format="XYXY", canvas_size=(61, 97))
    compose = transforms.Compose([transforms.RandomIoUCrop(sampler_options=options)])
    ours = [compose.draw(np.asarray(image), boxes=boxes, seed=seed)[0] for seed in range(COUNT)]
    theirs_of = v2.RandomIoUCrop(sampler_options=options)
    torch.manual_seed(0)
    whole = {"top": 0, "left": 0, "height": 61, "width": 97}
    theirs = [theirs_of.make_params([image, canvas]) or whole for _ in range(count)]
    cut = [[drawn["height"] * drawn["width"] < 61 * 97 for drawn in sample] for sample in (ours, theirs)]
    share = np.mean(cut[1])
    assert abs(np.mean(cut[0]) - share) < 3.9 * np.sqrt(share * (1 - share) * (1 / count + 1 / COUNT))
    samples = [[box_of(drawn, 97, 61) for drawn in sample] for sample in (ours, theirs)]
    for name in samples[0][0]:
        follow_one_law(*([each[name] for each in sample] for sample in samples), name)


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> penstock.Dataset:
    image = encode(Image.new("RGB", (3, 2)), "PNG")
    members = [(f"{number:02}.{ext}", data) for number in range(64) for ext, data in (("png", image), ("cls", b"1"))]
    return penstock.Dataset(write_tar(tmp_path_factory.mktemp("rows") / "rows.tar", members))


WIDTH, HEIGHT = 22, 31


def drawn_by(rows: penstock.Dataset, mixing: transforms.Transform, batch_size: int = 2) -> list[dict[str, Any]]:
    """What an operation on whole batches draws, for COUNT of them."""
    found: list[dict[str, Any]] = []
    operations = [transforms.Resize((HEIGHT, WIDTH)), mixing]
    with penstock.Loader(rows, transforms=operations, batch_size=batch_size, seed=3, num_workers=0) as loader:
        while len(found) < COUNT:
            found += [batch.params[0]["batch"][0] for batch in loader]
    return found[:COUNT]


@pytest.mark.parametrize("alpha", [0.2, 1.0, 3.0])
def test_shares_of_mixup_are_drawn_as_torchvision_draws(rows: penstock.Dataset, alpha: float) -> None:
    ours = [drawn["lam"] for drawn in drawn_by(rows, transforms.MixUp(alpha, num_classes=5))]
    torch.manual_seed(0)
    follow_one_law(ours, v2.MixUp(alpha=alpha, num_classes=5)._dist.sample((COUNT,))[:, 0], "lam")


def edges_of(boxes: Any) -> dict[str, np.ndarray]:
    left, top, right, bottom = np.asarray(boxes, float).T
    return {"left": left, "top": top, "right": right, "bottom": bottom, "area": (right - left) * (bottom - top)}


@pytest.mark.parametrize("alpha", [0.4, 1.0])
def test_boxes_of_cutmix_are_drawn_as_torchvision_draws(rows: penstock.Dataset, alpha: float) -> None:
    ours = edges_of([drawn["box"] for drawn in drawn_by(rows, transforms.CutMix(alpha, num_classes=5))])
    torch.manual_seed(0)
    mixing, batch = v2.CutMix(alpha=alpha, num_classes=5), torch.zeros(2, 3, HEIGHT, WIDTH)
    theirs = edges_of([mixing.make_params([batch])["box"] for _ in range(COUNT)])
    for name, values in ours.items():
        follow_one_law(values, theirs[name], name)


@pytest.mark.parametrize("mode", ["batch", "elem"])
def test_timms_mixup_is_drawn_by_timms_rule(rows: penstock.Dataset, mode: str) -> None:
    mixing = transforms.TimmMixup(0.8, 1.5, prob=0.9, switch_prob=0.3, mode=mode, correct_lam=False, num_classes=5)
    found = drawn_by(rows, mixing)
    lam = np.concatenate([np.atleast_1d(drawn["lam"]) for drawn in found])
    cut = np.concatenate([drawn["cutmix"] for drawn in found]).astype(bool)
    boxes = np.concatenate([np.reshape(drawn["box"], (-1, 4)) for drawn in found])
    assert lam.size == COUNT * (1 if mode == "batch" else 2)
    for happened, chance in ((lam < 1, 0.9), (cut, 0.9 * 0.3)):
        assert abs(happened.mean() - chance) < 3.9 * np.sqrt(chance * (1 - chance) / lam.size)
    rng = np.random.default_rng(0)
    follow_one_law(lam[~cut & (lam < 1)], rng.beta(0.8, 0.8, COUNT), "share of MixUp")
    shares = rng.beta(1.5, 1.5, COUNT)
    follow_one_law(lam[cut], shares, "share of CutMix")
    side, x, y = np.sqrt(1 - shares), rng.integers(WIDTH, size=COUNT), rng.integers(HEIGHT, size=COUNT)
    w, h = (WIDTH * side).astype(int), (HEIGHT * side).astype(int)
    edges = [np.maximum(x - w // 2, 0), np.maximum(y - h // 2, 0)]
    edges += [np.minimum(x + (w + 1) // 2, WIDTH), np.minimum(y + (h + 1) // 2, HEIGHT)]
    theirs = edges_of(np.stack(edges, axis=-1))
    for name, values in edges_of(boxes[cut]).items():
        follow_one_law(values, theirs[name], name)


def test_centers_of_mosaics_are_uniform_and_so_are_their_parts(rows: penstock.Dataset) -> None:
    found = drawn_by(rows, transforms.Mosaic((0.2, 0.7), p=0.6), batch_size=4)
    centers = np.concatenate([np.reshape(drawn["center"], (-1, 2)) for drawn in found])
    made = (centers != (WIDTH, HEIGHT)).all(1)
    assert abs(made.mean() - 0.6) < 3.9 * np.sqrt(0.24 / made.size)
    rng = np.random.default_rng(0)
    for values, side, name in ((centers[made, 0], WIDTH, "x"), (centers[made, 1], HEIGHT, "y")):
        follow_one_law(values, np.floor(rng.uniform(0.2, 0.7, made.size) * side), name)
    parts = np.concatenate([np.reshape(drawn["parts"], (-1, 4)) for drawn in found])[made]
    np.testing.assert_array_equal(parts[:, 0], np.tile(np.arange(4), COUNT)[made])
    for place in (1, 2, 3):
        counts = np.bincount(parts[:, place], minlength=4)
        chi_square = ((counts - counts.mean()) ** 2 / counts.mean()).sum()
        assert chi_square < 21.1, "of 3 degrees of freedom: one in 10,000"
