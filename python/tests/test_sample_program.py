"""Lists of transforms outside of a loader, what was drawn and its replay, views, masks, boxes and keypoints."""

from __future__ import annotations

import ctypes
import io
import json
import mmap
import pickle
import tarfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import penstock
from penstock import transforms

RNG = np.random.default_rng(0)
SIZES = [(1, 1), (7, 1), (1, 7), (2, 2), (33, 21), (64, 64), (101, 77)]
IMAGES = [RNG.integers(0, 256, (height, width, 3), dtype=np.uint8) for width, height in SIZES]
SMOOTH = [np.asarray(Image.fromarray(image).resize((96, 80), Image.Resampling.BICUBIC)) for image in IMAGES[3:]]


EVERYTHING = [
    transforms.RandomResizedCrop(48),
    transforms.RandomHorizontalFlip(),
    transforms.RandomRotation(30, interpolation="bilinear"),
    transforms.ColorJitter(0.4, 0.4, 0.4, 0.1),
    transforms.PillowGaussianBlur(p=0.5),
    transforms.RandomErasing(value="random"),
    transforms.ToFloat(),
    transforms.Normalize([0.5], [0.25]),
]


def test_seeds_decide_and_without_one_every_call_draws_anew() -> None:
    compose = transforms.Compose(EVERYTHING)
    image = SMOOTH[0]
    np.testing.assert_array_equal(compose(image, seed=3), compose(image, seed=3))
    assert not np.array_equal(compose(image, seed=3), compose(image, seed=4))
    assert not np.array_equal(compose(image), compose(image))
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda seed: compose(image, seed=seed), [5] * 16))
    assert all(np.array_equal(result, results[0]) for result in results)


def test_the_result_is_of_the_kind_that_was_given() -> None:
    torch = pytest.importorskip("torch")
    compose = transforms.Compose([transforms.CenterCrop(20), transforms.RandomHorizontalFlip(1.0)])
    array = compose(SMOOTH[0])
    assert isinstance(array, np.ndarray)
    pil = compose(Image.fromarray(SMOOTH[0]))
    assert pil.mode == "RGB"
    np.testing.assert_array_equal(np.asarray(pil), array)
    tensor = compose(torch.from_numpy(SMOOTH[0]).permute(2, 0, 1))
    np.testing.assert_array_equal(tensor.permute(1, 2, 0).numpy(), array)
    gray = compose(np.ascontiguousarray(SMOOTH[0][:, :, 0]))
    assert gray.shape == (20, 20)
    np.testing.assert_array_equal(gray, array[:, :, 0])


def test_gray_images_of_16_bits_are_resized_as_pillow_does() -> None:
    wide = RNG.integers(0, 65536, (37, 53), dtype=np.uint16)
    made = transforms.Compose([transforms.CenterCrop(30), transforms.Resize((40, 17))])(wide)
    pil = Image.fromarray(wide).crop((12, 4, 42, 34)).resize((17, 40), Image.Resampling.BILINEAR)
    assert made.dtype == np.uint16
    np.testing.assert_array_equal(made, np.asarray(pil))


def test_rgba_images_are_resized_as_pillow_does() -> None:
    rgba = RNG.integers(0, 256, (40, 60, 4), dtype=np.uint8)
    made = transforms.Compose(
        [transforms.Resize((23, 31)), transforms.RandomRotation((20, 20), interpolation="bilinear")]
    )(rgba)
    pil = Image.fromarray(rgba).resize((31, 23), Image.Resampling.BILINEAR).rotate(20, Image.Resampling.BILINEAR)
    np.testing.assert_array_equal(made, np.asarray(pil))


