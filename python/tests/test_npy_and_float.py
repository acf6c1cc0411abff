"""Arrays (.npy) and numbers with a point (.float) as members of tars."""

from __future__ import annotations

import io
import math
from pathlib import Path

import numpy as np
import pytest
from field_files import write_tar

import penstock


def npy(array: np.ndarray, version: tuple[int, int] | None = None) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, version=version)
    return buffer.getvalue()


@pytest.mark.parametrize("dtype", ["bool", "u1", "i1", "i2", "i4", "i8", "u2", "u4", "u8", "f2", "f4", "f8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_are_those_of_numpy(tmp_path: Path, dtype: str, order: str) -> None:
    random = np.random.default_rng(3)
    arrays = [
        np.array(random.integers(0, 2 if dtype == "bool" else 100, (3, 4, 2)).astype(dtype), order=order)
        for _ in range(5)
    ]
    source = write_tar(tmp_path / "a.tar", [{"npy": npy(a), "cls": b"1"} for a in arrays])
    data = penstock.Dataset(source)
    assert data.fields == {"npy": "array", "label": "int"}
    for number, array in enumerate(arrays):
        found = data[number]["npy"]
        assert found.dtype == array.dtype
        np.testing.assert_array_equal(found, array)
        assert data.raw(number)["npy"] == npy(array)
    for batch in penstock.Loader(data, batch_size=5, output="numpy"):
        np.testing.assert_array_equal(batch["npy"], np.stack(arrays))
        assert batch["npy"].dtype == arrays[0].dtype


@pytest.mark.parametrize("dtype", ["bool", "u1", "i1", "i2", "i4", "i8", "u2", "u4", "u8", "f2", "f4", "f8"])
def test_arrays_are_tensors_of_their_type(tmp_path: Path, dtype: str) -> None:
    torch = pytest.importorskip("torch")
    arrays = [np.ones((2, count), dtype) for count in (1, 2)]
    samples = [{"npy": npy(array), "same.npy": npy(arrays[0])} for array in arrays]
    source = write_tar(tmp_path / "a.tar", samples)
    (batch,) = penstock.Loader(source, batch_size=2, output="torch")
    for tensor, array in zip(batch["npy"], arrays, strict=True):
        assert torch.equal(tensor, torch.from_numpy(array))
    assert torch.equal(batch["same.npy"], torch.from_numpy(np.stack([arrays[0]] * 2)))


def test_arrays_of_several_shapes_are_a_list(tmp_path: Path) -> None:
    arrays = [np.arange(n, dtype="f4").reshape(1, n) for n in (3, 1, 7)]
    source = write_tar(tmp_path / "a.tar", [{"x.npy": npy(a)} for a in arrays])
    (batch,) = penstock.Loader(source, batch_size=3, output="numpy")
    assert isinstance(batch["x.npy"], list)
    for found, array in zip(batch["x.npy"], arrays, strict=True):
        np.testing.assert_array_equal(found, array)


def test_arrays_of_equally_many_bytes_may_differ_in_shape(tmp_path: Path) -> None:
    arrays = [np.arange(12, dtype="f4").reshape(shape) for shape in ((3, 4), (4, 3), (3, 4))]
    source = write_tar(tmp_path / "a.tar", [{"npy": npy(a)} for a in arrays])
    penstock.build(source, str(tmp_path / "store"), progress=False)
    for kept in (source, source, str(tmp_path / "store")):
        data = penstock.Dataset(kept)
        (batch,) = penstock.Loader(data, batch_size=3, output="numpy")
        for number, array in enumerate(arrays):
            np.testing.assert_array_equal(data[number]["npy"], array)
            np.testing.assert_array_equal(batch["npy"][number], array)


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_all_versions_of_headers_are_read(tmp_path: Path, version: tuple[int, int]) -> None:
    source = write_tar(tmp_path / "a.tar", [{"npy": npy(np.arange(3), version)}])
    assert penstock.Dataset(source)[0]["npy"].tolist() == [0, 1, 2]


def test_objects_and_foreign_orders_are_refused_by_name(tmp_path: Path) -> None:
    pickled = io.BytesIO()
    np.save(pickled, np.array([{}], dtype=object), allow_pickle=True)
    objects = write_tar(tmp_path / "a.tar", [{"npy": pickled.getvalue(), "cls": b"1"}])
    with pytest.raises(penstock.UnsupportedError, match="field 'npy': an array of Python objects"):
        penstock.Dataset(objects)
    assert penstock.Dataset(objects, fields={"label": "cls"})[0] == {"label": 1}
    swapped = write_tar(tmp_path / "b.tar", [{"npy": npy(np.arange(3, dtype=">i4"))}])
    with pytest.raises(penstock.UnsupportedError, match="big-endian"):
        penstock.Dataset(swapped)


def test_an_array_unlike_the_first_is_a_bad_sample(tmp_path: Path) -> None:
    arrays = [np.zeros((2, 3), "f4"), np.zeros((2, 3), "i4")]
    source = write_tar(tmp_path / "a.tar", [{"npy": npy(a)} for a in arrays])
    with pytest.raises(penstock.CorruptError, match=r"int32 \(2, 3\) in a field whose arrays are float32"):
        list(penstock.Loader(source, batch_size=2))
    (batch,) = penstock.Loader(source, batch_size=2, on_error="skip")
    assert list(batch["index"]) == [0]


def test_a_store_holds_the_same_arrays(tmp_path: Path) -> None:
    arrays = [np.arange(n, dtype="i2") for n in (3, 1)]
    samples = [{"npy": npy(a), "age.float": b"1.5", "same.npy": npy(np.full((2,), n))} for n, a in enumerate(arrays)]
    source = write_tar(tmp_path / "a.tar", samples)
    penstock.build(source, str(tmp_path / "store"), progress=False)
    store, tar = penstock.Dataset(str(tmp_path / "store")), penstock.Dataset(source)
    assert store.fields == tar.fields == {"npy": "array", "age.float": "float", "same.npy": "array"}
    assert store.fingerprint == tar.fingerprint
    for number, sample in enumerate(samples):
        assert store.raw(number) == tar.raw(number) == sample
        np.testing.assert_array_equal(store[number]["npy"], arrays[number])
    (batch,) = penstock.Loader(store, batch_size=2, output="numpy")
    assert batch["same.npy"].tolist() == [[0, 0], [1, 1]]
    assert penstock.verify(str(tmp_path / "store"), source)


def test_float_labels(tmp_path: Path) -> None:
    texts = [b"0.5", b" -1e3\n", b"nan", b"7"]
    source = write_tar(tmp_path / "a.tar", [{"float": t, "cls": b"3"} for t in texts])
    data = penstock.Dataset(source)
    assert data.fields == {"float": "float", "label": "int"}
    assert isinstance(data[0]["float"], float)
    (batch,) = penstock.Loader(data, batch_size=4, output="numpy")
    assert batch["float"].dtype == np.float64
    assert batch["float"][[0, 1, 3]].tolist() == [0.5, -1000.0, 7.0]
    assert math.isnan(batch["float"][2])
    bad = write_tar(tmp_path / "b.tar", [{"float": b"one"}])
    with pytest.raises(penstock.CorruptError, match="'one' is not a number"):
        penstock.Dataset(bad)[0]


def test_a_float_that_is_too_large_is_corrupt(tmp_path: Path) -> None:
    source = write_tar(tmp_path / "a.tar", [{"float": text} for text in (b"-inf", b"1e-400", b"1e400\n")])
    data = penstock.Dataset(source)
    assert data[0]["float"] == -math.inf and data[1]["float"] == 0.0
    with pytest.raises(penstock.CorruptError, match=r"'1e400\\n' does not fit in float64") as raised:
        data[2]
    assert raised.value.key == "0002"


def test_float_labels_stand_beside_stored_bytes(tmp_path: Path) -> None:
    source = write_tar(tmp_path / "a.tar", [{"float": b"0.5", "txt": b"one"}, {"float": b"7", "txt": b"three"}])
    (batch,) = penstock.Loader(source, batch_size=2, decode=False, output="numpy")
    assert batch["float"].tolist() == [0.5, 7.0]
    assert bytes(batch["data"]) == b"onethree"
