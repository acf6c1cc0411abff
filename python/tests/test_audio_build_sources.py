"""What penstock.audio.build takes: folders, tars, stores, data sets, and where their labels come from."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from audio_sources import SETTINGS, make_recordings, program, tone, write_tars, write_wav

import penstock
from penstock import audio

h5py = pytest.importorskip("h5py")


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    return make_recordings(tmp_path / "recordings")


def test_labels_of_any_size(recordings: Path, tmp_path: Path) -> None:
    for largest, dtype in ((32_767, "int16"), (32_768, "int32"), (70_000, "int32"), (5_000_000_000, "int64")):
        tars = tmp_path / f"{largest}"
        write_tars(recordings, tars, labels=lambda i, largest=largest: largest if i == 7 else i)
        report = audio.build(tars, tmp_path / f"{largest}.h5", **SETTINGS)
        assert report.samples == 12
        expected = [largest if i == 7 else i for i in range(12)]
        with h5py.File(tmp_path / f"{largest}.h5") as file:
            assert file["labels"].dtype == dtype and file["labels"][:].tolist() == expected
            assert ("label_names" in file) == (largest < 65_536)
        with penstock.Loader(tmp_path / f"{largest}.h5", batch_size=12, output="numpy") as loader:
            assert next(iter(loader))["label"].tolist() == expected


def test_kinds_that_cannot_be_decoded_are_told(recordings: Path, tmp_path: Path) -> None:
    (recordings / "cat" / "x.AIFF").write_bytes(b"FORM")
    (recordings / "cat" / "01.wav").rename(recordings / "cat" / "01.wave")
    report = audio.build(recordings, tmp_path / "new" / "folder" / "out.h5", **SETTINGS)
    assert (report.files, report.samples) == (12, 12) and len(report.warnings) == 1
    assert report.warnings[0].startswith("1 recordings are left out") and "cat/x.AIFF" in report.warnings[0]


def test_labels_from_names_and_splits(tmp_path: Path) -> None:
    for i in range(4):
        write_wav(tmp_path / "flat" / f"{i % 2}_anna_{i}.wav", tone(i, 1.0))
        write_wav(tmp_path / "split" / ("train" if i else "test") / f"label{i % 2}" / f"{i}.wav", tone(i, 1.0))
    (tmp_path / "split" / "test" / "label0" / "bad.wav").write_bytes(b"RIFF")  # what is behind it moves up
    audio.build(tmp_path / "flat", tmp_path / "flat.h5", **SETTINGS, label_pattern="{label}_*")
    with h5py.File(tmp_path / "flat.h5") as file:
        assert list(file["labels"]) == [0, 0, 1, 1] and "splits" not in file
    for name, pattern in (("auto", None), ("given", "{split}/label{label}/*.wav")):
        audio.build(tmp_path / "split", tmp_path / f"{name}.h5", **SETTINGS, label_pattern=pattern)
        with h5py.File(tmp_path / f"{name}.h5") as file:
            assert list(file["split_names"].asstr()) == ["test", "train"]
            assert list(file["splits"]) == [0, 1, 1, 1] and list(file["labels"]) == [0, 0, 1, 1]
            assert list(file["label_names"].asstr()) == (["0", "1"] if pattern else ["label0", "label1"])
    with pytest.raises(penstock.InvalidError, match="label_pattern"):
        audio.build(tmp_path / "flat", tmp_path / "x.h5", **SETTINGS)
    with pytest.raises(penstock.InvalidError, match="does not match"):
        audio.build(tmp_path / "flat", tmp_path / "x.h5", **SETTINGS, label_pattern="{label}-*")


def test_tars_stores_and_data_sets_give_the_same_rows(recordings: Path, tmp_path: Path) -> None:
    audio.build(recordings, tmp_path / "files.h5", **SETTINGS)
    tars = tmp_path / "tars"
    write_tars(recordings, tars)
    penstock.build(tars, tmp_path / "store", progress=False)
    sources = {
        "tars": tars,
        "pattern": f"{tars}/*.tar",
        "list": sorted(tars.iterdir()),
        "store": tmp_path / "store",
        "data_set": penstock.Dataset(tars, fields={"clip": "wav", "label": "cls"}),
    }
    with h5py.File(tmp_path / "files.h5") as files:
        for name, source in sources.items():
            report = audio.build(source, tmp_path / f"{name}.h5", **SETTINGS)
            assert (report.files, report.samples) == (12, 12)
            assert audio.build(source, tmp_path / f"{name}.h5", **SETTINGS).was_complete
            with h5py.File(tmp_path / f"{name}.h5") as other:
                for rows in ("waveform", "mel"):
                    assert np.array_equal(files[rows][:], other[rows][:]), (name, rows)
                assert [k + b".wav" for k in other["keys"]] == list(files["keys"])
                assert other["labels"][:].tolist() == [int(k < b"d") for k in other["keys"]]
                assert list(other["label_names"]) == [b"0", b"1"]
        audio.build(tars, tmp_path / "keys.h5", **SETTINGS, label_pattern="{label}/*")
        with h5py.File(tmp_path / "keys.h5") as keys:
            assert np.array_equal(keys["labels"][:], files["labels"][:])
            assert list(keys["label_names"]) == list(files["label_names"]) == [b"cat", b"dog"]


def test_a_data_set_without_audio_or_labels_is_refused(recordings: Path, tmp_path: Path) -> None:
    write_tars(recordings, tmp_path / "tars")
    labels = penstock.Dataset(tmp_path / "tars", fields={"label": "cls"})
    with pytest.raises(penstock.InvalidError, match="no field holds audio"):
        audio.build(labels, tmp_path / "x.h5", **SETTINGS)
    with pytest.raises(penstock.InvalidError, match="does not match label_pattern"):
        audio.build(tmp_path / "tars", tmp_path / "x.h5", **SETTINGS, label_pattern="{label}-*")
    with pytest.raises(penstock.NotFoundError):
        audio.build(tmp_path / "none.tar", tmp_path / "x.h5", **SETTINGS)


def test_changed_tars_are_not_resumed(recordings: Path, tmp_path: Path) -> None:
    write_tars(recordings, tmp_path / "tars")
    broken = tmp_path / "tars" / "009.tar"
    whole = broken.read_bytes()
    with broken.open("r+b") as file:
        file.seek(512)
        file.write(b"JUNK")  # where RIFF stood
    out = tmp_path / "out.h5"
    with pytest.raises(penstock.CorruptError, match="009.tar"):
        audio.build(tmp_path / "tars", out, **SETTINGS, on_error="raise", batch_files=1, workers=1)
    assert (tmp_path / "out.h5.building" / "journal").exists()
    broken.write_bytes(whole)
    report = audio.build(tmp_path / "tars", out, **SETTINGS)
    assert report.resumed_at == 0 and report.samples == 12


def test_missing_source(tmp_path: Path) -> None:
    with pytest.raises(penstock.NotFoundError):
        audio.build(tmp_path / "nowhere", tmp_path / "out.h5", **SETTINGS)
    (tmp_path / "empty").mkdir()
    with pytest.raises(penstock.InvalidError, match="no audio file"):
        audio.build(tmp_path / "empty", tmp_path / "out.h5", **SETTINGS)


def test_verify_counts_recordings(recordings: Path, tmp_path: Path) -> None:
    write_tars(recordings, tmp_path / "tars")
    penstock.build(tmp_path / "tars", tmp_path / "store", progress=False)
    for source in ("tars", "store"):
        report = penstock.verify(tmp_path / source)
        assert report.ok and (report.samples, report.images, report.recordings) == (12, 0, 12)
        said = subprocess.run([program(), "verify", tmp_path / source], capture_output=True, text=True).stdout
        assert "12 recordings decoded" in said and "images" not in said