def test_masks_boxes_and_keypoints_go_with_the_image() -> None:
    compose = transforms.Compose(
        [transforms.RandomResizedCrop(40), transforms.RandomHorizontalFlip(), transforms.ColorJitter(0.5)]
    )
    image = SMOOTH[1]
    mask = RNG.integers(0, 21, image.shape[:2]).astype(np.int64)
    boxes = np.array([[10, 12, 50, 60], [0, 0, 96, 80]], dtype=np.float32)
    for seed in range(20):
        made = compose(image, mask=mask, boxes=boxes, keypoints=[[20, 30]], seed=seed)
        np.testing.assert_array_equal(made["image"], compose(image, seed=seed))
        crop, flip, _ = compose.draw(image, seed=seed)
        box = (crop["left"], crop["top"], crop["left"] + crop["width"], crop["top"] + crop["height"])
        wanted = Image.fromarray(mask.astype(np.uint8)).crop(box).resize((40, 40), Image.Resampling.NEAREST)
        if flip["apply"]:
            wanted = wanted.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
        assert made["mask"].dtype == np.int64
        np.testing.assert_array_equal(made["mask"], np.asarray(wanted))
        x = (20 - crop["left"]) * 40 / crop["width"]
        y = (30 - crop["top"]) * 40 / crop["height"]
        np.testing.assert_allclose(made["keypoints"], [[39 - x if flip["apply"] else x, y]], rtol=1e-5, atol=1e-4)
        assert made["boxes"].shape == (2, 4)
        np.testing.assert_allclose(made["boxes"][1], [0, 0, 40, 40], atol=1e-4)


@pytest.mark.parametrize(
    ("image", "words"),
    [
        (np.zeros((3, 32, 32), np.uint8), r"\[H, W, C\] .* got \(3, 32, 32\); move its channels to the end"),
        (np.zeros((32, 32, 2), np.uint8), r"\[H, W, C\] with 1, 3 or 4 channels, or \[H, W\], got \(32, 32, 2\)$"),
        (np.zeros((32, 32, 3), np.uint16), r"uint16 must be gray, \[H, W\] or \[H, W, 1\], got \(32, 32, 3\)"),
    ],
)
def test_images_of_another_shape_are_refused_with_it(image: Any, words: str) -> None:
    with pytest.raises(penstock.InvalidError, match=words):
        transforms.Compose([transforms.CenterCrop(8)])(image)


def test_tensors_of_another_shape_are_refused_with_it() -> None:
    torch = pytest.importorskip("torch")
    with pytest.raises(penstock.InvalidError, match=r"a tensor must have the shape \[C, H, W\] .* got \(32, 32, 3\)"):
        transforms.Compose([transforms.CenterCrop(8)])(torch.zeros((32, 32, 3)))


def write_tar(path: Path, images: list[np.ndarray]) -> str:
    with tarfile.open(path, "w") as archive:
        for number, image in enumerate(images):
            buffer = io.BytesIO()
            Image.fromarray(image).save(buffer, "PNG")
            info = tarfile.TarInfo(f"{number:03}.png")
            info.size = len(buffer.getvalue())
            archive.addfile(info, io.BytesIO(buffer.getvalue()))
    return str(path)


@pytest.fixture
def source(tmp_path: Path) -> str:
    return write_tar(tmp_path / "source.tar", [*SMOOTH, *IMAGES[4:]])


def test_params_of_a_batch_make_the_same_rows_again(source: str) -> None:
    with penstock.Loader(source, transforms=EVERYTHING, batch_size=3, shuffle=True, output="numpy") as loader:
        dataset = loader.dataset
        for batch in loader:
            params = json.loads(json.dumps(batch.params))  # plain values
            assert len(params) == len(batch["index"])
            for row, number in enumerate(batch["index"]):
                assert [entry["op"] for entry in params[row][""]] == [type(each).__name__ for each in EVERYTHING]
                again = transforms.apply(EVERYTHING, dataset[int(number)]["image"], params[row])
                np.testing.assert_array_equal(np.moveaxis(again, -1, 0), batch["image"][row])


def test_params_that_do_not_fit_are_refused() -> None:
    compose = transforms.Compose([transforms.RandomResizedCrop(8), transforms.RandomHorizontalFlip()])
    drawn = compose.draw(SMOOTH[0], seed=1)
    with pytest.raises(penstock.InvalidError, match="params for 1 operations, the list has 2"):
        compose(SMOOTH[0], params=drawn[:1])
    with pytest.raises(penstock.InvalidError, match="params of RandomResizedCrop: top is missing"):
        compose(SMOOTH[0], params=[{"op": "RandomResizedCrop"}, drawn[1]])
    with pytest.raises(penstock.InvalidError, match="is not inside the image"):
        compose(SMOOTH[0], params=[drawn[0] | {"left": 1000}, drawn[1]])
    with pytest.raises(penstock.InvalidError, match="unknown name extra"):
        compose(SMOOTH[0], params=[drawn[0] | {"extra": 1}, drawn[1]])


