"""Batches that are mixed: by pairs that mirror each other, by timm's rule, in composites, and as mosaics."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import draw, encode
from field_files import write_tar
from PIL import Image

import penstock
from penstock import transforms

torch = pytest.importorskip("torch")

SIDE, COUNT, CLASSES = 24, 22, 5
CROP: list[Any] = [transforms.CenterCrop(SIDE)]
FLOATS: list[Any] = [*CROP, transforms.Normalize((0.4, 0.5, 0.6), (0.2, 0.3, 0.2))]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Images with labels, masks and boxes."""
    samples = []
    for number in range(COUNT):
        image = draw(number, 40, 32)
        boxes = [
            {"box": [2 + number % 7, 3, 18, 20], "label": number},
            {"box": [20, 10, 39, 30 - number % 5], "label": 100 + number},
        ]
        samples.append(
            {
                "jpg": encode(image),
                "png": encode(Image.fromarray(np.asarray(image)[..., 0] // 16), "PNG"),
                "json": json.dumps({"objects": boxes[: number % 3]}).encode(),
                "cls": str(number % CLASSES).encode(),
            }
        )
    return str(write_tar(tmp_path_factory.mktemp("mixing") / "samples.tar", samples))


def batches(source: str, listed: list[Any], fields: dict[str, Any] | None = None, **options: Any) -> Iterator[Any]:
    data = penstock.Dataset(source, fields=fields or {"image": "jpg", "label": "cls"})
    settings = {"batch_size": 9, "shuffle": True, "seed": 3, "num_workers": 2, "transforms": listed} | options
    with penstock.Loader(data, **settings) as loader:
        yield from loader


def smoothed(labels: Any, smoothing: float) -> Any:
    """timm's one_hot() of mixup_target()."""
    off = smoothing / CLASSES
    return torch.full((len(labels), CLASSES), off).scatter_(1, labels.view(-1, 1), 1.0 - smoothing + off)


def unit_of(mode: str, row: int, rows: int) -> int:
    return {"batch": 0, "pair": min(row, rows - 1 - row), "elem": row}[mode]


def mixed(before: Any, drawn: dict[str, Any], *, mode: str, smoothing: float, mirror: bool = True) -> tuple[Any, Any]:
    """torchvision's and timm's arithmetic, row by row, with what was drawn."""
    images, rows = before["image"], len(before["image"])
    made, labels = images.clone(), smoothed(before["label"], smoothing)
    targets = labels.clone()
    shares = drawn["lam"] if isinstance(drawn["lam"], list) else [drawn["lam"]]
    for row in range(rows):
        other = rows - 1 - row if mirror else row - 1
        if mirror and other == row:
            continue
        unit = unit_of(mode, row, rows)
        lam = shares[unit]
        if drawn.get("cutmix", [int("box" in drawn)] * len(shares))[unit]:
            left, top, right, bottom = drawn["box"][4 * unit : 4 * unit + 4]
            made[row, :, top:bottom, left:right] = images[other, :, top:bottom, left:right]
        elif images.is_floating_point():
            made[row] = images[row] * lam + images[other] * (1.0 - lam)
        else:
            made[row] = torch.round(images[row].float() * lam + images[other].float() * (1.0 - lam)).byte()
        targets[row] = labels[row] * lam + labels[other] * (1.0 - lam)
    return made, targets


@pytest.mark.parametrize("mode", ["batch", "pair", "elem"])
@pytest.mark.parametrize("listed", [CROP, FLOATS], ids=["bytes", "floats"])
@pytest.mark.parametrize("memory_format", ["channels_first", "channels_last"])
def test_timms_mixup_is_what_timm_makes_of_the_same_draws(
    source: str, mode: str, listed: list[Any], memory_format: str
) -> None:
    mix = transforms.TimmMixup(0.8, 1.0, prob=0.8, mode=mode, num_classes=CLASSES)  # type: ignore[arg-type]
    options = {"memory_format": memory_format}
    cut = []
    for before, after in zip(
        batches(source, listed, **options), batches(source, [*listed, mix], **options), strict=True
    ):
        (drawn,) = json.loads(json.dumps(after.params[0]["batch"]))
        images, labels = mixed(before, drawn, mode=mode, smoothing=0.1)
        assert torch.equal(after["image"], images)
        assert torch.equal(after["label"], labels)
        cut += drawn["cutmix"]
    assert mode == "batch" or set(cut) == {0, 1}


@pytest.mark.parametrize("kind", [transforms.MixUp, transforms.CutMix])
@pytest.mark.parametrize(
    ("pairing", "mode"), [("mirror", "batch"), ("mirror", "pair"), ("mirror", "elem"), ("roll", "elem")]
)
def test_pairings_and_modes(source: str, kind: Any, pairing: str, mode: str) -> None:
    mix = kind(alpha=0.6, num_classes=CLASSES, pairing=pairing, mode=mode, label_smoothing=0.2)
    made = [batch["image"].clone() for batch in batches(source, [*FLOATS, mix], num_workers=0)]
    for before, after, again in zip(batches(source, FLOATS), batches(source, [*FLOATS, mix]), made, strict=True):
        (drawn,) = after.params[0]["batch"]
        images, labels = mixed(before, drawn, mode=mode, smoothing=0.2, mirror=pairing == "mirror")
        assert torch.equal(after["image"], images)
        assert torch.equal(after["label"], labels)
        assert torch.equal(after["image"], again)  # for any number of workers


def test_bytes_are_mixed_as_timms_collate_rounds_them(source: str) -> None:
    for before, after in zip(
        batches(source, CROP), batches(source, [*CROP, transforms.MixUp(num_classes=CLASSES)]), strict=True
    ):
        (drawn,) = after.params[0]["batch"]
        images, labels = mixed(before, drawn, mode="batch", smoothing=0.0, mirror=False)
        assert after["image"].dtype == torch.uint8
        assert torch.equal(after["image"], images)
        assert torch.equal(after["label"], labels)


def test_one_of_two_mixes_for_each_batch_as_torchvision_users_write_it(source: str) -> None:
    choice = transforms.RandomChoice(
        [transforms.CutMix(num_classes=CLASSES), transforms.RandomApply([transforms.MixUp(num_classes=CLASSES)], p=0.5)]
    )
    assert eval(repr(choice), vars(transforms)) == choice
    assert transforms.from_json(transforms.to_json([choice])) == [choice]
    seen = set()
    for seed in range(6):
        plain, done = (batches(source, listed, seed=seed) for listed in (FLOATS, [*FLOATS, choice]))
        for before, after in zip(plain, done, strict=True):
            (drawn,) = after.params[0]["batch"]
            (held,) = drawn["transforms"]
            seen.add((*drawn["chosen"], *held.get("chosen", [])))
            images, labels = before["image"], smoothed(before["label"], 0.0)
            if drawn["chosen"] == [1]:
                held = {"lam": 1.0} if not held["transforms"] else held["transforms"][0]
            if held != {"lam": 1.0}:
                images, labels = mixed(before, held, mode="batch", smoothing=0.0, mirror=False)
            assert torch.equal(after["image"], images)
            assert torch.equal(after["label"], labels)
    assert seen == {(0,), (1,), (1, 0)}
    with pytest.raises(penstock.InvalidError, match=r"transforms\[1\]: CenterCrop does not work on whole batches"):
        transforms.RandomChoice([transforms.CutMix(num_classes=CLASSES), transforms.CenterCrop(8)])
    with pytest.raises(penstock.InvalidError, match="RandomChoice works on whole batches"):
        transforms.Compose([*FLOATS, choice])


def test_arrays_of_other_types_are_not_taken_for_bytes(source: str) -> None:
    wide = transforms.Python(lambda image: image.astype(np.int32), shape=(SIDE, SIDE, 3), dtype="int32")
    words = "works on images of uint8, uint16, float32 or half precision, got int32"
    for mix in (transforms.MixUp(num_classes=CLASSES), transforms.CutMix(num_classes=CLASSES), transforms.Mosaic()):
        with pytest.raises(penstock.InvalidError, match=words):
            next(batches(source, [*CROP, wide, mix], num_workers=0))


def test_labels_become_one_hot_without_mixing(source: str) -> None:
    resized = [transforms.Resize(20), transforms.OneHot(CLASSES, label_smoothing=0.1)]
    for before, after in zip(batches(source, CROP), batches(source, [*CROP, resized[1]]), strict=True):
        assert torch.equal(after["image"], before["image"])
        assert torch.equal(after["label"], smoothed(before["label"], 0.1))
    for batch in batches(source, resized):  # images need not have one size
        assert batch["label"].shape[1] == CLASSES
    with pytest.raises(penstock.InvalidError, match="OneHot needs labels"):
        next(batches(source, resized, fields={"image": "jpg"}))


IN_PLANE = {"image": "jpg", "label": "cls", "mask": penstock.Mask("png")}


@pytest.mark.parametrize("format_", ["xyxy", "cxcywh"])
@pytest.mark.parametrize("memory_format", ["channels_first", "channels_last"])
def test_mosaics_are_made_of_four_images_with_their_masks_and_boxes(
    source: str, format_: str, memory_format: str
) -> None:
    fields = IN_PLANE | {"boxes": penstock.Boxes("json", "objects.*.box", labels="objects.*.label")}
    convert = transforms.ConvertBoundingBoxFormat(format_)
    listed = [*FLOATS, convert]
    mosaic = [*listed, transforms.OneHot(CLASSES), transforms.Mosaic(p=0.7)]
    options = {"memory_format": memory_format}
    made, corners = 0, transforms.ConvertBoundingBoxFormat("xyxy")
    plain = batches(source, [*FLOATS, corners], fields, **options)
    for before, after in zip(plain, batches(source, mosaic, fields, **options), strict=True):
        _, drawn = after.params[0]["batch"]
        one_hot = smoothed(before["label"], 0.0)
        for row in range(len(before["image"])):
            x, y = drawn["center"][2 * row : 2 * row + 2]
            parts = drawn["parts"][4 * row : 4 * row + 4]
            made += x < SIDE
            assert parts[0] == row
            label = torch.zeros(CLASSES)
            boxes, labels = [], []
            for number, part in enumerate(parts):
                across = (x, SIDE, x) if number % 2 else (0, x, x - SIDE)
                down = (y, SIDE, y) if number >= 2 else (0, y, y - SIDE)
                (left, right, dx), (top, bottom, dy) = across, down
                for name in ("image", "mask"):
                    moved = torch.roll(before[name][part], (dy, dx), (-2, -1))  # what is seen does not wrap
                    assert torch.equal(
                        after[name][row][..., top:bottom, left:right], moved[..., top:bottom, left:right]
                    )
                label += one_hot[part] * np.float32((right - left) * (bottom - top) / SIDE**2)
                for box, kind in zip(before["boxes"][part], before["boxes_labels"][part], strict=True):
                    seen = (box + torch.tensor([dx, dy, dx, dy])).tolist()
                    seen = [min(max(seen[i], (left, top)[i % 2]), (right, bottom)[i % 2]) for i in range(4)]
                    if number == 0 if x == SIDE else seen[2] - seen[0] >= 1 and seen[3] - seen[1] >= 1:
                        boxes.append(seen)
                        labels.append(int(kind))
            torch.testing.assert_close(after["label"][row], label, rtol=0, atol=1e-6)
            expected = np.array(boxes, np.float32).reshape(-1, 4)
            if format_ == "cxcywh":
                size = expected[:, 2:] - expected[:, :2]
                expected = np.concatenate([expected[:, :2] + size / 2, size], 1)
            np.testing.assert_allclose(after["boxes"][row].numpy(), expected, atol=1e-5)
            assert after["boxes_labels"][row].tolist() == labels
    assert 8 <= made <= COUNT


def test_mosaics_are_the_same_for_any_number_of_workers_and_refuse_key_points(source: str) -> None:
    fields = IN_PLANE | {"boxes": penstock.Boxes("json", "objects.*.box")}
    streams = [
        [
            (
                batch["image"].numpy().tobytes(),
                batch["mask"].numpy().tobytes(),
                [box.tolist() for box in batch["boxes"]],
            )
            for batch in batches(source, [*CROP, transforms.Mosaic(p=0.9)], fields, num_workers=workers)
        ]
        for workers in (0, 3)
    ]
    assert streams[0] == streams[1]
    points = {"image": "jpg", "points": penstock.Keypoints("json", "objects.*.box")}
    with pytest.raises(penstock.InvalidError, match="key points of field 'points'"):
        next(batches(source, [*CROP, transforms.Mosaic()], points))


def test_a_mosaic_of_the_image_alone_says_that_boxes_are_left_behind(source: str) -> None:
    data = penstock.Dataset(source, fields={"image": "jpg", "boxes": penstock.Boxes("json", "objects.*.box")})
    with pytest.warns(match="moves the image and leaves 'boxes' as stored"):
        penstock.Loader(data, transforms={"image": [transforms.Mosaic()]}, batch_size=2)


def test_bad_rows_take_no_part(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "bad.tar", "w") as archive:
        for number in range(9):
            buffer = io.BytesIO()
            Image.fromarray(np.full((8, 8, 3), 20 * number, np.uint8)).save(buffer, "PNG")
            data = b"no image" if number == 4 else buffer.getvalue()
            for name, content in ((f"{number}.png", data), (f"{number}.cls", b"1")):
                info = tarfile.TarInfo(name)
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
    listed = [transforms.CenterCrop(8), transforms.Mosaic(p=1.0)]
    data = penstock.Dataset(str(tmp_path / "bad.tar"), fields={"image": "png", "label": "cls"})
    with penstock.Loader(data, transforms=listed, batch_size=9, on_error="skip", num_workers=2) as loader:
        (batch,) = loader
    (drawn,) = batch.params[0]["batch"]
    values = [20 * int(number) for number in batch["index"]]
    assert len(values) == 8 and 80 not in values
    for row, image in enumerate(batch["image"]):
        corners = [int(image[0, y, x]) for y in (0, -1) for x in (0, -1)]
        assert corners == [values[part] for part in drawn["parts"][4 * row : 4 * row + 4]]
