"""Policies beside torchvision on Pillow images: with what was drawn the pixels are the same, byte for byte, and what is
drawn follows torchvision's tables. AugMix, which torchvision runs on tensors, within a bound; timm's by Pillow."""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageEnhance, ImageFilter, ImageOps
from test_color_transforms import compare, images

import penstock
from penstock import transforms

v2 = pytest.importorskip("torchvision.transforms.v2")
torch = pytest.importorskip("torch")

Step = Mapping[str, Any]
RAND_AUGMENT = set(v2.RandAugment._AUGMENTATION_SPACE)
POLICIES = {
    "imagenet": v2.AutoAugmentPolicy.IMAGENET,
    "cifar10": v2.AutoAugmentPolicy.CIFAR10,
    "svhn": v2.AutoAugmentPolicy.SVHN,
}
FILTERS = {
    "nearest": Image.Resampling.NEAREST,
    "bilinear": Image.Resampling.BILINEAR,
    "bicubic": Image.Resampling.BICUBIC,
}


def magnitude_of(step: Step) -> float:
    """What torchvision calls so."""
    name = step["op"]
    if name in ("Brightness", "Color", "Contrast", "Sharpness"):
        return float(step["factor"]) - 1.0
    if name == "Solarize":
        return float(step["threshold"]) / 255.0
    numbers = [value for key, value in step.items() if key not in ("op", "interpolation")]
    return float(numbers[0]) if numbers else 0.0


def after_steps(image: Any, steps: list[Step], interpolation: str = "nearest", fill: Any = None) -> Any:
    """What torchvision's own code makes of an image or a tensor."""
    policy = v2.RandAugment(interpolation=v2.InterpolationMode(interpolation), fill=fill)
    for step in steps:
        image = policy._apply_image_or_video_transform(
            image, step["op"], magnitude_of(step), policy.interpolation, policy._fill
        )
    return image


def counted(reference: Callable[..., Any], found: Counter[str], **settings: Any) -> Callable[..., Image.Image]:
    """A reference for compare() that counts the operations it was given."""

    def call(image: Image.Image, drawn: Step) -> Image.Image:
        found.update(step["op"] for step in drawn["operations"])
        made: Image.Image = reference(image, drawn["operations"], **settings)
        return made

    return call


@pytest.mark.parametrize("mode", ["RGB", "L"])
@pytest.mark.parametrize("policy", POLICIES)
def test_auto_augment_is_torchvisions(policy: str, mode: str) -> None:
    found: Counter[str] = Counter()
    compare(transforms.AutoAugment(policy), counted(after_steps, found), mode)
    table = v2.AutoAugment(POLICIES[policy])._policies
    assert set(found) == {name for pair in table for name, chance, _ in pair if chance > 0}


@pytest.mark.parametrize(
    ("settings", "mode"),
    [
        ({}, "RGB"),
        ({}, "L"),
        ({"interpolation": "bilinear", "fill": (10, 200, 90)}, "RGB"),
        ({"interpolation": "bicubic", "fill": 77}, "RGB"),
    ],
)
def test_rand_augment_is_torchvisions(settings: dict[str, Any], mode: str) -> None:
    found: Counter[str] = Counter()
    compare(transforms.RandAugment(**settings), counted(after_steps, found, **settings), mode)
    strong = transforms.RandAugment(num_ops=3, magnitude=28, **settings)
    compare(strong, counted(after_steps, found, **settings), mode)
    assert set(found) == RAND_AUGMENT


@pytest.mark.parametrize(
    ("settings", "mode"), [({}, "RGB"), ({}, "L"), ({"interpolation": "bilinear", "fill": (255, 0, 128)}, "RGB")]
)
def test_trivial_augment_wide_is_torchvisions(settings: dict[str, Any], mode: str) -> None:
    found: Counter[str] = Counter()
    compare(transforms.TrivialAugmentWide(**settings), counted(after_steps, found, **settings), mode)
    assert set(found) == RAND_AUGMENT


