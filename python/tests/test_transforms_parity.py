"""Images that come out of a Loader equal Pillow's, bit for bit; floats equal torchvision's arithmetic."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock

Image = pytest.importorskip("PIL.Image")
pillow_version = tuple(int(part) for part in pytest.importorskip("PIL").__version__.split(".")[:1])

FILTERS = {
    "nearest": Image.Resampling.NEAREST,
    "box": Image.Resampling.BOX,
    "bilinear": Image.Resampling.BILINEAR,
    "hamming": Image.Resampling.HAMMING,
    "bicubic": Image.Resampling.BICUBIC,
    "lanczos": Image.Resampling.LANCZOS,
}
SIZES = [(1, 1), (3, 200), (200, 3), (64, 64), (97, 61), (61, 97), (300, 290), (224, 500), (500, 375), (225, 224)]
MEAN = [0.485, 0.456, 0.406]
STD = [0.229, 0.224, 0.225]

needs_pillow_13 = pytest.mark.skipif(
    pillow_version < (13,),
    reason="Pillow 13 chose another order of passes; older ones differ by one here and there",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """PNG files, one for each of SIZES, in order."""
    root = tmp_path_factory.mktemp("images")
    (root / "only").mkdir()
    rng = np.random.default_rng(0)
    for i, (width, height) in enumerate(SIZES):
        pixels = rng.integers(0, 256, (height, width, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(root / "only" / f"{i:03}.png")
    return root


def originals(folder: Path) -> list[Any]:
    return [Image.open(path).convert("RGB") for path in sorted((folder / "only").iterdir())]


def delivered(folder: Path, transforms: list[Any], **options: Any) -> list[np.ndarray]:
    """Every image as [H, W, 3]."""
    options = {"shuffle": False, "batch_size": 4, "num_workers": 1, **options}
    images: list[np.ndarray] = []
    with penstock.Loader(str(folder), transforms=transforms, output="numpy", **options) as loader:
        for batch in loader:
            images.extend(np.array(image) for image in batch["image"])
    if options.get("memory_format") == "channels_last":
        return images
    return [image.transpose(1, 2, 0) for image in images]


def shorter_side(size: int, width: int, height: int) -> tuple[int, int]:
    if width <= height:
        return size, int(size * height / width)
    return int(size * width / height), size


def centre_crop(image: Any, height: int, width: int) -> Any:
    """torchvision's rule for images that are large enough, and black around those that are not."""
    lacking_x, lacking_y = max(width - image.width, 0), max(height - image.height, 0)
    if lacking_x or lacking_y:
        padded = Image.new("RGB", (image.width + lacking_x, image.height + lacking_y))
        padded.paste(image, (lacking_x // 2, lacking_y // 2))
        image = padded
    x = int(round((image.width - width) / 2.0))
    y = int(round((image.height - height) / 2.0))
    return image.crop((x, y, x + width, y + height))


def assert_same(got: list[np.ndarray], wanted: list[Any]) -> None:
    assert len(got) == len(wanted)
    for i, (ours, theirs) in enumerate(zip(got, wanted, strict=True)):
        np.testing.assert_array_equal(ours, np.asarray(theirs), err_msg=f"image {i} of size {SIZES[i]}")


@needs_pillow_13
@pytest.mark.parametrize("name", FILTERS)
def test_resize_to_height_and_width(folder: Path, name: str) -> None:
    for height, width in [(224, 224), (37, 91), (64, 64), (1, 1), (290, 300)]:
        got = delivered(folder, [penstock.transforms.Resize((height, width), interpolation=name)])
        assert_same(got, [p.resize((width, height), FILTERS[name]) for p in originals(folder)])


@needs_pillow_13
def test_resize_of_the_shorter_side(folder: Path) -> None:
    for size in (32, 61, 100):
        got = delivered(folder, [penstock.transforms.Resize(size)])
        wanted = [p.resize(shorter_side(size, p.width, p.height), FILTERS["bilinear"]) for p in originals(folder)]
        assert_same(got, wanted)


@needs_pillow_13
def test_crop_after_resize_is_a_part_of_the_whole_result(folder: Path) -> None:
    got = delivered(folder, [penstock.transforms.Resize(256), penstock.transforms.CenterCrop(224)])
    wanted = [
        centre_crop(p.resize(shorter_side(256, p.width, p.height), FILTERS["bilinear"]), 224, 224)
        for p in originals(folder)
    ]
    assert_same(got, wanted)


@needs_pillow_13
def test_random_sizes_filters_and_crops(folder: Path) -> None:
    rnd = random.Random(1)
    for _ in range(25):
        name = rnd.choice(list(FILTERS))
        crop = (rnd.randint(1, 200), rnd.randint(1, 200))
        size = (rnd.randint(1, 300), rnd.randint(1, 300))
        got = delivered(
            folder,
            [
                penstock.transforms.CenterCrop(crop),
                penstock.transforms.Resize(size, interpolation=name),
                penstock.transforms.RandomHorizontalFlip(p=1.0),
            ],
        )
        wanted = [
            centre_crop(p, *crop).resize((size[1], size[0]), FILTERS[name]).transpose(Image.Transpose.FLIP_LEFT_RIGHT)
            for p in originals(folder)
        ]
        assert_same(got, wanted)


def test_centre_crop(folder: Path) -> None:
    for height, width in [(10, 11), (61, 60), (100, 300)]:
        got = delivered(folder, [penstock.transforms.CenterCrop((height, width))])
        assert_same(got, [centre_crop(p, height, width) for p in originals(folder)])


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "symmetric"])
def test_padding(folder: Path, mode: str) -> None:
    pads = ((5, 7), (4, 6), (0, 0))
    for i, image in enumerate(originals(folder)):
        size = (image.height + 12, image.width + 10)
        crop = penstock.transforms.RandomCrop(size, padding=(4, 5, 6, 7), pad_if_needed=True, padding_mode=mode)
        got = delivered(folder, [crop])[i]
        np.testing.assert_array_equal(got, np.pad(np.asarray(image), pads, mode=mode))


