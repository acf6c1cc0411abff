"""HDF5 files as a source: those of penstock.audio.build, and those that h5py writes with the same names."""

from __future__ import annotations

import os
import pickle
import tarfile
import wave
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock
from penstock import audio, samplers

h5py = pytest.importorskip("h5py")

ROWS = 23


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two labels, two splits; a bad file, so that the data sets were made shorter."""
    folder = tmp_path_factory.mktemp("hdf5")
    rng = np.random.default_rng(0)
    for i in range(ROWS):
        path = folder / "in" / ("test" if i % 5 == 0 else "train") / ("cat" if i % 3 else "dög") / f"{i:02}.wav"
        path.parent.mkdir(parents=True, exist_ok=True)
        with wave.open(str(path), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(4096)
            file.writeframes(rng.integers(-9000, 9000, 4096 + 100 * i, dtype=np.int16).tobytes())
    (folder / "in/train/cat/bad.wav").write_bytes(b"RIFF")
    report = audio.build(folder / "in", folder / "out.h5", duration=1.0, progress=False)
    assert report.samples == ROWS
    return folder / "out.h5"


def write(
    path: Path, chunks: Any = None, libver: str | None = None, userblock_size: int | None = None, **options: Any
) -> Path:
    """What h5py users would write."""
    rng = np.random.default_rng(1)
    with h5py.File(path, "w", libver=libver, userblock_size=userblock_size) as file:
        shape = (ROWS, 4, 2, 16)
        file.create_dataset("waveform", data=rng.random(shape, np.float32), chunks=chunks, **options)
        file.create_dataset("mel", data=rng.random((ROWS, 3)).astype(np.float16))
        file.create_dataset("labels", data=np.arange(ROWS) % 3)
        file.create_dataset("label_names", data=np.array([b"a", b"bb", b"ccc"]))
    return path


def test_rows_equal_those_of_h5py(built: Path) -> None:
    ds = penstock.Dataset(built)
    assert ds.fields == {"waveform": "array", "mel": "array", "label": "int", "split": "text"}
    assert ds.classes == ["cat", "dög"]
    with h5py.File(built) as file:
        assert len(ds) == len(file["waveform"]) == ROWS
        names = list(file["split_names"].asstr())
        for i, key in enumerate(file["keys"].asstr()):
            row = ds[i]
            assert ds.key(i) == key
            assert row["waveform"].dtype == np.float32 and np.array_equal(row["waveform"], file["waveform"][i])
            assert row["mel"].dtype == np.float16 and np.array_equal(row["mel"], file["mel"][i])
            assert row["label"] == file["labels"][i] and row["split"] == names[file["splits"][i]]
            assert ds.raw(i)["mel"] == file["mel"][i].tobytes()
    assert pickle.loads(pickle.dumps(ds)).fingerprint == ds.fingerprint


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("output", ["numpy", "torch"])
def test_batches_hold_arrays_of_their_own_type(built: Path, workers: int, output: str) -> None:
    if output == "torch":
        pytest.importorskip("torch")
    seen = []
    with (
        h5py.File(built) as file,
        penstock.Loader(built, batch_size=4, shuffle=True, num_workers=workers, output=output) as loader,
    ):
        assert "rows of float16" in loader.plan()
        for batch in loader:
            index = np.asarray(batch["index"]).tolist()
            seen += index
            assert str(batch["mel"].dtype).endswith("float16")
            for row, i in enumerate(index):
                assert np.array_equal(np.asarray(batch["mel"][row]), file["mel"][i])
                assert np.array_equal(np.asarray(batch["waveform"][row]), file["waveform"][i])
                assert batch["label"][row] == file["labels"][i]
                assert batch["key"][row] == file["keys"].asstr()[i]
    assert sorted(seen) == list(range(ROWS))


def test_resumes_and_shares_epochs_as_other_sources_do(built: Path) -> None:
    def rest(loader: penstock.Loader) -> list[tuple[int, bytes]]:
        return [
            (int(i), np.asarray(mel).tobytes())
            for batch in loader
            for i, mel in zip(batch["index"], batch["mel"], strict=True)
        ]

    options: dict[str, Any] = {"batch_size": 3, "shuffle": True, "seed": 7, "output": "numpy"}
    with penstock.Loader(built, **options) as loader:
        steps = iter(loader)
        next(steps)
        state = loader.state_dict()
        expected = [(int(i), m.tobytes()) for b in steps for i, m in zip(b["index"], b["mel"], strict=True)]
    with penstock.Loader(built, **options) as loader:
        loader.load_state_dict(state)
        assert rest(loader) == expected
    parts = []
    for rank in range(2):
        with penstock.Loader(built, shard_rank=rank, shard_world_size=2, **options) as loader:
            parts.append({i for i, _ in rest(loader)})
    assert parts[0] | parts[1] == set(range(ROWS))


def test_a_split_is_chosen_by_its_indices(built: Path) -> None:
    ds = penstock.Dataset(built, fields={"x": "mel", "y": "label", "split": "split"})
    train = [i for i in range(len(ds)) if ds[i]["split"] == "train"]
    with penstock.Loader(ds, sampler=samplers.Indices(train), batch_size=8, output="numpy") as loader:
        assert {split for batch in loader for split in batch["split"]} == {"train"}


def test_stored_bytes_are_those_of_the_rows(built: Path) -> None:
    with (
        h5py.File(built) as file,
        penstock.Loader(built, decode=False, batch_size=5, output="numpy") as loader,
    ):
        batch = next(iter(loader))
        assert batch["data"].tobytes() == file["waveform"][:5].tobytes()


def test_a_store_of_it_has_the_same_arrays(built: Path, tmp_path: Path) -> None:
    assert penstock.verify(built).ok
    penstock.build(built, tmp_path / "store", progress=False)
    ds, store = penstock.Dataset(built), penstock.Dataset(tmp_path / "store")
    assert (store.fields, store.fingerprint, store.classes) == (ds.fields, ds.fingerprint, ds.classes)
    assert penstock.verify(tmp_path / "store", built).ok
    for i in range(len(ds)):
        assert np.array_equal(store[i]["mel"], ds[i]["mel"]) and store[i]["mel"].dtype == ds[i]["mel"].dtype
    options: dict[str, Any] = {"batch_size": 3, "shuffle": True, "seed": 7, "output": "numpy"}
    with penstock.Loader(built, **options) as one, penstock.Loader(tmp_path / "store", **options) as other:
        for a, b in zip(one, other, strict=True):
            assert a["key"] == b["key"] and np.array_equal(a["mel"], b["mel"])
            assert np.array_equal(a["waveform"], b["waveform"])


def test_a_cache_of_it_has_the_same_arrays(built: Path, tmp_path: Path) -> None:
    with penstock.Loader(built, cache=str(tmp_path / "caches"), batch_size=3, output="numpy") as loader:
        epochs = [[np.asarray(batch["mel"]).tobytes() for batch in loader] for _ in range(3)]
        assert loader.stats()["cache"].startswith("complete")
    assert epochs[0] == epochs[1] == epochs[2]


@pytest.mark.parametrize("libver", [None, "v110", "latest"])
@pytest.mark.parametrize("chunks", [None, (1, 4, 2, 16), (5, 4, 2, 16), (ROWS, 4, 2, 16)])
def test_reads_plain_files_of_h5py(tmp_path: Path, libver: str | None, chunks: Any) -> None:
    path = write(tmp_path / "plain.h5", chunks, libver)
    ds = penstock.Dataset(path)
    with h5py.File(path) as file:
        for i in range(ROWS):
            assert np.array_equal(ds[i]["waveform"], file["waveform"][i])
            assert np.array_equal(ds[i]["mel"], file["mel"][i])
            assert ds[i]["label"] == i % 3 and ds.key(i) == str(i)
    assert ds.classes == ["a", "bb", "ccc"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"compression": "gzip"}, "compressed"),
        ({"chunks": (2, 2, 2, 16)}, "parts of rows"),
        ({"chunks": (2, 4, 2, 16), "shuffle": True}, "filter"),
        ({"chunks": (2, 4, 2, 16), "maxshape": (None, 4, 2, 16), "libver": "v110"}, "maxshape"),
    ],
)
def test_says_what_cannot_be_read_in_place(tmp_path: Path, options: Any, reason: str) -> None:
    with pytest.raises(penstock.UnsupportedError, match=reason) as caught:
        penstock.Dataset(write(tmp_path / "plain.h5", **options))
    assert "h5py" in str(caught.value) and caught.value.source == str(tmp_path / "plain.h5")


def test_says_what_is_missing_or_of_another_type(tmp_path: Path) -> None:
    def refused(match: str, kind: type[penstock.Error] = penstock.UnsupportedError, **sets: Any) -> None:
        with h5py.File(tmp_path / "x.h5", "w") as file:
            for name, data in sets.items():
                file[name] = data
        with pytest.raises(kind, match=match):
            penstock.Dataset(tmp_path / "x.h5")

    mel = np.zeros((4, 2), np.float16)
    refused("without a data set", other=mel)
    refused("mel holds big-endian float32", mel=mel.astype(">f4"))
    refused("mel holds records", mel=mel.astype(np.complex64))
    refused("mel holds uint16, but arrays must be of bool, uint8, int8, .*float64", mel=mel.astype(np.uint16))
    refused("single value", mel=np.float32(3))
    refused("h5py.Empty", mel=h5py.Empty("f4"))
    refused("'/nowhere', which is not in the root group", mel=mel, labels=h5py.SoftLink("/nowhere"))
    refused("leads back to itself", mel=h5py.SoftLink("mel"))
    refused("another file", mel=mel, labels=h5py.ExternalLink("other.h5", "/labels"))
    refused("any length", mel=mel, label_names=["a", "b"])
    refused("integers", mel=mel, labels=np.zeros(4))
    refused("4 rows and label has 3", penstock.CorruptError, mel=mel, labels=np.zeros(3, np.int16))


@pytest.mark.parametrize("libver", [None, "latest"])
def test_says_what_is_there_instead_of_rows(tmp_path: Path, libver: str | None) -> None:
    def refused(match: str, **options: Any) -> None:
        with h5py.File(tmp_path / "x.h5", "w", libver=libver) as file:
            file.create_dataset("mel", shape=(4, 2), dtype="f4", **options) if options else file.create_group("mel")
        with pytest.raises(penstock.UnsupportedError, match=match):
            penstock.Dataset(tmp_path / "x.h5")

    refused("never written", chunks=None)
    refused("never written", chunks=(2, 2))
    refused("is a group")


@pytest.mark.parametrize("libver", [None, "latest"])
@pytest.mark.parametrize("size", [512, 4096])
def test_reads_files_with_a_user_block(tmp_path: Path, size: int, libver: str | None) -> None:
    path = write(tmp_path / "plain.h5", (5, 4, 2, 16), libver, userblock_size=size)
    with path.open("r+b") as file:
        file.write(b"notes of the user")
    ds = penstock.Dataset(path)
    with h5py.File(path) as file:
        assert all(np.array_equal(ds[i]["waveform"], file["waveform"][i]) for i in range(ROWS))
    with penstock.Loader(ds, batch_size=ROWS, output="numpy") as loader, h5py.File(path) as file:
        assert np.array_equal(next(iter(loader))["mel"], file["mel"])
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(penstock.CorruptError, match="should have"):
        penstock.Dataset(path)


def test_a_tar_of_hdf5_files_is_a_tar(tmp_path: Path) -> None:
    """The first of them begins at byte 512, as behind a user block."""
    with tarfile.open(tmp_path / "x.tar", "w") as tar:
        tar.add(write(tmp_path / "plain.h5"), "0.h5")
    assert penstock.Dataset(tmp_path / "x.tar").raw(0)["h5"] == (tmp_path / "plain.h5").read_bytes()


@pytest.mark.parametrize("libver", [None, "latest"])
def test_follows_soft_links_in_the_root_group(tmp_path: Path, libver: str | None) -> None:
    mel = np.arange(8, dtype=np.float32).reshape(4, 2)
    with h5py.File(tmp_path / "x.h5", "w", libver=libver) as file:
        file["features"] = mel
        file["alias"] = h5py.SoftLink("/features")
        file["mel"] = h5py.SoftLink("alias")
    assert np.array_equal([row["mel"] for row in penstock.Dataset(tmp_path / "x.h5")], mel)


@pytest.mark.parametrize("libver", [None, "latest"])
@pytest.mark.parametrize("dtype", [bool, np.uint8, np.uint16, np.uint32, np.uint64, np.int8, np.int64])
def test_labels_are_whole_numbers_of_any_type(tmp_path: Path, dtype: Any, libver: str | None) -> None:
    labels = np.array([1, 0, 1, np.iinfo(dtype).max if dtype in (np.uint16, np.uint32) else 1]).astype(dtype)
    with h5py.File(tmp_path / "x.h5", "w", libver=libver) as file:
        file["mel"] = np.zeros((4, 2), bool)
        file["labels"] = labels
    ds = penstock.Dataset(tmp_path / "x.h5")
    assert ds[0]["mel"].dtype == bool
    assert [row["label"] for row in ds] == labels.astype(np.int64).tolist()


def test_a_label_beyond_int64_is_corrupt(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["mel"] = np.zeros((2, 2))
        file["labels"] = np.array([7, 2**63], np.uint64)
    ds = penstock.Dataset(tmp_path / "x.h5")
    assert ds[0]["label"] == 7
    with pytest.raises(penstock.CorruptError, match="9223372036854775808 is too large"):
        ds[1]


def test_no_rows_are_no_samples(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["mel"] = np.zeros((0, 2))
        file["labels"] = np.zeros(0, np.int16)
    assert len(penstock.Dataset(tmp_path / "x.h5")) == 0


def write_wav(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(4096)
        file.writeframes(bytes(8192))


@pytest.mark.parametrize("bad_file", [False, True])
def test_names_that_are_not_utf8_are_marked_as_bytes(tmp_path: Path, bad_file: bool) -> None:
    """With a bad file the data sets are made shorter, and keep their type."""
    expected = [b"gut/a.wav", b"gut/b\xe9.wav", b"\xfc/c.wav"]
    for name in expected:
        write_wav(tmp_path / "in" / os.fsdecode(name))
    if bad_file:
        (tmp_path / "in/gut" / os.fsdecode(b"\xff.wav")).write_bytes(b"RIFF")
    audio.build(tmp_path / "in", tmp_path / "out.h5", duration=1.0, progress=False)
    with h5py.File(tmp_path / "out.h5") as file:
        assert file["keys"][:].tolist() == expected and file["label_names"][:].tolist() == [b"gut", b"\xfc"]
        assert h5py.check_string_dtype(file["keys"].dtype).encoding == "ascii"
        assert h5py.check_string_dtype(file["label_names"].dtype).encoding == "ascii"
    ds = penstock.Dataset(tmp_path / "out.h5")
    assert [os.fsencode(ds.key(i)) for i in range(3)] == expected
    assert ds.classes == ["gut", os.fsdecode(b"\xfc")]


def test_names_that_are_utf8_are_marked_as_such(built: Path) -> None:
    with h5py.File(built) as file:
        for name in ("keys", "label_names", "split_names"):
            assert h5py.check_string_dtype(file[name].dtype).encoding == "utf-8"


def test_changed_files_of_the_old_format_never_crash(tmp_path: Path) -> None:
    """They have no checksums."""
    content = write(tmp_path / "plain.h5", (5, 4, 2, 16)).read_bytes()
    rng = np.random.default_rng(3)
    outcomes = {"read": 0, "refused": 0}
    path = tmp_path / "changed.h5"
    for i in range(400):
        changed = bytearray(content[: rng.integers(1, len(content))] if i % 8 == 0 else content)
        for _ in range(rng.integers(1, 4)):
            changed[rng.integers(0, min(len(changed), 6000))] = rng.choice([0, 255, rng.integers(0, 256)])
        path.write_bytes(changed)
        try:
            ds = penstock.Dataset(path)
            for sample in range(min(len(ds), 50)):
                ds.raw(sample)
            outcomes["read"] += 1
        except penstock.Error:
            outcomes["refused"] += 1
    assert min(outcomes.values()) > 10
