"""Recordings of folders, tars and stores as samples and as batches."""

from __future__ import annotations

import io
import tarfile
import wave
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import penstock
from penstock import audio, transforms

RATE = 8000


def samples_of(number: int, frames: int, channels: int = 1) -> npt.NDArray[np.int16]:
    return np.random.default_rng(number).integers(-30000, 30000, (frames, channels), dtype=np.int16)


def wav(samples: npt.NDArray[np.int16], rate: int = RATE) -> bytes:
    memory = io.BytesIO()
    with wave.open(memory, "wb") as file:
        file.setnchannels(samples.shape[1])
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(samples.tobytes())
    return memory.getvalue()


def length_of(number: int) -> int:
    return 600 + 37 * number


def recording(number: int) -> bytes:
    return wav(samples_of(number, length_of(number)))


def write_tar(path: Path, members: list[tuple[str, bytes]]) -> Path:
    with tarfile.open(path, "w") as tar:
        for name, content in members:
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return path


@pytest.fixture
def tar(tmp_path: Path) -> Path:
    members = []
    for i in range(20):
        members += [(f"{i:02d}.wav", recording(i)), (f"{i:02d}.cls", str(i % 3).encode())]
    return write_tar(tmp_path / "recordings.tar", members)


def loader(source: Any, **options: Any) -> penstock.Loader:
    return penstock.Loader(source, **{"batch_size": 4, "num_workers": 2, "output": "numpy", **options})


def test_samples_are_channels_by_frames_with_their_rate(tar: Path) -> None:
    ds = penstock.Dataset(tar)
    assert ds.fields == {"audio": "audio", "label": "int"}
    sample = ds[3]
    expected = samples_of(3, length_of(3)).T.astype(np.float32) / 32768
    np.testing.assert_array_equal(sample["audio"], expected)
    assert (sample["audio"].dtype, sample["audio_rate"], sample["label"]) == (np.float32, RATE, 0)
    assert ds.raw(3)["audio"] == recording(3)


def test_class_folders_of_recordings(tmp_path: Path) -> None:
    for i in range(6):
        path = tmp_path / "set" / ("cat", "dog")[i % 2] / f"{i}.wav"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(recording(i))
    ds = penstock.Dataset(tmp_path / "set")
    assert ds.classes == ["cat", "dog"]
    assert [ds[i]["label"] for i in range(6)] == [0, 0, 0, 1, 1, 1]
    with loader(ds, batch_size=6) as batches:
        (batch,) = list(batches)
    assert batch["audio_length"].tolist() == [length_of(i) for i in (0, 2, 4, 1, 3, 5)]


def test_batches_are_padded_and_say_the_lengths(tar: Path) -> None:
    with loader(tar, shuffle=True, seed=4) as batches:
        seen = 0
        for batch in batches:
            lengths = batch["audio_length"]
            assert batch["audio"].shape == (4, 1, lengths.max())
            assert (batch["audio"].dtype, lengths.dtype) == (np.float32, np.int64)
            for row, number in enumerate(batch["index"].tolist()):
                expected = samples_of(number, length_of(number))[:, 0].astype(np.float32) / 32768
                assert lengths[row] == len(expected)
                np.testing.assert_array_equal(batch["audio"][row, 0, : len(expected)], expected)
                assert not batch["audio"][row, 0, len(expected) :].any()
                seen += 1
    assert seen == 20


def test_torch_tensors(tar: Path) -> None:
    torch = pytest.importorskip("torch")
    with loader(tar, output="torch") as batches:
        batch = next(iter(batches))
    assert batch["audio"].dtype == torch.float32
    assert batch["audio_length"].tolist() == [length_of(i) for i in range(4)]


def test_one_length_is_one_array_written_in_place(tar: Path) -> None:
    with loader(tar, transforms=[transforms.PadTime(1000)]) as batches:
        assert "float32 rows of 1000 frames" in batches.plan()
        batch = next(iter(batches))
    assert batch["audio"].shape == (4, 1, 1000)
    assert batch["audio_length"].tolist() == [length_of(i) for i in range(4)]


RANDOM_LIST = [
    transforms.RandomTimeCrop(700),
    transforms.RandomGain(),
    transforms.RandomPolarity(),
    transforms.AddNoise((5, 20)),
    transforms.MelSpectrogram(n_fft=256, n_mels=24),
    transforms.AmplitudeToDB(),
    transforms.TimeMasking(2),
    transforms.FrequencyMasking(6),
]


def all_batches(source: Path, **options: Any) -> dict[tuple[int, int], bytes]:
    """The bytes of each (epoch, sample)."""
    found = {}
    with loader(source, transforms={"audio": RANDOM_LIST}, shuffle=True, seed=9, **options) as batches:
        for epoch in range(2):
            for batch in batches:
                assert batch["audio"].shape[1:] == (1, 24, 4)
                for row, number in enumerate(batch["index"].tolist()):
                    found[epoch, number] = batch["audio"][row].tobytes()
    return found


def test_random_transforms_do_not_depend_on_workers_or_batches(tar: Path) -> None:
    once = all_batches(tar, num_workers=1, batch_size=4)
    assert len(once) == 40
    assert all(once[0, i] != once[1, i] for i in range(20))
    assert all_batches(tar, num_workers=4, batch_size=5) == once


