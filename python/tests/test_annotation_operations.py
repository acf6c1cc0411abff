"""What operations do to boxes and keypoints beyond moving them: cut off and drop, with what belongs to them."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import penstock
from penstock import transforms

OPERATIONS = [
    transforms.RandomResizedCrop(24, scale=(0.1, 0.6)),
    transforms.RandomHorizontalFlip(),
    transforms.ClampBoundingBoxes(),
    transforms.SanitizeBoundingBoxes(min_size=2, min_area=10),
]


def _boxes(number: int, count: int) -> np.ndarray:
    corners = np.random.default_rng(number).uniform(-10, 70, (count, 2, 2)).astype(np.float32)
    return np.concatenate([corners.min(1), corners.max(1)], 1)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("boxes") / "train.tar"
    with tarfile.open(path, "w") as tar:
        for number in range(12):
            image = np.random.default_rng(number).integers(0, 256, (48, 64, 3), dtype=np.uint8)
            file = io.BytesIO()
            Image.fromarray(image).save(file, "PNG")
            boxes = _boxes(number, number)
            objects = [
                {"bbox": box.tolist(), "id": 100 * number + i, "points": [float(i), 3, 2, float(i) + 1, 30, 2]}
                for i, box in enumerate(boxes)
            ]
            for name, data in (("png", file.getvalue()), ("json", json.dumps({"objects": objects}).encode())):
                member = tarfile.TarInfo(f"{number:03}.{name}")
                member.size = len(data)
                tar.addfile(member, io.BytesIO(data))
    return str(path)


def _dataset(source: str, **more: Any) -> penstock.Dataset:
    fields = {
        "image": "png",
        "points": penstock.Keypoints("json", "objects.*.points"),
        "boxes": penstock.Boxes("json", "objects.*.bbox", labels="objects.*.id"),
    }
    return penstock.Dataset(source, fields=fields | more)


def test_boxes_are_kept_and_cut_off_as_torchvision_does() -> None:
    torch = pytest.importorskip("torch")
    v2 = pytest.importorskip("torchvision.transforms.v2")
    from torchvision import tv_tensors

    image = np.zeros((48, 64, 3), dtype=np.uint8)
    dropped = 0
    for number in range(40):
        boxes = _boxes(number, 12)
        labels = torch.arange(12)
        for ours, theirs in (
            ([transforms.ClampBoundingBoxes()], [v2.ClampBoundingBoxes()]),
            ([transforms.SanitizeBoundingBoxes()], [v2.SanitizeBoundingBoxes()]),
            (
                [transforms.ClampBoundingBoxes(), transforms.SanitizeBoundingBoxes(min_size=5, min_area=150)],
                [v2.ClampBoundingBoxes(), v2.SanitizeBoundingBoxes(min_size=5, min_area=150)],
            ),
        ):
            made = transforms.Compose(ours)(image, boxes=boxes, labels=labels)
            wanted = v2.Compose(theirs)(
                {
                    "boxes": tv_tensors.BoundingBoxes(torch.from_numpy(boxes), format="XYXY", canvas_size=(48, 64)),
                    "labels": labels,
                }
            )
            np.testing.assert_array_equal(made["boxes"], wanted["boxes"].numpy())
            assert torch.equal(made["labels"], wanted["labels"])
            dropped += 12 - len(made["boxes"])
    assert dropped > 100


@pytest.mark.parametrize("shape", [(30, 2), (20, 3, 2), (1, 2), (0, 2)], ids=str)
def test_keypoints_are_kept_and_cut_off_as_torchvision_does(shape: tuple[int, ...]) -> None:
    torch = pytest.importorskip("torch")
    v2 = pytest.importorskip("torchvision.transforms.v2")
    from torchvision import tv_tensors

    left = given = 0
    for number in range(75):
        rng = np.random.default_rng(number)
        height, width = rng.integers(1, 60, 2).tolist()
        points = rng.uniform(-0.2, 1.2, shape) * (width, height)
        points[rng.uniform(size=shape) < 0.2] = 0  # edges
        points[..., 0][rng.uniform(size=shape[:-1]) < 0.1] = width - number % 2
        points[..., 1][rng.uniform(size=shape[:-1]) < 0.1] = height - number % 2
        points = points.astype(np.float32)
        image = np.zeros((height, width, 3), dtype=np.uint8)
        theirs = tv_tensors.KeyPoints(torch.from_numpy(points), canvas_size=(height, width))
        cut = transforms.Compose([transforms.ClampKeyPoints()])(image, keypoints=points)["keypoints"]
        np.testing.assert_array_equal(cut, v2.ClampKeyPoints()(theirs).numpy())
        kept = transforms.Compose([transforms.SanitizeKeyPoints()])(image, keypoints=points)["keypoints"]
        np.testing.assert_array_equal(kept, v2.SanitizeKeyPoints(labels_getter=None)(theirs).numpy())
        left, given = left + len(kept), given + len(points)
    assert (0 < left < given) == (shape[0] > 0)


def test_what_belongs_to_a_box_goes_with_it() -> None:
    image = np.zeros((48, 64, 3), dtype=np.uint8)
    boxes = np.array([[0, 0, 9, 9], [5, 5, 5, 9], [50, 40, 60, 48]], dtype=np.float32)
    points = np.arange(12, dtype=np.float32).reshape(3, 2, 2)
    run = transforms.Compose([transforms.SanitizeBoundingBoxes()])
    made = run(image, boxes=boxes, labels=["cat", "dog", "cow"], keypoints=points)
    assert made["labels"] == ["cat", "cow"]
    np.testing.assert_array_equal(made["keypoints"], points[[0, 2]])
    np.testing.assert_array_equal(run(image, boxes=boxes, keypoints=points[0])["keypoints"], points[0])
    inside = transforms.Compose([transforms.SanitizeKeyPoints()])
    far = points + np.array([[[0, 0]], [[-9, 0]], [[0, 45]]], dtype=np.float32)
    np.testing.assert_array_equal(inside(image, keypoints=far)["keypoints"], far[:1])
    np.testing.assert_array_equal(inside(image, keypoints=far[1])["keypoints"], far[1][:0])
    with pytest.raises(penstock.InvalidError, match="as many as boxes"):
        run(image, boxes=boxes, labels=[1])
    with pytest.raises(penstock.InvalidError, match="labels are those of boxes: pass boxes="):
        run(image, labels=[1])
    with pytest.raises(penstock.InvalidError, match="the numbers differ"):
        run(image, boxes=boxes[:2], keypoints=points)


def test_a_box_and_its_label_go_with_the_points_of_the_same_object(tmp_path: Path) -> None:
    image = np.zeros((100, 100, 3), dtype=np.uint8)
    boxes = np.array([[0, 0, 60, 60], [30, 30, 80, 80], [20, 20, 40, 40]], dtype=np.float32)
    points = np.array([[[1, 1]], [[60, 60]], [[30, 30]]], dtype=np.float32)
    operations = [transforms.CenterCrop(80), transforms.SanitizeKeyPoints()]
    made = transforms.Compose(operations)(image, boxes=boxes, labels=[1, 3, 5], keypoints=points)
    assert made["labels"] == [3, 5]
    np.testing.assert_array_equal(made["boxes"], boxes[1:] - 10)
    np.testing.assert_array_equal(made["keypoints"], points[1:] - 10)
    alone = transforms.Compose(operations)(image, boxes=boxes, labels=[1, 3, 5], keypoints=points[:, 0])
    assert alone["labels"] == [1, 3, 5], "points [N, 2] belong to no box"

    # In the file the third object has a second field of points that leave the image.
    far = [[50, 50, 2], [50, 50, 2], [5, 5, 1]]
    objects = [
        {"bbox": box.tolist(), "id": 2 * i + 1, "points": [*point[0].tolist(), i], "far": other}
        for i, (box, point, other) in enumerate(zip(boxes, points, far, strict=True))
    ]
    file = io.BytesIO()
    Image.fromarray(image).save(file, "PNG")
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        for name, data in (("png", file.getvalue()), ("json", json.dumps({"objects": objects}).encode())):
            member = tarfile.TarInfo(f"0.{name}")
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    fields = {
        "image": "png",
        "points": penstock.Keypoints("json", "objects.*.points", visibility=True),
        "boxes": penstock.Boxes("json", "objects.*.bbox", labels="objects.*.id"),
    }
    for more, left in (({}, [1, 2]), ({"far": penstock.Keypoints("json", "objects.*.far")}, [1])):
        dataset = penstock.Dataset(tmp_path / "a.tar", fields=fields | more)
        (batch,) = penstock.Loader(dataset, transforms=operations, output="numpy")
        np.testing.assert_array_equal(batch["boxes"][0], boxes[left] - 10)
        assert batch["boxes_labels"][0].tolist() == [2 * i + 1 for i in left]
        np.testing.assert_array_equal(batch["points"][0], points[left, 0] - 10)
        assert batch["points_visibility"][0].tolist() == left
        assert not more or batch["far"][0].tolist() == [[40, 40]]


@pytest.mark.parametrize("store", [False, True], ids=["tar", "store"])
@pytest.mark.parametrize("views", [False, True], ids=["list", "views"])
def test_a_loader_drops_what_compose_drops(source: str, store: bool, views: bool, tmp_path: Path) -> None:
    if store:
        penstock.build(source, tmp_path / "store", progress=False)
    dataset = _dataset(str(tmp_path / "store") if store else source)
    lists: dict[str, list[transforms.Transform]] = {"": OPERATIONS}
    if views:
        lists = {"a": OPERATIONS, "b": [transforms.Resize([20, 30]), *OPERATIONS]}
    what: Any = penstock.Views(**lists) if views else OPERATIONS
    left = 0
    with penstock.Loader(dataset, transforms=what, batch_size=5, output="numpy", shuffle=True, num_workers=2) as loader:
        for batch in loader:
            for row, params in enumerate(json.loads(json.dumps(batch.params))):
                sample = dataset[int(batch["index"][row])]
                for view, operations in lists.items():
                    made = transforms.apply(
                        operations,
                        sample["image"],
                        params[view],
                        boxes=sample["boxes"],
                        labels=sample["boxes_labels"],
                        keypoints=sample["points"].reshape(-1, 2, 2),
                    )
                    prefix = f"{view}." if view else ""
                    np.testing.assert_array_equal(batch[prefix + "boxes"][row], made["boxes"])
                    np.testing.assert_array_equal(batch[prefix + "boxes_labels"][row], made["labels"])
                    np.testing.assert_array_equal(batch[prefix + "points"][row], made["keypoints"].reshape(-1, 2))
                    left += len(made["boxes"])
    assert 0 < left < 66 * len(lists)


def test_counted_views_cannot_drop(source: str) -> None:
    with pytest.raises(penstock.InvalidError, match="view 'a' is counted, but drops boxes"):
        penstock.Loader(_dataset(source), transforms=penstock.Views(a=(2, OPERATIONS)))
    dataset = penstock.Dataset(source, fields={"image": "png"})
    with penstock.Loader(dataset, transforms=penstock.Views(a=(2, OPERATIONS)), batch_size=2) as loader:
        assert next(iter(loader))["a"].shape == (2, 2, 3, 24, 24)


def test_keypoints_of_other_objects_stay(source: str) -> None:
    others = {"points": penstock.Keypoints("json", "objects.0.points")}
    fields = {**others, "boxes": penstock.Boxes("json", "objects.*.bbox"), "image": "png"}
    dataset = penstock.Dataset(source, fields=fields)
    operations = [transforms.SanitizeBoundingBoxes(min_size=64)]
    with penstock.Loader(dataset, transforms=operations, batch_size=12, output="numpy", on_error="skip") as loader:
        (batch,) = loader
    assert len(batch["index"]) == 11  # the first has no object
    assert [len(boxes) for boxes in batch["boxes"]] == [0] * 11
    assert [len(points) for points in batch["points"]] == [2] * 11


def test_keypoints_without_boxes_of_their_own_are_moved_and_stay(source: str) -> None:
    """[N, 2] outside a loader: the points that stay with their boxes as [N, K, 2] lie where they do."""
    dataset = _dataset(source)
    dropped = 0
    for batch in penstock.Loader(dataset, transforms=OPERATIONS, batch_size=6, seed=2, output="numpy"):
        for row, params in enumerate(batch.params):
            sample = dataset[int(batch["index"][row])]
            made = transforms.apply(
                OPERATIONS, sample["image"], params, boxes=sample["boxes"], keypoints=sample["points"]
            )
            assert made["keypoints"].shape == sample["points"].shape
            kept = {tuple(point) for point in made["keypoints"]}
            assert all(tuple(point) in kept for point in batch["points"][row])
            dropped += len(made["keypoints"]) - len(batch["points"][row])
    assert dropped > 0


@pytest.mark.parametrize("wanted", ["xyxy", "xywh", "cxcywh"])
def test_boxes_are_delivered_in_the_format_that_is_asked_for(source: str, wanted: str) -> None:
    torch = pytest.importorskip("torch")
    functional = pytest.importorskip("torchvision.transforms.v2.functional")
    from torchvision.tv_tensors import BoundingBoxes, BoundingBoxFormat

    assert transforms.ConvertBoundingBoxFormat(BoundingBoxFormat[wanted.upper()]).params == {"format": wanted}
    converted = [OPERATIONS[0], transforms.ConvertBoundingBoxFormat(wanted.upper()), *OPERATIONS[1:]]
    corners_alone = [OPERATIONS[0], transforms.Identity(), *OPERATIONS[1:]]  # draws have the place in their address

    def convert(boxes: Any) -> np.ndarray:
        held = BoundingBoxes(torch.as_tensor(boxes), format="XYXY", canvas_size=(24, 24))
        return np.asarray(functional.convert_bounding_box_format(held, new_format=BoundingBoxFormat[wanted.upper()]))

    with (
        penstock.Loader(_dataset(source), transforms=corners_alone, batch_size=4, output="numpy") as corners,
        penstock.Loader(_dataset(source), transforms=converted, batch_size=4, output="numpy") as others,
    ):
        for plain, batch in zip(corners, others, strict=True):
            np.testing.assert_array_equal(plain["image"], batch["image"])
            for a, b, labels in zip(plain["boxes"], batch["boxes"], batch["boxes_labels"], strict=True):
                np.testing.assert_array_equal(convert(a), b)
                assert len(labels) == len(b)
            assert np.array_equal(np.asarray(plain.show()), np.asarray(batch.show())), "boxes are drawn where they are"
    image, compose = np.zeros((48, 64, 3), dtype=np.uint8), transforms.Compose(converted[:2])
    for seed in range(300):
        boxes = _boxes(seed, 9)
        made = transforms.Compose(converted[:1])(image, boxes=boxes, seed=seed)["boxes"]
        np.testing.assert_array_equal(compose(image, boxes=boxes, seed=seed)["boxes"], convert(made))


def test_visibility_stands_beside_key_points_and_is_dropped_with_them(source: str) -> None:
    points = penstock.Keypoints("json", "objects.*.points", visibility=True)
    dataset = _dataset(source, points=points)
    assert dataset.fields["points_visibility"] == "array"
    sample = dataset[5]
    assert sample["points_visibility"].dtype == np.int64
    assert sample["points_visibility"].tolist() == [2] * 10
    assert sample["points"].shape == (10, 2)
    with penstock.Loader(dataset, transforms=OPERATIONS, batch_size=4, output="numpy") as loader:
        for batch in loader:
            for where, seen in zip(batch["points"], batch["points_visibility"], strict=True):
                assert seen.shape == (len(where),)
    with penstock.Loader(dataset, batch_size=4, output="numpy") as loader:
        assert [len(row) for row in next(iter(loader))["points_visibility"]] == [0, 2, 4, 6]
    with pytest.raises(penstock.InvalidError, match="visibility must be True or False"):
        penstock.Keypoints("json", "points", visibility=2)


def test_visibility_keeps_its_place_among_points_that_are_dropped(tmp_path: Path) -> None:
    objects = [{"points": [5.0 * i, 3, i, 5.0 * i, 4, i + 10]} for i in range(4)]
    file = io.BytesIO()
    Image.fromarray(np.zeros((8, 12, 3), dtype=np.uint8)).save(file, "PNG")
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        for name, data in (("png", file.getvalue()), ("json", json.dumps({"objects": objects}).encode())):
            member = tarfile.TarInfo(f"0.{name}")
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    fields = {"image": "png", "points": penstock.Keypoints("json", "objects.*.points", visibility=True)}
    dataset = penstock.Dataset(tmp_path / "a.tar", fields=fields)
    operations = [transforms.RandomHorizontalFlip(p=1), transforms.SanitizeKeyPoints()]
    (batch,) = penstock.Loader(dataset, transforms=operations, output="numpy")
    assert batch["points"][0][:, 0].tolist() == [11, 11, 6, 6, 1, 1]
    assert batch["points_visibility"][0].tolist() == [0, 10, 1, 11, 2, 12]
