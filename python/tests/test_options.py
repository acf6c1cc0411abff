"""Options as values, and those that decide what a row holds: one test for each, found by its name."""

from __future__ import annotations

import inspect
import json
import pydoc
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch
from conftest import draw, encode, flat, spoilt_png

import penstock
from penstock import LoaderOptions, samplers
from penstock._option_list import OPTIONS

AUGMENTED = penstock.presets.imagenet_train(24)


@pytest.fixture
def damaged(make_tar):
    """60 samples, of which 12, 13, 14 and 40 are no images."""
    return make_tar(
        [(f"{i:03d}.jpg", b"no image" if i in (12, 13, 14, 40) else encode(draw(i, 30, 20))) for i in range(60)]
    )


def test_every_option_has_a_test_of_what_it_does():
    names = set(LoaderOptions().to_dict())
    files = [path.read_text() for path in Path(__file__).parent.glob("test_options*.py")]
    tests = {name for text in files for name in re.findall(r"^def test_option_(\w+)", text, re.MULTILINE)}
    assert names - tests == set(), "options without a test"
    assert tests - names == set(), "tests of options that are not there"


def test_option_decode(shards):
    batch = next(iter(penstock.Loader(shards, batch_size=2, decode=False)))
    assert bytes(np.asarray(batch["data"])[:2]) == b"\xff\xd8"


def test_option_enable_transforms(shards, pillow_images):
    batch = next(iter(penstock.Loader(shards, batch_size=2, transforms=AUGMENTED, enable_transforms=False)))
    np.testing.assert_array_equal(np.asarray(batch["image"][1]), pillow_images[1].transpose(2, 0, 1))


def test_option_pad_images(shards):
    ragged, padded = (next(iter(penstock.Loader(shards, batch_size=3, pad_images=pad))) for pad in (False, True))
    assert isinstance(ragged["image"], list)
    assert padded["image"].shape == (3, 3, *padded["image_size"].amax(0))
    assert padded["image_size"].tolist() == [list(image.shape[1:]) for image in ragged["image"]]


def test_option_memory_format(shards):
    make = lambda form: next(iter(penstock.Loader(shards, batch_size=2, transforms=AUGMENTED, memory_format=form)))  # noqa: E731
    assert make("channels_first")["image"].is_contiguous()
    assert make("channels_last")["image"].is_contiguous(memory_format=torch.channels_last)
    assert make("auto")["image"].is_contiguous()
    assert penstock.Loader(shards, memory_format="auto").stats()["memory_format"] == "channels_first"
    assert penstock.Loader(shards, memory_format="channels_last").stats()["memory_format"] == "channels_last"
    decided = lambda **kw: LoaderOptions(memory_format="auto", **kw).for_core()["memory_format"]  # noqa: E731
    assert [decided(), decided(device="cuda:1"), decided(device="cuda", output="numpy")] == [
        "channels_first",
        "channels_last",
        "channels_first",
    ]


def test_option_output(shards):
    make = lambda output: next(iter(penstock.Loader(shards, transforms=AUGMENTED, output=output)))["image"]  # noqa: E731
    assert isinstance(make("torch"), torch.Tensor)
    assert isinstance(make("numpy"), np.ndarray)
    assert torch.equal(torch.from_dlpack(make("dlpack")), make("torch"))


def test_option_max_pixels(make_tar):
    source = make_tar([("a.jpg", encode(draw(1, 100, 50)))])
    assert flat(penstock.Loader(source, max_pixels=5000)) == [0]
    with pytest.raises(penstock.UnsupportedError, match="max_pixels|pixels"):
        flat(penstock.Loader(source, max_pixels=4999))


def test_option_check_files(make_tar):
    source = make_tar([("a.png", spoilt_png(draw(1, 300, 300)))])
    top = [penstock.transforms.RandomResizedCrop(32, scale=(0.01, 0.02))]
    loader = penstock.Loader(source, transforms=top, on_error="skip")
    assert any(flat(loader) == [0] for _ in range(20)), "the damage is seen by every crop: the file shows nothing"
    checking = penstock.Loader(source, transforms=top, on_error="skip", check_files=True)
    assert [flat(checking) for _ in range(20)] == [[]] * 20