def normal_deviate(counts: Counter[Any], shares: Mapping[Any, float]) -> float:
    """Pearson's chi-square of counts that should have these shares (Wilson and Hilferty); rare ones as one."""
    total = sum(counts.values())
    rare = {key for key, share in shares.items() if share * total < 8}
    cells = [(counts[key], share * total) for key, share in shares.items() if key not in rare]
    if rare:
        cells.append((sum(counts[key] for key in rare), sum(shares[key] for key in rare) * total))
    freedom = len(cells) - 1
    square = sum((count - wanted) ** 2 / wanted for count, wanted in cells)
    spread = 2 / (9 * freedom)
    return float(((square / freedom) ** (1 / 3) - (1 - spread)) / math.sqrt(spread))


def strengths(image: Image.Image, space: Any, name: str, bins: int) -> list[float]:
    magnitudes = space[name][0](bins, image.height, image.width)
    return [0.0] * bins if magnitudes is None else [float(each) for each in magnitudes]


def seen(step: Step) -> tuple[str, float]:
    """The operation and how strong it is, without its sign."""
    return step["op"], round(abs(magnitude_of(step)), 4)


@pytest.mark.parametrize("policy", POLICIES)
def test_auto_augment_draws_from_torchvisions_table(policy: str) -> None:
    image = Image.new("RGB", (33, 21))  # a translation of every bin is one of other pixels
    shares: Counter[Any] = Counter()
    signed = {name for name, (_, has_sign) in v2.AutoAugment._AUGMENTATION_SPACE.items() if has_sign}
    for pair in v2.AutoAugment(POLICIES[policy])._policies:
        outcomes: list[tuple[tuple[Any, ...], float]] = [((), 1 / 25)]
        for name, chance, number in pair:
            strength = strengths(image, v2.AutoAugment._AUGMENTATION_SPACE, name, 10)[number or 0]
            done = name, round(math.trunc(strength) if name.startswith("Translate") else strength, 4)
            outcomes = [(steps + (done,), share * chance) for steps, share in outcomes] + [
                (steps, share * (1 - chance)) for steps, share in outcomes
            ]
        for steps, share in outcomes:
            if share > 0:
                shares[steps] += share
    compose = transforms.Compose([transforms.AutoAugment(policy)])
    counts: Counter[Any] = Counter()
    signs: Counter[bool] = Counter()
    for seed in range(6000):
        steps = compose.draw(image, seed=seed)[0]["operations"]
        counts[tuple(seen(step) for step in steps)] += 1
        signs.update(magnitude_of(step) < 0 for step in steps if step["op"] in signed and magnitude_of(step) != 0)
    assert set(counts) <= set(shares)
    assert normal_deviate(counts, shares) < 3.1
    assert normal_deviate(signs, {True: 0.5, False: 0.5}) < 3.1


@pytest.mark.parametrize(
    ("make", "space", "bins"),
    [
        (transforms.RandAugment, v2.RandAugment._AUGMENTATION_SPACE, 31),
        (transforms.RandAugment, v2.RandAugment._AUGMENTATION_SPACE, 9),
        (transforms.RandAugment, v2.RandAugment._AUGMENTATION_SPACE, 12),
        (transforms.TrivialAugmentWide, v2.TrivialAugmentWide._AUGMENTATION_SPACE, 31),
        (transforms.TrivialAugmentWide, v2.TrivialAugmentWide._AUGMENTATION_SPACE, 17),
    ],
)
def test_magnitudes_are_torchvisions_but_for_the_last_bit(make: Any, space: Any, bins: int) -> None:
    image = Image.new("RGB", (33, 21))
    found: dict[str, set[float]] = {name: set() for name in space}
    for number in range(bins if make is transforms.RandAugment else 1):
        settings = {"num_ops": 300, "magnitude": number} if make is transforms.RandAugment else {}
        compose = transforms.Compose([make(num_magnitude_bins=bins, **settings)])
        for seed in range(1 if settings else 6000):
            for step in compose.draw(image, seed=seed)[0]["operations"]:
                found[step["op"]].add(abs(magnitude_of(step)))
    for name, values in found.items():
        wanted = strengths(image, space, name, bins)
        if name.startswith("Translate"):
            wanted = [float(math.trunc(each * (1 + 2**-22))) for each in wanted]  # 16 pixels may be 15.999999 there
        ours, theirs = sorted(values), sorted(set(wanted))
        assert len(ours) == len(theirs), name
        np.testing.assert_allclose(ours, theirs, rtol=2**-22, atol=0, err_msg=name)