def test_views_come_from_one_decode_and_draw_apart(source: str) -> None:
    crop = [transforms.RandomResizedCrop(24), transforms.RandomHorizontalFlip()]
    small = [transforms.RandomResizedCrop(12)]
    views = penstock.Views(a=crop, b=crop, local=(3, small))
    with penstock.Loader(source, transforms=views, batch_size=4, output="numpy", num_workers=2) as loader:
        batch = next(iter(loader))
        assert "image" not in batch
        assert batch["a"].shape == (4, 3, 24, 24)
        assert batch["local"].shape == (4, 3, 3, 12, 12)
        assert not np.array_equal(batch["a"], batch["b"])
        assert not np.array_equal(batch["local"][:, 0], batch["local"][:, 1])
        for row, number in enumerate(batch["index"]):
            image = loader.dataset[int(number)]["image"]
            params = batch.params[row]
            assert set(params) == {"a", "b", "local"}
            np.testing.assert_array_equal(
                np.moveaxis(transforms.apply(crop, image, params["b"]), -1, 0), batch["b"][row]
            )
            again = transforms.apply(small, image, params["local"][2])
            np.testing.assert_array_equal(np.moveaxis(again, -1, 0), batch["local"][row, 2])
        assert "one decode" in loader.plan()


def test_views_are_made_again_at_once(source: str) -> None:
    views = penstock.Views(a=[transforms.RandomResizedCrop(24)], local=(3, [transforms.RandomResizedCrop(12)]))
    with penstock.Loader(source, transforms=views, batch_size=2, output="numpy") as loader:
        batch = next(iter(loader))
    image, params = loader.dataset[int(batch["index"][1])]["image"], batch.params[1]
    made = transforms.apply(views, image, params)
    np.testing.assert_array_equal(made["a"].transpose(2, 0, 1), batch["a"][1])
    np.testing.assert_array_equal(made["local"].transpose(0, 3, 1, 2), batch["local"][1])
    both = transforms.apply(views, Image.fromarray(image), params, mask=image[:, :, 0], boxes=[[0, 0, 9, 9]])
    assert (type(both["local"]["image"]), both["local"]["mask"].shape) == (tuple, (3, 12, 12))
    assert [boxes.shape for boxes in both["local"]["boxes"]] == [(1, 4)] * 3
    with pytest.raises(penstock.InvalidError, match=r"with the views \['a', 'local'\], got \['a'\]"):
        transforms.apply(views, image, {"a": params["a"]})
    with pytest.raises(penstock.InvalidError, match="params must have 3 lists for the view 'local'"):
        transforms.apply(views, image, {"a": params["a"], "local": params["local"][:2]})
    with pytest.raises(penstock.InvalidError, match=r"each of the fields \['photo'\].*params\[field\]"):
        transforms.apply({"photo": []}, image, {"photo": []})  # type: ignore[arg-type]


def test_a_list_of_nothing_is_made_again(source: str) -> None:
    with penstock.Loader(source, transforms=[], batch_size=1, output="numpy") as loader:
        batch = next(iter(loader))
    image = loader.dataset[int(batch["index"][0])]["image"]
    np.testing.assert_array_equal(transforms.apply([], image, batch.params[0]), image)
    with pytest.raises(penstock.InvalidError, match="params for 0 operations, the list has 1"):
        transforms.apply([transforms.RandomVerticalFlip()], image, batch.params[0])


def test_one_key_makes_views_draw_alike(source: str) -> None:
    views = penstock.Views(
        a=[transforms.RandomResizedCrop(24, key="crop")],
        b=[transforms.RandomResizedCrop(24, key="crop"), transforms.RandomHorizontalFlip(0.0)],
    )
    with penstock.Loader(source, transforms=views, batch_size=4, output="numpy") as loader:
        for batch in loader:
            np.testing.assert_array_equal(batch["a"], batch["b"])


