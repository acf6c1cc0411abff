"""Operations on whole batches, and images of half precision."""

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

RNG = np.random.default_rng(0)
NOISE = [
    RNG.integers(0, 256, (height, width, 3), dtype=np.uint8) for width, height in ((2, 2), (33, 21), (64, 64), (9, 7))
]
SMOOTH = [np.asarray(Image.fromarray(image).resize((96, 80), Image.Resampling.BICUBIC)) for image in NOISE]


def _labelled(folder: Path) -> str:
    members = []
    for number, image in enumerate([*SMOOTH, *SMOOTH]):
        buffer = io.BytesIO()
        Image.fromarray(image).save(buffer, "PNG")
        mask = io.BytesIO()
        Image.fromarray(image[:, :, 0] // 16).save(mask, "PNG")
        members += [
            (f"{number:03}.png", buffer.getvalue()),
            (f"{number:03}.seg.png", mask.getvalue()),
            (f"{number:03}.cls", str(number % 5).encode()),
        ]
    with tarfile.open(folder / "labels.tar", "w") as archive:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return str(folder / "labels.tar")


LABELLED = {"image": "png", "label": "cls"}


@pytest.mark.parametrize("operations", [[transforms.CenterCrop(16)], [transforms.CenterCrop(16), transforms.ToFloat()]])
def test_cutmix_is_torchvisions_with_the_drawn_box(tmp_path: Path, operations: list[transforms.Transform]) -> None:
    torch = pytest.importorskip("torch")
    dataset = penstock.Dataset(_labelled(tmp_path), fields={**LABELLED, "mask": penstock.Mask("seg.png")})
    mixed = [*operations, transforms.CutMix(alpha=0.7, num_classes=5)]
    boxes = set()
    for memory_format in ("channels_first", "channels_last"):
        options: dict[str, Any] = {"batch_size": 4, "shuffle": True, "memory_format": memory_format}
        with (
            penstock.Loader(dataset, transforms=operations, **options) as one,
            penstock.Loader(dataset, transforms=mixed, **options) as other,
        ):
            for expected, batch in zip(one, other, strict=True):
                (drawn,) = json.loads(json.dumps(batch.params[0]["batch"]))
                left, top, right, bottom = drawn["box"]
                boxes.add((left, top, right, bottom))
                assert drawn["lam"] == 1.0 - (right - left) * (bottom - top) / 256
                for name in ("image", "mask"):
                    pasted = expected[name].clone()
                    pasted[..., top:bottom, left:right] = pasted.roll(1, 0)[..., top:bottom, left:right]
                    assert torch.equal(batch[name], pasted)
                labels = torch.nn.functional.one_hot(expected["label"], 5).float()
                lam = drawn["lam"]
                assert torch.equal(batch["label"], labels.roll(1, 0).mul(1.0 - lam).add(labels.mul(lam)))
    assert len(boxes) == 2  # the same in both memory formats
    with pytest.raises(penstock.InvalidError, match="CutMix mixes images of one size"):
        penstock.Loader(
            dataset, transforms=[transforms.RandomRotation(45, expand=True), transforms.CutMix(num_classes=5)]
        )


def test_mixup_is_torchvisions_with_the_drawn_share(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    source = penstock.Dataset(_labelled(tmp_path), fields=LABELLED)
    plain = [transforms.CenterCrop(16), transforms.ToFloat()]
    mixed = [*plain, transforms.MixUp(alpha=0.4, num_classes=5)]
    shares = set()
    for workers in (0, 3):
        with (
            penstock.Loader(source, transforms=plain, batch_size=4, shuffle=True, num_workers=workers) as one,
            penstock.Loader(source, transforms=mixed, batch_size=4, shuffle=True, num_workers=workers) as other,
        ):
            for expected, batch in zip(one, other, strict=True):
                (drawn,) = batch.params[0]["batch"]
                shares.add(drawn["lam"])
                lam = drawn["lam"]
                images, labels = expected["image"], torch.nn.functional.one_hot(expected["label"], 5).float()
                for values, made in ((images, batch["image"]), (labels, batch["label"])):
                    assert torch.equal(made, values.roll(1, 0).mul(1.0 - lam).add(values.mul(lam)))
    assert len(shares) == 2 * len(SMOOTH) // 4 + (1 if 2 * len(SMOOTH) % 4 else 0)
    with pytest.raises(penstock.InvalidError, match="MixUp mixes images of float32 or uint8"):
        penstock.Loader(source, transforms=[transforms.ToFloat16(), transforms.MixUp(num_classes=5)])
    with pytest.raises(penstock.InvalidError, match="must stand at the end"):
        penstock.Loader(source, transforms=[transforms.MixUp(num_classes=5), transforms.ToFloat()])


def test_views_have_no_operations_on_whole_batches(tmp_path: Path) -> None:
    views = penstock.Views(a=[transforms.CenterCrop(8), transforms.ToFloat()], b=[transforms.MixUp(num_classes=5)])
    words = "view 'b': MixUp works on whole batches; put it at the end of the one list of a Loader.*not into a view"
    with pytest.raises(penstock.InvalidError, match=words):
        penstock.Loader(penstock.Dataset(_labelled(tmp_path), fields=LABELLED), transforms=views)


def test_half_precision_is_what_numpy_rounds_to(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    normalize = transforms.Normalize(mean=(0.485, 0.456, 0.406), std=(0.229, 0.224, 0.225))
    plain = [transforms.RandomResizedCrop(19), normalize, transforms.RandomErasing(p=1.0, value="random")]
    for image in [*NOISE, *SMOOTH]:
        made = transforms.Compose([*plain, transforms.ToFloat16()])(image, seed=4)
        np.testing.assert_array_equal(made, transforms.Compose(plain)(image, seed=4).astype(np.float16))
    source = penstock.Dataset(_labelled(tmp_path), fields=LABELLED)
    mixed = [transforms.CenterCrop(16), transforms.ToFloat16(), transforms.CutMix(num_classes=5)]
    with penstock.Loader(source, transforms=mixed, batch_size=4) as loader:
        batch = next(iter(loader))
    assert batch["image"].dtype == torch.float16
    assert batch["image"].shape == (4, 3, 16, 16)
