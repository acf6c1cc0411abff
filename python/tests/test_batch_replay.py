"""A stored batch made again: its rows by apply(), what was done to all of them by apply_batch()."""

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

SAMPLES = 9
CLASSES = 5
ROWS = [
    transforms.RandomResizedCrop((16, 20)),
    transforms.RandomHorizontalFlip(),
]
FLOATS = [transforms.ToFloat(), transforms.Normalize(0.5, 0.25)]
MIX, CUT = transforms.MixUp(num_classes=CLASSES), transforms.CutMix(num_classes=CLASSES)
MIXES: list[list[transforms.Transform]] = [
    [MIX],
    [CUT],
    [transforms.MixUp(num_classes=CLASSES, pairing="mirror", mode="pair", label_smoothing=0.2)],
    [transforms.CutMix(num_classes=CLASSES, mode="elem", label_smoothing=0.1)],
    [transforms.TimmMixup(0.8, 1.0, prob=0.7, mode="elem", num_classes=CLASSES)],
    [transforms.TimmMixup(0.0, cutmix_minmax=(0.2, 0.6), mode="pair", num_classes=CLASSES)],
    [transforms.OneHot(CLASSES, label_smoothing=0.1)],
    [transforms.Mosaic(p=0.8)],
    [transforms.Mosaic(p=0.8), MIX],
    [transforms.RandomChoice([MIX, CUT])],
    [transforms.RandomApply([transforms.RandomOrder([MIX, CUT])], p=0.7), transforms.OneHot(CLASSES)],
]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("replay") / "train.tar"
    rng = np.random.default_rng(5)
    with tarfile.open(path, "w") as tar:
        for number in range(SAMPLES):
            boxes = [{"bbox": [2 * n, n, 9, 11], "category_id": number + n} for n in range(number % 4)]
            members = {"json": json.dumps(boxes).encode(), "cls": str(number % CLASSES).encode()}
            for name, shape in (("png", (24, 30, 3)), ("seg.png", (24, 30))):
                file = io.BytesIO()
                Image.fromarray(rng.integers(0, 256, shape, dtype=np.uint8)).save(file, "PNG")
                members[name] = file.getvalue()
            for name, data in members.items():
                member = tarfile.TarInfo(f"{number:03}.{name}")
                member.size = len(data)
                tar.addfile(member, io.BytesIO(data))
    return path


PLANES = {
    "image": "png",
    "label": "cls",
    "mask": penstock.Mask("seg.png"),
    "boxes": penstock.Boxes("json", "*.bbox", format="xywh", labels="*.category_id"),
}


def rows_of(dataset: penstock.Dataset, operations: Any, batch: Any, params: Any) -> list[Any]:
    """What apply() makes of the samples of a batch."""
    made = []
    for number, drawn in zip(batch["index"], params, strict=True):
        sample = dataset[int(number)]
        given = {"mask": sample["mask"], "boxes": sample["boxes"]} if "mask" in sample else {}
        made.append(transforms.apply(operations, sample["image"], drawn, **given))
    return made


@pytest.mark.parametrize("mixes", MIXES, ids=repr)
@pytest.mark.parametrize("memory_format", ["channels_first", "channels_last"])
@pytest.mark.parametrize("floats", [True, False], ids=["float32", "uint8"])
def test_images_and_labels_are_made_again(
    source: Path, mixes: list[transforms.Transform], memory_format: Any, floats: bool
) -> None:
    dataset = penstock.Dataset(source, fields={"image": "png", "label": "cls"})
    operations = [*ROWS, *(FLOATS if floats else []), *mixes]
    axes = (0, 3, 1, 2) if memory_format == "channels_first" else (0, 1, 2, 3)
    options: dict[str, Any] = {"batch_size": 4, "shuffle": True, "output": "numpy", "memory_format": memory_format}
    with penstock.Loader(dataset, transforms=operations, **options) as loader:
        for batch in [batch for _ in range(3) for batch in loader]:
            params = json.loads(json.dumps(batch.params))
            images = np.stack(rows_of(dataset, operations, batch, params)).transpose(axes)
            labels = [dataset[int(number)]["label"] for number in batch["index"]]
            before = images.copy()
            made = transforms.apply_batch(operations, images, labels, params, memory_format=memory_format)
            assert made[0].tobytes() == batch["image"].tobytes()
            assert made[1].dtype == batch["label"].dtype
            assert made[1].tobytes() == batch["label"].tobytes()
            np.testing.assert_array_equal(images, before)
            alone = transforms.apply_batch(mixes, images, labels, params[0]["batch"], memory_format=memory_format)
            assert alone[0].tobytes() == made[0].tobytes()