def test_lists_for_several_fields_draw_apart(tmp_path: Path) -> None:
    source = write_tar(tmp_path / "source.tar", SMOOTH)
    dataset = penstock.Dataset(source, fields={"one": "png", "two": "png"})
    crop = [transforms.RandomResizedCrop(24)]
    with (
        pytest.warns(RuntimeWarning, match="'one' and 'two' is drawn separately"),
        penstock.Loader(dataset, transforms={"one": crop, "two": crop}, batch_size=4, output="numpy") as loader,
    ):
        batch = next(iter(loader))
        assert not np.array_equal(batch["one"], batch["two"])
        assert set(batch.params[0]) == {"one", "two"}
    yoked = [transforms.RandomResizedCrop(24, key="crop")]
    with penstock.Loader(dataset, transforms={"one": yoked, "two": yoked}, batch_size=4, output="numpy") as loader:
        batch = next(iter(loader))
        np.testing.assert_array_equal(batch["one"], batch["two"])


def test_compose_and_views_are_values() -> None:
    compose = transforms.Compose(EVERYTHING)
    assert pickle.loads(pickle.dumps(compose)) == compose
    assert eval(repr(compose), vars(transforms)) == compose
    views = penstock.Views(a=[transforms.ToFloat()], b=(2, [transforms.ToFloat()]))
    assert eval(repr(views), vars(transforms) | {"Views": penstock.Views}) == views
    with pytest.raises(penstock.InvalidError, match="the count must be a positive integer, got 0"):
        penstock.Views(a=(0, [transforms.ToFloat()]))


def test_equal_values_have_one_hash() -> None:
    flip, crop = [transforms.RandomHorizontalFlip()], [transforms.CenterCrop(8)]
    pairs: list[tuple[Any, Any]] = [
        (penstock.Views(a=flip, b=(2, crop)), penstock.Views(b=(2, crop), a=flip)),
        (transforms.RandomRotation((-0.0, 3)), transforms.RandomRotation((0.0, 3))),
        (
            transforms.RandomApply([transforms.RandomRotation((-0.0, 3))]),
            transforms.RandomApply([transforms.RandomRotation((0.0, 3))]),
        ),
    ]
    for one, other in pairs:
        assert one == other
        assert hash(one) == hash(other)
    assert len({hash(each) for each in EVERYTHING}) == len(EVERYTHING)


def test_a_replay_needs_what_was_drawn() -> None:
    with pytest.raises(penstock.InvalidError, match="params must be a row of batch.params"):
        transforms.apply([transforms.RandomRotation(90)], SMOOTH[0], None)


def test_several_rectangles_may_be_too_small_to_erase() -> None:
    compose = transforms.Compose([transforms.RandomErasing(1.0, mode="pixel", max_count=3)])
    image = np.zeros((8, 8, 3), np.uint8)
    for seed in range(200):
        np.testing.assert_array_equal(compose(image, seed=seed), compose(image, params=compose.draw(image, seed=seed)))


@pytest.mark.parametrize("kind", ["XYXY", "XYWH", "CXCYWH"])
def test_bounding_boxes_of_torchvision_keep_their_format(kind: str) -> None:
    torch = pytest.importorskip("torch")
    v2 = pytest.importorskip("torchvision.transforms.v2")
    tv_tensors = pytest.importorskip("torchvision.tv_tensors")
    given = tv_tensors.BoundingBoxes([[1.0, 2, 3, 4], [4, 3, 5, 4]], format=kind, canvas_size=(8, 10))
    image = torch.zeros((3, 8, 10), dtype=torch.uint8)
    moves = [transforms.RandomHorizontalFlip(1.0), transforms.Resize((16, 30))]
    made = transforms.Compose(moves)(image, boxes=given)["boxes"]
    wanted = v2.functional.resize(v2.functional.horizontal_flip(given), [16, 30])
    assert (type(made), made.format, made.canvas_size) == (type(given), given.format, (16, 30))
    torch.testing.assert_close(made.as_subclass(torch.Tensor), wanted.as_subclass(torch.Tensor))
    crops = transforms.Compose([transforms.FiveCrop((8, 8))])(image, boxes=given)["boxes"]
    assert [(type(each), each.canvas_size) for each in crops] == [(type(given), (8, 8))] * 5
    (batch_boxes,) = transforms.apply_batch([], image[None], None, [{}], boxes=[given])["boxes"]
    assert batch_boxes.format == given.format
    torch.testing.assert_close(batch_boxes.as_subclass(torch.Tensor), given.as_subclass(torch.Tensor))


