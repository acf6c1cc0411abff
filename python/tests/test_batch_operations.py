"""Operations on whole batches, and images of half precision."""

from __future__ import annotations

import io
import itertools
import json
import tarfile
from collections.abc import Iterator
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


def _labelled(folder: Path, images: list[np.ndarray] | None = None) -> str:
    members = []
    for number, image in enumerate(images or [*SMOOTH, *SMOOTH]):
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


#: Of the images that are mixed, height and width, with as many rows to a batch: ten batches of each.
MIXED = [((1, 1), 2), ((1, 9), 5), ((7, 1), 4), ((5, 3), 7), ((16, 16), 4), ((31, 22), 9)]


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Images of noise and smooth ones, with masks and labels: as many as ten batches of any of MIXED need."""
    noise = [RNG.integers(0, 256, (40, 30, 3), dtype=np.uint8) for _ in range(45)]
    smooth = [np.asarray(Image.fromarray(image[:8, :6]).resize((30, 40))) for image in noise]
    return _labelled(tmp_path_factory.mktemp("many"), noise + smooth)


def mixed(
    dataset: penstock.Dataset, operations: list[transforms.Transform], mixing: transforms.Transform, **options: Any
) -> Iterator[tuple[Any, Any, dict[str, Any]]]:
    """Batches as they are before and after, and what was drawn for each."""
    options = {"shuffle": True, **options}
    with (
        penstock.Loader(dataset, transforms=operations, **options) as one,
        penstock.Loader(dataset, transforms=[*operations, mixing], **options) as other,
    ):
        for plain, batch in itertools.islice(zip(one, other, strict=True), 10):
            (drawn,) = json.loads(json.dumps(batch.params[0]["batch"]))
            yield plain, batch, drawn


@pytest.mark.parametrize("floats", [False, True])
def test_cutmix_is_torchvisions_with_the_drawn_box(many: str, floats: bool) -> None:
    torch = pytest.importorskip("torch")
    source = penstock.Dataset(many, fields={**LABELLED, "mask": penstock.Mask("seg.png")})
    theirs = pytest.importorskip("torchvision.transforms.v2").CutMix(num_classes=5)
    rows, boxes = 0, {}
    for memory_format in ("channels_first", "channels_last"):
        found = boxes[memory_format] = []
        for (height, width), batch_size in MIXED:
            operations = [transforms.Resize((height, width)), *([transforms.ToFloat()] if floats else [])]
            mixing = transforms.CutMix(alpha=0.7, num_classes=5)
            options = {"batch_size": batch_size, "memory_format": memory_format}
            for plain, batch, drawn in mixed(source, operations, mixing, **options):
                left, top, right, bottom = drawn["box"]
                found.append((height, width, left, top, right, bottom))
                assert drawn["lam"] == 1.0 - (right - left) * (bottom - top) / (height * width)
                labels = plain["label"]
                params = {"labels": labels, "batch_size": len(labels), "box": drawn["box"]}
                params["lam_adjusted"] = drawn["lam"]
                for name in ("image", "mask", "label"):
                    value = plain[name][:, None] if name == "mask" else plain[name]
                    made = theirs.transform(value, params)
                    assert torch.equal(batch[name], made[:, 0] if name == "mask" else made)
                rows += len(labels)
    assert rows >= 600
    assert boxes["channels_first"] == boxes["channels_last"]
    assert len(set(boxes["channels_first"])) > 20
    with pytest.raises(penstock.InvalidError, match="CutMix mixes images of one size"):
        penstock.Loader(
            source, transforms=[transforms.RandomRotation(45, expand=True), transforms.CutMix(num_classes=5)]
        )


def test_mixup_is_torchvisions_with_the_drawn_share(many: str) -> None:
    torch = pytest.importorskip("torch")
    theirs = pytest.importorskip("torchvision.transforms.v2").MixUp(num_classes=5)
    source = penstock.Dataset(many, fields=LABELLED)
    rows, shares = 0, {}
    for workers in (0, 3):
        found = shares[workers] = []
        for size, batch_size in MIXED:
            operations = [transforms.Resize(size), transforms.ToFloat()]
            mixing = transforms.MixUp(alpha=0.4, num_classes=5)
            for plain, batch, drawn in mixed(source, operations, mixing, batch_size=batch_size, num_workers=workers):
                found.append(drawn["lam"])
                labels = plain["label"]
                params = {"labels": labels, "batch_size": len(labels), "lam": drawn["lam"]}
                for name in ("image", "label"):
                    assert torch.equal(batch[name], theirs.transform(plain[name], params))
                rows += len(labels)
    assert rows >= 600
    assert shares[0] == shares[3]
    assert len(set(shares[0])) >= 10  # the batches of an epoch by their numbers
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