# --- AugMix -----------------------------------------------------------------------------------------------------------


def mixed(image: np.ndarray, drawn: Step, run: Callable[[list[Step]], np.ndarray]) -> np.ndarray:
    """torchvision's sum of float32 and its truncation."""
    weights = np.array(drawn["weights"], dtype=np.float32)
    total = weights[0] * image.astype(np.float32)
    first = 0
    for weight, depth in zip(weights[1:], drawn["depths"], strict=True):
        total += weight * run(drawn["operations"][first : first + depth]).astype(np.float32)
        first += depth
    return total.astype(np.uint8)


@pytest.mark.parametrize("settings", [{}, {"severity": 8, "mixture_width": 5, "chain_depth": 2, "fill": 99}])
def test_aug_mix_is_torchvisions_with_the_chains_run_by_pillow(settings: dict[str, Any]) -> None:
    def reference(image: Image.Image, drawn: Step) -> Image.Image:
        def run(steps: list[Step]) -> np.ndarray:
            return np.asarray(after_steps(image, steps, "bilinear", settings.get("fill")))

        return Image.fromarray(mixed(np.asarray(image), drawn, run))

    compare(transforms.AugMix(**settings), reference)


def on_tensors(pixels: np.ndarray, steps: list[Step]) -> np.ndarray:
    tensor = torch.from_numpy(pixels.copy()).permute(2, 0, 1)
    return after_steps(tensor, steps, "bilinear").permute(1, 2, 0).numpy()  # type: ignore[no-any-return]


def test_aug_mix_differs_little_from_torchvision_on_tensors() -> None:
    """Its chains run on tensors, with another rounding, and fills that are blended at the edges."""
    compose = transforms.Compose([transforms.AugMix()])
    distances = []
    for seed, image in enumerate(images()):
        if min(image.size) < 21:
            continue
        (drawn,) = compose.draw(image, seed=seed)
        pixels = np.asarray(image)

        wanted = mixed(pixels, drawn, functools.partial(on_tensors, pixels))
        distances.append(np.abs(np.asarray(compose(image, seed=seed)).astype(int) - wanted).ravel())
    apart = np.concatenate(distances)
    assert np.mean(apart) < 0.5
    assert np.mean(apart > 2) < 0.02


# --- timm -------------------------------------------------------------------------------------------------------------


def by_pillow(image: Image.Image, step: Step, fill: Any) -> Image.Image:
    """timm's operations, by what they call of Pillow. Its numbers say where pixels come from."""
    name = step["op"]
    number = next((value for key, value in step.items() if key not in ("op", "interpolation")), None)
    moving = {"resample": FILTERS[step.get("interpolation", "bicubic")], "fillcolor": fill}
    enhancers = {"Desaturate": ImageEnhance.Color} | {
        each: getattr(ImageEnhance, each) for each in ("Brightness", "Color", "Contrast", "Sharpness")
    }
    matrices = {
        "ShearX": lambda: (1, number, 0, 0, 1, 0),
        "ShearY": lambda: (1, 0, 0, number, 1, 0),
        "TranslateX": lambda: (1, 0, -number, 0, 1, 0),
        "TranslateY": lambda: (1, 0, 0, 0, 1, -number),
    }
    if name in enhancers:
        return enhancers[name](image).enhance(number)  # type: ignore[no-any-return]
    if name in matrices:
        return image.transform(image.size, Image.Transform.AFFINE, matrices[name](), **moving)
    if name == "Rotate":
        return image.rotate(number, **moving)
    if name == "Posterize":
        return image.point(lambda value: 0) if number == 0 else ImageOps.posterize(image, number)
    if name == "SolarizeAdd":
        return image.point([min(255, each + number) if each < 128 else each for each in range(256)] * len(fill))
    simple: dict[str, Callable[[], Image.Image]] = {
        "Solarize": lambda: ImageOps.solarize(image, number),
        "AutoContrast": lambda: ImageOps.autocontrast(image),
        "Equalize": lambda: ImageOps.equalize(image),
        "Invert": lambda: ImageOps.invert(image),
        "Grayscale": lambda: ImageOps.grayscale(image).convert(image.mode),
        "GaussianBlur": lambda: image.filter(ImageFilter.GaussianBlur(number)),
    }
    return simple[name]()


