"""Lists of transforms on images of every mode, and images that are read as their files have them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from field_files import CHANNELS, MODES, SIZES, as_array, file_of, image_of, same, write_tar
from PIL import Image, ImageEnhance, ImageFilter

import penstock
from penstock import transforms


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    samples = [
        {f"{mode.lower().replace(';', '')}.png": file_of(image_of(mode, size, number)) for mode in MODES}
        for number, size in enumerate(SIZES)
    ]
    return write_tar(tmp_path_factory.mktemp("modes") / "train.tar", samples)


def dataset_of(source: Path, mode: str) -> penstock.Dataset:
    extension = f"{mode.lower().replace(';', '')}.png"
    return penstock.Dataset(source, fields={"x": penstock.Image(extension, mode=mode)})


def cropped(image: Image.Image, drawn: dict[str, Any], size: tuple[int, int]) -> Image.Image:
    box = (drawn["left"], drawn["top"], drawn["left"] + drawn["width"], drawn["top"] + drawn["height"])
    return image.crop(box).resize(size, Image.Resampling.BILINEAR)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("memory_format", ["channels_first", "channels_last"])
def test_crops_resizes_and_flips_are_pillows(source: Path, mode: str, memory_format: str) -> None:
    steps = [transforms.RandomResizedCrop(32), transforms.RandomHorizontalFlip()]
    floats = [transforms.ToFloat(), transforms.Normalize([0.5], [0.25])]
    options: dict[str, Any] = {"batch_size": 3, "shuffle": True, "output": "numpy", "memory_format": memory_format}
    dataset = dataset_of(source, mode)
    plain = penstock.Loader(dataset, transforms={"x": steps}, **options)
    scaled = penstock.Loader(dataset, transforms={"x": [*steps, *floats]}, **options)
    for batch, as_floats in zip(plain, scaled, strict=True):
        assert batch["x"].dtype == (np.uint16 if mode == "I;16" else np.uint8)
        for row, (number, params) in enumerate(zip(batch["index"], batch.params, strict=True)):
            crop, flip = params["x"]
            image = cropped(image_of(mode, SIZES[number], int(number)), crop, (32, 32))
            if flip["apply"]:
                image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
            wanted = as_array(image)
            top = np.float32(65535 if mode == "I;16" else 255)
            values = (wanted.astype(np.float32) / top - np.float32(0.5)) / np.float32(0.25)
            if memory_format == "channels_first":
                wanted, values = wanted.transpose(2, 0, 1), values.transpose(2, 0, 1)
            np.testing.assert_array_equal(batch["x"][row], wanted)
            assert as_floats["x"].dtype == np.float32
            np.testing.assert_array_equal(as_floats["x"][row], values)


@pytest.mark.parametrize("mode", MODES)
def test_values_are_scaled_as_torchvision_does(source: Path, mode: str) -> None:
    """As ToTensor does, which divides; v2.ToDtype multiplies, and the last bit of some values differs."""
    torch = pytest.importorskip("torch")
    v2 = pytest.importorskip("torchvision.transforms.v2")
    mean = [0.4, 0.5, 0.6, 0.7][: CHANNELS[mode]]
    std = [0.2, 0.3, 0.4, 0.5][: CHANNELS[mode]]
    loader = penstock.Loader(
        dataset_of(source, mode),
        transforms={"x": [transforms.ToFloat(), transforms.Normalize(mean, std)]},
        batch_size=4,
        output="torch",
    )
    scale, normalize = v2.ToDtype(torch.float32, scale=True), v2.Normalize(mean, std)
    for batch in loader:
        for row, number in enumerate(batch["index"].tolist()):
            pixels = torch.from_numpy(as_array(image_of(mode, SIZES[number], number)).copy())
            pixels = pixels.permute(2, 0, 1).contiguous()
            assert torch.equal(batch["x"][row], normalize(pixels.float() / (65535 if mode == "I;16" else 255)))
            torch.testing.assert_close(batch["x"][row], normalize(scale(pixels)), rtol=1e-5, atol=1e-6)


def test_a_mean_for_each_channel_is_needed(source: Path) -> None:
    for mode, count, words in (("L", 3, "one channel"), ("RGBA", 3, "4 channels"), ("RGB", 4, "3 channels")):
        with pytest.raises(penstock.InvalidError, match=f"{count} numbers, the image {words}"):
            penstock.Loader(
                dataset_of(source, mode), transforms={"x": [transforms.Normalize([0.5] * count, [0.5] * count)]}
            )


@pytest.mark.parametrize("mode", ["L", "RGBA"])
def test_colours_change_as_with_pillow(source: Path, mode: str) -> None:
    """Of four channels the last is transparency and stays."""
    jitter = transforms.ColorJitter(brightness=(0.4, 1.6), contrast=(0.4, 1.6), saturation=(0.4, 1.6))
    blur = transforms.PillowGaussianBlur((0.5, 2.0))
    loader = penstock.Loader(
        dataset_of(source, mode), transforms={"x": [jitter, blur]}, batch_size=8, output="numpy", shuffle=True
    )
    for epoch in range(3):
        loader.set_epoch(epoch)
        (batch,) = loader
        for row, (number, params) in enumerate(zip(batch["index"], batch.params, strict=True)):
            colours, blurred = params["x"]
            image = image_of(mode, SIZES[number], int(number))
            for part in colours["order"]:
                name = ("Brightness", "Contrast", "Color", None)[part]
                factor = (colours["brightness"], colours["contrast"], colours["saturation"], None)[part]
                if name is not None:
                    image = getattr(ImageEnhance, name)(image).enhance(factor)
            image = image.filter(ImageFilter.GaussianBlur(blurred["radius"]))
            np.testing.assert_array_equal(batch["x"][row], as_array(image).transpose(2, 0, 1))


@pytest.mark.parametrize("operation", [transforms.ColorJitter(0.5), transforms.PillowGaussianBlur()])
def test_colours_of_16_bits_are_refused_by_name(source: Path, operation: Any) -> None:
    with pytest.raises(penstock.InvalidError, match=rf'{type(operation).__name__} .*mode "I;16"'):
        penstock.Loader(dataset_of(source, "I;16"), transforms={"x": [operation]})


@pytest.mark.parametrize("mode", MODES)
def test_functions_get_the_channels_and_the_type(source: Path, mode: str) -> None:
    seen = set()

    def double(image: Any) -> Any:
        seen.add((image.shape[2], str(image.dtype)))
        return image * 2

    loader = penstock.Loader(
        dataset_of(source, mode),
        transforms={
            "x": [transforms.CenterCrop(20), double, transforms.RandomHorizontalFlip(1.0), transforms.ToFloat()]
        },
        batch_size=8,
        output="numpy",
    )
    (batch,) = loader
    kind = "uint16" if mode == "I;16" else "uint8"
    assert seen == {(CHANNELS[mode], kind)}
    assert batch["x"].shape == (8, CHANNELS[mode], 20, 20)
    reference = transforms.Compose([transforms.CenterCrop(20)])
    for row, size in enumerate(SIZES):
        pixels = reference(as_array(image_of(mode, size, row)).copy()) * np.dtype(kind).type(2)
        top = np.float32(65535 if mode == "I;16" else 255)
        wanted = pixels[:, ::-1].astype(np.float32) / top
        np.testing.assert_array_equal(batch["x"][row], wanted.transpose(2, 0, 1))


@pytest.mark.parametrize("mode", MODES)
def test_functions_may_return_floats(source: Path, mode: str) -> None:
    loader = penstock.Loader(
        dataset_of(source, mode),
        transforms={"x": [transforms.CenterCrop(8), lambda image: image.astype(np.float32) / 7]},
        batch_size=8,
        output="numpy",
    )
    (batch,) = loader
    reference = transforms.Compose([transforms.CenterCrop(8)])
    for row, size in enumerate(SIZES):
        pixels = reference(as_array(image_of(mode, size, row)).copy()).astype(np.float32) / 7
        np.testing.assert_array_equal(batch["x"][row], pixels.transpose(2, 0, 1))


@pytest.mark.parametrize("mode", MODES)
def test_functions_of_pil_images_get_that_mode(source: Path, mode: str) -> None:
    v2 = pytest.importorskip("torchvision.transforms.v2")
    loader = penstock.Loader(
        dataset_of(source, mode),
        transforms={"x": [transforms.CenterCrop(24), v2.RandomVerticalFlip(1.0)]},
        batch_size=8,
        output="numpy",
    )
    (batch,) = loader
    reference = transforms.Compose([transforms.CenterCrop(24)])
    for row, size in enumerate(SIZES):
        pixels = reference(as_array(image_of(mode, size, row)).copy())
        np.testing.assert_array_equal(batch["x"][row], pixels[::-1].transpose(2, 0, 1))


@pytest.mark.parametrize("mode", MODES)
def test_images_of_any_size_are_a_list_or_padded(source: Path, mode: str) -> None:
    dataset = dataset_of(source, mode)
    options: dict[str, Any] = {"batch_size": 8, "output": "numpy"}
    for steps in ([], [transforms.ToFloat()]):
        (batch,) = penstock.Loader(dataset, transforms={"x": steps}, **options)
        (padded,) = penstock.Loader(dataset, transforms={"x": steps}, pad_images=True, **options)
        assert isinstance(batch["x"], list)
        assert padded["x"].shape == (8, CHANNELS[mode], 64, 64)
        assert padded["x_size"].tolist() == [[height, width] for width, height in SIZES]
        for row, (width, height) in enumerate(SIZES):
            np.testing.assert_array_equal(padded["x"][row, :, :height, :width], batch["x"][row])
            assert not padded["x"][row, :, height:].any() and not padded["x"][row, :, :, width:].any()
            if not steps:
                wanted = as_array(image_of(mode, (width, height), row))
                np.testing.assert_array_equal(batch["x"][row], wanted.transpose(2, 0, 1))


def test_one_size_for_all_is_one_array(tmp_path: Path) -> None:
    path = write_tar(tmp_path / "a.tar", ({"d.png": file_of(image_of("I;16", (9, 7), n))} for n in range(5)))
    dataset = penstock.Dataset(path, fields={"d": penstock.Image("d.png", mode="I;16")})
    (batch,) = penstock.Loader(dataset, batch_size=5, output="numpy")
    assert batch["d"].shape == (5, 1, 7, 9) and batch["d"].dtype == np.uint16


def test_masks_without_a_list_are_fields_like_any_other(tmp_path: Path) -> None:
    """Of any size, beside images that are padded."""
    sizes = [(8, 6), (5, 9), (7, 7)]
    samples = [
        {"png": file_of(image_of("RGB", (12 + n, 10), n)), "seg.png": file_of(image_of("L", size, n))}
        for n, size in enumerate(sizes)
    ]
    fields = {"image": "png", "seg": penstock.Mask("seg.png")}
    dataset = penstock.Dataset(write_tar(tmp_path / "a.tar", samples), fields=fields)
    (batch,) = penstock.Loader(dataset, batch_size=3, pad_images=True, output="numpy")
    assert batch["image"].shape == (3, 3, 10, 14)
    assert [mask.shape for mask in batch["seg"]] == [(height, width) for width, height in sizes]
    same(list(batch["seg"]), [dataset[n]["seg"] for n in range(3)])
    with pytest.raises(penstock.CorruptError, match="the mask has 8 x 6 pixels, but its image has 12 x 10"):
        list(penstock.Loader(dataset, transforms=[transforms.RandomHorizontalFlip()], batch_size=3))


def test_stored_bytes_of_other_modes(source: Path) -> None:
    (batch,) = penstock.Loader(dataset_of(source, "I;16"), decode=False, batch_size=8, output="numpy")
    first = batch["data"][: batch["sizes"][0]].tobytes()
    assert first == file_of(image_of("I;16", SIZES[0], 0))


@pytest.mark.parametrize("on_error", ["skip", "replace"])
def test_bad_rows_are_left_out_or_replaced(tmp_path: Path, on_error: Any) -> None:
    files = [file_of(image_of("L", (20, 20), number)) for number in range(6)]
    files[2] = files[2][:40]
    path = write_tar(tmp_path / "a.tar", ({"g.png": content} for content in files))
    dataset = penstock.Dataset(path, fields={"g": penstock.Image("g.png", mode="L")})
    loader = penstock.Loader(
        dataset, transforms={"g": [transforms.Resize([8, 8])]}, batch_size=6, on_error=on_error, output="numpy"
    )
    (batch,) = loader
    assert len(loader.errors()) == 1
    assert batch["g"].shape[0] == (5 if on_error == "skip" else 6)
    for row, number in enumerate(batch["index"]):
        image = image_of("L", (20, 20), int(number)).resize((8, 8), Image.Resampling.BILINEAR)
        np.testing.assert_array_equal(batch["g"][row, 0], np.asarray(image))


def test_two_fields_move_apart_and_together(source: Path) -> None:
    """Without a common key each list draws for itself."""
    fields = {"a": penstock.Image("rgb.png"), "d": penstock.Image("i16.png", mode="I;16")}
    dataset = penstock.Dataset(source, fields=fields)
    crop = [transforms.RandomResizedCrop(16, key="crop")]
    (batch,) = penstock.Loader(dataset, transforms={"a": crop, "d": crop}, batch_size=8, output="numpy")
    for row, params in enumerate(batch.params):
        assert params["a"] == params["d"]
        image = cropped(image_of("I;16", SIZES[row], row), params["d"][0], (16, 16))
        np.testing.assert_array_equal(batch["d"][row, 0], np.asarray(image))


def mixed(tmp_path: Path) -> tuple[Path, list[Image.Image]]:
    images = [image_of(mode, (12 + n, 9), n) for n, mode in enumerate(["L", "I;16", "RGB", "RGBA", "I;16", "L"])]
    return write_tar(tmp_path / "mixed.tar", ({"png": file_of(image)} for image in images)), images


@pytest.mark.parametrize("memory_format", ["channels_first", "channels_last"])
@pytest.mark.parametrize("output", ["numpy", "torch", "dlpack"])
def test_unchanged_images_have_their_own_channels_and_types(tmp_path: Path, memory_format: Any, output: Any) -> None:
    if output == "torch":
        pytest.importorskip("torch")
    path, images = mixed(tmp_path)
    dataset = penstock.Dataset(path, fields={"image": penstock.Image("png", mode="unchanged")})
    loader = penstock.Loader(dataset, batch_size=4, output=output, memory_format=memory_format, num_workers=2)
    assert "channels and types vary" in loader.plan()
    for _ in range(2):
        for batch in loader:
            assert isinstance(batch["image"], list)
            for number, got in zip(np.from_dlpack(batch["index"]).tolist(), batch["image"], strict=True):
                array = np.from_dlpack(got) if output != "numpy" else got
                wanted = as_array(images[number])
                if memory_format == "channels_first" or output == "torch":
                    wanted = wanted.transpose(2, 0, 1)
                assert array.dtype == wanted.dtype
                np.testing.assert_array_equal(array, wanted)
                np.testing.assert_array_equal(dataset[number]["image"], as_array(images[number]))


def test_unchanged_images_are_a_list_whatever_they_are(tmp_path: Path) -> None:
    path = write_tar(tmp_path / "a.tar", ({"png": file_of(image_of("L", (9, 7), n))} for n in range(4)))
    dataset = penstock.Dataset(path, fields={"image": penstock.Image("png", mode="unchanged")})
    (batch,) = penstock.Loader(dataset, batch_size=4, output="numpy")
    assert isinstance(batch["image"], list)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"transforms": {"image": [transforms.ToFloat()]}}, "cannot transform field 'image': it is read unchanged"),
        ({"pad_images": True}, "pad_images=True, but field 'image' is read unchanged"),
    ],
)
def test_what_needs_one_kind_of_image_is_refused(tmp_path: Path, options: Any, problem: str) -> None:
    path, _ = mixed(tmp_path)
    dataset = penstock.Dataset(path, fields={"image": penstock.Image("png", mode="unchanged")})
    with pytest.raises(penstock.InvalidError, match=problem):
        penstock.Loader(dataset, **options)
