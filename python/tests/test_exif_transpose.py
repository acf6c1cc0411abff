"""Images that are turned as EXIF in their files says, beside Pillow's exif_transpose: byte for byte."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import write_tar
from PIL import Image, ImageOps

import penstock
from penstock import transforms

ORIENTATION = 0x0112
SAMPLES = 320
UPRIGHT = transforms.ExifTranspose()


def _noise(number: int) -> Image.Image:
    rng = np.random.default_rng(number)
    width, height = 24 + number % 37, 20 + number % 23
    small = Image.fromarray(rng.integers(0, 256, (4, 5, 3), dtype=np.uint8))
    return small.resize((width, height), Image.Resampling.BICUBIC)


def _file(number: int, kind: str | None = None) -> tuple[str, bytes]:
    """A file of any kind and orientation, sometimes without EXIF."""
    kind = kind or ("JPEG", "PNG", "WEBP", "JPEG")[number % 4]
    image, exif = _noise(number), Image.Exif()
    if number % 9:
        exif[ORIENTATION] = number % 9
    exif[0x010E] = "an image"
    if number % 5 == 0:
        exif.endian = ">"
    options: dict[str, Any] = {"exif": exif.tobytes() if number % 9 else b""}
    if kind == "WEBP":
        options["lossless"] = True
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return {"JPEG": "jpg", "PNG": "png", "WEBP": "webp"}[kind], buffer.getvalue()


def _upright(file: bytes, mode: str = "RGB") -> np.ndarray:
    return np.asarray(ImageOps.exif_transpose(Image.open(io.BytesIO(file))).convert(mode))


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[bytes]]:
    files = [_file(number) for number in range(SAMPLES)]
    path = tmp_path_factory.mktemp("photos") / "photos.tar"
    write_tar(path, [(f"{number:04}.{ext}", file) for number, (ext, file) in enumerate(files)])
    return str(path), [file for _, file in files]


@pytest.fixture(scope="module")
def jpegs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[bytes]]:
    files = [_file(number, "JPEG")[1] for number in range(32)]
    path = tmp_path_factory.mktemp("jpegs") / "jpegs.tar"
    write_tar(path, [(f"{number:04}.jpg", file) for number, file in enumerate(files)])
    return path, files


def _rows(source: Any, operations: Any, **options: Any) -> list[np.ndarray]:
    with penstock.Loader(source, transforms=operations, batch_size=8, output="numpy", **options) as loader:
        return [row for batch in loader for row in batch["image"]]


def test_every_orientation_of_every_codec_is_pillows(photos: tuple[str, list[bytes]]) -> None:
    source, files = photos
    turned = 0
    for row, file, plain in zip(_rows(source, [UPRIGHT]), files, _rows(source, []), strict=True):
        np.testing.assert_array_equal(row.transpose(1, 2, 0), _upright(file))
        turned += row.shape != plain.shape or not np.array_equal(row, plain)
    assert turned > SAMPLES * 0.7


def test_operations_behind_it_see_the_upright_image(photos: tuple[str, list[bytes]]) -> None:
    source, files = photos
    operations = [UPRIGHT, transforms.RandomCrop(16), transforms.RandomHorizontalFlip()]
    options: dict[str, Any] = {"transforms": operations, "batch_size": 16, "shuffle": True, "output": "numpy"}
    with penstock.Loader(source, **options) as loader:
        for batch in loader:
            for row, number in enumerate(batch["index"].tolist()):
                drawn = batch.params[row][""]
                top, left = drawn[1]["top"], drawn[1]["left"]
                wanted = _upright(files[number])[top : top + 16, left : left + 16]
                wanted = wanted[:, ::-1] if drawn[2]["apply"] else wanted
                np.testing.assert_array_equal(batch["image"][row].transpose(1, 2, 0), wanted)
                again = transforms.apply(operations, loader.dataset[number]["image"], json.loads(json.dumps(drawn)))
                np.testing.assert_array_equal(again, wanted)


@pytest.mark.parametrize("image", ["repack", "keep"])
def test_stores_that_keep_files_keep_it(jpegs: tuple[Path, list[bytes]], tmp_path: Path, image: Any) -> None:
    source, files = jpegs
    penstock.build(source, tmp_path / "store", image=image, progress=False)
    for row, file in zip(_rows(tmp_path / "store", [UPRIGHT]), files, strict=True):
        np.testing.assert_array_equal(row.transpose(1, 2, 0), _upright(file))


def test_builds_that_make_images_smaller_keep_it(jpegs: tuple[Path, list[bytes]], tmp_path: Path) -> None:
    source, files = jpegs
    penstock.build(source, tmp_path / "store", resize=12, progress=False)
    store = penstock.Dataset(tmp_path / "store")
    for number, file in enumerate(files):
        small = Image.open(io.BytesIO(store.raw(number)["image"]))
        said = Image.open(io.BytesIO(file)).getexif().get(ORIENTATION, 1)
        assert small.getexif().get(ORIENTATION, 1) == said
        wanted = np.asarray(ImageOps.exif_transpose(small).convert("RGB"))
        np.testing.assert_array_equal(_rows(store, [UPRIGHT])[number].transpose(1, 2, 0), wanted)


def test_stores_of_pixels_say_that_they_have_lost_it(jpegs: tuple[Path, list[bytes]], tmp_path: Path) -> None:
    penstock.build(jpegs[0], tmp_path / "store", image="raw", progress=False)
    with pytest.raises(penstock.UnsupportedError, match="orientation; omit ExifTranspose, or build the store with"):
        _rows(tmp_path / "store", [UPRIGHT])


def test_sizes_are_fixed_where_they_are_square(tmp_path: Path) -> None:
    def members(width: int, height: int) -> list[tuple[str, bytes]]:
        files = []
        for number in range(8):
            exif = Image.Exif()
            exif[ORIENTATION] = number + 1
            buffer = io.BytesIO()
            _noise(number).resize((width, height)).save(buffer, "JPEG", exif=exif)
            files.append((f"{number}.jpg", buffer.getvalue()))
        return files

    for width, height in ((16, 16), (16, 12)):
        source = write_tar(tmp_path / f"{width}-{height}.tar", members(width, height))
        for batch in penstock.Loader(source, transforms=[UPRIGHT], batch_size=8, output="numpy"):
            if width == height:
                assert batch["image"].shape == (8, 3, 16, 16)
            else:
                assert [row.shape[1:] for row in batch["image"]] == [(12, 16)] * 4 + [(16, 12)] * 4


def test_masks_boxes_and_points_lie_in_the_upright_image(tmp_path: Path) -> None:
    members: list[tuple[str, bytes]] = []
    wanted = []
    for number in range(9):
        _, file = _file(number, "JPEG")
        shown = _upright(file)
        mask = np.arange(shown.shape[0] * shown.shape[1], dtype=np.uint8).reshape(shown.shape[:2])
        exif = Image.Exif()
        exif[ORIENTATION] = 1 + number % 8  # the mask's own, stored so that it is the mask once turned
        stored = Image.fromarray(mask)
        back = {2: 0, 3: 3, 4: 1, 5: 5, 6: 2, 7: 6, 8: 4}.get(1 + number % 8)
        stored = stored if back is None else stored.transpose(Image.Transpose(back))
        buffer = io.BytesIO()
        stored.save(buffer, "PNG", exif=exif)
        np.testing.assert_array_equal(_upright(buffer.getvalue(), "L"), mask)
        objects = {"boxes": [[1, 2, 8, 6]], "points": [[3, 4]]}
        members += [
            (f"{number}.jpg", file),
            (f"{number}.seg.png", buffer.getvalue()),
            (f"{number}.json", json.dumps(objects).encode()),
        ]
        wanted.append((shown, mask))
    fields = {
        "image": "jpg",
        "mask": penstock.Mask("seg.png"),
        "boxes": penstock.Boxes("json", "boxes"),
        "points": penstock.Keypoints("json", "points"),
    }
    dataset = penstock.Dataset(write_tar(tmp_path / "planes.tar", members), fields=fields)
    for operations in ([UPRIGHT], [UPRIGHT, transforms.CenterCrop(10)]):
        for batch in penstock.Loader(dataset, transforms=operations, batch_size=3, output="numpy"):
            for row, number in enumerate(batch["index"].tolist()):
                shown, mask = wanted[number]
                crop = transforms.Compose(operations[1:])
                expected = crop(shown, mask=mask, boxes=[[1, 2, 8, 6]], keypoints=[[3, 4]])
                np.testing.assert_array_equal(batch["image"][row].transpose(1, 2, 0), expected["image"])
                np.testing.assert_array_equal(batch["mask"][row], expected["mask"])
                np.testing.assert_array_equal(batch["boxes"][row], expected["boxes"])
                np.testing.assert_array_equal(batch["points"][row], expected["keypoints"])


def test_views_are_all_upright_or_none(photos: tuple[str, list[bytes]]) -> None:
    crop = transforms.CenterCrop(16)
    with penstock.Loader(photos[0], transforms=penstock.Views(a=[UPRIGHT, crop], b=[UPRIGHT]), batch_size=4) as loader:
        assert next(iter(loader)).params[2]["a"][0] == {"op": "ExifTranspose", "orientation": 2}
    with pytest.raises(penstock.InvalidError, match="only one of them begins with ExifTranspose"):
        penstock.Loader(photos[0], transforms=penstock.Views(a=[UPRIGHT, crop], b=[crop]))


def test_pil_images_are_asked_for_their_exif(photos: tuple[str, list[bytes]]) -> None:
    compose = transforms.Compose([UPRIGHT])
    for file in photos[1]:
        image = Image.open(io.BytesIO(file))
        np.testing.assert_array_equal(np.asarray(compose(image).convert("RGB")), _upright(file))
        np.testing.assert_array_equal(
            np.asarray(transforms.functional.exif_transpose(image)), np.asarray(compose(image))
        )
    pixels = np.asarray(_noise(3))
    np.testing.assert_array_equal(compose(pixels), pixels)
    drawn = compose.draw(Image.open(io.BytesIO(photos[1][6])))
    assert drawn == [{"op": "ExifTranspose", "orientation": 6}]
    with pytest.raises(penstock.InvalidError, match="orientation must be between 1 and 8"):
        compose(pixels, params=[{"op": "ExifTranspose", "orientation": 9}])


def test_it_stands_first(photos: tuple[str, list[bytes]]) -> None:
    for operations in (
        [transforms.CenterCrop(8), UPRIGHT],
        [np.asarray, UPRIGHT],
        [UPRIGHT, UPRIGHT],
        [transforms.RandomApply([UPRIGHT])],
    ):
        with pytest.raises(penstock.InvalidError, match="ExifTranspose"):
            penstock.Loader(photos[0], transforms=operations)


def test_the_plan_says_so(photos: tuple[str, list[bytes]]) -> None:
    with penstock.Loader(photos[0], transforms=[UPRIGHT, transforms.CenterCrop(8)]) as loader:
        assert "turned as EXIF says" in str(loader.plan())