def after_timm_steps(image: Image.Image, steps: list[Step], fill: Any = (124, 116, 104)) -> Image.Image:
    for step in steps:
        image = by_pillow(image, step, fill)
    return image


@pytest.mark.parametrize(
    ("config", "count"),
    [("rand-m9-n2-mstd0.5-inc1-p0.5", 15), ("rand-m7-n4-mstd101-p1", 15), ("rand-m9-n3-p0.9-t3aw-mstd1", 14)],
)
def test_timm_rand_augment_is_pillows(config: str, count: int) -> None:
    found: Counter[str] = Counter()
    compare(transforms.TimmRandAugment(config), counted(after_timm_steps, found))
    assert len(found) == count


def test_timm_rand_augment_with_one_filter_is_pillows() -> None:
    def reference(image: Image.Image, drawn: Step) -> Image.Image:
        return after_timm_steps(image, drawn["operations"], (99,))

    policy = transforms.TimmRandAugment("rand-m9-n3-p1-inc1", interpolation="bicubic", fill=99)
    compare(policy, reference, "L")


def test_three_augment_is_pillows() -> None:
    found: Counter[str] = Counter()
    compare(transforms.ThreeAugment(), counted(after_timm_steps, found))
    assert set(found) == {"Grayscale", "Solarize", "GaussianBlur", "Brightness", "Contrast", "Color"}


# --- all of them ------------------------------------------------------------------------------------------------------


def test_masks_boxes_and_points_move_with_the_image() -> None:
    policy = transforms.RandAugment(num_ops=3, magnitude=20, interpolation="bilinear", fill=9)
    compose = transforms.Compose([policy])
    rng = np.random.default_rng(4)
    image = Image.fromarray(rng.integers(0, 256, (60, 90, 3), dtype=np.uint8))
    mask = rng.integers(1, 5, (60, 90), dtype=np.uint8)
    moved = 0
    for seed in range(40):
        steps = compose.draw(image, seed=seed)[0]["operations"]
        moving = [step for step in steps if step["op"][:5] in ("Shear", "Trans", "Rotat")]
        made = compose(image, mask=mask, boxes=[[10, 5, 50, 40]], keypoints=[[30, 20]], seed=seed)
        np.testing.assert_array_equal(made["mask"], np.asarray(after_steps(Image.fromarray(mask), moving)))
        if not moving:
            assert made["boxes"].tolist() == [[10, 5, 50, 40]]
        for step in moving if len(moving) == 1 and moving[0]["op"] == "TranslateX" else []:
            moved += 1
            shift = step["pixels"]
            assert made["boxes"].tolist() == [[max(10 + shift, 0), 5, min(50 + shift, 90), 40]]
            assert made["keypoints"].tolist() == [[30 + shift, 20]]
    assert moved > 0


def test_a_function_takes_what_would_be_drawn() -> None:
    image = np.random.default_rng(1).integers(0, 256, (21, 33, 3), dtype=np.uint8)
    steps = [{"op": "Posterize", "bits": 3}, {"op": "Rotate", "degrees": 12.5}]
    wanted = np.asarray(after_steps(Image.fromarray(image), steps))
    np.testing.assert_array_equal(transforms.functional.rand_augment(image, steps), wanted)  # type: ignore[attr-defined]
    np.testing.assert_array_equal(transforms.functional.rand_augment(image, []), image)  # type: ignore[attr-defined]
    with pytest.raises(penstock.InvalidError, match="operations must be a sequence of {'op': name, ...}"):
        transforms.functional.rand_augment(image, [{"op": "Turn"}])  # type: ignore[attr-defined]


def test_a_wrong_config_is_refused_with_its_part() -> None:
    with pytest.raises(penstock.InvalidError, match="the part 'q3' is unknown"):
        transforms.TimmRandAugment("rand-m9-q3")
