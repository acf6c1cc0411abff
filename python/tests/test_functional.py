"""Operations as functions with their draws given, and lists outside of a loader on every kind of image."""

from __future__ import annotations

import inspect
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PIL import Image

import penstock
from penstock import transforms
from penstock._one_operation import compose_of
from penstock.transforms import functional

torch = pytest.importorskip("torch")
reference = pytest.importorskip("torchvision.transforms.v2.functional")

RNG = np.random.default_rng(16)
SIZES = [(1, 1), (7, 1), (1, 7), (2, 2), (33, 21), (64, 64), (101, 77)]
NOISE = [RNG.integers(0, 256, (height, width, 3), dtype=np.uint8) for width, height in SIZES]
SMOOTH = [np.asarray(Image.fromarray(image).resize((96, 80), Image.Resampling.BICUBIC)) for image in NOISE[3:]]
IMAGES = [Image.fromarray(pixels) for pixels in [*NOISE, *SMOOTH]]

#: Calls that both libraries take, by the function's name: positional arguments and keywords.
CALLS: dict[str, list[tuple[tuple[Any, ...], dict[str, Any]]]] = {
    "resize": [((40,), {}), (((30, 50),), {"interpolation": "bicubic"}), ((20,), {"max_size": 30})],
    "crop": [((0, 0, 1, 1), {}), ((-3, -5, 40, 60), {}), ((1, 2, 200, 9), {})],
    "center_crop": [((8,), {}), (((5, 120),), {})],
    "resized_crop": [
        ((0, 0, 9, 7, 16), {}),
        ((1, 2, 30, 20, [11]), {}),
        ((0, 0, 9, 7, [16, 16]), {}),
        ((-2, 3, 30, 20, [12, 25]), {"interpolation": "bicubic"}),
    ],
    "hflip": [((), {})],
    "horizontal_flip": [((), {})],
    "rotate": [
        ((33.3,), {}),
        ((-90,), {"expand": True}),
        ((12,), {"interpolation": "bilinear", "fill": (9, 80, 200)}),
        ((200.5,), {"interpolation": "bicubic", "center": (3.5, 2)}),
    ],
    "adjust_brightness": [((factor,), {}) for factor in (0, 0.4, 1, 1.7, 3)],
    "adjust_contrast": [((factor,), {}) for factor in (0, 0.4, 1, 1.7, 3)],
    "adjust_saturation": [((factor,), {}) for factor in (0, 0.4, 1, 1.7, 3)],
    "adjust_hue": [((factor,), {}) for factor in (-0.5, -0.2, 0, 0.001, 0.31, 0.5)],
    "solarize": [((threshold,), {}) for threshold in (0, 77.5, 128, 256)],
    "vertical_flip": [((), {})],
    "vflip": [((), {})],
    "affine": [
        ((20.0, [3, -2], 1.2, [10.0, 0.0]), {}),
        ((-75.5, [0, 0], 0.7, [0.0, 15.0]), {"interpolation": "bilinear", "fill": 80}),
        ((5.0, [1, 1], 1.0, [4.0, -3.0]), {"interpolation": "bicubic", "center": [3.0, 2.0]}),
        ((5.0, [1, 1], 1.0, 7.0), {}),
        ((5.0, [1, 1], 1.0, [7.0]), {}),
    ],
    "pad": [((3,), {}), (((1, 0, 4, 2),), {"fill": 9}), (((2, 3),), {"padding_mode": "edge"})],
    "invert": [((), {})],
    "autocontrast": [((), {})],
    "equalize": [((), {})],
    "posterize": [((bits,), {}) for bits in (1, 4, 8)],
    "adjust_sharpness": [((factor,), {}) for factor in (0, 0.5, 1, 2.5)],
    "adjust_gamma": [((0.5,), {}), ((2.2,), {"gain": 1.1})],
    "rgb_to_grayscale": [((), {}), ((3,), {})],
    "to_grayscale": [((), {}), ((3,), {})],
}


def named(interpolation: str) -> Any:
    modes = pytest.importorskip("torchvision.transforms.v2").InterpolationMode
    return modes(interpolation)


def reference_call(name: str, image: Image.Image, args: tuple[Any, ...], keywords: dict[str, Any]) -> Image.Image:
    if "interpolation" in keywords:
        keywords = keywords | {"interpolation": named(keywords["interpolation"])}
    result = getattr(reference, name)(image, *args, **keywords)
    assert isinstance(result, Image.Image)
    return result


