"""Files that are cut while they are mapped: an error that names the file, or the source instead of its cache; never
zeros that look like data."""

from __future__ import annotations

import io
import os
import tarfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import penstock

ROWS = 4000
PAGE = os.sysconf("SC_PAGESIZE")
#: Where a file is cut, by its size: on a page, and within one, which the system does not tell.
CUTS = {
    "on a page": lambda size: size // 2 // PAGE * PAGE,
    "within a page": lambda size: size // 2 // PAGE * PAGE + PAGE // 3,
    "at its last bytes": lambda size: size - 5,
}


@pytest.fixture(params=CUTS, ids=[name.replace(" ", "_") for name in CUTS])
def cut(request: pytest.FixtureRequest) -> Callable[[Path], None]:
    return lambda path: os.truncate(path, CUTS[request.param](path.stat().st_size))


@pytest.fixture
def tar(tmp_path: Path) -> Path:
    """Labels from 1 on, so that 0 is always wrong, and long texts."""
    with tarfile.open(tmp_path / "a.tar", "w") as file:
        for i in range(ROWS):
            for extension, text in (("cls", str(i + 1)), ("txt", f"text of sample {i} " * 10)):
                member = tarfile.TarInfo(f"a sample of the number {i:06}.{extension}")
                member.size = len(text)
                file.addfile(member, io.BytesIO(text.encode()))
    return tmp_path / "a.tar"


def text_of(sample: int) -> str:
    return f"text of sample {sample} " * 10


def delivered(ds: penstock.Dataset, **options: object) -> Iterator[tuple[int, int, str]]:
    """(sample, label, text) of all rows that are not bad."""
    loader = penstock.Loader(ds, batch_size=64, num_workers=2, on_error="skip", **options)  # type: ignore[arg-type]
    for batch in loader:
        texts = batch["text"] if "text" in batch else [""] * len(batch["index"])
        yield from zip(batch["index"].tolist(), batch["label"].tolist(), texts, strict=True)
    for error in loader.errors():
        assert "shorter" in str(error), error


def check_rows(ds: penstock.Dataset, first_gone: str | None = None) -> None:
    """What is delivered is right, and something is not delivered."""
    rows = list(delivered(ds))
    wrong = [row for row in rows if row[1] != row[0] + 1 or (row[2] and row[2] != text_of(row[0]))]
    assert not wrong, f"{len(wrong)} of {ROWS} rows are wrong: {wrong[:3]}"
    assert len(rows) < ROWS
    with pytest.raises(penstock.IoError, match="shorter") as raised:
        ds[ROWS - 1]
    if first_gone:
        assert first_gone in str(raised.value)


def test_tar(tar: Path, cut: Callable[[Path], None]) -> None:
    ds = penstock.Dataset(tar)
    size = tar.stat().st_size
    cut(tar)
    if tar.stat().st_size == size - 5:
        return  # the end mark, which nobody reads
    check_rows(ds, "a.tar")


def test_index_of_a_tar(tar: Path, cut: Callable[[Path], None]) -> None:
    time.sleep(0.1)  # no index is kept of a file that was written a moment ago
    penstock.Dataset(tar)
    (index,) = Path(os.environ["PENSTOCK_CACHE_DIR"]).glob("*.index")
    ds = penstock.Dataset(tar)
    keys = [ds.key(i) for i in range(ROWS)]
    size = index.stat().st_size
    cut(index)
    if index.stat().st_size == size - 5:
        assert len(list(delivered(ds))) == ROWS  # texts of warnings
        return
    rows = []
    with pytest.raises(penstock.IoError, match="the index of the tar shards") as raised:
        rows.extend(delivered(ds))  # the tars are intact: no sample is skipped
    assert "\\x00" not in str(raised.value)
    wrong = [row for row in rows if row[1] != row[0] + 1 or row[2] != text_of(row[0])]
    assert not wrong, f"{len(wrong)} of {ROWS} rows are wrong: {wrong[:3]}"
    gone = 0
    for i in range(ROWS):
        try:
            assert ds.key(i) == keys[i]
        except penstock.IoError as error:
            assert "the index of the tar shards" in str(error)
            gone += 1
    assert gone > 0


def test_index_of_a_tar_of_which_nothing_is_left(tar: Path) -> None:
    time.sleep(0.1)
    penstock.Dataset(tar)
    (index,) = Path(os.environ["PENSTOCK_CACHE_DIR"]).glob("*.index")
    ds = penstock.Dataset(tar)
    os.truncate(index, 0)
    assert len(ds) == ROWS
    with pytest.raises(penstock.IoError, match="the index of the tar shards"):
        list(delivered(ds))