def test_resuming_gives_what_was_left(tar: Path) -> None:
    options: dict[str, Any] = {"transforms": {"audio": RANDOM_LIST}, "shuffle": True, "seed": 2}
    with loader(tar, **options) as batches:
        whole = [batch["audio"].copy() for batch in batches]
    for done in range(6):
        with loader(tar, **options) as first:
            iterator = iter(first)
            for _ in range(done):
                next(iterator)
            state = first.state_dict()
        with loader(tar, **options) as second:
            second.load_state_dict(state)
            rest = [batch["audio"] for batch in second]
        assert len(rest) == len(whole) - done if done < 5 else True
        for got, expected in zip(rest, whole[done:], strict=False):
            np.testing.assert_array_equal(got, expected)


def test_rates_and_channels_must_agree_or_be_made_to(tmp_path: Path) -> None:
    members = [
        ("0.wav", recording(0)),
        ("1.wav", wav(samples_of(1, 500, 2))),
        ("2.wav", wav(samples_of(2, 900), 16000)),
        ("3.wav", recording(3)),
    ]
    path = write_tar(tmp_path / "mixed.tar", members)
    with loader(path) as batches, pytest.raises(penstock.InvalidError, match=r"2 channels.*ToMono\(\)"):
        next(iter(batches))
    mono = [transforms.ToMono()]
    with loader(path, transforms=mono) as batches, pytest.raises(penstock.InvalidError, match=r"Resample\(8000\)"):
        next(iter(batches))
    with loader(path, on_error="skip") as batches:
        assert [batch["index"].tolist() for batch in batches] == [[0, 3]]
        assert len(batches.errors()) == 2
    with loader(path, transforms=[transforms.ToMono(), transforms.Resample(RATE)]) as batches:
        (batch,) = list(batches)
        assert batch["audio_length"].tolist() == [600, 500, 450, length_of(3)]
        expected, _ = audio.read(members[2][1], sample_rate=RATE)
        np.testing.assert_array_equal(batch["audio"][2, 0, :450], expected)


def test_damaged_recordings_are_errors_with_their_place(tmp_path: Path) -> None:
    members = [(f"{i}.wav", recording(i)[: 900 if i == 2 else None]) for i in range(4)]
    path = write_tar(tmp_path / "damaged.tar", members)
    with pytest.raises(penstock.CorruptError, match=r"sample 2 \(2\).*truncated"):
        penstock.Dataset(path)[2]
    with loader(path) as batches, pytest.raises(penstock.CorruptError, match=r"sample 2 \(2\).*truncated"):
        next(iter(batches))
    with loader(path, on_error="skip") as batches:
        (batch,) = list(batches)
        assert batch["audio_length"].tolist() == [length_of(i) for i in (0, 1, 3)]
    with loader(path, on_error="replace") as batches:
        (batch,) = list(batches)
        assert batch["audio"].shape[0] == 4


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"center": True, "pad_mode": "reflect", "norm": None},
        {"center": True, "pad_mode": "edge", "win_length": 200, "window": "hamming", "htk": True, "power": 2.0},
    ],
)
def test_features_equal_those_of_penstock_audio(tar: Path, settings: dict[str, Any]) -> None:
    settings = {"n_fft": 256, "hop_length": 64, "n_mels": 20, **settings}
    with loader(tar, transforms=[transforms.MelSpectrogram(**settings)]) as batches:
        batch = next(iter(batches))
    for row in range(4):
        samples, rate = audio.read(recording(row))
        expected = audio.mel_spectrogram(samples, sample_rate=rate, **settings)
        assert batch["audio_length"][row] == expected.shape[-1]
        np.testing.assert_array_equal(batch["audio"][row, 0, :, : expected.shape[-1]], expected)


def test_an_unknown_norm_is_refused() -> None:
    with pytest.raises(penstock.InvalidError, match="norm"):
        transforms.MelSpectrogram(norm="equal")


def test_stores_keep_recordings(tar: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    report = penstock.build(tar, store)
    assert report.samples == 20
    assert penstock.verify(store, source=tar).ok
    ds = penstock.Dataset(store)
    assert ds.fields["audio"] == "audio"
    assert ds.raw(5)["audio"] == recording(5)
    with loader(store) as batches, loader(tar) as expected:
        for a, b in zip(batches, expected, strict=True):
            np.testing.assert_array_equal(a["audio"], b["audio"])


def test_verify_finds_damaged_recordings_and_builds_leave_them_out(tmp_path: Path) -> None:
    members = [(f"{i}.wav", recording(i)[: 900 if i == 2 else None]) for i in range(4)]
    path = write_tar(tmp_path / "damaged.tar", members)
    found = penstock.verify(path)
    assert [error.key for error in found.errors] == ["2"]
    with pytest.raises(penstock.CorruptError, match=r"sample 2 \(2\).*truncated"):
        penstock.build(path, tmp_path / "refused")
    report = penstock.build(path, tmp_path / "skipped", on_error="skip")
    assert (report.samples, report.skipped) == (3, 1)
    assert penstock.verify(tmp_path / "skipped").ok


def test_images_and_recordings_do_not_take_each_others_transforms(tar: Path) -> None:
    with pytest.raises(penstock.InvalidError, match="works on images, not on recordings"):
        loader(tar, transforms=[transforms.RandomHorizontalFlip()])
    with pytest.raises(penstock.InvalidError, match="for a field of kind image"):
        loader(tar, transforms=[lambda wave: wave])
    with pytest.raises(penstock.InvalidError, match="length"):
        loader(penstock.Dataset(tar, fields={"audio": "wav", "audio_length": "cls"}))
