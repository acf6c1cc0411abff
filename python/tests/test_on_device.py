"""Operations of a list done by torch on a batch, with what a loader drew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock
from penstock import transforms

torch = pytest.importorskip("torch")

CROP = [transforms.RandomResizedCrop(24)]
COLORS = [
    transforms.RandomHorizontalFlip(),
    transforms.ColorJitter(0.8, 0.8, 0.8, 0.5),
    transforms.RandomSolarize(100, p=0.5),
]
FLOATS = [transforms.ToFloat(), transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])]


def batches(source: Any, list_: list[Any]) -> list[penstock.Batch]:
    with penstock.Loader(source, transforms=list_, batch_size=20, seed=3, output="torch") as loader:
        return list(loader)


def test_bytes_are_the_engines(shards: Any) -> None:
    seen = set()
    for list_ in (COLORS, [transforms.ColorJitter(hue=0.5)], [transforms.ColorJitter(brightness=(0, 2), contrast=0.5)]):
        device = transforms.on_device(list_)
        for before, after in zip(batches(shards, CROP), batches(shards, CROP + list_), strict=True):
            made = device(before["image"], after.params)
            assert made.dtype == torch.uint8
            assert torch.equal(made, after["image"])
            seen.update(entry.get("apply") for row in after.params for entry in row[""])
    assert {True, False} <= seen


def test_every_color_turns_as_the_engine_turns_it() -> None:
    """All hues, saturations and values in steps, and all pairs of channels."""
    steps = np.array([*range(0, 256, 15), 254, 255], np.uint8)
    colors = np.stack(np.meshgrid(steps, steps, steps), -1).reshape(1, -1, 3)
    images = torch.from_numpy(colors.copy()).permute(2, 0, 1).unsqueeze(0)
    jitter = transforms.ColorJitter(hue=0.5)
    for hue in (-0.5, -0.3, -0.001, 0.0, 0.004, 0.21, 0.5):
        factors = {"brightness": 1.0, "contrast": 1.0, "saturation": 1.0, "hue": hue}
        drawn = {"op": "ColorJitter", "order": [0, 1, 2, 3], **factors}
        wanted = transforms.apply([jitter], colors, [drawn])
        made = transforms.on_device([jitter])(images, [{"": [drawn]}])
        np.testing.assert_array_equal(made[0].permute(1, 2, 0).numpy(), wanted)


GRAY = transforms.RandomGrayscale(0.5)
OTHERS: list[list[transforms.Transform]] = [
    [transforms.RandomVerticalFlip(), GRAY, transforms.RandomInvert()],
    [transforms.Grayscale(3), transforms.RandomContrast(0.7)],
    [transforms.Grayscale(), transforms.RandomBrightness(0.7), GRAY, transforms.ColorJitter(0.4, 0.4, 0.4, 0.1)],
    [transforms.RandomContrast(0.7, (0, 3)), transforms.RandomBrightness(0.7, (0, 3))],
    [transforms.RandomPosterize(3), transforms.RandomPosterize(0, p=0.2), transforms.RandomPosterize(8)],
    [transforms.RandomAutocontrast()],
    [transforms.RandomEqualize()],
    [transforms.RandomPosterize(1), transforms.RandomAutocontrast(), transforms.RandomEqualize()],
    [transforms.Gamma((0, 3)), transforms.Gamma(0.5, 0.3), transforms.Gamma(2, 3)],
    [transforms.RandomChannelPermutation()],
    [transforms.RandomPhotometricDistort(), transforms.RandomPhotometricDistort((0, 3), (0, 3), (0, 3), (-0.5, 0.5))],
    [transforms.RandomApply([transforms.ColorJitter(0.4, 0.4, 0.2, 0.1), GRAY], p=0.6), transforms.RandomInvert()],
    [transforms.RandomApply([transforms.RandomApply([transforms.RandomEqualize()])]), transforms.RandomSolarize(9)],
    [transforms.RandomChoice([transforms.RandomInvert(p=1), transforms.Grayscale(3), GRAY])],
    [transforms.RandomOrder([transforms.RandomPosterize(2, p=1), transforms.ColorJitter(0.5), GRAY])],
]


@pytest.mark.parametrize("list_", OTHERS, ids=repr)
def test_other_bytes_are_the_engines(shards: Any, list_: list[transforms.Transform]) -> None:
    device = transforms.on_device(list_)
    changed = 0
    for before, after in zip(batches(shards, CROP), batches(shards, CROP + list_), strict=True):
        made = device(before["image"], after.params)
        assert made.dtype == torch.uint8
        assert torch.equal(made, after["image"])
        changed += int((made != before["image"]).sum())
    assert changed


def test_images_of_one_value_stay_as_they_are() -> None:
    """Whose range of values, and whose histogram, are nothing to stretch."""
    images = torch.full((2, 3, 5, 4), 77, dtype=torch.uint8)
    for operation in (transforms.RandomAutocontrast(), transforms.RandomEqualize()):
        drawn = [{"": [{"op": type(operation).__name__, "apply": True}]}] * 2
        assert torch.equal(transforms.on_device([operation])(images, drawn), images)


def test_the_colours_of_simclr_are_done(shards: Any) -> None:
    """All of its list but the crop and the blur, which the loader does."""
    _, colours = penstock.presets.simclr(24).lists["view1"]
    start, held = list(colours[:1]), [each for each in colours[1:] if "Blur" not in repr(each)]
    device = transforms.on_device(held)
    for before, after in zip(batches(shards, start), batches(shards, start + held), strict=True):
        torch.testing.assert_close(device(before["image"], after.params), after["image"], rtol=0, atol=2e-6)


MIXES = [
    transforms.MixUp(num_classes=60),
    transforms.CutMix(num_classes=60),
    transforms.MixUp(num_classes=60, pairing="mirror", mode="pair", label_smoothing=0.2),
    transforms.CutMix(num_classes=60, pairing="mirror", mode="elem"),
    transforms.CutMix(num_classes=60, mode="elem"),
    transforms.TimmMixup(0.8, 1.0, prob=0.7, mode="elem", num_classes=60),
    transforms.TimmMixup(0.8, 1.0, prob=0.7, mode="pair", num_classes=60),
    transforms.OneHot(60, label_smoothing=0.1),
    transforms.RandomChoice([transforms.MixUp(num_classes=60), transforms.CutMix(num_classes=60, label_smoothing=0.1)]),
    transforms.RandomApply([transforms.RandomOrder([transforms.MixUp(num_classes=60)])], p=0.5),
    transforms.RandomApply([transforms.CutMix(num_classes=60)], p=0.0),
]


@pytest.mark.parametrize("mix", MIXES, ids=repr)
def test_floats_and_mixes_agree(shards: Any, mix: transforms.Transform) -> None:
    list_ = [*COLORS, *FLOATS, mix]
    device = transforms.on_device(list_)
    for before, after in zip(batches(shards, CROP), batches(shards, CROP + list_), strict=True):
        images, labels = device(before["image"], after.params, before["label"])
        torch.testing.assert_close(images, after["image"], rtol=0, atol=2e-6)
        torch.testing.assert_close(labels, after["label"], rtol=0, atol=1e-7)


def test_it_is_a_value_that_leaves_its_argument_alone(shards: Any) -> None:
    (before, *_), (after, *_) = batches(shards, CROP), batches(shards, CROP + COLORS)
    kept = before["image"].clone()
    device = transforms.on_device(COLORS)
    device(before["image"], after.params)
    assert torch.equal(before["image"], kept)
    assert device == transforms.on_device(list(COLORS))
    assert hash(device) == hash(transforms.on_device(COLORS))
    assert "RandomSolarize" in repr(device)


def test_what_does_not_fit_is_refused(shards: Any) -> None:
    (before, *_), (after, *_) = batches(shards, CROP), batches(shards, CROP + COLORS)
    with pytest.raises(penstock.InvalidError, match="RandomResizedCrop.*has no form for devices"):
        transforms.on_device(CROP)
    with pytest.raises(penstock.InvalidError, match="GaussianBlur.*has no form for devices"):
        transforms.on_device([transforms.RandomApply([transforms.GaussianBlur(3)])])
    with pytest.raises(penstock.InvalidError, match="Mosaic.*has no form for devices"):
        transforms.on_device([transforms.RandomApply([transforms.Mosaic()])])
    gray, drawn = torch.zeros(1, 1, 5, 5, dtype=torch.uint8), [{"": [{"op": "ToFloat"}, {"op": "Normalize"}]}]
    for mean, std, name in (([0.5] * 3, [0.2] * 3, "mean"), ([0.5], [0.2] * 3, "std")):
        device = transforms.on_device([transforms.ToFloat(), transforms.Normalize(mean, std)])
        with pytest.raises(penstock.InvalidError, match=f"Normalize: {name} has 3 numbers, the images one channel"):
            device(gray, drawn)
    device = transforms.on_device(COLORS)
    with pytest.raises(penstock.InvalidError, match="images of 1 or 3 channels, got 4"):
        device(torch.zeros(1, 4, 5, 5, dtype=torch.uint8), [{"": []}])
    with pytest.raises(penstock.InvalidError, match="nothing that RandomHorizontalFlip drew"):
        device(before["image"], before.params)
    with pytest.raises(penstock.InvalidError, match="a row for each of the 20 images"):
        device(before["image"], after.params[:3])
    with pytest.raises(penstock.InvalidError, match="a row for each"):
        device(before["image"], None)
    with pytest.raises(penstock.InvalidError, match="takes bytes"):
        device(before["image"].float(), after.params)
    with pytest.raises(penstock.InvalidError, match=r"\[B, C, H, W\]"):
        device(before["image"][0], after.params)
