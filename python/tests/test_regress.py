"""One case per bug that somebody met."""

from __future__ import annotations

import os
import pickle
import resource
import signal
import struct
import subprocess
import sys
import textwrap
import time
import zlib
from pathlib import Path

import numpy as np
import pytest
import torch
from conftest import draw, encode, write_tar

import penstock
from penstock import transforms as T  # noqa: N812 - the usual short name


def test_arrays_and_tensors_are_sequences_of_numbers():
    plain = T.Normalize(mean=[0.5, 0.25, 0.5], std=[0.5, 0.5, 0.5])
    assert T.Normalize(mean=np.array([0.5, 0.25, 0.5]), std=np.full(3, 0.5)) == plain
    assert T.Normalize(mean=torch.tensor([0.5, 0.25, 0.5]), std=[0.5] * 3) == plain
    assert T.RandomHorizontalFlip(p=np.float32(0.5)) == T.RandomHorizontalFlip()
    assert T.Resize(np.int64(8)) == T.Resize(8)


def test_sequence_that_cannot_be_read_is_refused():
    class Broken:
        def __len__(self) -> int:
            return 2

        def __getitem__(self, place: int) -> int:
            raise RuntimeError("broken")

    with pytest.raises(penstock.InvalidError, match="size"):
        T.Resize(Broken())


def test_lone_surrogates_in_options_are_refused():
    with pytest.raises(penstock.InvalidError, match="on_error"):
        penstock.LoaderOptions(on_error="\udc80")
    with pytest.raises(penstock.InvalidError):
        penstock.LoaderOptions(**{"\udc80": 1})
    with pytest.raises(penstock.InvalidError):
        T.Resize(4, interpolation="\udc80")


def test_a_size_of_zero_is_called_wrong_not_missing():
    with pytest.raises(penstock.InvalidError, match="size must be between 1 and 65536 pixels"):
        T.Resize(0)


@pytest.mark.parametrize("make", [penstock.Dataset, penstock.Loader])
def test_warnings_point_at_the_line_of_the_user(make_tar, make):
    image = encode(draw(1, 8, 8))
    path = make_tar([("a.jpg", image), ("a.txt", b"x"), ("b.jpg", image)])
    with pytest.warns(UserWarning, match="text") as caught:
        make(path)
    assert {warning.filename for warning in caught} == {__file__}


def test_raw_gives_labels_as_they_are_stored(make_tar):
    ds = penstock.Dataset(make_tar([("0.txt", b"a"), ("0.cls", b" 12\n"), ("1.txt", b"b"), ("1.cls", b"cat")]))
    assert ds.raw(0)["label"] == b" 12\n"
    assert ds[0]["label"] == 12
    assert ds.raw(1)["label"] == b"cat"
    with pytest.raises(penstock.CorruptError, match="'cat' is not an integer"):
        ds[1]


def test_names_that_are_not_utf8_go_through_as_file_names_do(tmp_path: Path):
    name = os.fsdecode(b"caf\xe9")
    folder = tmp_path / name
    folder.mkdir()
    path = write_tar(folder / "a.tar", [(f"{name}.jpg", encode(draw(1, 8, 8))), (f"{name}2.jpg", b"no image")])
    ds = penstock.Dataset(path)
    assert ds.key(0) == name
    assert ds[0]["image"].shape == (8, 8, 3)
    assert next(iter(penstock.Loader(ds, batch_size=1)))["key"] == [name]
    with pytest.raises(penstock.CorruptError) as caught:
        ds[1]
    assert caught.value.key == f"{name}2"
    assert caught.value.shard == str(path)


def test_field_names_that_batches_use_themselves_are_refused(shards):
    ds = penstock.Dataset(shards, fields={"index": "cls", "image": "jpg"})
    with pytest.raises(penstock.InvalidError, match="index"):
        penstock.Loader(ds)
    ds = penstock.Dataset(shards, fields={"sizes": "cls", "image": "jpg"})
    assert next(iter(penstock.Loader(ds, batch_size=2)))["sizes"].tolist() == [0, 1]
    with pytest.raises(penstock.InvalidError, match="sizes"):
        penstock.Loader(ds, decode=False)


def test_memory_follows_the_data_not_the_batch_size(shards):
    loader = penstock.Loader(shards, batch_size=1_000_000, transforms=[T.Resize([32, 32])])
    assert len(next(iter(loader))["index"]) == 60
    assert loader.stats()["buffer_bytes"] < 8 << 20


def test_loader_keeps_the_pixel_limit_of_its_data_set(shards):
    ds = penstock.Dataset(shards, max_pixels=100)
    with pytest.raises(penstock.UnsupportedError):
        next(iter(penstock.Loader(ds, transforms=[T.Resize([8, 8])])))
    assert next(iter(penstock.Loader(ds, max_pixels=10**6, transforms=[T.Resize([8, 8])])))
    for limit in (0, -1, None, "a"):
        with pytest.raises(penstock.InvalidError, match="max_pixels"):
            penstock.Dataset(shards, max_pixels=limit)


