"""Presets: what each one's images are, how often each of its operations runs, and that it is a plain value."""

from __future__ import annotations

import collections
import json
from typing import Any

import numpy as np
import pytest
from conftest import draw, encode
from field_files import write_tar
from image_parity import moved
from PIL import Image

import penstock
from penstock import Views, presets, transforms

v2 = pytest.importorskip("torchvision.transforms.v2")
tv_tensors = pytest.importorskip("torchvision.tv_tensors")

SIDE, LOCAL = 32, 16
SMALL: dict[str, Any] = {"size": SIDE}
MULTI_CROP = SMALL | {"local_size": LOCAL}
ONE_IMAGE = {"image": (3, SIDE, SIDE)}
TWO_VIEWS = {"view1": (3, SIDE, SIDE), "view2": (3, SIDE, SIDE)}


def multi_crop(count: int) -> dict[str, tuple[int, ...]]:
    return {"global1": (3, SIDE, SIDE), "global2": (3, SIDE, SIDE), "local": (count, 3, LOCAL, LOCAL)}


#: For each: its arguments, and the columns of images with the shapes of their rows.
IMAGES: dict[str, tuple[dict[str, Any], dict[str, tuple[int, ...]]]] = {
    "imagenet_train": (SMALL, ONE_IMAGE),
    "imagenet_val": (SMALL, ONE_IMAGE),
    "supervised_train": (SMALL, ONE_IMAGE),
    "supervised_val": (SMALL, ONE_IMAGE),
    "deit3": (SMALL, ONE_IMAGE),
    "resnet_strikes_back": (SMALL, ONE_IMAGE),
    "simclr": (SMALL, TWO_VIEWS),
    "mocov2": (SMALL, TWO_VIEWS),
    "byol": (SMALL, TWO_VIEWS),
    "dino": (MULTI_CROP, multi_crop(8)),
    "dinov2": (MULTI_CROP, multi_crop(8)),
    "ibot": (MULTI_CROP, multi_crop(10)),
    "mae": (SMALL, ONE_IMAGE),
    "ijepa": (SMALL | {"patch_size": 8}, ONE_IMAGE),
    "ipcl": (SMALL, {"crops": (5, 3, SIDE, SIDE)}),
    "lejepa": (MULTI_CROP, multi_crop(4)),
    "segmentation": (SMALL | {"base_size": 40}, ONE_IMAGE),
    "detection": (SMALL, ONE_IMAGE),
}
#: Masks of patches beside the images, with the shapes of their rows.
MASKS: dict[str, dict[str, tuple[int, ...]]] = {
    "dinov2": {"global1.patch_mask": (2, 2), "global2.patch_mask": (2, 2)},
    "ibot": {"global1.patch_mask": (2, 2), "global2.patch_mask": (2, 2)},
    "mae": {"patch_mask": (2, 2)},
    "ijepa": {"context_mask": (4, 4), "target_mask": (4, 4, 4)},
}
#: How often operations run that have a probability, and the crop's range of areas: the methods' own numbers.
SIMCLR = {"RandomHorizontalFlip": 0.5, "ColorJitter": 0.8, "RandomGrayscale": 0.2}
SLIPSTREAM = {
    "RandomHorizontalFlip": 0.5, "RandomColorJitterHSV": 0.8, "RandomGrayscale": 0.2, "RandomSolarize": 0.2,
    "GaussianBlur": 0.2,
}  # fmt: skip
RATES: list[tuple[str, dict[str, Any], dict[str, tuple[tuple[float, float], dict[str, float]]]]] = [
    ("imagenet_train", SMALL, {"": ((0.08, 1.0), {"RandomHorizontalFlip": 0.5})}),
    ("supervised_train", SMALL, {"": ((0.08, 1.0), {})}),
    ("deit3", SMALL | {"num_classes": None}, {"": ((0.08, 1.0), {"RandomHorizontalFlip": 0.5})}),
    ("resnet_strikes_back", SMALL | {"num_classes": None}, {"": ((0.08, 1.0), {"RandomHorizontalFlip": 0.5})}),
    (
        "simclr",
        SMALL,
        {view: ((0.08, 1.0), SIMCLR | {"GaussianBlur": 0.5}) for view in TWO_VIEWS},
    ),
    (
        "simclr",
        SMALL | {"asymmetric": True},
        {
            "view1": ((0.08, 1.0), SIMCLR | {"GaussianBlur": 1.0}),
            "view2": ((0.08, 1.0), SIMCLR | {"RandomSolarize": 0.2}),
        },
    ),
    (
        "mocov2",
        SMALL,
        {view: ((0.2, 1.0), SIMCLR | {"PillowGaussianBlur": 0.5}) for view in TWO_VIEWS},
    ),
    (
        "byol",
        SMALL,
        {
            "view1": ((0.08, 1.0), SIMCLR | {"GaussianBlur": 1.0}),
            "view2": ((0.08, 1.0), SIMCLR | {"GaussianBlur": 0.1, "RandomSolarize": 0.2}),
        },
    ),
    (
        "dino",
        MULTI_CROP,
        {
            "global1": ((0.4, 1.0), SIMCLR | {"PillowGaussianBlur": 1.0}),
            "global2": ((0.4, 1.0), SIMCLR | {"PillowGaussianBlur": 0.1, "RandomSolarize": 0.2}),
            "local": ((0.05, 0.4), SIMCLR | {"PillowGaussianBlur": 0.5}),
        },
    ),
    (
        "dinov2",
        MULTI_CROP,
        {
            "global1": ((0.32, 1.0), SIMCLR),
            "global2": ((0.32, 1.0), SIMCLR | {"GaussianBlur": 0.9, "RandomSolarize": 0.2}),
            "local": ((0.05, 0.32), SIMCLR | {"GaussianBlur": 0.5}),
        },
    ),
    (
        "ibot",
        MULTI_CROP,
        {
            "global1": ((0.25, 1.0), SIMCLR | {"PillowGaussianBlur": 1.0}),
            "global2": ((0.25, 1.0), SIMCLR | {"PillowGaussianBlur": 0.1, "RandomSolarize": 0.2}),
            "local": ((0.05, 0.25), SIMCLR | {"PillowGaussianBlur": 0.5}),
        },
    ),
    ("mae", SMALL, {"": ((0.2, 1.0), {"RandomHorizontalFlip": 0.5})}),
    ("ijepa", SMALL | {"patch_size": 8}, {"": ((0.3, 1.0), {})}),
    ("ipcl", SMALL, {"crops": ((0.2, 1.0), SLIPSTREAM)}),
    (
        "lejepa",
        MULTI_CROP,
        {"global1": ((0.3, 1.0), SLIPSTREAM), "global2": ((0.3, 1.0), SLIPSTREAM), "local": ((0.05, 0.3), SLIPSTREAM)},
    ),
]
JITTERS = {
    "simclr": (0.8, 0.8, 0.8, 0.2),
    "mocov2": (0.4, 0.4, 0.4, 0.1),
    "byol": (0.4, 0.4, 0.2, 0.1),
    "dino": (0.4, 0.4, 0.2, 0.1),
    "dinov2": (0.4, 0.4, 0.2, 0.1),
    "ibot": (0.4, 0.4, 0.2, 0.1),
}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Images with masks and boxes, of two sizes."""
    samples = []
    for number in range(64):
        size = (48, 40) if number % 2 else (37, 56)
        image = draw(number, *size)
        boxes = [{"box": [4, 5, 20 + number % 9, 30], "label": number % 3}]
        samples.append(
            {
                "jpg": encode(image),
                "png": encode(Image.fromarray(np.asarray(image)[..., 0] // 64), "PNG"),
                "json": json.dumps({"objects": boxes}).encode(),
                "cls": str(number % 4).encode(),
            }
        )
    return str(write_tar(tmp_path_factory.mktemp("presets") / "samples.tar", samples))


def in_plane() -> dict[str, Any]:
    boxes = penstock.Boxes("json", "objects.*.box", labels="objects.*.label")
    return {"image": "jpg", "mask": penstock.Mask("png"), "boxes": boxes, "label": "cls"}


def loader_of(source: str, listed: Any, **options: Any) -> penstock.Loader:
    data = penstock.Dataset(source, fields=options.pop("fields", {"image": "jpg", "label": "cls"}))
    return penstock.Loader(data, batch_size=16, num_workers=2, seed=5, transforms=listed, output="numpy", **options)


def test_every_preset_is_checked():
    assert set(IMAGES) == {name for name in presets.__all__ if callable(getattr(presets, name))}


@pytest.mark.parametrize("name", IMAGES)
def test_images_are_floats_of_the_stated_shapes(source, name):
    arguments, columns = IMAGES[name]
    listed = getattr(presets, name)(**arguments)
    assert isinstance(listed, Views if set(columns) != {"image"} else list)
    with loader_of(source, listed) as loader:
        for batch in loader:
            images = {name: value for name, value in batch.items() if name not in ("label", "index", "key")}
            masks = {name: images.pop(name) for name in MASKS.get(name, {})}
            assert {name: value.shape[1:] for name, value in masks.items()} == MASKS.get(name, {})
            assert all(value.dtype == np.bool_ for value in masks.values())
            assert {name: value.shape[1:] for name, value in images.items()} == columns
            assert all(value.dtype == np.float32 and np.isfinite(value).all() for value in images.values())
            assert all(value.std() > 0.05 for value in images.values())


@pytest.mark.parametrize("name", IMAGES)
def test_a_preset_prints_as_what_it_is(name):
    listed = getattr(presets, name)()
    assert eval(repr(listed), vars(transforms) | {"Views": Views}) == listed
    assert transforms.from_json(transforms.to_json(listed)) == listed


@pytest.mark.parametrize("name", IMAGES)
def test_without_a_mean_values_are_0_to_1(source, name):
    listed = getattr(presets, name)(**IMAGES[name][0], mean=None)
    with loader_of(source, listed) as loader:
        batch = next(iter(loader))
    for column in IMAGES[name][1]:
        assert 0 <= batch[column].min() < batch[column].max() <= 1


@pytest.mark.parametrize("name", IMAGES)
def test_mean_std_and_interpolation_reach_the_operations(name):
    arguments, _ = IMAGES[name]
    given = {"mean": (0.1, 0.2, 0.3), "std": 0.5}
    plain = getattr(presets, name)(**arguments, **given)
    lists = [operations for _, operations in plain.lists.values()] if isinstance(plain, Views) else [plain]
    for operations in lists:
        (normalize,) = [operation for operation in operations if isinstance(operation, transforms.Normalize)]
        assert normalize == transforms.Normalize(**given)
    if name not in ("ipcl", "lejepa"):  # which have no such argument
        assert "interpolation='lanczos'" in repr(getattr(presets, name)(**arguments, interpolation="lanczos"))


def what_ran(operations: tuple[Any, ...], drawn: list[dict[str, Any]]) -> list[tuple[str, bool]]:
    """For each operation that has a probability, whether it ran."""
    found = []
    for operation, values in zip(operations, drawn, strict=True):
        if "chosen" in values:
            (held,) = operation.params["transforms"]
            found.append((type(held).__name__, bool(values["chosen"])))
        elif "apply" in values:
            found.append((type(operation).__name__, values["apply"]))
    return found


@pytest.mark.parametrize(("name", "arguments", "expected"), RATES, ids=[f"{r[0]}-{len(r[1])}" for r in RATES])
def test_operations_run_as_often_as_the_method_says(source, name, arguments, expected):
    listed = getattr(presets, name)(**arguments)
    lists = {view: held for view, (_, held) in listed.lists.items()} if isinstance(listed, Views) else {"": listed}
    assert set(lists) == set(expected)
    ran: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    rows: collections.Counter[str] = collections.Counter()
    with loader_of(source, listed) as loader:
        for _ in range(8):
            for batch in loader:
                for row in batch.params:
                    for view, drawn in row.items():
                        for one in drawn if isinstance(drawn[0], list) else [drawn]:
                            rows[view] += 1
                            ran[view].update(name for name, did in what_ran(lists[view], one) if did)
    for view, (scale, rates) in expected.items():
        crop = lists[view][0]
        assert isinstance(crop, transforms.RandomResizedCrop) and crop.params["scale"] == scale
        assert rows[view] >= 512
        assert set(ran[view]) == set(rates)
        for operation, rate in rates.items():
            deviation = (rate * (1 - rate) / rows[view]) ** 0.5
            assert abs(ran[view][operation] / rows[view] - rate) <= 4.5 * deviation, (view, operation)


@pytest.mark.parametrize("name", JITTERS)
def test_colours_change_as_much_as_the_method_says(name):
    operations = next(iter(getattr(presets, name)().lists.values()))[1]
    (jitter,) = [op.params["transforms"][0] for op in operations if "ColorJitter" in repr(op)]
    assert tuple(jitter.params.values())[:4] == JITTERS[name]


def test_the_blur_of_simclr_is_a_tenth_of_the_image_wide():
    for side, kernel in ((224, 23), (96, 9), (32, 3)):
        assert f"GaussianBlur(kernel_size={kernel}, sigma=(0.1, 2.0))" in repr(presets.simclr(side))
    assert presets.simclr(strength=0.5) != presets.simclr()


def test_deit3_and_resnet_strikes_back_have_the_papers_numbers():
    mix = transforms.TimmMixup(0.8, 1.0, label_smoothing=0.0, num_classes=1000)
    deit3 = presets.deit3()
    assert deit3[2:3] == [transforms.ThreeAugment(0.3)] and deit3[-1] == mix
    assert presets.deit3(192, simple_random_crop=True, color_jitter=0, num_classes=None)[:4] == [
        transforms.Resize(192, "bicubic"),
        transforms.RandomCrop(192, padding=4, padding_mode="reflect"),
        transforms.RandomHorizontalFlip(),
        transforms.ThreeAugment(None),
    ]
    for procedure, side, magnitude, alpha, smoothing in (
        ("A1", 224, 7, 0.2, 0.1),
        ("A2", 224, 7, 0.1, 0.0),
        ("A3", 160, 6, 0.1, 0.0),
    ):
        listed = presets.resnet_strikes_back(procedure, num_classes=10)
        assert listed[0] == transforms.RandomResizedCrop(side, interpolation="bicubic")
        assert listed[2] == transforms.TimmRandAugment(f"rand-m{magnitude}-mstd0.5-inc1")
        assert listed[-1] == transforms.TimmMixup(alpha, 1.0, label_smoothing=smoothing, num_classes=10)
    with pytest.raises(penstock.InvalidError, match="procedure must be one of A1, A2, A3, got 'B'"):
        presets.resnet_strikes_back("B")  # type: ignore[arg-type]


@pytest.mark.parametrize("listed", [presets.deit3(SIDE, num_classes=4), presets.resnet_strikes_back(size=SIDE)])
def test_recipes_mix_every_batch(source, listed):
    classes = listed[-1].params["num_classes"]
    cut = set()
    with loader_of(source, listed) as loader:
        for _ in range(3):
            for batch in loader:
                (drawn,) = batch.params[0]["batch"]
                cut.update(drawn["cutmix"])
                assert batch["label"].shape == (16, classes)
                np.testing.assert_allclose(batch["label"].sum(1), 1, rtol=1e-5)
    assert cut == {0, 1}


def test_supervised_val_resizes_by_the_crop_ratio():
    assert presets.supervised_val(224)[0] == transforms.Resize(256)
    assert presets.supervised_val(224, crop_ratio=0.95)[0] == transforms.Resize(235)
    with pytest.raises(penstock.InvalidError, match="crop_ratio must be above 0 and at most 1, got 0"):
        presets.supervised_val(crop_ratio=0)


def test_sizes_that_cannot_be_are_refused_by_name():
    with pytest.raises(penstock.InvalidError, match="local_size must be between 1 and 65536 pixels, got 0"):
        presets.dino(local_size=0)
    with pytest.raises(penstock.InvalidError, match="size must be an integer, the side of square images, got 'a'"):
        presets.simclr("a")  # type: ignore[arg-type]


def test_masks_of_patches_are_those_of_the_method():
    assert presets.mae()[-1] == transforms.RandomPatchMask(14, 0.75)
    assert presets.ijepa()[-1] == transforms.IJEPAMask(16)
    dinov2, ibot = presets.dinov2().lists, presets.ibot().lists
    for view in ("global1", "global2"):
        assert dinov2[view][1][-1] == transforms.RandomBlockMask(14)
        assert ibot[view][1][-1] == transforms.RandomBlockMask(14, min_patches=16, per_batch=False)
    for name in MASKS:
        with pytest.raises(penstock.InvalidError, match="size must be a multiple of patch_size, got 200 and 16"):
            getattr(presets, name)(200, patch_size=16)


def test_masks_move_with_the_images_of_segmentation(source):
    listed = presets.segmentation(SIDE, base_size=40)
    normalize = transforms.Normalize(presets.IMAGENET_MEAN, presets.IMAGENET_STD)
    assert listed == [
        transforms.RandomResize(20, 80),
        transforms.RandomHorizontalFlip(),
        transforms.RandomCrop(SIDE, pad_if_needed=True, mask_fill=255),
        transforms.ToFloat(),
        normalize,
    ]
    with loader_of(source, listed, fields=in_plane()) as loader:
        for batch in loader:
            for row, number in enumerate(batch["index"]):
                mask = Image.fromarray(loader.dataset[int(number)]["mask"].astype(np.uint8))
                wanted = np.asarray(moved(mask, listed, batch.params[row][""]))
                assert len(np.unique(wanted)) > 1
                np.testing.assert_array_equal(batch["mask"][row], wanted)


@pytest.mark.parametrize(
    ("policy", "names", "left"),
    [
        ("hflip", ["RandomHorizontalFlip"], 64),
        ("multiscale", ["RandomShortestSize", "RandomHorizontalFlip"], 64),
        ("lsj", ["ScaleJitter", "RandomCrop", "RandomHorizontalFlip"], 40),
        ("ssd", ["RandomPhotometricDistort", "RandomZoomOut", "RandomIoUCrop", "RandomHorizontalFlip"], 60),
        ("ssdlite", ["RandomIoUCrop", "RandomHorizontalFlip"], 60),
    ],
)
def test_boxes_move_with_the_images_of_detection(source, policy, names, left):
    listed = presets.detection(policy, size=SIDE)
    assert [type(operation).__name__ for operation in listed] == [*names, "Resize", "SanitizeBoundingBoxes", "ToFloat"]
    found = 0
    with loader_of(source, listed, fields=in_plane()) as loader:
        for batch in loader:
            assert batch["image"].shape == (16, 3, SIDE, SIDE)
            for row, number in enumerate(batch["index"]):
                sample = loader.dataset[int(number)]
                canvas = sample["image"].shape[:2]
                boxes = tv_tensors.BoundingBoxes(sample["boxes"], format="XYXY", canvas_size=canvas)
                wanted = v2.SanitizeBoundingBoxes(labels_getter=None)(moved(boxes, listed, batch.params[row][""]))
                np.testing.assert_allclose(batch["boxes"][row], wanted, atol=1e-3)
                found += len(batch["boxes"][row])
    assert left <= found <= 64  # one in each image


def test_unknown_policies_are_refused():
    with pytest.raises(penstock.InvalidError, match="policy must be one of hflip, multiscale, lsj, ssd, ssdlite"):
        presets.detection("none")  # type: ignore[arg-type]
