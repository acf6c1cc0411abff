"""The loader against plain Python and Pillow: the same boxes, the same pixels, the same floats."""

from __future__ import annotations

import io

import numpy as np
import pytest
from conftest import SHARED
from PIL import Image
from reference import imagenet_train_uint8, normalised

import penstock
from penstock import transforms as T  # noqa: N812 - the usual short name

SAMPLE = SHARED / "data" / "imagenet-sample"


def check_epoch(sources: list[penstock.Dataset], size: int, epoch: int, images: dict[int, Image.Image]) -> int:
    """Compares an epoch of several forms of the same data with Pillow; returns how many rows of each were equal."""
    loaders = [
        penstock.Loader(
            ds, batch_size=32, shuffle=True, seed=9, output="numpy", memory_format="channels_last",
            transforms=[T.RandomResizedCrop(size), T.RandomHorizontalFlip()],
        )
        for ds in sources
    ]  # fmt: skip
    for loader in loaders:
        loader.set_epoch(epoch)
    checked = 0
    for batches in zip(*loaders, strict=True):
        for row, index in enumerate(batches[0]["index"].tolist()):
            wanted = imagenet_train_uint8(images[index], size, 9, epoch, index)
            for ds, batch in zip(sources, batches, strict=True):
                assert batch["index"][row] == index
                assert np.array_equal(batch["image"][row], wanted), f"{ds}: sample {index} of epoch {epoch} differs"
            checked += 1
    return checked


def decoded(ds: penstock.Dataset) -> dict[int, Image.Image]:
    return {i: Image.open(io.BytesIO(ds.raw(i)["image"])).convert("RGB") for i in range(len(ds))}


def test_own_images_equal_the_reference(shards):
    ds = penstock.Dataset(shards)
    images = decoded(ds)
    assert sum(check_epoch([ds], 32, epoch, images) for epoch in range(5)) == 300


def test_floats_equal_the_reference(shards):
    ds = penstock.Dataset(shards)
    images = decoded(ds)
    loader = penstock.Loader(ds, batch_size=60, seed=4, transforms=penstock.presets.imagenet_train(40), output="numpy")
    batch = next(iter(loader))
    for row in range(60):
        wanted = normalised(imagenet_train_uint8(images[row], 40, 4, 0, row))
        np.testing.assert_array_equal(batch["image"][row], wanted)


@pytest.mark.skipif(not SAMPLE.exists(), reason="../shared/data/imagenet-sample is not there")
def test_thousand_real_images_whole_and_in_ten_crops_each(tmp_path):
    """From the tars and from a store of repacked images; the store gives the original files back, too."""
    ds = penstock.Dataset(str(SAMPLE / "*.tar"))
    penstock.build(str(SAMPLE / "*.tar"), tmp_path / "store", image="repack")
    store = penstock.Dataset(tmp_path / "store")
    images = decoded(ds)
    assert len(ds) == len(store) == 1000
    for index, image in images.items():
        whole = np.asarray(image)
        assert np.array_equal(ds[index]["image"], whole), f"sample {index} differs from Pillow"
        assert np.array_equal(store[index]["image"], whole), f"sample {index} of the store differs from Pillow"
        assert store.raw(index) == ds.raw(index), f"the files of sample {index} are not what they were"
    assert sum(check_epoch([ds, store], 224, epoch, images) for epoch in range(10)) == 10_000