def test_option_on_error(damaged):
    with pytest.raises(penstock.CorruptError):
        flat(penstock.Loader(damaged))
    assert sorted(set(range(60)) - set(flat(penstock.Loader(damaged, on_error="skip")))) == [12, 13, 14, 40]
    assert len(flat(penstock.Loader(damaged, on_error="replace"))) == 60


@pytest.mark.parametrize("workers", [0, 2])
def test_skipping_that_leaves_no_row_gets_one_warning(make_tar, workers):
    bad = range(8, 14)
    source = make_tar([(f"{i:03d}.jpg", b"no image" if i in bad else encode(draw(i, 30, 20))) for i in range(22)])
    loader = penstock.Loader(source, on_error="skip", batch_size=4, num_workers=workers)
    with pytest.warns(RuntimeWarning, match=r"left a batch with 0 rows.*on_error='replace'") as caught:
        assert [len(batch["index"]) for batch in loader] == [4, 4, 0, 2, 4, 2]
    assert len(caught) == 1
    assert (loader.stats()["empty_batches"], loader.stats()["short_batches"]) == (1, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        flat(loader)  # once is enough
        assert loader.stats()["empty_batches"] == 2
        flat(penstock.Loader(source, on_error="replace", batch_size=4, drop_last=True))


def test_skipping_that_breaks_drop_last_gets_one_warning(damaged):
    loader = penstock.Loader(damaged, on_error="skip", drop_last=True, batch_size=7)
    with pytest.warns(RuntimeWarning, match=r"fewer than batch_size=7 rows.*drop_last.*on_error='replace'") as caught:
        assert [len(batch["index"]) for batch in loader] == [7, 5, 6, 7, 7, 6, 7, 7]
    assert len(caught) == 1
    assert (loader.stats()["empty_batches"], loader.stats()["short_batches"]) == (0, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        flat(penstock.Loader(damaged, on_error="skip", batch_size=7))  # the last batch may be short there anyway


def test_option_max_errors(damaged):
    for most, fails in ((4, False), (3, True), (0, True), (1.0, False)):
        loader = penstock.Loader(damaged, on_error="skip", max_errors=most, batch_size=1)
        if fails:
            with pytest.raises(penstock.CorruptError, match="more than max_errors allows"):
                flat(loader)
        else:
            assert len(flat(loader)) == 56
    loader = penstock.Loader(damaged, on_error="skip", max_errors=0.05)
    flat(loader)  # a share counts from the 100th sample on
    with pytest.raises(penstock.CorruptError, match="samples are bad"):
        flat(loader)


def test_option_max_error_run(damaged):
    assert len(flat(penstock.Loader(damaged, on_error="skip", max_error_run=3))) == 56
    with pytest.raises(penstock.CorruptError, match="3 samples in a row"):
        flat(penstock.Loader(damaged, on_error="skip", max_error_run=2))


def test_option_error_report(damaged, tmp_path):
    path = tmp_path / "bad.jsonl"
    loader = penstock.Loader(damaged, on_error="skip", error_report=path)
    flat(loader)
    assert len(path.read_text().splitlines()) == 4
    flat(loader)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [(line["epoch"], line["index"], line["key"], line["kind"]) for line in lines[3:5]] == [
        (0, 40, "040", "corrupt"),
        (1, 12, "012", "corrupt"),
    ]
    assert {line["shard"] for line in lines} == {damaged}
    assert all(line["offset"] > 0 and line["stage"] and line["message"] for line in lines)
    broken = penstock.Loader(damaged, on_error="skip", error_report=tmp_path / "missing" / "bad.jsonl")
    with pytest.warns(RuntimeWarning, match="missing/bad.jsonl.*No such file") as caught:
        assert len(flat(broken)) == 56
    assert len(caught) == 1
    assert len(flat(broken)) == 56


def test_presets_are_lists_of_settings_that_later_calls_override():
    base = LoaderOptions(batch_size=5)
    gpu = base.gpu_optimized()
    assert (gpu.pin_memory, gpu.non_blocking, gpu.memory_format, gpu.batch_size) == (True, True, "channels_last", 5)
    assert gpu.with_pin_memory(False).pin_memory is False
    ranks = base.distributed_optimized(1, 4)
    assert (ranks.shard_rank, ranks.shard_world_size, ranks.drop_last) == (1, 4, True)
    debug = gpu.with_shuffle(True).debug_mode()
    assert (debug.num_workers, debug.prefetch, debug.shuffle, debug.pin_memory) == (0, 0, False, False)
    assert base.with_timeout(9).timeout_seconds == 9


def test_options_survive_being_plain_values():
    options = LoaderOptions(
        batch_size=7,
        sampler=samplers.Weighted([1.0, 2.0]),
        on_error="skip",
        max_errors=0.25,
        timeout_seconds=9,
        collate_buffer_size=1 << 20,
    )
    plain = options.to_dict()
    assert plain["sampler"] == {"kind": "weighted", "weights": [1.0, 2.0], "replacement": True, "num_samples": None}
    assert LoaderOptions.from_dict(plain) == options
    assert hash(LoaderOptions.from_dict(plain)) == hash(options)
    assert options.random_sampling(replacement=True).sampler == samplers.Random(replacement=True)
    assert repr(options.sampler) == "Weighted(weights=<2 values>, replacement=True, num_samples=None)"


def test_the_migration_page_maps_every_argument_of_torchs_data_loader():
    page = (Path(__file__).resolve().parents[2] / "docs" / "migration.md").read_text()
    mapped = {
        name
        for line in page.splitlines()
        if line.startswith("| `")
        for name in re.findall(r"`(\w+)", line.split("|")[1])
    }
    assert set(inspect.signature(torch.utils.data.DataLoader).parameters) <= mapped


# --- how options are shown and refused --------------------------------------------------------------------------------


def test_help_shows_every_option_with_its_sentence():
    shown = pydoc.render_doc(penstock.Loader, renderer=pydoc.plaintext)
    words = " ".join(shown.replace("|", " ").split())
    parameters = inspect.signature(penstock.Loader).parameters
    for name, option in OPTIONS.items():
        assert f"{name}: {' '.join(option.doc.split())}" in words
        assert parameters[name].default == option.default
        assert parameters[name].annotation == option.type
    assert list(inspect.signature(LoaderOptions).parameters) == list(OPTIONS)
    for member in (LoaderOptions.prefetch, LoaderOptions.with_prefetch):
        assert inspect.getdoc(member) == OPTIONS["prefetch"].doc


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("prefetch_factor", "prefetch"),
        ("batchsize", "batch_size"),
        ("num_worker", "num_workers"),
        ("collate", "collate_fn"),
        ("transform", "transforms"),
        ("xyz", None),
    ],
)
def test_unknown_options_are_refused_with_the_one_that_is_meant(shards, given, meant):
    told = f"did you mean {meant} \\(" if meant else "; the options are: batch_size, "
    for use in (
        lambda: penstock.Loader(shards, **{given: 2}),
        lambda: LoaderOptions().replace(**{given: 2}),
        lambda: LoaderOptions.from_dict({given: 2}),
    ):
        with pytest.raises(penstock.InvalidError, match=f"unknown option '{given}'.*{told}"):
            use()
    with pytest.raises(AttributeError, match=f"unknown option '{given}'.*{told}"):
        getattr(LoaderOptions(), f"with_{given}")


def test_worker_init_fn_is_refused_with_what_to_do_instead(shards):
    with pytest.raises(penstock.InvalidError, match="workers are threads that run no Python.*the rng") as refused:
        penstock.Loader(shards, worker_init_fn=lambda worker: None)
    assert "did you mean" not in str(refused.value)


def test_options_of_a_loader_cannot_be_set(shards):
    loader = penstock.Loader(shards, batch_size=5)
    with pytest.raises(AttributeError, match=r"options=loader.options.with_batch_size\(3\)"):
        loader.batch_size = 3
    with pytest.raises(AttributeError, match=r"Loader\(loader.dataset, transforms=...\)"):
        loader.transforms = []
    other = penstock.Loader(loader.dataset, options=loader.options.with_batch_size(3))
    assert (len(loader), len(other)) == (12, 20)
    loader.note = "other attributes are the caller's own"