@pytest.mark.parametrize("file", ["shard-000000.bin", "index.bin"])
def test_store(tar: Path, tmp_path: Path, cut: Callable[[Path], None], file: str) -> None:
    penstock.build(tar, tmp_path / "store", progress=False)
    ds = penstock.Dataset(tmp_path / "store")
    assert len(list(delivered(ds))) == ROWS  # all checksums are known to be right
    cut(tmp_path / "store" / file)
    check_rows(ds, file)


def test_numbers_of_a_store(tmp_path: Path, cut: Callable[[Path], None]) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.h5", "w") as out:
        out["waveform"] = np.ones((ROWS, 3), np.float32)
        out["labels"] = np.arange(1, ROWS + 1)
    penstock.build(tmp_path / "a.h5", tmp_path / "store", progress=False)
    ds = penstock.Dataset(tmp_path / "store", fields={"label": "label"})
    assert len(list(delivered(ds))) == ROWS
    cut(tmp_path / "store/shard-000000.bin")
    check_rows(ds, "shard-000000.bin")


def test_keys_of_a_store(tar: Path, tmp_path: Path, cut: Callable[[Path], None]) -> None:
    penstock.build(tar, tmp_path / "store", progress=False)
    ds = penstock.Dataset(tmp_path / "store")
    keys = [ds.key(i) for i in range(ROWS)]
    cut(tmp_path / "store/keys.bin")
    gone = 0
    for i in range(ROWS):
        try:
            assert ds.key(i) == keys[i]
        except penstock.IoError as error:
            assert "keys.bin" in str(error)
            gone += 1
    assert gone > 0
    batch = next(iter(penstock.Loader(ds, batch_size=ROWS)))
    with pytest.raises(penstock.IoError, match=r"keys\.bin"):
        batch["key"]


def test_labels_of_hdf5(tmp_path: Path, cut: Callable[[Path], None]) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.h5", "w") as out:
        out["waveform"] = np.ones((ROWS, 3), np.float32)
        out["labels"] = np.arange(1, ROWS + 1)
    ds = penstock.Dataset(tmp_path / "a.h5", fields={"label": "label"})
    cut(tmp_path / "a.h5")
    check_rows(ds, "a.h5")


def test_arrays_of_hdf5(tmp_path: Path, cut: Callable[[Path], None]) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.h5", "w") as out:
        out["labels"] = np.arange(1, ROWS + 1)
        out["waveform"] = np.ones((ROWS, 3), np.float32)
    ds = penstock.Dataset(tmp_path / "a.h5", fields={"waveform": "waveform"})
    cut(tmp_path / "a.h5")
    with penstock.Loader(ds, batch_size=64, num_workers=2, on_error="skip") as loader:
        rows = np.concatenate([batch["waveform"] for batch in loader])
    assert len(rows) < ROWS
    assert np.all(rows == 1), f"{np.sum(rows != 1)} values are wrong"


@pytest.mark.parametrize("file", ["shard-000000.bin", "index.bin"])
def test_a_cut_cache_gives_way_to_its_source(tar: Path, tmp_path: Path, cut: Callable[[Path], None], file: str) -> None:
    loader = penstock.Loader(tar, batch_size=64, num_workers=2, cache=tmp_path / "cache")
    while loader.stats()["cache"].startswith("being built"):
        time.sleep(0.01)
    assert loader.stats()["cache"].startswith("complete")
    list(loader)  # all checksums are known to be right
    (store,) = (tmp_path / "cache").glob("*.store")
    cut(store / file)
    rows = 0
    with pytest.warns(RuntimeWarning, match="cache"):
        for batch in loader:
            samples = batch["index"].tolist()
            assert batch["label"].tolist() == [i + 1 for i in samples]
            assert list(batch["text"]) == [text_of(i) for i in samples]
            rows += len(samples)
        loader.close()
    assert rows == ROWS


def test_cut_code_tables_of_a_cache_give_way_to_the_source(shards: str, tmp_path: Path) -> None:
    def pixels(loader: penstock.Loader) -> list[bytes]:
        return [batch["image"].numpy().tobytes() for batch in loader]

    crop = [penstock.transforms.CenterCrop(32)]
    wanted = pixels(penstock.Loader(shards, batch_size=7, transforms=crop))
    loader = penstock.Loader(shards, batch_size=7, transforms=crop, num_workers=2, cache=tmp_path / "cache")
    while loader.stats()["cache"].startswith("being built"):
        time.sleep(0.01)
    assert pixels(loader) == wanted
    (store,) = (tmp_path / "cache").glob("*.store")
    os.truncate(store / "tables.bin", 0)
    with pytest.warns(RuntimeWarning, match="cache"):
        assert pixels(loader) == wanted
        loader.close()