@pytest.mark.parametrize("name", CALLS)
def test_functions_are_torchvisions_on_pil_images(name: str) -> None:
    for image in IMAGES:
        for args, keywords in CALLS[name]:
            made = getattr(functional, name)(image, *args, **keywords)
            wanted = reference_call(name, image, args, keywords)
            assert isinstance(made, Image.Image)
            np.testing.assert_array_equal(np.asarray(made), np.asarray(wanted), err_msg=f"{name}{args} {image.size}")


def test_perspective_is_torchvisions_on_pil_images() -> None:
    for image in IMAGES[4:]:
        width, height = image.size
        corners = [[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]]
        moved = [[3, 2], [width - 5, 1], [width - 2, height - 4], [1, height - 3]]
        for interpolation in ("nearest", "bilinear", "bicubic"):
            made = functional.perspective(image, corners, moved, interpolation=interpolation, fill=(9, 80, 200))
            keywords = {"interpolation": interpolation, "fill": (9, 80, 200)}
            wanted = reference_call("perspective", image, (corners, moved), keywords)
            np.testing.assert_array_equal(np.asarray(made), np.asarray(wanted))
        with pytest.raises(penstock.InvalidError, match="corners of the image"):
            functional.perspective(image, moved, corners)


def test_parameters_have_torchvisions_names_and_order() -> None:
    theirs_only = {"coefficients", "inplace"}
    for name in functional.__all__:
        wanted = getattr(reference, name, None)
        if wanted is None:
            continue
        theirs = [each for each in inspect.signature(wanted).parameters if each not in theirs_only][1:]
        ours = list(inspect.signature(getattr(functional, name)).parameters)[1:]
        assert ours[: len(theirs)] == theirs, name


def test_erase_is_torchvisions() -> None:
    for pixels in NOISE[3:]:
        tensor = torch.from_numpy(pixels).permute(2, 0, 1)
        value = torch.tensor([1, 2, 3], dtype=torch.uint8)[:, None, None]
        made = functional.erase(tensor, 1, 0, 1, 2, value)
        assert torch.equal(made, reference.erase(tensor, 1, 0, 1, 2, value))


def test_normalize_is_torchvisions() -> None:
    mean, std = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
    tensor = torch.from_numpy(SMOOTH[0].copy()).permute(2, 0, 1)
    floats = reference.to_dtype(tensor, torch.float32, scale=True)
    wanted = reference.normalize(floats, mean, std)
    assert torch.equal(functional.normalize(floats, mean, std), wanted)
    torch.testing.assert_close(functional.normalize(tensor, mean, std), wanted, rtol=0, atol=1e-6)
    array = functional.normalize(floats.permute(1, 2, 0).numpy(), mean, std)
    np.testing.assert_array_equal(array, wanted.permute(1, 2, 0).numpy())


INTEGERS = ("uint8", "int8", "uint16", "int16", "int32", "int64")
FLOATS = ("float16", "bfloat16", "float32", "float64")


