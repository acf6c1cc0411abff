"""Contact sheets of batches and data sets."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import penstock
from penstock import transforms
from penstock._sheet import Cell, as_bytes, color_of, sheet

PROGRAM = Path(sys.executable).with_name("penstock")
SIDE = 40
GRAY = (90, 90, 90)


def _files(number: int) -> dict[str, bytes]:
    """A gray image with an object of class number + 1 at column 2 * number."""
    pixels, classes = np.full((20, 20, 3), 90, np.uint8), np.zeros((20, 20), np.uint8)
    classes[4:12, 2 * number : 2 * number + 8] = number + 1
    files = {"cls": str(number).encode()}
    for name, array in (("png", pixels), ("seg.png", classes)):
        file = io.BytesIO()
        Image.fromarray(array).save(file, "PNG")
        files[name] = file.getvalue()
    box = {"bbox": [2 * number, 4, 8, 8], "category_id": 7, "keypoints": [2 * number + 4, 16, 2]}
    return files | {"json": json.dumps({"annotations": [box]}).encode()}


@pytest.fixture
def objects(tmp_path: Path) -> str:
    path = tmp_path / "objects.tar"
    with tarfile.open(path, "w") as tar:
        for number in range(4):
            for name, content in _files(number).items():
                member = tarfile.TarInfo(f"{number:03}.{name}")
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
    return str(path)


@pytest.fixture
def dataset(objects: str) -> penstock.Dataset:
    return penstock.Dataset(
        objects,
        fields={
            "image": "png",
            "label": "cls",
            "mask": penstock.Mask("seg.png"),
            "boxes": penstock.Boxes(
                "json", "annotations.*.bbox", format="xywh", labels="annotations.*.category_id"
            ),
            "points": penstock.Keypoints("json", "annotations.*.keypoints"),
        },
    )


def colors(drawn: Image.Image) -> set[tuple[int, ...]]:
    assert drawn.mode == "RGB"
    return {tuple(color) for color in np.unique(np.asarray(drawn).reshape(-1, 3), axis=0).tolist()}


def mixed(label: int) -> tuple[int, ...]:
    """The colour of a mask over the gray of the images."""
    return tuple((np.full(3, 90) * 0.5 + np.asarray(color_of(label)) * 0.5).astype(int).tolist())


def test_masks_boxes_and_points_are_drawn_where_they_are(dataset: penstock.Dataset) -> None:
    drawn = dataset.show([1], side=SIDE)
    scale = SIDE // 20
    image = np.asarray(drawn)[6 : 6 + SIDE, 6 : 6 + SIDE]
    assert tuple(image[2, 2]) == GRAY
    assert tuple(image[8 * scale, 6 * scale]) == mixed(2)  # inside of the object, class 2
    assert tuple(image[4 * scale, 5 * scale]) == color_of(7)  # the upper edge of its box
    assert tuple(image[16 * scale + 1, 6 * scale + 1]) == color_of(0)  # the point, in the middle of its pixel
    assert np.any(np.asarray(drawn)[6 + SIDE :] < 128)  # the label


def test_every_sample_gets_a_row_of_draws(dataset: penstock.Dataset) -> None:
    list_ = [transforms.RandomCrop(16), transforms.RandomHorizontalFlip()]
    drawn = dataset.show(3, transforms=list_, draws=2, side=SIDE)
    alone = dataset.show([0], transforms=list_, draws=2, side=SIDE)
    assert drawn.width == alone.width == 6 + 3 * (SIDE + 6)
    assert drawn.height - 6 == 3 * (alone.height - 6)
    again = dataset.show(3, transforms=list_, draws=2, side=SIDE)
    np.testing.assert_array_equal(np.asarray(drawn), np.asarray(again))
    other = dataset.show(3, transforms=list_, draws=2, side=SIDE, seed=1)
    assert not np.array_equal(np.asarray(drawn), np.asarray(other))
    views = dataset.show([0], transforms=penstock.Views(a=list_, b=list_), draws=1, side=SIDE)
    assert views.width == 6 + 3 * (SIDE + 6)


@pytest.mark.parametrize(
    "box", [[5, 5, 5.4, 9], [5, 5, 9, 5.4], [3, 3, 3, 3], [31.9, 31.9, 32, 32], [np.nan, 1, 8, 9], [-1e30, 4, 1e30, 8]]
)
def test_boxes_that_crops_cut_off(box: list[float]) -> None:
    points = np.array([[np.nan, 1], [np.inf, 2], [3, -1e30]])
    drawn = sheet([[Cell(np.zeros((32, 32, 3), np.uint8), boxes=np.array([box], np.float32), points=points)]], 32)
    has_area = box[2] > box[0] and box[3] > box[1]
    assert (color_of(0) in colors(drawn)) == has_area


def test_draws_are_those_of_a_loader(dataset: penstock.Dataset) -> None:
    """Operations with one key draw alike in all views, others apart; counted views show as many as they are."""
    crop = [transforms.RandomResizedCrop(SIDE, scale=(0.1, 0.5), key="crop")]
    own = [transforms.RandomResizedCrop(SIDE, scale=(0.1, 0.5))]
    views = penstock.Views(a=crop, b=[*crop, transforms.RandomInvert(1.0)], c=own, d=(2, own))
    plain = penstock.Dataset(dataset._arguments[0], fields={"image": "seg.png"})
    drawn = np.asarray(plain.show([2, 1], transforms=views, draws=2, side=SIDE, seed=5))
    rows, columns = range(6, drawn.shape[0] - SIDE, SIDE + 22), range(6, drawn.shape[1] - SIDE, SIDE + 6)
    cells = [[drawn[y : y + SIDE, x : x + SIDE] for x in columns] for y in rows]
    assert [len(line) for line in cells] == [1 + 2 + 2 + 2 + 4] * 2
    loader = penstock.Loader(plain, transforms=views, seed=5, output="numpy", memory_format="channels_last")
    for draw in range(2):
        loader.set_epoch(draw)
        (batch,) = loader
        for line, sample in zip(cells, (2, 1), strict=True):
            a, b, c = (line[1 + 2 * number + draw] for number in range(3))
            np.testing.assert_array_equal(a, batch["a"][sample])
            np.testing.assert_array_equal(a, 255 - b)
            np.testing.assert_array_equal(c, batch["c"][sample])
            assert not np.array_equal(a, c)
            np.testing.assert_array_equal(line[7 + 2 * draw : 9 + 2 * draw], batch["d"][sample])


def test_whole_batches_are_mixed(objects: str) -> None:
    plain = penstock.Dataset(objects, fields={"image": "seg.png", "label": "cls"})
    list_ = [transforms.ToFloat(), transforms.CutMix(num_classes=4, alpha=1.0)]
    images = colors(plain.show(2, transforms=list_[:1], draws=1, side=SIDE))
    mixed_ = np.asarray(plain.show(2, transforms=list_, draws=1, side=SIDE))
    assert colors(Image.fromarray(mixed_)) == images
    assert not np.array_equal(mixed_, np.asarray(plain.show(2, transforms=list_[:1], draws=1, side=SIDE)))


def test_images_of_another_name(objects: str) -> None:
    invert = [transforms.RandomInvert(1.0)]
    wanted = np.asarray(penstock.Dataset(objects, fields={"image": "seg.png"}).show(2, transforms=invert, draws=1))
    photos = penstock.Dataset(objects, fields={"photo": "seg.png"})
    several = penstock.Dataset(objects, fields={"photo": "seg.png", "depth": "png"})
    for named, list_ in ((photos, invert), (photos, {"photo": invert}), (several, {"photo": invert})):
        np.testing.assert_array_equal(np.asarray(named.show(2, transforms=list_, draws=1)), wanted)
    assert photos.show(2).size
    with pytest.raises(penstock.InvalidError, match="show needs a field called image, a single field of images"):
        several.show(2)


def test_functions_among_the_transforms(objects: str) -> None:
    plain = penstock.Dataset(objects, fields={"image": "png"})
    assert (165, 165, 165) in colors(plain.show(1, transforms=[lambda image: 255 - image], draws=1, side=SIDE))
    with pytest.raises(penstock.InvalidError, match=r"show draws images, and these transforms make float32 \(3,\)"):
        plain.show(1, transforms=[lambda image: image.mean(axis=(0, 1), dtype=np.float32)])


def test_numbers_of_numpy_choose_samples(dataset: penstock.Dataset) -> None:
    same = np.asarray(dataset.show([0, 2], side=SIDE))
    for samples in (np.int64(2), np.array([0, 2]), [0, -2]):
        np.testing.assert_array_equal(np.asarray(dataset.show(samples, side=np.int64(SIDE))), same)


def test_batches_show_what_they_hold(dataset: penstock.Dataset) -> None:
    for output in ("numpy", "torch", "dlpack"):
        if output == "torch":
            pytest.importorskip("torch")
        for memory_format in ("channels_first", "channels_last"):
            with penstock.Loader(
                dataset, batch_size=4, transforms=[], output=output, memory_format=memory_format
            ) as loader:
                shown = next(iter(loader)).show(side=SIDE, columns=4)
            np.testing.assert_array_equal(np.asarray(shown), np.asarray(dataset.show(4, side=SIDE, columns=4)))


@pytest.mark.parametrize("output", ["numpy", "torch"])
@pytest.mark.parametrize("memory_format", ["channels_first", "channels_last"])
def test_views_of_a_row_stand_beside_each_other(dataset: penstock.Dataset, output: Any, memory_format: Any) -> None:
    if output == "torch":
        pytest.importorskip("torch")
    crop = [transforms.CenterCrop(16)]
    views = penstock.Views(a=[*crop, transforms.ToFloat()], local=(3, crop))
    options: dict[str, Any] = {"output": output, "memory_format": memory_format}
    with penstock.Loader(dataset, batch_size=2, transforms=views, **options) as loader:
        drawn = next(iter(loader)).show(side=SIDE)
    assert drawn.width == 6 + 4 * (SIDE + 6)
    assert {mixed(1), mixed(2), color_of(7)} <= colors(drawn)


@pytest.mark.parametrize("output", ["numpy", "torch"])
def test_boxes_of_several_crops_are_drawn_over_them(dataset: penstock.Dataset, output: Any) -> None:
    if output == "torch":
        pytest.importorskip("torch")
    boxed = penstock.Dataset(dataset._arguments[0], fields={"image": "png", "boxes": dataset._arguments[3]["boxes"]})
    with penstock.Loader(boxed, batch_size=2, transforms=[transforms.FiveCrop(10)], output=output) as loader:
        drawn = next(iter(loader)).show(side=SIDE)
    assert drawn.width == 6 + 5 * (SIDE + 6)
    assert color_of(7) in colors(drawn)


def test_normalised_floats_can_be_undone(dataset: penstock.Dataset) -> None:
    mean, std = [0.4, 0.5, 0.6], [0.2, 0.3, 0.25]
    list_ = [transforms.ToFloat(), transforms.Normalize(mean, std)]
    with penstock.Loader(dataset, batch_size=4, transforms=list_, output="numpy") as loader:
        batch = next(iter(loader))
    assert batch.show(side=SIDE, mean=mean, std=std).getpixel((8, 8)) == GRAY
    assert batch.show(side=SIDE).getpixel((8, 8)) != GRAY  # stretched


def test_channels_that_are_no_colours_are_shown_as_gray(objects: str) -> None:
    dataset = penstock.Dataset(objects, fields={"image": "png", "label": "cls"})
    for makes in (transforms.RGBToLGN(), transforms.LMSToParvo()):
        batch = next(iter(penstock.Loader(dataset, transforms=[transforms.Resize(24), makes], batch_size=4)))
        drawn = batch.show(side=SIDE)
        assert drawn.size == (2 * SIDE + 18, 2 * SIDE + 50)
        assert all(red == green == blue for red, green, blue in colors(drawn))


def test_mixed_labels_and_names_of_classes() -> None:
    images = np.full((3, 3, 8, 8), 90, np.uint8)
    labels = np.array([[0.75, 0.25, 0.0], [0, 1, 0], [0, 0.5, 0.5]], np.float32)
    batch = penstock.Batch({"image": images, "label": labels})
    named = batch.show(side=200, classes=["cat", "dog", "cow"])
    assert not np.array_equal(np.asarray(named), np.asarray(batch.show(side=200)))
    alone = penstock.Batch({"image": images}).show(side=200)
    assert alone.height < named.height  # no captions


def test_images_of_every_type() -> None:
    wide = np.arange(0, 65536, 16, dtype=np.uint16).reshape(64, 64, 1)
    (made,) = as_bytes([wide])
    np.testing.assert_array_equal(made, (wide >> 8).astype(np.uint8))
    (made,) = as_bytes([np.linspace(-2, 2, 48, dtype=np.float32).reshape(4, 4, 3)])
    assert (made.min(), made.max()) == (0, 255)
    transparent = np.zeros((16, 16, 4), np.uint8)
    assert colors(sheet([[Cell(transparent)]], 16)) == {(255, 255, 255)}
    gray = sheet([[Cell(np.full((5, 300, 1), 7, np.uint8), "\N{GREEK SMALL LETTER ALPHA} and a very long text")]], 50)
    assert (7, 7, 7) in colors(gray)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda ds: ds.show(0), "samples must be a positive integer, got 0"),
        (lambda ds: ds.show([]), "no samples to show"),
        (lambda ds: ds.show(2.5), "samples must be a positive integer, got 2.5"),
        (lambda ds: ds.show([1.5]), "samples must be a count or a list of sample numbers, got"),
        (lambda ds: ds.show(1, side=2), "side must be an integer between 16 and 4096, got 2"),
        (lambda ds: ds.show(1, transforms={"image": [], "mask": []}), "one list of transforms"),
        (lambda ds: ds.show(1, transforms={"label": []}), "show needs a field called image"),
        (lambda ds: ds.show(1, draws=0, transforms=[]), "draws must be a positive integer"),
        (lambda ds: ds.show(2, draws=3), "draws are those of transforms: pass transforms too, or leave draws out"),
        (lambda ds: ds.show(2, columns=0), "columns must be a positive integer"),
        (lambda ds: ds.show([0] * 100, columns=100, side=4096), "too large"),
        (lambda ds: penstock.Batch({"label": np.arange(3)}).show(), "no images to show; it has label"),
    ],
)
def test_what_cannot_be_shown_is_refused(dataset: penstock.Dataset, call: Any, message: str) -> None:
    with pytest.raises(penstock.InvalidError, match=message):
        call(dataset)


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(PROGRAM), "show", *words], capture_output=True, text=True, check=False)


def test_the_verb_writes_the_same_sheet(dataset: penstock.Dataset, objects: str, tmp_path: Path) -> None:
    out = str(tmp_path / "sheet.png")
    fields = ["--mask", "seg.png", "--keypoints", "json:annotations.*.keypoints"]
    assert run(objects, "-o", out, "--side", str(SIDE), *fields).returncode == 0
    without = penstock.Dataset(
        objects,
        fields={
            "image": "png",
            "label": "cls",
            "mask": penstock.Mask("seg.png"),
            "keypoints": penstock.Keypoints("json", "annotations.*.keypoints"),
        },
    )
    np.testing.assert_array_equal(np.asarray(Image.open(out)), np.asarray(without.show(side=SIDE)))

    list_ = [transforms.RandomCrop(16)]
    config = tmp_path / "crop.json"
    config.write_text(transforms.to_json(list_))
    told = run(objects, "-o", out, "--transforms", str(config), "--draws", "2", "--samples", "3", "--json")
    assert told.returncode == 0, told.stderr
    assert json.loads(told.stdout)["output"] == out
    plain = penstock.Dataset(objects).show(3, transforms=list_, draws=2)
    np.testing.assert_array_equal(np.asarray(Image.open(out)), np.asarray(plain))


def test_the_verb_warns_of_what_it_draws(objects: str, tmp_path: Path) -> None:
    """As every verb does, and not of fields that are not on the sheet."""
    out = ["-o", str(tmp_path / "sheet.png"), "--samples", "2"]
    assert run(objects, *out).stderr == ""
    alpha = tmp_path / "alpha.tar"
    with tarfile.open(alpha, "w") as tar:
        file = io.BytesIO()
        Image.new("RGBA", (8, 8)).save(file, "PNG")
        member = tarfile.TarInfo("0.png")
        member.size = file.tell()
        file.seek(0)
        tar.addfile(member, file)
    text = "field 'image': transparency is dropped by mode RGB"
    assert run(str(alpha), *out).stderr.startswith(f"warning: {text}")
    told = run(str(alpha), *out, "--json")
    assert told.stderr == ""
    (warning,) = json.loads(told.stdout)["warnings"]
    assert warning.startswith(text)


def test_the_verb_draws_what_stores_remember(dataset: penstock.Dataset, tmp_path: Path) -> None:
    penstock.build(dataset, tmp_path / "store", progress=False)
    out = tmp_path / "sheet.png"
    assert run(str(tmp_path / "store"), "-o", str(out), "--side", str(SIDE)).returncode == 0
    assert {mixed(1), color_of(7)} <= colors(Image.open(out))


def test_wrong_usage_of_the_verb(objects: str, tmp_path: Path) -> None:
    config = tmp_path / "crop.json"
    config.write_text('[{"op": "CenterCrop", "sise": 3}]')
    for words, message in [
        ([objects, "--transforms", str(config)], "crop.json: [0].sise: CenterCrop has no such parameter"),
        ([objects, "--transforms", str(tmp_path / "none.json")], "none.json: No such file"),
        ([str(tmp_path / "nothing")], "nothing"),
        ([objects, "--draws", "3"], "draws are those of transforms"),
        ([objects, "--boxes", "json"], "--boxes must be EXT:PATH"),
        ([objects, "--no-such-option"], "--no-such-option"),
    ]:
        told = run(*words, "-o", str(tmp_path / "x.png"))
        assert told.returncode == 2, told.stderr
        assert message in told.stderr
    assert "--transforms" in run("--help").stdout