@pytest.mark.parametrize("mix", [transforms.Mosaic(p=0.9, min_size=3), transforms.Mosaic(p=0)])
def test_masks_and_boxes_are_made_again(source: Path, mix: transforms.Transform) -> None:
    dataset = penstock.Dataset(source, fields=PLANES)
    operations = [*ROWS, mix]
    with penstock.Loader(dataset, transforms=operations, batch_size=4, shuffle=True, output="numpy") as loader:
        for batch in loader:
            params = json.loads(json.dumps(batch.params))
            rows = rows_of(dataset, operations, batch, params)
            made = transforms.apply_batch(
                operations,
                np.stack([row["image"] for row in rows]).transpose(0, 3, 1, 2),
                batch["label"],
                params,
                masks=np.stack([row["mask"] for row in rows]),
                boxes=[row["boxes"] for row in rows],
                boxes_labels=[dataset[int(number)]["boxes_labels"] for number in batch["index"]],
            )
            np.testing.assert_array_equal(made["images"], batch["image"])
            np.testing.assert_array_equal(made["masks"], batch["mask"])
            np.testing.assert_array_equal(made["labels"], batch["label"])
            for name in ("boxes", "boxes_labels"):
                for own, wanted in zip(made[name], batch[name], strict=True):
                    assert own.dtype == wanted.dtype
                    np.testing.assert_array_equal(own, wanted)


def test_tensors_of_all_types_stay_tensors() -> None:
    torch = pytest.importorskip("torch")
    drawn = [{"op": "CutMix", "box": [1, 0, 3, 2], "lam": 0.75}]
    labels = torch.tensor([0, 3])
    for dtype in (torch.uint8, torch.uint16, torch.float16, torch.bfloat16, torch.float32):
        images = torch.arange(2 * 3 * 4 * 4).view(2, 3, 4, 4).to(dtype)
        made, targets = transforms.apply_batch([CUT], images, labels, drawn)
        pasted = images.clone()
        pasted[:, :, 0:2, 1:3] = images.clone().flip(0)[:, :, 0:2, 1:3]
        assert made.dtype == dtype
        assert torch.equal(made, pasted)
        assert targets.tolist() == [[0.75, 0, 0, 0.25, 0], [0.25, 0, 0, 0.75, 0]]
        last = images.contiguous(memory_format=torch.channels_last)
        assert torch.equal(transforms.apply_batch([CUT], last, labels, drawn)[0], pasted)


IMAGES = np.zeros((4, 3, 8, 9), np.float32)
LABELS = np.arange(4)