@pytest.mark.parametrize(
    "transforms", [T.Resize(8), 5, {"image": T.Resize(8)}, {"image": 5}, {"image": ["Resize"]}, "Resize"]
)
def test_transforms_that_are_no_list_are_refused(shards, transforms):
    with pytest.raises(penstock.InvalidError, match="transforms"):
        penstock.Loader(shards, transforms=transforms)


def test_other_arguments_of_the_wrong_kind_are_refused(shards):
    with pytest.raises(penstock.InvalidError, match="fields"):
        penstock.Dataset(shards, fields=["jpg"])
    with pytest.raises(penstock.InvalidError, match="size"):
        penstock.presets.imagenet_train("a")
    loader = penstock.Loader(shards, transforms={"image": None})
    for epoch in ("a", 1.5, None, 2**64):
        with pytest.raises(penstock.InvalidError, match="epoch"):
            loader.set_epoch(epoch)
    assert penstock.Dataset(shards, fields={"image": ".jpg"}).fields == {"image": "image"}


def test_old_iterator_of_a_closed_loader_says_closed(shards):
    loader = penstock.Loader(shards)
    old, _new = iter(loader), iter(loader)
    loader.close()
    with pytest.raises(penstock.CancelledError, match="closed"):
        next(old)


def test_data_sets_can_be_pickled_and_loaders_say_why_not(shards):
    ds = penstock.Dataset(shards, fields={"image": "jpg"}, max_pixels=10**6)
    again = pickle.loads(pickle.dumps(ds))
    assert (len(again), again.fields, again.fingerprint) == (60, ds.fields, ds.fingerprint)
    with pytest.raises(TypeError, match="process"):
        pickle.dumps(penstock.Loader(ds))


def test_loader_inherited_by_a_fork_neither_hangs_nor_works(shards):
    program = f"""
        import os, signal, sys, time
        import penstock
        loader = penstock.Loader({shards!r}, batch_size=2, num_workers=2)
        next(iter(loader))
        time.sleep(0.3)
        child = os.fork()
        if child == 0:
            signal.alarm(200)
            try:
                iter(loader)
            except penstock.InvalidError as error:
                assert "fork" in str(error)
                loader.close()
                del loader
                assert len(list(penstock.Loader({shards!r}, batch_size=30))) == 2
                sys.exit(7)
            sys.exit(1)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), len(list(loader)))
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=300)
    assert done.stdout.strip() == "7 30", done.stderr


def test_interrupt_works_without_workers(shards):
    loader = penstock.Loader(shards, batch_size=60, num_workers=0, transforms=[T.Resize([3000, 3000])])
    signal.setitimer(signal.ITIMER_REAL, 0.2)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGALRM, interrupt)
    start = time.process_time()  # of this process, whatever else the machine does
    try:
        with pytest.raises(KeyboardInterrupt):
            next(iter(loader))
    finally:
        signal.signal(signal.SIGALRM, previous)
    assert time.process_time() - start < 5


@pytest.mark.parametrize("work", ["for i in range(len(ds)): ds[i]", "for batch in loader: pass"])
def test_interpreter_may_end_while_a_daemon_thread_is_inside(shards, work):
    program = f"""
import sys, threading, time, penstock
ds = penstock.Dataset(sys.argv[1])
loader = penstock.Loader(ds, batch_size=2, num_workers=1)
def background():
    try:
        while True:
            {work}
    except penstock.CancelledError:
        return  # the loader is closed when the interpreter ends
