"""Every format of the catalogue, by being listed there: fields, values, order, resume, and files that are damaged.

A format's data set is formats/<name>/, in which a blank is an underscore: all of it is the source, or the one file in
it. formats/<name>.json is the record of what is in it. src/formats/format_faults_test.cpp reads the same data sets.

    python tests/conformance/test_formats.py [name ...]     writes the records, of what penstock reads now
"""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock
from penstock import _core

FOLDER = Path(__file__).resolve().parent / "formats"
NAMES = _core.format_catalog()


def folder_of(name: str) -> Path:
    return FOLDER / name.replace(" ", "_")


def source_in(folder: Path) -> Path:
    entries = sorted(folder.iterdir())
    return entries[0] if len(entries) == 1 else folder


def digest(value: Any) -> str:
    sha = hashlib.sha256()

    def add(part: Any) -> None:
        if isinstance(part, np.ndarray):
            sha.update(f"{part.dtype.str} {part.shape}".encode())
            sha.update(np.ascontiguousarray(part).tobytes())
        elif isinstance(part, Mapping):
            for name in sorted(part):
                sha.update(name.encode())
                add(part[name])
        elif isinstance(part, (list, tuple)):
            sha.update(f"list {len(part)}".encode())
            for item in part:
                add(item)
        else:
            sha.update(repr(part).encode())

    add(value)
    return sha.hexdigest()[:16]


def record_of(source: Path) -> dict[str, Any]:
    dataset = penstock.Dataset(str(source))
    return {
        "fingerprint": dataset.fingerprint,
        "fields": dict(dataset.fields),
        "samples": {dataset.key(number): digest(dataset[number]) for number in range(len(dataset))},
    }


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    for path in (folder_of(request.param), folder_of(request.param).with_suffix(".json")):
        if not path.exists():
            pytest.fail(f"there is no {path}: add a small data set of the format, and its record; see {__file__}")
    return str(request.param)


@pytest.fixture
def source(name: str) -> Path:
    return source_in(folder_of(name))


@pytest.fixture
def record(name: str) -> dict[str, Any]:
    return dict(json.loads(folder_of(name).with_suffix(".json").read_text()))


@pytest.fixture
def open_loader(source: Path) -> Callable[..., penstock.Loader]:
    settings = {"batch_size": 2, "shuffle": True, "seed": 5, "num_workers": 1, "output": "numpy"}
    return lambda **options: penstock.Loader(str(source), **{**settings, **options})


def test_reads_what_was_read_when_the_record_was_made(source: Path, record: dict[str, Any]) -> None:
    assert record_of(source) == record
    assert len(record["samples"]) >= 5


def test_knows_the_data_set_by_its_content_and_not_by_its_place(
    name: str, record: dict[str, Any], tmp_path: Path
) -> None:
    shutil.copytree(folder_of(name), tmp_path / "elsewhere")
    assert record_of(source_in(tmp_path / "elsewhere")) == record


def test_delivers_what_its_fields_say(source: Path, open_loader: Callable[..., penstock.Loader]) -> None:
    dataset = penstock.Dataset(str(source))
    types: dict[str, set[Any]] = {field: set() for field in dataset.fields}
    seen = 0
    with open_loader() as loader:
        for batch in loader:
            assert set(dataset.fields) <= set(batch)
            for row, number in enumerate(batch["index"]):
                sample = dataset[int(number)]
                for field, kind in dataset.fields.items():
                    value, expected = batch[field][row], sample[field]
                    if kind in {"int", "float", "text", "json", "bytes"}:
                        assert value == expected, field
                        continue
                    values = np.asarray(value)
                    types[field].add((values.dtype.str, values.ndim))
                    if kind == "image":
                        values = np.moveaxis(values, 0, -1)
                    if kind == "audio":
                        values = values[:, : batch[f"{field}_length"][row]]
                    np.testing.assert_array_equal(values, expected, err_msg=field)
                seen += 1
    assert seen == len(dataset)
    assert all(len(found) <= 1 for found in types.values()), types


def test_chosen_fields_are_the_same_under_other_names(source: Path) -> None:
    whole = penstock.Dataset(str(source))
    for field in whole.fields:
        chosen = penstock.Dataset(str(source), fields={"mine": field})
        assert dict(chosen.fields) == {"mine": whole.fields[field]}
        for number in range(len(whole)):
            assert digest(chosen[number]["mine"]) == digest(whole[number][field])
    with pytest.raises(penstock.InvalidError, match="no_such_field"):
        penstock.Dataset(str(source), fields={"mine": "no_such_field"})