@pytest.mark.parametrize("memory_format", ["channels_first", "channels_last"])
def test_floats_are_computed_one_operation_after_the_other(folder: Path, memory_format: str) -> None:
    crop = penstock.transforms.CenterCrop(50)
    plain = delivered(folder, [crop])
    scaled = delivered(folder, [crop, penstock.transforms.ToFloat()], memory_format=memory_format)
    normalised = delivered(
        folder,
        [crop, penstock.transforms.ToFloat(), penstock.transforms.Normalize(MEAN, STD)],
        memory_format=memory_format,
    )
    mean, std = np.array(MEAN, np.float32), np.array(STD, np.float32)
    for ours, ours_normalised, pixels in zip(scaled, normalised, plain, strict=True):
        wanted = pixels.astype(np.float32) / np.float32(255)
        assert ours.dtype == np.float32
        np.testing.assert_array_equal(ours, wanted)
        np.testing.assert_array_equal(ours_normalised, (wanted - mean) / std)


def test_floats_equal_torch(folder: Path) -> None:
    torch = pytest.importorskip("torch")
    crop = penstock.transforms.CenterCrop(50)
    plain = delivered(folder, [crop])
    got = delivered(folder, [crop, penstock.transforms.ToFloat(), penstock.transforms.Normalize(MEAN, STD)])
    mean = torch.tensor(MEAN, dtype=torch.float32)
    std = torch.tensor(STD, dtype=torch.float32)
    for ours, pixels in zip(got, plain, strict=True):
        wanted = torch.from_numpy(pixels).to(torch.float32).div(255).sub(mean).div(std)
        np.testing.assert_array_equal(ours, wanted.numpy())


def test_random_resized_crop_is_a_resized_box_of_the_image(folder: Path) -> None:
    """With scale (1, 1) and the image's own shape the box is the image."""
    images = originals(folder)
    square = [i for i, p in enumerate(images) if p.width == p.height and p.width > 1]
    crop = penstock.transforms.RandomResizedCrop(40, scale=(1.0, 1.0), ratio=(1.0, 1.0))
    got = delivered(folder, [crop])
    for i in square:
        np.testing.assert_array_equal(got[i], np.asarray(images[i].resize((40, 40), FILTERS["bilinear"])))


def test_geometry_after_floats_is_refused(folder: Path) -> None:
    with pytest.raises(penstock.InvalidError, match="CenterCrop"):
        penstock.Loader(str(folder), transforms=[penstock.transforms.ToFloat(), penstock.transforms.CenterCrop(5)])


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: penstock.transforms.Resize("big"), "size"),
        (lambda: penstock.transforms.Resize(8, interpolation="cubic"), "interpolation"),
        (lambda: penstock.transforms.Resize(8, antialias=False), "antialias"),
        (lambda: penstock.transforms.RandomHorizontalFlip(p=2), "p"),
        (lambda: penstock.transforms.Normalize([0.5], [0.0]), "std"),
    ],
)
def test_impossible_parameters_are_refused(make: Any, named: str) -> None:
    with pytest.raises(penstock.InvalidError, match=named):
        make()


def test_operations_have_a_repr_and_equality() -> None:
    flip = penstock.transforms.RandomHorizontalFlip()
    assert repr(flip) == "RandomHorizontalFlip(p=0.5)"
    assert flip == penstock.transforms.RandomHorizontalFlip(p=0.5)
    assert flip != penstock.transforms.RandomHorizontalFlip(p=0.25)