@pytest.mark.parametrize(
    ("operation", "drawn", "problem"),
    [
        (MIX, {"op": "CutMix", "lam": 0.5}, "params of CutMix, where the list has MixUp"),
        (MIX, {"op": "MixUp", "lam": 1.5}, "lam must be 1 numbers from 0 to 1"),
        (MIX, {"op": "MixUp", "lam": float("nan")}, "lam must be"),
        (transforms.MixUp(num_classes=5, mode="elem"), {"op": "MixUp", "lam": [0.5] * 3}, "lam must be 4 numbers"),
        (CUT, {"op": "CutMix", "box": [0, 0, 10, 8], "lam": 0.5}, "box must lie in the images"),
        (CUT, {"op": "CutMix", "box": [0, -1, 9, 8], "lam": 0.5}, "box must lie in the images"),
        (CUT, {"op": "CutMix", "box": [5, 0, 2, 8], "lam": 0.5}, "box must lie in the images"),
        (CUT, {"op": "CutMix", "box": [0, 0, 2], "lam": 0.5}, "box must have 4 numbers for each of 1"),
        (
            transforms.TimmMixup(num_classes=5),
            {"op": "TimmMixup", "cutmix": [], "box": [0] * 4, "lam": 0.5},
            "cutmix must have 1 numbers",
        ),
        (transforms.Mosaic(), {"op": "Mosaic", "center": [1] * 7, "parts": [0] * 16}, "center must have two numbers"),
        (transforms.Mosaic(), {"op": "Mosaic", "center": [1] * 8, "parts": [0] * 15}, "parts must have four numbers"),
        (transforms.Mosaic(), {"op": "Mosaic", "center": [10] * 8, "parts": [0] * 16}, "center must lie in the images"),
        (transforms.Mosaic(), {"op": "Mosaic", "center": [1] * 8, "parts": [4] * 16}, "parts must be rows of 4, got 4"),
        (
            transforms.RandomApply([MIX]),
            {"op": "RandomApply", "chosen": [0], "transforms": [{"op": "MixUp", "lam": 2.0}]},
            "lam must be",
        ),
    ],
)
def test_what_was_drawn_for_other_batches_is_refused(operation: Any, drawn: dict[str, Any], problem: str) -> None:
    with pytest.raises(penstock.InvalidError, match=problem):
        transforms.apply_batch([operation], IMAGES, LABELS, [drawn])


def test_what_does_not_fit_is_refused() -> None:
    drawn = [{"op": "MixUp", "lam": 0.5}]

    def refuses(problem: str, *given: Any, **named: Any) -> None:
        with pytest.raises(penstock.InvalidError, match=problem):
            transforms.apply_batch(*given, **named)

    refuses("images must be an array of 4 dimensions", [MIX], IMAGES[0], LABELS, drawn)
    refuses("images must be uint8", [MIX], IMAGES.astype(np.int32), LABELS, drawn)
    refuses("MixUp mixes images of float32 or uint8", [MIX], IMAGES.astype(np.float16), LABELS, drawn)
    refuses("labels must be 4 integers", [MIX], IMAGES, LABELS[:3], drawn)
    refuses("labels must be between 0 and 4, got 1 to 5", [MIX], IMAGES, LABELS + [1, 1, 1, 2], drawn)
    refuses("MixUp needs labels", [MIX], IMAGES, None, drawn)
    refuses("params for 0 operations, the list has 1", [MIX], IMAGES, LABELS, [{"": []}] * 4)
    refuses("a row for each of the 4 images", [MIX], IMAGES, LABELS, [{"": [], "batch": drawn}] * 3)
    refuses("params must be batch.params", [MIX], IMAGES, LABELS, None)
    refuses("MixUp mixes images, but field 'masks'", [MIX], IMAGES, LABELS, drawn, masks=np.zeros((4, 8, 9), np.uint8))
    refuses("masks must be", [CUT], IMAGES, LABELS, drawn, masks=np.zeros((4, 9, 8), np.uint8))
    refuses("memory_format must be", [MIX], IMAGES, LABELS, drawn, memory_format="last")
    refuses("boxes and boxes_labels must be lists of 4", [transforms.Mosaic()], IMAGES, None, drawn, boxes=[[]])
    refuses("pass boxes= too", [transforms.Mosaic()], IMAGES, None, drawn, boxes_labels=[[]] * 4)
    several = [IMAGES[0], IMAGES[0, :, 1:]]
    refuses("MixUp mixes images of one size", [MIX], several, LABELS[:2], drawn)
    same, one_hot = transforms.apply_batch([transforms.OneHot(5)], several, LABELS[:2], [{"op": "OneHot"}])
    assert same[1] is several[1]
    assert one_hot.tolist() == [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0]]
    empty = transforms.apply_batch([MIX], IMAGES[:0], LABELS[:0], [])
    assert empty[0].shape == (0, 3, 8, 9)