threading.Thread(target=background, daemon=True).start()
time.sleep(0.1)
"""
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", program, shards], capture_output=True, text=True, timeout=300)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("name", "stored", "named"),
    [("json", b"{bad", "JSON"), ("json", b"[" * 200_000, "nested too deeply"), ("txt", b"\xff", "UTF-8")],
)
def test_damaged_text_is_a_bad_sample(make_tar, name, stored, named):
    good = {"json": b"{}", "txt": b"x"}[name]
    path = make_tar([(f"{i}.{name}", stored if i == 2 else good) for i in range(6)])
    loader = penstock.Loader(path, batch_size=3, on_error="skip")
    assert [index for batch in loader for index in batch["index"].tolist()] == [0, 1, 3, 4, 5]
    (error,) = loader.errors()
    assert isinstance(error, penstock.CorruptError)
    assert (error.key, error.index, error.shard) == ("2", 2, path)
    assert named in str(error)
    with pytest.raises(penstock.CorruptError, match="sample 2"):
        next(iter(penstock.Loader(path, batch_size=3)))
    with pytest.raises(penstock.CorruptError):
        penstock.Dataset(path)[2]


def test_a_finished_iteration_stays_finished(shards):
    loader = penstock.Loader(shards, batch_size=30)
    finished = iter(loader)
    assert len(list(finished)) == 2
    unfinished = iter(loader)
    assert next(finished, "stop") == "stop"
    loader.close()
    assert next(finished, "stop") == "stop"
    with pytest.raises(penstock.CancelledError):
        next(unfinished)


def test_all_bad_samples_of_a_failed_batch_are_counted(make_tar):
    path = make_tar([(f"{i}.jpg", b"no image") for i in range(5)])
    loader = penstock.Loader(path, batch_size=5)
    with pytest.raises(penstock.CorruptError):
        next(iter(loader))
    assert loader.stats()["errors"] == 5


def test_work_in_the_callers_thread_counts_as_cpu_time(shards):
    loader = penstock.Loader(shards, num_workers=0, transforms=[T.Resize([64, 64])])
    list(loader)
    stats = loader.stats()
    assert 0 < stats["cpu_seconds"] <= stats["worker_busy_seconds"] * 1.1 + 0.01


def test_images_of_one_name_in_folders_of_a_class_can_be_packed(tmp_path):
    root = tmp_path / "classes"
    for number, name in enumerate(["a/deep/1.jpg", "b/deep/1.jpg", "b/deep/1.png", "b/deep_1.jpg", "b/.hidden/1.jpg"]):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encode(draw(number, 20, 20), "PNG" if path.suffix == ".png" else "JPEG"))
    program = Path(__file__).resolve().parents[2] / "examples/pack_shards.py"
    done = subprocess.run(
        [sys.executable, program, root, tmp_path / "packed"], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    packed = penstock.Dataset(tmp_path / "packed-000000.tar")
    assert sorted(packed.key(i).rstrip("_") for i in range(4)) == ["a_deep_1", "b_deep_1", "b_deep_1", "b_deep_1"]


def test_packed_texts_of_a_png_are_not_unpacked(tmp_path):
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    image = (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 4, 8, 2, 0, 0, 0))
        + chunk(b"zTXt", b"k\0\0" + zlib.compress(bytes(100_000_000)))
        + chunk(b"IDAT", zlib.compress((b"\0" + b"\5" * 12) * 4))
        + chunk(b"IEND", b"")
    )
    tar = write_tar(tmp_path / "bomb.tar", [("a.png", image)])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert (penstock.Dataset(tar)[0]["image"] == 5).all()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000  # kB


def test_too_much_memory_is_the_images_fault(tmp_path):
    image = bytearray(encode(draw(1, 8, 8).convert("RGBA"), "PNG"))
    image[16:33] = struct.pack(">IIBBBBB", 10_000, 10_000, 16, 6, 0, 0, 1) + bytes(4)  # interlaced
    image[29:33] = struct.pack(">I", zlib.crc32(image[12:29]))
    tar = write_tar(tmp_path / "large.tar", [("a.png", bytes(image))])
    with pytest.raises(penstock.UnsupportedError, match="too much memory"):
        penstock.Dataset(tar)[0]


def test_impossible_sizes_and_names_of_options_are_invalid():
    for preset in (penstock.presets.imagenet_train, penstock.presets.imagenet_val):
        for size in (2**40, -(2**40), 0):
            with pytest.raises(penstock.InvalidError, match="65536"):
                preset(size)
    with pytest.raises(penstock.InvalidError, match="unknown option 1"):
        penstock.LoaderOptions.from_dict({1: 2})


def test_torch_that_is_not_installed_is_named(shards, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(penstock.InvalidError, match="not installed"):
        penstock.Loader(shards, output="torch")


def test_padding_may_be_filled_with_none(shards):
    def crops(fill: int | None) -> np.ndarray:
        transforms = [T.RandomCrop(150, pad_if_needed=True, fill=fill)]
        return next(iter(penstock.Loader(shards, batch_size=4, transforms=transforms, output="numpy")))["image"]

    assert np.array_equal(crops(None), crops(0))


def test_transforms_for_an_empty_data_set_say_that_it_is_empty(tmp_path):
    with pytest.warns(UserWarning, match="no sample"):
        ds = penstock.Dataset(write_tar(tmp_path / "empty.tar", []))
    with pytest.raises(penstock.InvalidError, match="the data set is empty"):
        penstock.Loader(ds, transforms=[T.Resize(8)])


def test_relative_sources_are_read_after_chdir(tmp_path, monkeypatch):
    """Class folders were not found and shards of stores "corrupt" once the process had changed its folder."""
    (tmp_path / "data" / "cat").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "data" / "cat" / "1.jpg").write_bytes(encode(draw(1, 30, 20)))
    monkeypatch.chdir(tmp_path)
    penstock.build("data", "s.store", progress=False)
    datasets = [penstock.Dataset("data"), penstock.Dataset("s.store")]
    with penstock.Loader("data", cache="kept") as loader:
        monkeypatch.chdir(tmp_path / "elsewhere")
        assert [dataset[0]["image"].shape for dataset in datasets] == [(20, 30, 3)] * 2
        assert [len(batch["key"]) for _ in range(2) for batch in loader] == [1, 1]
        assert loader.stats()["cache"].startswith("complete: kept/")
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_cache_without_a_name_is_refused():
    """It was accepted, and failed when the first epoch was over."""
    with pytest.raises(penstock.InvalidError, match="cache"):
        penstock.LoaderOptions(cache="")
