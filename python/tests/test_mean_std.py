"""Mean and standard deviation of a data set's images."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import SHARED, encode

import penstock
from penstock import transforms

SAMPLE = SHARED / "data" / "imagenet-sample"
PROGRAM = Path(sys.executable).with_name("penstock")


def reference(images: list[np.ndarray]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """By sums of integers that Python keeps whole."""
    values = [int(sum(int(image[..., c].sum(dtype=np.int64)) for image in images)) for c in range(3)]
    squares = [int(sum(int((image[..., c].astype(np.int64) ** 2).sum()) for image in images)) for c in range(3)]
    count = sum(image.shape[0] * image.shape[1] for image in images)
    mean = tuple(value / count / 255 for value in values)
    std = tuple(
        (count * square - value * value) ** 0.5 / count / 255 for value, square in zip(values, squares, strict=True)
    )
    return mean, std


def close(got: Any, wanted: Any) -> None:
    for ours, theirs in zip(got, wanted, strict=True):
        assert len(ours) == 3
        np.testing.assert_allclose(ours, theirs, rtol=1e-14, atol=0)


def test_whole_images(shards: str, pillow_images: list[np.ndarray]) -> None:
    results = [penstock.compute_mean_std(shards, num_workers=workers) for workers in (1, 2, 5, None)]
    assert results == [results[0]] * 4
    close(results[0], reference(pillow_images))
    stacked = np.concatenate([image.reshape(-1, 3) for image in pillow_images]) / 255
    np.testing.assert_allclose(results[0][0], stacked.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(results[0][1], stacked.std(axis=0), rtol=1e-12)


def test_what_the_transforms_give(shards: str, pillow_images: list[np.ndarray]) -> None:
    crop = transforms.CenterCrop(24)
    close(
        penstock.compute_mean_std(shards, transforms=[crop]),
        reference([transforms.Compose([crop])(image) for image in pillow_images]),
    )
    mean, std = penstock.compute_mean_std(shards, transforms=[crop])
    normal = [crop, transforms.ToFloat(), transforms.Normalize(mean, std)]
    results = [penstock.compute_mean_std(shards, transforms=normal, num_workers=workers) for workers in (1, 2)]
    assert results[0] == results[1]
    np.testing.assert_allclose(results[0], [[0] * 3, [1] * 3], atol=1e-6)
    inverted = penstock.compute_mean_std(shards, transforms=[crop, lambda image: 255 - image])
    np.testing.assert_allclose(inverted, [[1 - each for each in mean], std], rtol=1e-12)


def test_gray_images_of_16_bits(tmp_path: Path) -> None:
    pixels = np.random.default_rng(1).integers(0, 65536, (40, 30), dtype=np.uint16)
    from PIL import Image

    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.png").write_bytes(encode(Image.fromarray(pixels), "PNG"))
    dataset = penstock.Dataset(tmp_path, fields={"image": penstock.Image("image", mode="I;16")})
    mean, std = penstock.compute_mean_std(dataset)
    np.testing.assert_allclose([mean[0], std[0]], [(pixels / 65535).mean(), (pixels / 65535).std()], rtol=1e-12)
    assert len(mean) == len(std) == 1


def test_what_has_no_mean_is_refused(shards: str) -> None:
    with pytest.raises(penstock.InvalidError, match="Views"):
        penstock.compute_mean_std(shards, transforms=penstock.Views(a=[transforms.CenterCrop(8)]))
    for name in ("FiveCrop", "TenCrop"):
        crops = [transforms.RandomHorizontalFlip(), getattr(transforms, name)(8)]
        for lists in (crops, transforms.Compose(crops), {"image": crops}):
            with pytest.raises(penstock.InvalidError, match=f"one image of each sample, and {name} makes several"):
                penstock.compute_mean_std(shards, transforms=lists)
    for fields, message in (
        ({"label": "cls"}, r"a field of images called image; the fields are \{'label': 'int'\}"),
        ({"photo": "jpg", "label": "cls"}, r"the images here, which are photo; pass field='photo'"),
    ):
        with pytest.raises(penstock.InvalidError, match=message):
            penstock.compute_mean_std(penstock.Dataset(shards, fields=fields))


def test_a_field_of_another_name(shards: str) -> None:
    crop = [transforms.CenterCrop(8)]
    named = penstock.Dataset(shards, fields={"photo": "jpg"})
    for lists in (None, crop, {"photo": crop}):
        wanted = penstock.compute_mean_std(shards, transforms=lists and crop)
        assert penstock.compute_mean_std(named, field="photo", transforms=lists) == wanted
    with pytest.raises(penstock.InvalidError, match="one image of each sample, and FiveCrop makes several"):
        penstock.compute_mean_std(named, field="photo", transforms={"photo": [transforms.FiveCrop(8)]})


def test_masks_have_no_mean(tmp_path: Path) -> None:
    from PIL import Image

    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.png").write_bytes(encode(Image.new("L", (8, 8)), "PNG"))
    dataset = penstock.Dataset(tmp_path, fields={"image": penstock.Mask("image")})
    with pytest.raises(penstock.InvalidError, match="read as a mask, whose values have no mean"):
        penstock.compute_mean_std(dataset)


def test_the_verb_says_the_same(shards: str, tmp_path: Path) -> None:
    config = tmp_path / "crop.json"
    config.write_text(json.dumps(transforms.to_config([transforms.CenterCrop(24)])))
    cropped = ["--transforms", str(config), "--workers", "2"]
    for arguments, given in [([], None), (cropped, [transforms.CenterCrop(24)])]:
        command = [str(PROGRAM), "stats", "--json", *arguments, *([shards] if isinstance(shards, str) else shards)]
        document = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        assert (tuple(document["mean"]), tuple(document["std"])) == penstock.compute_mean_std(shards, transforms=given)
        assert document["images"] == 60
    config.write_text('[{"op": "CenterCrop", "sise": 3}]')
    wrong = subprocess.run(
        [str(PROGRAM), "stats", str(tmp_path), "--transforms", str(config)], capture_output=True, text=True
    )
    assert wrong.returncode == 2
    assert "crop.json: [0]: CenterCrop has no parameter sise" in wrong.stderr


@pytest.mark.skipif(not SAMPLE.exists(), reason="needs ../shared/data/imagenet-sample")
def test_real_images(tmp_path: Path) -> None:
    source = sorted(str(path) for path in SAMPLE.glob("*.tar"))[:1]
    dataset = penstock.Dataset(source)
    results = [penstock.compute_mean_std(source, num_workers=workers) for workers in (1, 2)]
    assert results[0] == results[1]
    close(results[0], reference([dataset[number]["image"] for number in range(len(dataset))]))