def planes_of(dtype: str) -> Any:
    """Values of a type, from the smallest to the largest that an image has."""
    if dtype == "bool":
        return torch.tensor([[[False, True]]])
    if dtype in FLOATS:
        return torch.linspace(0, 0.99, 101, dtype=torch.float64).to(getattr(torch, dtype))[None, None]
    largest = torch.iinfo(getattr(torch, dtype)).max
    return torch.tensor([[[0, 1, largest // 3, largest // 2, largest - 1, largest]]]).to(getattr(torch, dtype))


def scaled_by_torchvision(planes: Any, dtype: str) -> Any:
    """In float32 where it rounds to 16 bits before the end, and makes inf of 65535, or 0 of 1."""
    wanted = getattr(torch, dtype)
    wide = planes.float() if planes.dtype in (torch.float16, torch.bfloat16) else planes
    if dtype in ("float16", "bfloat16"):
        return reference.to_dtype(wide, torch.float32, scale=True).to(wanted)
    return reference.to_dtype(wide, wanted, scale=True)


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, *FLOATS])
def test_to_dtype_is_torchvisions(dtype: str) -> None:
    for source in ("bool", *INTEGERS, *FLOATS):
        planes, wanted = planes_of(source), getattr(torch, dtype)
        made = functional.to_dtype(planes, wanted)
        assert torch.equal(made, reference.to_dtype(planes, wanted))
        too_exact = source in FLOATS and (dtype == "int64" or (dtype == "int32" and source != "float64"))
        of_bool = source != dtype and ((source == "bool" and dtype in INTEGERS) or dtype == "bool")
        if too_exact or of_bool:
            with pytest.raises(
                penstock.InvalidError, match=f"to_dtype: values cannot be scaled from {source} to {dtype}"
            ):
                functional.to_dtype(planes, wanted, scale=True)
            continue
        made = functional.to_dtype(planes, wanted, scale=True)
        assert made.dtype == wanted
        assert torch.equal(made, scaled_by_torchvision(planes, dtype)), source
        if "bfloat16" not in (source, dtype):
            array = functional.to_dtype(planes.permute(1, 2, 0).numpy(), dtype, scale=True)
            assert array.dtype == dtype
            np.testing.assert_array_equal(array, made.permute(1, 2, 0).numpy())


def test_to_dtype_gives_what_the_report_expected() -> None:
    sixteen = np.array([[0, 21363, 65535]], np.uint16)
    np.testing.assert_array_equal(functional.to_dtype(sixteen, scale=True)[0, [0, 2]], [0, 1])
    np.testing.assert_array_equal(functional.to_dtype(sixteen, "uint8", scale=True), [[0, 83, 255]])
    np.testing.assert_array_equal(functional.to_dtype(np.array([[False, True]]), scale=True), [[0, 1]])
    for dtype in ("uint8", "uint16", "int16"):
        for source in ("float16", "float32", "float64"):
            ends = functional.to_dtype(np.array([[0, 1]], source), dtype, scale=True)
            np.testing.assert_array_equal(ends, [[0, np.iinfo(dtype).max]])
    with pytest.raises(penstock.InvalidError, match="to_dtype: dtype must be a type"):
        functional.to_dtype(sixteen, "foo")
    with pytest.raises(penstock.InvalidError, match="numpy has no bfloat16"):
        functional.to_dtype(sixteen, torch.bfloat16)


def test_gaussian_blur_takes_sigma_as_torchvision_does() -> None:
    for args in [(3,), (7, None), ([3, 7], 1.5), ([5, 5], [2.0, 2.0]), ([1, 5],), (5, [0.7]), (5, np.float32(2))]:
        given = tuple(float(each) if isinstance(each, np.floating) else each for each in args)
        for pixels in SMOOTH:
            made = functional.gaussian_blur(Image.fromarray(pixels), *args)
            wanted = reference.gaussian_blur(Image.fromarray(pixels), *given)
            assert np.abs(np.asarray(made).astype(int) - np.asarray(wanted)).max() <= 1, args
    for args in [([3, 7],), (5, [1.0, 2.0])]:
        with pytest.raises(penstock.InvalidError, match="gaussian_blur: sigma must be the same across and down"):
            functional.gaussian_blur(IMAGES[5], *args)


@pytest.mark.parametrize("kind", ["array", "pil", "tensor", "double", "floats"])
def test_erase_puts_blocks_there(kind: str) -> None:
    image = kinds(SMOOTH[0])[kind]
    block = RNG.integers(0, 256, (3, 4, 5), dtype=np.uint8)
    is_float = kind in ("double", "floats")
    values = torch.from_numpy(block / 255 if is_float else block)
    planes = torch.as_tensor(np.asarray(image)).movedim(-1, 0) if kind in ("array", "pil", "floats") else image
    for v in (values, values.numpy(), values[:, :1, :1], values[:, 0, 0].tolist(), values[0, 0, 0].item()):
        made = functional.erase(image, 2, 3, 4, 5, v)
        block_of = torch.as_tensor(np.asarray(v))
        wanted = reference.erase(planes, 2, 3, 4, 5, block_of if block_of.ndim == 3 else block_of.reshape(-1, 1, 1))
        assert type(made) is type(image) or kind == "pil"
        pixels = made if isinstance(made, torch.Tensor) else torch.as_tensor(np.asarray(made)).movedim(-1, 0)
        assert torch.equal(pixels, wanted)
    for v, why in ((values[:, :2], "of the shape"), ([1, 2], "of the shape"), ("x", "v must be one number")):
        with pytest.raises(penstock.InvalidError, match=f"erase: .*{why}"):
            functional.erase(image, 2, 3, 4, 5, v)
    if not is_float:
        with pytest.raises(penstock.InvalidError, match="erase: v must be between 0 and 255, got 300"):
            functional.erase(image, 2, 3, 4, 5, 300)


def test_sizes_are_torchvisions() -> None:
    gray = Image.fromarray(SMOOTH[0][..., 0])
    for image in (*kinds(SMOOTH[0]).values(), gray):
        theirs = image if not isinstance(image, np.ndarray) else reference.to_image(image)
        for name in ("get_size", "get_dimensions", "get_num_channels"):
            assert getattr(functional, name)(image) == getattr(reference, name)(theirs)
    with pytest.raises(penstock.InvalidError, match="get_size: an image must be"):
        functional.get_size(None)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_box_formats_are_torchvisions(dtype: str) -> None:
    formats = ("xyxy", "xywh", "cxcywh")
    boxes = torch.from_numpy(RNG.uniform(0, 99, (20, 4))).to(getattr(torch, dtype))
    for old in formats:
        for new in formats:
            wanted = reference.convert_bounding_box_format(boxes, old, new)
            assert torch.equal(functional.convert_bounding_box_format(boxes, old.upper(), new), wanted)
            made = functional.convert_bounding_box_format(boxes.numpy(), old, new)
            np.testing.assert_array_equal(made, wanted.numpy())
            assert made.dtype == dtype
    with pytest.raises(penstock.InvalidError, match="convert_bounding_box_format: new_format must be one of"):
        functional.convert_bounding_box_format(boxes, "xyxy", "xyxyxyxy")
    with pytest.raises(penstock.InvalidError, match=r"boxes must have the shape \[..., 4\]"):
        functional.convert_bounding_box_format(boxes[:, :3], "xyxy", "xywh")


def test_every_function_of_torchvision_is_here_or_has_its_place() -> None:
    of_kinds = ("_image", "_video", "_mask", "_bounding_boxes", "_keypoints")
    public = {name for name, value in vars(reference).items() if inspect.isfunction(value) and name[0] != "_"}
    of_one_kind = {name for name in public for kind in of_kinds if name.removesuffix(kind) in public - {name}}
    registers = {"is_pure_tensor", "register_kernel"}
    assert public - of_one_kind - registers - set(functional.__all__) == set(functional.ELSEWHERE)


def test_few_lists_are_kept() -> None:
    for size in range(1, 100):
        functional.resize(NOISE[3], size)
    assert compose_of.cache_info().currsize <= 16


def kinds(pixels: np.ndarray) -> dict[str, Any]:
    """One image as everything that can be given."""
    planes = torch.from_numpy(pixels.copy()).permute(2, 0, 1)
    return {
        "array": pixels,
        "pil": Image.fromarray(pixels),
        "tensor": planes,
        "turned": planes.contiguous(),
        "float": planes.float() / 255,
        "double": planes.double() / 255,
        "floats": pixels.astype(np.float32) / np.float32(255),
    }


def as_bytes(made: Any) -> np.ndarray:
    if isinstance(made, torch.Tensor):
        made = made.permute(1, 2, 0).numpy()
    made = np.asarray(made)
    return np.rint(made * 255).astype(np.uint8) if made.dtype.kind == "f" else made


def test_every_kind_of_image_gives_the_same_pixels_as_its_kind() -> None:
    compose = transforms.Compose([transforms.RandomResizedCrop(24), transforms.ColorJitter(0.4, 0.4, 0.4, 0.1)])
    given = kinds(SMOOTH[0])
    wanted = compose(given["array"], seed=5)
    for kind, image in given.items():
        made = compose(image, seed=5)
        assert type(made) is type(image) or isinstance(image, Image.Image), kind
        if not isinstance(image, Image.Image):
            assert made.dtype == image.dtype, kind
        np.testing.assert_array_equal(as_bytes(made), wanted, err_msg=kind)


def test_floats_outside_of_0_to_1_are_refused() -> None:
    compose = transforms.Compose([transforms.CenterCrop(8)])
    for wrong in (np.full((9, 9, 3), 1.5, np.float32), np.full((9, 9, 3), np.nan, np.float32)):
        with pytest.raises(penstock.InvalidError, match="0 to 1"):
            compose(wrong)


def test_results_of_floats_keep_the_precision_of_the_operations() -> None:
    compose = transforms.Compose([transforms.ToFloat(), transforms.Normalize([0.5], [0.25])])
    planes = torch.from_numpy(SMOOTH[0].copy()).permute(2, 0, 1)
    assert torch.equal(compose(planes.float() / 255), compose(planes))


def longest_standstill(work: Callable[[], Any]) -> float:
    """The longest time for which a counter in Python stood still while two threads worked, in seconds."""
    threads = [threading.Thread(target=work) for _ in range(2)]
    longest, last = 0.0, time.perf_counter()
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
    return longest


def test_threads_work_without_the_gil() -> None:
    image = RNG.integers(0, 256, (4000, 6000, 3), dtype=np.uint8)
    compose = transforms.Compose([transforms.PillowGaussianBlur((8, 8)), transforms.ColorJitter(hue=0.3)])
    compose(image, seed=1)  # makes its program
    begin = time.perf_counter()
    compose(image, seed=1)
    alone = time.perf_counter() - begin
    assert longest_standstill(lambda: compose(image, seed=2)) < alone / 2  # with the GIL: alone, at least


FLAT = torch.full((3, 24, 24), 0.7)


def test_fills_of_floats_are_values_of_the_image() -> None:
    assert functional.pad(FLAT, 1, fill=1)[0, 0, 0] == 1
    assert functional.pad(FLAT.permute(1, 2, 0).numpy(), 1, fill=1.0)[0, 0, 0] == 1
    assert functional.pad(FLAT, 1, fill=[0.0, 0.2, 1.0])[:, 0, 0].tolist() == pytest.approx([0.0, 0.2, 1.0])
    corners = [[0, 0], [23, 0], [23, 23], [0, 23]]
    calls: list[Callable[[Any, float], Any]] = [
        lambda image, fill: functional.rotate(image, 45, fill=fill),
        lambda image, fill: functional.affine(image, 45, [0, 0], 1.0, 0.0, fill=fill),
        lambda image, fill: functional.perspective(image, corners, [[9, 9], [20, 9], [20, 20], [9, 20]], fill=fill),
        lambda image, fill: functional.cutout(image, 0, 0, 4, 4, fill=fill),
    ]
    for call in calls:
        assert call(FLAT, 0.4)[0, 0, 0] == pytest.approx(0.4)
        assert call((FLAT * 255).to(torch.uint8), 102)[0, 0, 0] == 102
        with pytest.raises(penstock.InvalidError, match=r"fill must be between 0 and 1 .*got 102"):
            call(FLAT, 102)
    assert functional.pad(FLAT, 1, fill=None)[0, 0, 0] == 0
    # What stands in the place of a fill that is not given is of 8 bits.
    rotated = functional.timm_rand_augment(FLAT, [{"op": "Rotate", "degrees": 45.0, "interpolation": "bilinear"}])
    assert rotated[:, 0, 0].tolist() == pytest.approx([124 / 255, 116 / 255, 104 / 255])


def test_thresholds_of_floats_are_values_of_the_image() -> None:
    values = (torch.arange(256, dtype=torch.float32) / 255).reshape(1, 16, 16)
    for threshold in (0.0, 0.4985, 0.5, *(number / 255 for number in range(256))):
        wanted = reference.solarize(values, threshold)
        torch.testing.assert_close(functional.solarize(values, threshold), wanted, rtol=0, atol=1e-6)
    with pytest.raises(penstock.InvalidError, match=r"solarize: threshold must be between 0 and 1 .*got 128"):
        functional.solarize(values, 128)


def test_to_float_divides_where_torchvisions_scale_multiplies() -> None:
    values = torch.arange(256, dtype=torch.uint8).reshape(1, 16, 16)
    multiplied = reference.to_dtype(values, torch.float32, scale=True)
    divided = functional.to_float(values)
    assert torch.equal(functional.to_dtype(values, torch.float32, scale=True), multiplied)
    assert torch.equal(divided, values / 255)
    differ = (divided != multiplied).sum()
    assert 100 < differ < 156
    assert (divided - multiplied).abs().max() <= 2**-24


def test_floats_are_rounded_to_bytes_by_lists_that_leave_them_alone() -> None:
    given = torch.tensor([[[0.1234, 0.5]]])
    for operations in ([], [transforms.ToFloat()], [transforms.RandomHorizontalFlip(0)]):
        made = transforms.Compose(operations)(given)
        assert torch.equal(made, (given * 255).round() / 255)
