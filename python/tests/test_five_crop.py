"""Several images of one, beside torchvision's FiveCrop and TenCrop."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import encode, write_tar
from PIL import Image

import penstock
from penstock import transforms

v2 = pytest.importorskip("torchvision.transforms.v2")
torch = pytest.importorskip("torch")

PAIRS = [
    (transforms.FiveCrop(11), v2.FiveCrop(11)),
    (transforms.FiveCrop((7, 12)), v2.FiveCrop((7, 12))),
    (transforms.TenCrop(11), v2.TenCrop(11)),
    (transforms.TenCrop((12, 5), vertical_flip=True), v2.TenCrop((12, 5), vertical_flip=True)),
]


def _images(count: int) -> list[np.ndarray]:
    rng = np.random.default_rng(7)
    sizes = [(12, 12), (13, 12), (33, 21), (50, 90), (64, 64)]
    return [rng.integers(0, 256, (*sizes[number % 5], 3), dtype=np.uint8) for number in range(count)]


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_crops_are_torchvisions(ours: transforms.Transform, theirs: Any) -> None:
    compose = transforms.Compose([ours])
    for image in _images(300):
        wanted = [np.asarray(crop) for crop in theirs(Image.fromarray(image))]
        made = compose(image)
        np.testing.assert_array_equal(made, np.stack(wanted))
        images = compose(Image.fromarray(image))
        assert isinstance(images, tuple)
        np.testing.assert_array_equal(np.stack([np.asarray(one) for one in images]), made)
        tensor = compose(torch.from_numpy(image).permute(2, 0, 1))
        np.testing.assert_array_equal(tensor.permute(0, 2, 3, 1).numpy(), made)


def test_functions_are_torchvisions() -> None:
    from torchvision.transforms.v2 import functional as theirs

    ours = transforms.functional
    image = Image.fromarray(_images(4)[3])
    for made, wanted in (
        (ours.five_crop(image, 11), theirs.five_crop(image, 11)),
        (ours.ten_crop(image, (9, 11), True), theirs.ten_crop(image, (9, 11), True)),
    ):
        assert [np.asarray(one).tolist() for one in made] == [np.asarray(one).tolist() for one in wanted]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    members: list[tuple[str, bytes]] = []
    for number, image in enumerate(_images(20)):
        mask = image[..., 0] % 7
        objects = {"boxes": [[1, 2, 9, 10], [0, 0, 12, 12]], "points": [[3, 4]]}
        members += [
            (f"{number:02}.png", encode(Image.fromarray(image), "PNG")),
            (f"{number:02}.seg.png", encode(Image.fromarray(mask), "PNG")),
            (f"{number:02}.json", json.dumps(objects).encode()),
        ]
    return write_tar(tmp_path_factory.mktemp("crops") / "crops.tar", members)


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_a_loader_delivers_them_in_one_array(source: Path, ours: Any, theirs: Any, workers: int) -> None:
    count = 5 if isinstance(ours, transforms.FiveCrop) else 10
    size = np.asarray(theirs(Image.fromarray(_images(1)[0]))[0]).shape[:2]
    normalize = transforms.Normalize(0.5, 0.25)
    operations = [transforms.RandomHorizontalFlip(), ours, transforms.ColorJitter(brightness=0.5), normalize]
    options: dict[str, Any] = {"batch_size": 4, "shuffle": True, "num_workers": workers}
    with penstock.Loader(source, transforms={"image": operations}, **options) as loader:
        for batch in loader:
            assert batch["image"].shape == (4, count, 3, *size)
            for row, number in enumerate(batch["index"].tolist()):
                flip, _, jitter, _ = drawn = batch.params[row]["image"]
                image = Image.fromarray(loader.dataset[number]["image"])
                image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT) if flip["apply"] else image
                crops = [v2.functional.adjust_brightness(crop, jitter["brightness"]) for crop in theirs(image)]
                wanted = [v2.functional.pil_to_tensor(crop).float() / 255 for crop in crops]
                assert torch.equal(batch["image"][row], (torch.stack(wanted) - 0.5) / 0.25)
                again = transforms.apply(operations, loader.dataset[number]["image"], drawn)
                np.testing.assert_array_equal(again.transpose(0, 3, 1, 2), batch["image"][row].numpy())


def test_memory_formats_and_views(source: Path) -> None:
    operations = [transforms.FiveCrop(11)]
    views = penstock.Views(a=operations, b=[transforms.CenterCrop(11)])
    options: dict[str, Any] = {"batch_size": 4, "output": "numpy"}
    with (
        penstock.Loader(source, transforms={"image": operations}, **options) as first,
        penstock.Loader(source, transforms={"image": operations}, memory_format="channels_last", **options) as last,
        penstock.Loader(source, transforms=views, **options) as viewed,
    ):
        for a, b, c in zip(first, last, viewed, strict=True):
            np.testing.assert_array_equal(a["image"], np.moveaxis(b["image"], -1, 2))
            np.testing.assert_array_equal(a["image"], c["a"])
            np.testing.assert_array_equal(a["image"][:, 4], c["b"])
            assert a.params[0] == {"image": [{"op": "FiveCrop"}]}
            assert c.params[0] == {"a": [{"op": "FiveCrop"}], "b": [{"op": "CenterCrop"}]}


@pytest.mark.parametrize("preset", [False, True], ids=["channels_last", "gpu_optimized"])
@pytest.mark.filterwarnings("ignore:(pin_memory|non_blocking)=True has no effect")  # without a CUDA device
def test_tensors_have_one_shape_in_either_memory_format(source: Path, preset: bool) -> None:
    """Several images of one, counted views, and single images beside them."""
    plain = penstock.LoaderOptions(batch_size=4, output="torch")
    other = plain.gpu_optimized() if preset else plain.channels_last()
    views = penstock.Views(a=[transforms.TenCrop(11)], b=[transforms.CenterCrop(9)], c=(2, [transforms.RandomCrop(7)]))
    with (
        penstock.Loader(source, transforms=views, **plain.to_dict()) as first,
        penstock.Loader(source, transforms=views, **other.to_dict()) as last,
    ):
        for x, y in zip(first, last, strict=True):
            for name, shape in {"a": (4, 10, 3, 11, 11), "b": (4, 3, 9, 9), "c": (4, 2, 3, 7, 7)}.items():
                assert x[name].shape == y[name].shape == shape
                assert y[name].stride()[-3] == 1, "the channels of a pixel lie side by side"
                assert torch.equal(x[name], y[name])


def test_what_lies_in_the_plane_moves_with_each(source: Path) -> None:
    fields = {
        "image": "png",
        "mask": penstock.Mask("seg.png"),
        "boxes": penstock.Boxes("json", "boxes"),
        "points": penstock.Keypoints("json", "points"),
    }
    dataset = penstock.Dataset(source, fields=fields)
    operations = [transforms.TenCrop(11)]
    for batch in penstock.Loader(dataset, transforms=operations, batch_size=4, output="numpy"):
        assert batch["mask"].shape == (4, 10, 11, 11)
        for row, number in enumerate(batch["index"].tolist()):
            sample = dataset[number]
            made = transforms.Compose(operations)(
                sample["image"], mask=sample["mask"], boxes=sample["boxes"], keypoints=sample["points"]
            )
            np.testing.assert_array_equal(batch["mask"][row], made["mask"])
            np.testing.assert_array_equal(batch["boxes"][row], made["boxes"])
            np.testing.assert_array_equal(batch["points"][row], made["keypoints"])
            assert made["boxes"].shape == (10, 2, 4)
            np.testing.assert_array_equal(made["image"][0][..., 0] % 7, made["mask"][0])
            np.testing.assert_array_equal(made["boxes"][0], [[1, 2, 9, 10], [0, 0, 11, 11]])
            np.testing.assert_array_equal(made["image"][9][..., 0] % 7, made["mask"][9])


def test_labels_are_there_for_each_as_in_a_batch() -> None:
    torch = pytest.importorskip("torch")
    compose = transforms.Compose([transforms.FiveCrop(4)])
    image, boxes = np.zeros((8, 8, 3), np.uint8), [[0, 0, 3, 3], [2, 2, 8, 8]]
    for labels in (np.array([7, 9]), torch.tensor([7, 9]), [7, 9]):
        made = compose(image, boxes=boxes, labels=labels)
        assert made["boxes"].shape == (5, 2, 4)
        assert [list(each) for each in made["labels"]] == [[7, 9]] * 5
        assert type(made["labels"]) is (tuple if isinstance(labels, list) else type(labels))


def test_smaller_images_are_errors_of_their_samples(source: Path) -> None:
    with penstock.Loader(source, transforms={"image": [transforms.FiveCrop(13)]}, on_error="skip") as loader:
        rows = sum(len(batch["index"]) for batch in loader)
        errors = loader.errors()
    assert (rows, len(errors)) == (12, 8)
    assert "FiveCrop of 13 x 13 (height x width) is larger than the image of 1" in str(errors[0])


def test_sheets_have_all_of_them(source: Path) -> None:
    dataset = penstock.Dataset(source, fields={"image": "png", "boxes": penstock.Boxes("json", "boxes")})
    one = dataset.show(samples=2, transforms=[transforms.CenterCrop(11)], draws=1)
    five = dataset.show(samples=2, transforms=[transforms.FiveCrop(11)], draws=1)
    assert five.width > 2 * one.width
    with penstock.Loader(dataset, transforms=[transforms.FiveCrop(11)], batch_size=4) as loader:
        assert next(iter(loader)).show().width > one.width


def _keep(array: np.ndarray) -> np.ndarray:
    return array


def test_what_cannot_be_is_refused(source: Path) -> None:
    crops = transforms.FiveCrop(8)
    jitter = transforms.ToFloat()
    for operations, message in (
        ([crops, transforms.TenCrop(4)], "both make several images of one"),
        ([transforms.RandomApply([crops])], "cannot hold FiveCrop"),
        ([jitter, crops], "cannot follow ToFloat"),
        ([crops, _keep], "_keep is in a list that makes several images of one"),
        ([crops, jitter, transforms.CutMix(num_classes=3)], "needs images"),
    ):
        with pytest.raises(penstock.InvalidError, match=message):
            penstock.Loader(source, transforms={"image": operations})
    with pytest.raises(penstock.InvalidError, match="omit the count"):
        penstock.Loader(source, transforms=penstock.Views(a=(2, [crops])))
    fields = {"image": "png", "boxes": penstock.Boxes("json", "boxes")}
    with pytest.raises(penstock.InvalidError, match="drops boxes"):
        dataset = penstock.Dataset(source, fields=fields)
        penstock.Loader(dataset, transforms=[crops, transforms.SanitizeBoundingBoxes()])
