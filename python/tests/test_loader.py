"""Loader: batches, order, errors, outputs."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from conftest import draw, encode, sample_size

import penstock
from penstock import transforms as T  # noqa: N812 - the usual short name


def collect(loader):
    return [(b["index"].tolist(), np.asarray(b["image"]).tobytes(), b["label"].tolist()) for b in loader]


def test_batches_hold_what_the_samples_hold(shards, pillow_images):
    loader = penstock.Loader(shards, batch_size=16, output="numpy")
    assert len(loader) == 4
    batches = list(loader)
    assert [len(b["index"]) for b in batches] == [16, 16, 16, 12]
    for batch in batches:
        for row, index in enumerate(batch["index"]):
            np.testing.assert_array_equal(batch["image"][row], pillow_images[index].transpose(2, 0, 1))
            assert batch["label"][row] == index % 10
            assert batch["json"][row] == {"number": index}
            assert batch["text"][row] == f"sample {index} é"
            assert batch["key"][row] == f"s{index:04d}"
    assert list(batches[0]) == ["image", "label", "json", "text", "index", "key"]
    with pytest.raises(KeyError, match="audio"):
        batches[0]["audio"]


@pytest.mark.parametrize("output", ["torch", "numpy", "dlpack"])
@pytest.mark.parametrize("memory_format", ["channels_first", "channels_last"])
def test_outputs_and_memory_formats_agree(shards, output, memory_format):
    make = lambda **kw: penstock.Loader(shards, batch_size=8, transforms=penstock.presets.imagenet_train(32), **kw)  # noqa: E731
    reference = next(iter(make(output="numpy")))["image"]
    batch = next(iter(make(output=output, memory_format=memory_format)))
    image = batch["image"]
    if output == "torch":
        assert image.shape == (8, 3, 32, 32)
        assert image.dtype == torch.float32
        assert image.is_contiguous(
            memory_format=torch.channels_last if memory_format == "channels_last" else torch.contiguous_format
        )
        seen = image.numpy()
        assert batch["label"].dtype == torch.int64
    else:
        seen = np.from_dlpack(image) if output == "dlpack" else image
        if memory_format == "channels_last":
            assert seen.shape == (8, 32, 32, 3)
            seen = seen.transpose(0, 3, 1, 2)
    np.testing.assert_array_equal(seen, reference)


@pytest.mark.parametrize("output", ["torch", "numpy", "dlpack"])
def test_images_are_views_of_the_batch_not_copies(shards, output):
    loader = penstock.Loader(shards, batch_size=8, transforms=[T.CenterCrop(16)], output=output)
    batch = next(iter(loader))
    assert batch["image"] is batch["image"]
    memory = batch._columns.core.column("image", True).ctypes.data
    given = batch["image"]
    assert (given.ctypes.data if output == "numpy" else torch.from_dlpack(given).data_ptr()) == memory


def test_order_and_augmentation_do_not_depend_on_workers_or_prefetch(shards):
    expected = None
    for workers in (0, 1, 2, 8):
        for prefetch in (0, 1, 5):
            with penstock.Loader(
                shards, batch_size=7, shuffle=True, seed=11, num_workers=workers, prefetch=prefetch,
                transforms=penstock.presets.imagenet_train(24), output="numpy",
            ) as loader:  # fmt: skip
                seen = [collect(loader), collect(loader)]
            expected = expected or seen
            assert seen == expected, (workers, prefetch)
    assert expected[0] != expected[1]
    assert sorted(i for indices, _, _ in expected[1] for i in indices) == list(range(60))


def test_augmentation_of_a_sample_does_not_depend_on_batch_size_or_neighbours(shards):
    def rows(batch_size):
        loader = penstock.Loader(
            shards,
            batch_size=batch_size,
            shuffle=True,
            seed=5,
            transforms=penstock.presets.imagenet_train(16),
            output="numpy",
        )
        return {int(i): image.tobytes() for b in loader for i, image in zip(b["index"], b["image"], strict=True)}

    assert rows(4) == rows(13)


def test_an_iterator_that_nobody_asks_uses_up_no_epoch(shards):
    def order(batches):
        return [int(index) for batch in batches for index in batch["index"]]

    loader = penstock.Loader(shards, shuffle=True, num_workers=2, decode=False)
    epochs = [order(loader) for _ in range(3)]
    loader = penstock.Loader(shards, shuffle=True, num_workers=2, decode=False)
    unused = iter(loader)
    assert order(loader) == epochs[0], "frameworks make iterators only to see whether they can"
    with pytest.raises(penstock.CancelledError, match="newer"):
        next(unused)
    waiting = iter(loader)
    loader.set_epoch(2)
    assert order(waiting) == epochs[2], "named before the first batch was asked for"
    begun = iter(loader)
    next(begun)
    loader.batch_sampler.sampler.set_epoch(1)
    order(begun)
    assert order(loader) == epochs[1]


def test_set_epoch_names_the_next_iteration(shards):
    loader = penstock.Loader(shards, batch_size=20, shuffle=True, output="numpy")
    first, second = [b["index"].tolist() for b in loader], [b["index"].tolist() for b in loader]
    loader.set_epoch(0)
    assert [b["index"].tolist() for b in loader] == first
    assert [b["index"].tolist() for b in loader] == second
    with pytest.raises(penstock.InvalidError):
        loader.set_epoch(-1)


def test_after_break_comes_the_next_epoch(shards):
    loader = penstock.Loader(shards, batch_size=10, shuffle=True)
    for batch in loader:
        assert batch.epoch == 0
        break
    assert {batch.epoch for batch in loader} == {1}


def test_new_iterator_ends_the_old_one_which_says_so(shards):
    loader = penstock.Loader(shards, batch_size=10)
    old = iter(loader)
    next(old)
    new = iter(loader)
    with pytest.raises(penstock.CancelledError, match="newer"):
        next(old)
    assert next(new).epoch == 1


def test_drop_last_and_len(shards):
    assert len(penstock.Loader(shards, batch_size=16, drop_last=True)) == 3
    assert len(list(penstock.Loader(shards, batch_size=16, drop_last=True))) == 3
    assert len(penstock.Loader(shards, batch_size=100, drop_last=True)) == 0
    assert list(penstock.Loader(shards, batch_size=100, drop_last=True)) == []


def test_kept_batches_stay_as_they_are(shards):
    loader = penstock.Loader(shards, batch_size=4, shuffle=True, transforms=[T.RandomResizedCrop(16)])
    kept = [(batch["image"], batch["image"].clone()) for _ in range(4) for batch in loader]
    del loader
    assert all(torch.equal(now, then) for now, then in kept)


def test_decode_false_gives_stored_bytes(shards):
    ds = penstock.Dataset(shards)
    loader = penstock.Loader(ds, batch_size=13, shuffle=True, decode=False, output="numpy")
    seen = set()
    for batch in loader:
        assert list(batch) == ["data", "offsets", "sizes", "heights", "widths", "label", "index", "key"]
        for row, index in enumerate(batch["index"].tolist()):
            start = batch["offsets"][row]
            assert bytes(batch["data"][start : start + batch["sizes"][row]]) == ds.raw(index)["image"]
            assert (batch["widths"][row], batch["heights"][row]) == sample_size(index)
            assert batch["label"][row] == index % 10
            seen.add(index)
    assert seen == set(range(60))


@pytest.fixture
def damaged(make_tar):
    members = []
    for number in range(12):
        file = encode(draw(number, 30, 30))
        members += [(f"{number:02d}.jpg", file[:-60] if number in (2, 7) else file), (f"{number:02d}.cls", b"1")]
    return make_tar(members)


def test_on_error_raise_names_the_sample_and_the_way_on(damaged):
    loader = penstock.Loader(damaged, batch_size=4, transforms=[T.Resize([8, 8])])
    with pytest.raises(penstock.CorruptError, match="on_error='skip'") as caught:
        list(loader)
    assert (caught.value.key, caught.value.index, caught.value.stage) == ("02", 2, "decode")
    assert caught.value.shard.endswith(".tar")
    assert caught.value.offset > 0


def test_on_error_skip_leaves_the_rows_out(damaged):
    loader = penstock.Loader(damaged, batch_size=4, on_error="skip", transforms=[T.Resize([8, 8])], output="numpy")
    assert [b["index"].tolist() for b in loader] == [[0, 1, 3], [4, 5, 6], [8, 9, 10, 11]]
    assert [error.index for error in loader.errors()] == [2, 7]
    assert loader.stats()["errors"] == 2


def test_on_error_replace_fills_the_rows_deterministically(damaged):
    def indices(workers):
        loader = penstock.Loader(
            damaged, batch_size=4, on_error="replace", num_workers=workers, transforms=[T.Resize([8, 8])]
        )
        return [b["index"].tolist() for b in loader]

    seen = indices(2)
    assert seen == indices(0)
    assert [len(rows) for rows in seen] == [4, 4, 4]
    assert not {2, 7} & {index for rows in seen for index in rows}


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"batch_size": 0}, "batch_size"),
        ({"batch_size": "a"}, "batch_size"),
        ({"batch_size": True}, "batch_size"),
        ({"num_workers": -2}, "num_workers"),
        ({"prefetch": -1}, "prefetch"),
        ({"shuffle": 1}, "shuffle"),
        ({"seed": -1}, "seed"),
        ({"on_error": "ignore"}, "on_error"),
        ({"memory_format": "nhwc"}, "memory_format"),
        ({"output": "jax"}, "output"),
        ({"batchsize": 3}, "batchsize"),
        ({"max_pixels": 0}, "max_pixels"),
    ],
)
def test_impossible_options_are_refused_by_name(shards, options, names):
    with pytest.raises(penstock.InvalidError, match=names):
        penstock.Loader(shards, **options)
    with pytest.raises(ValueError, match=names):
        penstock.LoaderOptions(**options)


def test_options_are_values(shards):
    options = penstock.LoaderOptions(batch_size=5).with_shuffle(seed=3).with_num_workers(1)
    assert (options.batch_size, options.shuffle, options.seed, options.num_workers) == (5, True, 3, 1)
    assert options == penstock.LoaderOptions.from_dict(options.to_dict())
    assert options != options.channels_last()
    assert eval(repr(options), {"LoaderOptions": penstock.LoaderOptions}) == options
    with pytest.raises(AttributeError, match="with_seed"):
        options.seed = 4
    loader = penstock.Loader(shards, options=options, batch_size=9)
    assert loader.options.batch_size == 9
    assert loader.options.seed == 3


def test_transforms_for_what_is_no_image_are_refused(shards):
    with pytest.raises(penstock.InvalidError, match="text"):
        penstock.Loader(shards, transforms={"text": [T.ToFloat()]})
    with pytest.raises(penstock.InvalidError, match="nothing"):
        penstock.Loader(shards, transforms={"nothing": [T.ToFloat()]})
    with pytest.raises(penstock.InvalidError, match="'flip' is not a transform"):
        penstock.Loader(shards, transforms=["flip"])


def test_stats_and_plan_are_readable(shards):
    loader = penstock.Loader(shards, batch_size=8, num_workers=1, transforms=penstock.presets.imagenet_train(16))
    assert loader.stats()["batches"] == 0
    list(loader)
    stats = loader.stats()
    assert stats["samples"] == 60
    assert set(stats["stages"]) == {"read", "decode", "transform", "assemble"}
    assert 0.99 < sum(stage["share"] for stage in stats["stages"].values()) < 1.01
    assert stats["samples_per_second"] > 0
    assert stats["cpu_seconds_per_batch"] > 0
    assert "RandomResizedCrop" in loader.plan()
    loader.close()
    assert loader.stats()["samples"] == 60
    assert "60 samples" in repr(loader)


def test_the_plan_names_what_is_random_and_what_works_on_batches(shards):
    for last in (T.MixUp(num_classes=10), T.RandomChoice([T.MixUp(num_classes=10), T.CutMix(num_classes=10)])):
        random = [T.RandAugment(), T.RandomApply([T.GaussianBlur(3)], p=0.01), T.RandomSolarize(128, p=0.001)]
        operations = [T.Resize((16, 16)), *random, T.ToFloat(), last]
        with penstock.Loader(shards, batch_size=8, num_workers=1, transforms=operations) as loader:
            lines = [line.strip() for line in loader.plan().splitlines()]
        assert lines[lines.index("resize bilinear") + 1 :][:3] == [
            repr(random[0].handle),
            repr(random[1].handle),
            "solarize (p=0.001) + divide by 255 + write -> 16 x 16 float32 CHW",
        ]
        assert f"then on whole batches: {last.handle}" in lines


def test_closed_loader_says_so(shards):
    loader = penstock.Loader(shards, batch_size=8)
    iteration = iter(loader)
    batch = next(iteration)
    loader.close()
    with pytest.raises(penstock.CancelledError, match="closed"):
        next(iteration)
    with pytest.raises(penstock.CancelledError, match="closed"):
        iter(loader)
    assert len(batch["index"]) == 8


def test_several_image_fields_each_with_its_own_transforms(make_tar):
    members = []
    for number in range(6):
        members += [
            (f"{number}.jpg", encode(draw(number, 40, 30))),
            (f"{number}.seg.png", encode(draw(50 + number, 40, 30), "PNG")),
        ]
    loader = penstock.Loader(
        make_tar(members), batch_size=6, transforms={"image": [T.Resize([8, 8])], "seg.png": [T.CenterCrop(4)]}
    )
    batch = next(iter(loader))
    assert batch["image"].shape == (6, 3, 8, 8)
    assert batch["seg.png"].shape == (6, 3, 4, 4)
