"""Stores: what is built gives the samples, pixels and order of its source."""

from __future__ import annotations

import hashlib
import io
import itertools
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from conftest import draw, encode
from PIL import Image

import penstock
from penstock import transforms as T  # noqa: N812 - the usual short name
from penstock._progress import progress_line


def contents(store: Path) -> dict[str, str]:
    """Every file of a store, by its hash."""
    return {
        str(path.relative_to(store)): hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(store.rglob("*"))
    }


def batches(source: str | Path, **options: object) -> list[dict[str, torch.Tensor]]:
    loader = penstock.Loader(
        source, batch_size=7, shuffle=True, seed=5, transforms=penstock.presets.imagenet_train(32), **options
    )
    return [{name: batch[name] for name in ("image", "label", "index")} for _ in range(2) for batch in loader]


@pytest.mark.parametrize("image", ["repack", "repack_pixels", "keep", "raw"])
def test_a_store_holds_what_its_source_holds(shards, pillow_images, tmp_path, image):
    report = penstock.build(shards, tmp_path / "store", image=image, workers=2)
    source, store = penstock.Dataset(shards), penstock.Dataset(tmp_path / "store")
    assert report.samples == report.added == len(store) == len(source) == 60
    assert store.fields == source.fields
    assert store.fingerprint == source.fingerprint == report.fingerprint
    for i in range(60):
        ours, theirs = store[i], source[i]
        assert store.key(i) == source.key(i)
        assert np.array_equal(ours["image"], pillow_images[i])
        assert {name: ours[name] for name in ("label", "json", "text")} == {
            name: theirs[name] for name in ("label", "json", "text")
        }
        if image != "raw":
            assert store.raw(i) == source.raw(i)
    assert penstock.verify(tmp_path / "store", shards).ok


@pytest.mark.parametrize(("image", "codec"), [("repack", "repacked"), ("keep", "JPEG"), ("raw", "pixels")])
def test_stats_tell_which_codec_decoded(shards, tmp_path, image, codec):
    penstock.build(shards, tmp_path / "store", image=image)
    loader = penstock.Loader(tmp_path / "store", batch_size=8, transforms=penstock.presets.imagenet_val(32))
    for _ in loader:
        pass
    decoded = loader.stats()["decoded"]
    assert max(decoded, key=decoded.__getitem__) == codec
    assert sum(decoded.values()) >= 60  # the next epoch may be under way


@pytest.mark.parametrize("image", ["repack", "keep", "raw"])
def test_a_run_can_move_from_the_source_to_the_store(shards, tmp_path, image):
    penstock.build(shards, tmp_path / "store", image=image)
    for ours, theirs in zip(batches(tmp_path / "store", num_workers=2), batches(shards, num_workers=1), strict=True):
        assert all(torch.equal(ours[name], theirs[name]) for name in theirs)


def test_stored_bytes_of_a_repacked_store_are_the_original_files(shards, tmp_path):
    penstock.build(shards, tmp_path / "store")
    source = penstock.Dataset(shards)
    for batch in penstock.Loader(tmp_path / "store", decode=False, batch_size=16, output="numpy"):
        for row, sample in enumerate(batch["index"]):
            start, size = int(batch["offsets"][row]), int(batch["sizes"][row])
            assert batch["data"][start : start + size].tobytes() == source.raw(int(sample))["image"]
            height, width = source[int(sample)]["image"].shape[:2]
            assert (batch["heights"][row], batch["widths"][row]) == (height, width)


def test_bytes_do_not_depend_on_workers(shards, tmp_path):
    for workers in (1, 2, 5):
        penstock.build(shards, tmp_path / str(workers), workers=workers, shard_bytes=40_000)
    assert contents(tmp_path / "1") == contents(tmp_path / "2") == contents(tmp_path / "5")
    assert sum("shard" in name for name in contents(tmp_path / "1")) > 2


def test_class_folders_keep_their_classes(tmp_path):
    for name in ("cat", "dog"):
        (tmp_path / "set" / name).mkdir(parents=True)
        for i in range(3):
            (tmp_path / "set" / name / f"{i}.png").write_bytes(encode(draw(i, 20, 30), "PNG"))
    penstock.build(tmp_path / "set", tmp_path / "store")
    store = penstock.Dataset(tmp_path / "store")
    assert store.classes == ["cat", "dog"]
    assert [store[i]["label"] for i in range(6)] == [0, 0, 0, 1, 1, 1]
    assert store.fingerprint == penstock.Dataset(tmp_path / "set").fingerprint


