"""The HDF5 files of penstock.audio.build, read with h5py."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from audio_sources import SETTINGS, make_recordings, program, tone, write_wav

import penstock
from penstock import audio

h5py = pytest.importorskip("h5py")


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    return make_recordings(tmp_path / "recordings")


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_holds_waves_features_labels_and_settings(recordings: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.h5"
    report = audio.build(recordings, out, **SETTINGS)
    assert (report.files, report.samples, report.skipped) == (12, 12, 0)
    with h5py.File(out) as file:
        assert file["waveform"].shape == (12, 8, 2, 512) and file["waveform"].dtype == np.float32
        assert file["mel"].shape == (12, 8, 2, 64, 1) and file["mel"].dtype == np.float16
        assert file["labels"].dtype == np.int16
        keys = list(file["keys"].asstr())
        assert keys == sorted(str(p.relative_to(recordings)) for p in recordings.rglob("*.wav"))
        names = list(file["label_names"].asstr())
        assert names == ["cat", "dog"]
        assert [names[i] for i in file["labels"]] == [key.split("/")[0] for key in keys]
        for row, key in enumerate(keys):
            samples, _ = audio.read(recordings / key)
            expected = np.zeros(8192, np.float32)
            expected[: min(8192, len(samples))] = samples[:8192]
            assert np.array_equal(file["waveform"][row].reshape(-1), expected)
            mel = audio.mel_spectrogram(expected.reshape(8, 2, 512), sample_rate=4096, db_mult=20.0, dtype="float16")
            assert np.array_equal(file["mel"][row], mel)
        assert file.attrs["sample_rate"] == 4096 and file.attrs["db_mult"] == 20.0
        assert file.attrs["window"] == "hann" and file.attrs["duration"] == 2.0
        assert json.loads(file.attrs["summary"]) == {"files": 12, "rows": 12}
    assert [p.name for p in tmp_path.iterdir() if "out" in p.name] == ["out.h5"]
    assert audio.build(recordings, out, **SETTINGS).was_complete
    with pytest.raises(penstock.InvalidError, match="already"):
        audio.build(recordings, out, duration=3.0, progress=False)


def test_every_setting_of_the_rows_is_an_attribute(recordings: Path, tmp_path: Path) -> None:
    given = {
        "sample_rate": 2048, "duration": 2.5, "long_segment": 2560, "short_segment": 1280, "n_fft": 256,
        "hop_length": 64, "win_length": 200, "window": "hamming", "center": True, "pad_mode": "edge", "power": 2.0,
        "n_mels": 32, "fmin": 20.0, "fmax": 900.0, "htk": True, "norm": None, "db_mult": None, "mel_dtype": "float32",
        "label_pattern": "{label}/*.wav",
    }  # fmt: skip
    try:
        audio.build(recordings, tmp_path / "out.h5", **given, progress=False, on_error="raise")
    except penstock.UnsupportedError:
        pytest.skip("built without soxr")
    with h5py.File(tmp_path / "out.h5") as file:
        attributes = {name: file.attrs[name] for name in given}
        assert {name: "none" if value is None else value for name, value in given.items()} == attributes
        assert json.loads(file.attrs["configuration"]) == {**attributes, "device": "cpu"}
    for name, other in {**given, "sample_rate": 4096, "duration": 5.0, "long_segment": 1280, "short_segment": 640,
                        "n_fft": 512, "hop_length": 32, "win_length": 100, "window": "hann", "center": False,
                        "pad_mode": "reflect", "power": 1.0, "n_mels": 16, "fmin": 0.0, "fmax": 800.0, "htk": False,
                        "norm": "slaney", "db_mult": 20.0, "mel_dtype": "float16",
                        "label_pattern": "{label}/*"}.items():  # fmt: skip
        with pytest.raises(penstock.InvalidError, match="other files or settings"):
            audio.build(recordings, tmp_path / "out.h5", **{**given, name: other}, progress=False)


def test_bytes_do_not_depend_on_workers_buffers_or_memory(recordings: Path, tmp_path: Path) -> None:
    (recordings / "cat" / "05.wav").write_bytes(b"RIFF")  # left out: rows behind it move up
    digests = set()
    for i, change in enumerate(
        [
            {"workers": 1},
            {"workers": 4, "batch_files": 2},
            {"workers": 3, "batch_files": 5, "num_mega_buffers": 1},
            {"workers": 4, "batch_files": 1, "num_mega_buffers": 8, "seg_microbatch_segments": 7},
            {"autosize_gpu_batch": False},
        ]
    ):
        report = audio.build(recordings, tmp_path / f"{i}.h5", **SETTINGS, **change)
        assert report.samples == 11
        digests.add(digest(tmp_path / f"{i}.h5"))
    assert len(digests) == 1


def test_bad_files_are_left_out_and_reported(recordings: Path, tmp_path: Path) -> None:
    (recordings / "cat" / "01.wav").write_bytes(b"")
    whole = (recordings / "cat" / "04.wav").read_bytes()
    (recordings / "cat" / "04.wav").write_bytes(whole[: len(whole) // 2])
    (recordings / "dog" / "link.wav").symlink_to("nowhere.wav")
    out = tmp_path / "out.h5"
    report = audio.build(recordings, out, **SETTINGS)
    assert (report.files, report.samples, report.skipped) == (13, 10, 3)
    assert [error.key for error in report.errors] == ["cat/01.wav", "cat/04.wav", "dog/link.wav"]
    assert isinstance(report.errors[2], penstock.NotFoundError)
    with h5py.File(out) as file:
        keys = list(file["keys"].asstr())
        assert len(keys) == len(file["labels"]) == len(file["mel"]) == len(file["waveform"]) == 10
        names = list(file["label_names"].asstr())
        assert [names[i] for i in file["labels"]] == [key.split("/")[0] for key in keys]
        for row, key in enumerate(keys):
            samples, _ = audio.read(recordings / key, duration=2.0)
            assert np.array_equal(file["waveform"][row].reshape(-1)[: len(samples)], samples)
            assert np.abs(file["waveform"][row]).max() > 0
    assert audio.build(recordings, tmp_path / "just.h5", **SETTINGS, max_errors=3).skipped == 3
    with pytest.raises(penstock.CorruptError, match="3 of 13 files are bad"):
        audio.build(recordings, tmp_path / "strict.h5", **SETTINGS, max_errors=2)
    with pytest.raises(penstock.CorruptError, match="on_error='skip'") as caught:
        audio.build(recordings, tmp_path / "first.h5", **SETTINGS, on_error="raise")
    assert caught.value.key == "cat/01.wav"
    assert not (tmp_path / "strict.h5").exists() and not (tmp_path / "first.h5").exists()


def test_samples_that_are_no_numbers_are_bad(tmp_path: Path) -> None:
    samples = tone(1, 1.0).astype("<f4")
    samples[100] = np.nan
    data = samples.tobytes()
    head = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + len(data), b"WAVE", b"fmt ", 16, 3, 1, 4096, 16384, 4, 32,
                       b"data", len(data))  # fmt: skip
    (tmp_path / "in" / "a").mkdir(parents=True)
    (tmp_path / "in" / "a" / "x.wav").write_bytes(head + data)
    write_wav(tmp_path / "in" / "a" / "y.wav", tone(2, 1.0))
    report = audio.build(tmp_path / "in", tmp_path / "out.h5", **SETTINGS)
    assert report.samples == 1 and "no number" in str(report.errors[0])


def test_features_that_float16_cannot_hold_are_bad(recordings: Path, tmp_path: Path) -> None:
    """Loud recordings to the third power; quiet ones stay."""
    for i in range(12):
        write_wav(recordings / "cat" / f"quiet{i:02}.wav", 0.01 * tone(i, 1.0))
    settings = {**SETTINGS, "power": 3.0, "norm": None, "db_mult": None}
    report = audio.build(recordings, tmp_path / "half.h5", **settings, max_errors=12)
    assert (report.samples, report.skipped) == (12, 12)
    error = report.errors[0]
    assert isinstance(error, penstock.UnsupportedError) and error.key == "cat/01.wav"
    assert "65,504" in str(error) and "mel_dtype float32" in str(error) and "db_mult" in str(error)
    with h5py.File(tmp_path / "half.h5") as file:
        assert np.isfinite(file["mel"][:]).all() and all("quiet" in key for key in file["keys"].asstr())
    with pytest.raises(penstock.UnsupportedError, match="mel_dtype float32"):
        audio.build(recordings, tmp_path / "strict.h5", **settings)
    report = audio.build(recordings, tmp_path / "single.h5", **settings, mel_dtype="float32")
    assert report.skipped == 0


def test_other_rates_are_resampled(tmp_path: Path) -> None:
    """As if the whole file were resampled and then cut: what follows the cut is heard at its edge."""
    write_wav(tmp_path / "in" / "a" / "x.wav", tone(1, 2.5, 8000), 8000)
    write_wav(tmp_path / "in" / "a" / "y.wav", tone(2, 7.0, 11025), 11025)
    write_wav(tmp_path / "in" / "a" / "z.wav", tone(3, 1.0, 2000), 2000)
    try:
        audio.build(tmp_path / "in", tmp_path / "out.h5", **SETTINGS, on_error="raise")
    except penstock.UnsupportedError:
        pytest.skip("built without soxr")
    with h5py.File(tmp_path / "out.h5") as file:
        for row, name in enumerate("xyz"):
            expected, _ = audio.read(tmp_path / "in" / "a" / f"{name}.wav", sample_rate=4096)
            expected = np.pad(expected[:8192], (0, max(0, 8192 - len(expected))))
            assert np.array_equal(file["waveform"][row].reshape(-1), expected)


KILLED = """
import sys
from penstock import audio
audio.build(sys.argv[1], sys.argv[2], duration=10.0, progress=False, workers=1, batch_files=1)
"""


def test_a_killed_build_continues(tmp_path: Path) -> None:
    source = tmp_path / "in"
    for i in range(150):
        write_wav(source / f"label{i % 5}" / f"{i:03}.wav", tone(i, 10.0))
    for i in (3, 77):
        (source / f"label{i % 5}" / f"{i:03}.wav").write_bytes(b"no audio")
    whole, killed = tmp_path / "whole.h5", tmp_path / "killed.h5"
    audio.build(source, whole, progress=False)
    journal = tmp_path / "killed.h5.building" / "journal"
    resumed = 0
    for lines in (20, 60, 100):
        process = subprocess.Popen([sys.executable, "-c", KILLED, source, killed])
        deadline = time.monotonic() + 120
        while process.poll() is None and time.monotonic() < deadline:
            if journal.exists() and journal.read_bytes().count(b"\n") > lines:
                os.kill(process.pid, signal.SIGKILL)
                break
            time.sleep(0.0005)
        resumed += process.wait(timeout=120) == -signal.SIGKILL
    assert resumed > 0, "the build was never killed in time"
    assert not killed.exists() or digest(killed) == digest(whole)
    report = audio.build(source, killed, progress=False)
    assert report.was_complete or report.resumed_at > 0
    assert report.skipped == 2
    assert digest(killed) == digest(whole)
    assert not journal.parent.exists()


def test_another_source_is_not_resumed(recordings: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.h5"
    with pytest.raises(penstock.CorruptError):
        broken = recordings / "dog" / "99.wav"
        broken.write_bytes(b"no audio")
        audio.build(recordings, out, **SETTINGS, on_error="raise", batch_files=1, workers=1)
    assert (tmp_path / "out.h5.building" / "journal").exists()
    broken.unlink()
    report = audio.build(recordings, out, **SETTINGS)
    assert report.resumed_at == 0 and report.samples == 12


def test_features_by_torch(recordings: Path, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    settings = {**SETTINGS, "n_fft": 256, "mel_dtype": "float32"}
    audio.build(recordings, tmp_path / "own.h5", **settings)
    audio.build(recordings, tmp_path / "torch.h5", **settings, device="cpu:0")
    with h5py.File(tmp_path / "own.h5") as own, h5py.File(tmp_path / "torch.h5") as other:
        assert np.array_equal(own["waveform"][:], other["waveform"][:])
        assert np.abs(own["mel"][:] - other["mel"][:]).max() < 0.02
        assert (own.attrs["device"], other.attrs["device"]) == ("cpu", "cpu:0")
    with pytest.raises(penstock.InvalidError, match="other files or settings"):
        audio.build(recordings, tmp_path / "own.h5", **settings, device="cpu:0")
    assert audio.build(recordings, tmp_path / "own.h5", **settings, device=torch.device("cpu")).was_complete
    if not torch.cuda.is_available():
        with pytest.raises(penstock.InvalidError, match="cuda"):
            audio.build(recordings, tmp_path / "gpu.h5", **SETTINGS, device="cuda")


def test_a_cuda_graph_is_for_cuda(recordings: Path, tmp_path: Path) -> None:
    with pytest.raises(penstock.InvalidError, match="cuda_graph requires a CUDA device"):
        audio.build(recordings, tmp_path / "out.h5", **SETTINGS, cuda_graph=True)


def test_graphs_are_recorded_once_and_replayed(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a stand-in for torch.cuda, on the CPU: which batches are replayed, and that each gets its own result."""
    torch = pytest.importorskip("torch")
    from penstock.audio._cuda import TorchMel
    from penstock.audio._features import _mel_settings

    settings = _mel_settings(4096, 20.0, {"n_fft": 256, "n_mels": 16})
    mel = TorchMel(penstock._core.MelSpectrogram(settings), settings, "cpu", True)
    plain = TorchMel(penstock._core.MelSpectrogram(settings), settings, "cpu", False)
    calls = {"recorded": 0, "replayed": 0}

    class Stream:
        def __init__(self, *_: object) -> None:
            self.record_event = self.synchronize = lambda: self
            self.wait_event = lambda event: None

    class Graph:
        def replay(self) -> None:
            calls["replayed"] += 1
            graph = slot["graph"]
            graph._result.copy_(plain.features(graph.waves))

    @contextlib.contextmanager
    def record(graph: Graph, **_: object) -> Iterator[None]:
        calls["recorded"] += 1
        yield

    monkeypatch.setattr(torch.cuda, "Stream", Stream)
    monkeypatch.setattr(torch.cuda, "stream", contextlib.nullcontext)
    monkeypatch.setattr(torch.cuda, "CUDAGraph", Graph)
    monkeypatch.setattr(torch.cuda, "graph", record)
    monkeypatch.setattr(torch.Tensor, "record_stream", lambda *_: None)
    monkeypatch.setattr(TorchMel, "_pinned", staticmethod(lambda slot, name, like: torch.empty_like(like)))
    monkeypatch.setattr("penstock.audio._cuda._SLOTS", 1)
    mel._on_gpu = True
    mel._set_up_gpu()
    slot = mel._slots.get()
    mel._slots.put(slot)
    for seed, count in enumerate((4, 4, 3, 4)):  # the third has another size
        waves = np.random.default_rng(seed).uniform(-1, 1, (count, 512)).astype(np.float32)
        out = np.zeros((count, 16, 3), np.float32)
        mel(waves, out)
        expected = np.zeros_like(out)
        plain(waves, expected)
        assert np.array_equal(out, expected)
    assert calls == {"recorded": 1, "replayed": 3}


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"duration": 2.0001}, "duration"),
        ({"long_segment": 1000}, "long_segment"),
        ({"short_segment": 500}, "short_segment"),
        ({"n_fft": 1024}, "512 samples"),
        ({"num_mega_buffers": 0}, "num_mega_buffers"),
        ({"seg_microbatch_segments": 0}, "seg_microbatch_segments"),
        ({"mel_dtype": "int8"}, "mel_dtype"),
        ({"sample_rate": 4096.0}, "sample_rate"),
        ({"workers": 0}, "workers"),
        ({"on_error": "replace"}, "on_error"),
    ],
)
def test_impossible_settings_are_refused(recordings: Path, tmp_path: Path, change: dict, word: str) -> None:
    with pytest.raises(penstock.InvalidError, match=word):
        audio.build(recordings, tmp_path / "out.h5", **{**SETTINGS, **change})
    assert not (tmp_path / "out.h5").exists()


def test_the_program_refuses_contradictions(recordings: Path, tmp_path: Path) -> None:
    command = [program(), "audio", "build", str(recordings), str(tmp_path / "out.h5"), "--linear", "--db-mult", "20"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode != 0 and "--linear and --db-mult cannot be combined" in done.stderr
    assert not (tmp_path / "out.h5").exists()


def test_little_memory_gives_small_buffers(recordings: Path, tmp_path: Path) -> None:
    # Ten buffers of all files, 1.7 MB each, are more than the process may have.
    command = f"{program()} audio build {recordings} {tmp_path / 'out.h5'} --duration 100 --num-mega-buffers 10"
    limited = ["bash", "-c", f"ulimit -v 200000; exec {command} --workers 1 --no-autosize-gpu-batch --json"]
    done = subprocess.run(limited, capture_output=True, text=True)
    if "PENSTOCK_AUDIO=ON" in done.stdout:
        raise penstock.UnsupportedError(done.stdout)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["samples"] == 12 and report["batch_files"] < 12