def test_rotated_bounding_boxes_are_refused() -> None:
    tv_tensors = pytest.importorskip("torchvision.tv_tensors")
    given = tv_tensors.BoundingBoxes([[1.0, 2, 3, 4, 30]], format="XYWHR", canvas_size=(8, 8))
    with pytest.raises(penstock.InvalidError, match="boxes must be of a format xyxy, xywh, cxcywh, got xywhr"):
        transforms.Compose([transforms.RandomHorizontalFlip(1.0)])(np.zeros((8, 8, 3), np.uint8), boxes=given)


@pytest.mark.parametrize(
    ("operation", "name", "wrong"),
    [
        *((transforms.ColorJitter(0.5, 0.5, 0.5, 0.1), "order", order) for order in ([0, 0, 0, 0], [7], [], [0, 1, 2])),
        *((transforms.ColorJitter(0.5), name, -5.0) for name in ("brightness", "contrast", "saturation")),
        (transforms.ColorJitter(0.5), "brightness", float("nan")),
        (transforms.ColorJitter(0.5, 0.5), "contrast", float("inf")),
        (transforms.RandomPhotometricDistort(), "saturation", -1.0),
        *((transforms.RandomPatchShuffle(0.5, p=1), "permutation", each) for each in ([0, 0, 0, 0], [0, 1, 2, 4])),
    ],
    ids=str,
)
def test_drawn_values_that_cannot_be_are_refused(operation: transforms.Transform, name: str, wrong: object) -> None:
    image = np.zeros((8, 8, 3), dtype=np.uint8)
    (drawn,) = transforms.Compose([operation]).draw(image, seed=1)
    assert transforms.apply([operation], image, [drawn]).shape == image.shape
    with pytest.raises(penstock.InvalidError, match=f"params of {drawn['op']}: {name} must"):
        transforms.apply([operation], image, [{**drawn, name: wrong}])


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), -float("inf")])
def test_boxes_and_points_that_are_not_finite_are_refused(wrong: float) -> None:
    image, flip = np.zeros((8, 8, 3), dtype=np.uint8), transforms.Compose([transforms.RandomHorizontalFlip()])
    boxes = np.array([[0, 0, 4, 4], [1, 1, wrong, 5]], dtype=np.float32)
    with pytest.raises(penstock.InvalidError, match="boxes must be finite .* in row 1"):
        flip(image, boxes=boxes)
    with pytest.raises(penstock.InvalidError, match="keypoints must be finite .* in row 1"):
        flip(image, boxes=np.abs(boxes[:1].repeat(2, 0)), keypoints=boxes.reshape(2, 2, 2))


OPERATIONS_AT_THE_END = [
    transforms.RandomHorizontalFlip(p=1),
    transforms.RandomInvert(p=1),
    transforms.Resize((5, 9)),
    transforms.RandomAffine((10, 10)),
    transforms.PillowGaussianBlur(2),
    transforms.Grayscale(),
]


@pytest.mark.parametrize("channels", [1, 3, 4])
def test_nothing_behind_an_image_is_touched(channels: int) -> None:
    height, width = 7, 13
    size = height * width * channels
    page = mmap.PAGESIZE
    memory = mmap.mmap(-1, 2 * page)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.mprotect(ctypes.c_void_p(start + page), ctypes.c_size_t(page), 0) == 0
    pixels = np.random.default_rng(1).integers(0, 256, (height, width, channels), dtype=np.uint8)
    # The last bytes before memory that may not be read, and with a little or enough room behind them.
    for room in (0, 1, 63, 64, 65, 200):
        at_end = np.frombuffer(memory, np.uint8, size, page - size - room).reshape(pixels.shape)
        at_end[...] = pixels
        for operation in OPERATIONS_AT_THE_END:
            made = transforms.Compose([operation])
            assert np.array_equal(made(at_end, seed=1), made(pixels, seed=1)), (operation, room)
            assert np.array_equal(at_end, pixels), operation


@pytest.mark.parametrize("given", [[["a", 1, 2, 3]], [[1, 2, 3, 4], [5, 6]]])
def test_boxes_that_are_no_numbers_are_refused(given: Any) -> None:
    compose = transforms.Compose([transforms.RandomHorizontalFlip()])
    with pytest.raises(penstock.InvalidError, match=r"boxes must be numbers of the shape \[N, 4\], got"):
        compose(np.zeros((8, 8, 3), np.uint8), boxes=given)