def test_any_number_of_workers_gives_the_same(open_loader: Callable[..., penstock.Loader]) -> None:
    streams = []
    for workers in (0, 1, 2, 8):
        with open_loader(num_workers=workers) as loader:
            streams.append([digest(dict(batch)) for _ in range(2) for batch in loader])
    assert streams == [streams[0]] * 4


def test_resumes_at_every_step(open_loader: Callable[..., penstock.Loader]) -> None:
    with open_loader() as loader:
        states, stream = [loader.state_dict()], []
        for batch in loader:
            stream.append(digest(dict(batch)))
            states.append(loader.state_dict())
        following = [digest(dict(batch)) for batch in loader]
    for step, state in enumerate(states):
        with open_loader() as resumed:
            resumed.load_state_dict(state)
            assert [digest(dict(batch)) for batch in resumed] == stream[step:]
            assert [digest(dict(batch)) for batch in resumed] == following


def test_ranks_share_the_samples(source: Path, open_loader: Callable[..., penstock.Loader]) -> None:
    shares = []
    for rank in range(2):
        with open_loader(shard_rank=rank, shard_world_size=2) as loader:
            shares.append([int(number) for batch in loader for number in batch["index"]])
    assert sorted(shares[0] + shares[1]) == list(range(len(penstock.Dataset(str(source)))))


def check_damaged(folder: Path, record: dict[str, Any], *, values_are_checked: bool) -> int:
    """Opens and reads all of it: each value is the recorded one, or there is an error that says why. Counts errors."""
    try:
        dataset = penstock.Dataset(str(source_in(folder)))
        numbers = range(len(dataset))
    except penstock.Error as error:
        assert str(error)
        return 1
    errors = 0
    for number in numbers:
        try:
            key, found = dataset.key(number), digest(dataset[number])
        except penstock.Error as error:
            assert str(error)
            errors += 1
            continue
        if values_are_checked and dict(dataset.fields) == record["fields"]:
            assert found == record["samples"].get(key), f"{key} is wrong, and nobody said so"
    return errors


def files_of(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


@pytest.mark.filterwarnings("ignore:.*(end mark|not all samples)")
def test_files_that_are_cut_give_no_wrong_values(name: str, record: dict[str, Any], tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(folder_of(name), copy)
    for file in files_of(copy):
        whole = file.read_bytes()
        errors = 0
        for length in sorted({0, 1, len(whole) // 2, len(whole) - 1, *range(0, len(whole), len(whole) // 12 + 1)}):
            file.write_bytes(whole[:length])
            errors += check_damaged(copy, record, values_are_checked=True)
        assert errors > 0, f"nobody noticed that {file.name} was cut"
        file.write_bytes(whole)


def test_files_with_changed_bytes_are_read_or_refused(name: str, record: dict[str, Any], tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(folder_of(name), copy)
    draws = random.Random(7)
    for file in files_of(copy):
        whole = file.read_bytes()
        for _ in range(12):
            damaged = bytearray(whole)
            for _ in range(draws.randint(1, 4)):
                # Half of the changes are where headers are.
                end = min(len(whole), 1024) if draws.random() < 0.5 else len(whole)
                damaged[draws.randrange(end)] = draws.randrange(256)
            file.write_bytes(damaged)
            check_damaged(copy, record, values_are_checked=False)
        file.write_bytes(whole)


def test_files_that_are_missing_are_missed(name: str, record: dict[str, Any], tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(folder_of(name), copy)
    for file in files_of(copy):
        whole = file.read_bytes()
        file.unlink()
        check_damaged(copy, record, values_are_checked=True)
        file.write_bytes(whole)
    shutil.rmtree(copy)
    copy.mkdir()
    with pytest.raises(penstock.Error):
        penstock.Dataset(str(copy))


def main() -> None:
    for name in sys.argv[1:] or NAMES:
        path = folder_of(name).with_suffix(".json")
        path.write_text(json.dumps(record_of(source_in(folder_of(name))), indent=2) + "\n")


if __name__ == "__main__":
    main()