def test_resized_pixels_equal_pillow(shards, pillow_images, tmp_path):
    penstock.build(shards, tmp_path / "store", image="raw", resize=32)
    store = penstock.Dataset(tmp_path / "store")
    for i in (0, 7, 31):
        height, width = pillow_images[i].shape[:2]
        size = (32, int(32 * height / width)) if width <= height else (int(32 * width / height), 32)
        expected = Image.fromarray(pillow_images[i]).resize(size, Image.Resampling.BILINEAR)
        assert np.array_equal(store[i]["image"], np.asarray(expected))
    penstock.build(shards, tmp_path / "longest", image="raw", resize={"longest": 40})
    assert all(max(sample["image"].shape) <= 40 for sample in penstock.Dataset(tmp_path / "longest"))


def test_a_finished_store_is_not_built_again_nor_overwritten(shards, tmp_path):
    penstock.build(shards, tmp_path / "store")
    before = contents(tmp_path / "store")
    assert penstock.build(shards, tmp_path / "store").was_complete
    with pytest.raises(penstock.InvalidError):
        penstock.build(shards, tmp_path / "store", image="keep")
    assert contents(tmp_path / "store") == before


def test_bad_samples_end_the_build_or_are_left_out(make_tar, tmp_path):
    good = encode(draw(1, 30, 20))
    path = make_tar([("a.jpg", good), ("b.jpg", good[: len(good) // 2]), ("c.jpg", good)])
    with pytest.raises(penstock.CorruptError) as caught:
        penstock.build(path, tmp_path / "store")
    assert caught.value.key == "b"
    assert not (tmp_path / "store").exists()
    report = penstock.build(path, tmp_path / "store", on_error="skip")
    assert (report.samples, report.skipped) == (2, 1)
    assert isinstance(report.errors[0], penstock.CorruptError)
    store = penstock.Dataset(tmp_path / "store")
    assert [store.key(i) for i in range(2)] == ["a", "c"]
    assert penstock.verify(tmp_path / "store", path).not_in_store == 1
    with pytest.raises(penstock.InvalidError, match="lacks 1 bad"):
        penstock.build(path, tmp_path / "store")
    with pytest.raises(penstock.CorruptError):
        penstock.build(path, tmp_path / "none", on_error="skip", max_errors=0)


def test_append_adds_samples(make_tar, tmp_path):
    first = make_tar([("a.jpg", encode(draw(1, 30, 20)))])
    second = make_tar([("b.jpg", encode(draw(2, 25, 20)))])
    penstock.build(first, tmp_path / "store")
    report = penstock.build(second, tmp_path / "store", append=True)
    assert (report.samples, report.added) == (2, 1)
    store = penstock.Dataset(tmp_path / "store")
    assert [store.key(i) for i in range(2)] == ["a", "b"]
    assert store.raw(1) == penstock.Dataset(second).raw(0)


def test_append_takes_the_settings_of_the_store(make_tar, tmp_path):
    first = make_tar([("a.jpg", encode(draw(1, 30, 20)))])
    second = make_tar([("b.jpg", encode(draw(2, 25, 20)))])
    penstock.build(first, tmp_path / "store", image="keep", shard_bytes=40_000)
    with pytest.raises(penstock.InvalidError, match="image is raw and was keep"):
        penstock.build(second, tmp_path / "store", append=True, image="raw")
    assert penstock.build(second, tmp_path / "store", append=True).samples == 2


def test_verify_finds_a_changed_byte(shards, tmp_path):
    penstock.build(shards, tmp_path / "store")
    shard = next((tmp_path / "store").glob("shard-*"))
    damaged = bytearray(shard.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    shard.write_bytes(damaged)
    report = penstock.verify(tmp_path / "store")
    assert not report
    assert report.problems >= 1
    assert isinstance(report.errors[0], penstock.CorruptError)


BUILD = """
import sys, penstock
penstock.build(sys.argv[1], sys.argv[2], shard_bytes=30_000, workers=2)
"""


def test_killed_builds_resume_to_the_same_bytes(tmp_path_factory, tmp_path, shards):
    penstock.build(shards, tmp_path / "whole", shard_bytes=30_000)
    expected = contents(tmp_path / "whole")
    chance = random.Random(1)  # noqa: S311 - moments to kill at
    for attempt in range(6):
        store = tmp_path / f"killed-{attempt}"
        with subprocess.Popen([sys.executable, "-c", BUILD, shards, str(store)]) as process:
            building = store.with_name(store.name + ".building")
            while process.poll() is None and not building.exists():
                time.sleep(0.001)
            time.sleep(chance.random() * 0.05)
            process.kill()
        penstock.build(shards, store, shard_bytes=30_000)
        assert contents(store) == expected


def test_control_c_ends_a_build_and_the_next_one_continues(tmp_path, shards):
    program = "import penstock, sys; print('go', flush=True); penstock.build(sys.argv[1], sys.argv[2], workers=1)"
    for _ in range(3):
        with subprocess.Popen(
            [sys.executable, "-c", program, shards, str(tmp_path / "store")],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=300)
            assert process.returncode == 0 or "KeyboardInterrupt" in errors
    penstock.build(shards, tmp_path / "store", workers=1)
    assert penstock.verify(tmp_path / "store", shards)


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"image": "zip"}, "image"),
        ({"image": 3}, "image"),
        ({"resize": 0}, "resize"),
        ({"resize": 65536}, "an integer between 1 and 65535"),
        ({"resize": {"width": 4}}, "width"),
        ({"quality": 101}, "quality"),
        ({"shard_bytes": True}, "shard_bytes"),
        ({"workers": 0}, "workers"),
        ({"on_error": "replace"}, "on_error"),
        ({"max_errors": 3}, "max_errors"),
        ({"on_error": "skip", "max_errors": 1.5}, "max_errors"),
    ],
)
def test_impossible_settings_are_refused(shards, tmp_path, settings, named):
    with pytest.raises(penstock.InvalidError, match=named):
        penstock.build(shards, tmp_path / "store", **settings)
    assert not list(tmp_path.iterdir())


def test_a_newer_store_is_refused_with_its_version(shards, tmp_path):
    penstock.build(shards, tmp_path / "store")
    manifest = tmp_path / "store" / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"version": 1', '"version": 2', 1))
    with pytest.raises(penstock.UnsupportedError, match="version 2"):
        penstock.Dataset(tmp_path / "store")


def test_progress_tells_rate_and_time_left():
    assert progress_line("build", 250, 1000, 50_000_000, 500.0) == (
        "build [######------------------] 250/1,000, 500 samples/s, 50.0 MB/s, 2 s left"
    )
    # Resumed at 400 a moment ago: what the interrupted build did is in no rate.
    assert progress_line("build", 410, 1000, 0, 10.0).endswith("410/1,000, 10 samples/s, 59 s left")
    assert "#" not in progress_line("build", 0, 0, 0, 0.0)


def check_stores_of(files: list[tuple[str, bytes]], tar: str, folder: Path) -> None:
    """Repacked, the images of a tar equal Pillow's whole and ours in crops, and give their files back."""
    for image in ("repack", "repack_pixels"):
        penstock.build(tar, folder / image, image=image)
        store = penstock.Dataset(folder / image)
        for number, (name, file) in enumerate(files):
            expected = np.asarray(Image.open(io.BytesIO(file)).convert("RGB"))
            assert np.array_equal(store[number]["image"], expected), (name, image)
            if image == "repack":
                assert store.raw(number)["image"] == file, name
        crops = {"batch_size": 1, "transforms": [T.RandomResizedCrop(16)]}
        for ours, theirs in zip(penstock.Loader(store, **crops), penstock.Loader(tar, **crops), strict=True):
            assert torch.equal(ours["image"], theirs["image"])


def test_every_sampling_and_kind_of_jpeg_survives(make_tar, tmp_path):
    members = []
    for number, (mode, sampling, progressive, restart) in enumerate(
        (mode, sampling, progressive, restart)
        for mode in ("RGB", "L", "CMYK")
        for sampling in (0, 1, 2)
        for progressive in (False, True)
        for restart in (0, 3)
    ):
        image = draw(number, 33 + number, 47 - number % 7).convert(mode)
        options = {"subsampling": sampling} if mode != "L" else {}
        file = encode(image, quality=60 + number, progressive=progressive, restart_marker_blocks=restart, **options)
        members.append((f"{number:03d}.jpg", file))
    check_stores_of(members, make_tar(members), tmp_path)


CJPEG_KINDS = {
    "plain": [],
    "optimised": ["-optimize"],
    "progressive": ["-progressive"],
    "arithmetic": ["-arithmetic"],
    "restarts": ["-restart", "1"],
    "restarts by blocks": ["-restart", "3B"],
    "grey": ["-grayscale"],
    "RGB": ["-rgb"],
    "fast": ["-dct", "fast", "-smooth", "10"],
}
CJPEG_SAMPLINGS = ["1x1", "2x1", "1x2", "2x2", "4x1", "1x4", "4x2", "2x2,1x2,2x1", "1x1,2x2,1x1"]


@pytest.mark.skipif(shutil.which("cjpeg") is None, reason="cjpeg (libjpeg-turbo-progs) is not installed")
def test_what_cjpeg_writes_survives(make_tar, tmp_path):
    """Every sampling, kind, a range of qualities and odd sizes from 1 x 1 on, whole and in crops."""
    members = []
    combinations = itertools.product(CJPEG_SAMPLINGS, CJPEG_KINDS.values(), (1, 35, 75, 92, 100))
    for number, (sampling, kind, quality) in enumerate(combinations):
        pixels = io.BytesIO()
        draw(number, 1 + number * 7 % 83, 1 + number * 5 % 61).save(pixels, "PPM")
        command = ["cjpeg", "-quality", str(quality), "-sample", sampling, *kind]
        file = subprocess.run(command, input=pixels.getvalue(), capture_output=True, check=True).stdout
        members.append((f"{number:04d}.jpg", file))
    check_stores_of(members, make_tar(members), tmp_path)


def test_verify_lists_the_bad_samples_of_any_source(make_tar, shards, tmp_path):
    assert penstock.verify(shards)
    assert penstock.verify(penstock.Dataset(shards)).images == 60
    members = [(f"{i}.jpg", encode(draw(i, 30, 20))[: 300 if i in (2, 5) else None]) for i in range(8)]
    source = make_tar([*members, ("9.jpg", b"no image")])
    report = penstock.verify(source)
    assert not report
    assert [(error.index, error.key, error.shard) for error in report.errors] == [
        (2, "2", source),
        (5, "5", source),
        (8, "9", source),
    ]
    assert [penstock.verify(source, fields={"image": "jpg"}).problems, report.samples, report.images] == [3, 9, 6]
    (tmp_path / "folders" / "cats").mkdir(parents=True)
    (tmp_path / "folders" / "cats" / "one.jpg").write_bytes(b"no image")
    assert penstock.verify(tmp_path / "folders").problems == 1
    with pytest.raises(penstock.InvalidError, match="cannot be compared"):
        penstock.verify(penstock.Dataset(shards), shards)
    with pytest.raises(penstock.NotFoundError):
        penstock.verify(tmp_path / "nothing")


@pytest.mark.filterwarnings("ignore:.*left out unless chosen")
def test_verify_that_checked_nothing_is_false(make_tar):
    source = make_tar([("1.jpg", b"no image"), ("README.md", b"hi")])
    for checked in (source, penstock.Dataset(source)):
        report = penstock.verify(checked)
        assert not report
        assert [report.samples, report.problems] == [2, 1]
        assert "nothing was checked" in str(report.errors[0])
    assert penstock.verify(source, fields={"image": "jpg"}).problems == 2


def test_verify_takes_a_dataset_and_fields(shards, tmp_path):
    chosen = {"photo": "jpg", "class": "cls"}
    dataset = penstock.Dataset(shards, fields=chosen)
    penstock.build(dataset, tmp_path / "s", progress=False)
    assert penstock.verify(tmp_path / "s", dataset).compared == 120
    assert penstock.verify(tmp_path / "s", shards, fields=chosen).compared == 120
    with pytest.raises(penstock.InvalidError, match="has its own"):
        penstock.verify(tmp_path / "s", dataset, fields=chosen)


def test_reports_tell_of_fields_that_only_some_samples_have(make_tar, tmp_path):
    source = make_tar([("a.jpg", encode(draw(1, 20, 20))), ("a.cls", b"1"), ("b.jpg", encode(draw(2, 20, 20)))])
    with pytest.warns(UserWarning, match="label"):
        built = penstock.build(source, tmp_path / "s", progress=False)
    assert "label (1 of 2 samples)" in built.warnings[0]
    report = penstock.verify(tmp_path / "s", source)
    assert report.ok
    assert "label (1 of 2 samples)" in report.warnings[0]
