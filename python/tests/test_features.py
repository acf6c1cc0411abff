"""Mel spectrograms, MFCC and decibels against numpy in float64, torch.stft and values that librosa wrote."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import numpy as np
import pytest

import penstock
from penstock import audio, transforms

RNG = np.random.default_rng(1)
# What docs/audio.md states: errors as a share of the largest value of the spectrogram, and in units of db_mult.
LINEAR_BOUND = 2e-6
HALF_BOUND = 2.0**-11
MFCC_BOUND = 0.01  # of decibels down to 80 below the loudest


def noise(*shape: int) -> np.ndarray:
    return RNG.uniform(-1, 1, shape).astype(np.float32)


def mel_scale(hertz: np.ndarray, htk: bool) -> np.ndarray:
    if htk:
        return 2595 * np.log10(1 + hertz / 700)
    return np.where(hertz < 1000, hertz * 3 / 200, 15 + np.log(np.maximum(hertz, 1) / 1000) / (np.log(6.4) / 27))


def bank(sample_rate: float, n_fft: int, n_mels: int, fmin: float, fmax: float | None, htk: bool, norm: str | None):
    """[n_mels, bins], from the definition; corners by bisection of the scale, so that its inverse is not repeated."""
    fmax = sample_rate / 2 if fmax is None else fmax
    wanted = np.linspace(mel_scale(np.array(fmin), htk), mel_scale(np.array(fmax), htk), n_mels + 2)
    low, high = np.full(n_mels + 2, 0.0), np.full(n_mels + 2, 2.0 * max(fmax, 1))
    for _ in range(200):
        middle = (low + high) / 2
        below = mel_scale(middle, htk) < wanted
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    corners = (low + high) / 2
    hertz = np.arange(n_fft // 2 + 1) * sample_rate / n_fft
    rising = (hertz - corners[:-2, None]) / (corners[1:-1] - corners[:-2])[:, None]
    falling = (corners[2:, None] - hertz) / (corners[2:] - corners[1:-1])[:, None]
    weights = np.maximum(0, np.minimum(rising, falling))
    return weights * (2 / (corners[2:] - corners[:-2]))[:, None] if norm == "slaney" else weights


def reference(
    wave, *, sample_rate, n_fft=512, hop_length=128, win_length=None, center=False, pad_mode="constant", power=1.0,
    n_mels=64, fmin=0.0, fmax=None, htk=False, norm="slaney",
):  # fmt: skip
    """In float64, with a hann window."""
    wave = np.asarray(wave, np.float64)
    length = win_length or n_fft
    window = np.zeros(n_fft)
    window[(n_fft - length) // 2 :][:length] = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(length) / length)
    if center:
        wave = np.pad(wave, n_fft // 2, mode=pad_mode)
    starts = np.arange(0, len(wave) - n_fft + 1, hop_length)
    spectrum = np.fft.rfft(np.stack([wave[s : s + n_fft] * window for s in starts]), axis=1)
    return bank(sample_rate, n_fft, n_mels, fmin, fmax, htk, norm) @ (np.abs(spectrum.T) ** power)


def random_settings(rng: np.random.Generator) -> dict:
    n_fft = int(rng.choice([64, 128, 256, 512, 1024, 2048, 400, 360, 441, 101]))
    sample_rate = float(rng.choice([4096, 8000, 16000, 22050, 44100]))
    fmin = float(rng.choice([0, 20, 300]))
    return {
        "sample_rate": sample_rate,
        "n_fft": n_fft,
        "hop_length": int(rng.integers(1, n_fft)),
        "win_length": None if rng.integers(2) else int(rng.integers(n_fft // 2, n_fft + 1)),
        "center": bool(rng.integers(2)),
        "pad_mode": str(rng.choice(["constant", "reflect", "edge"])),
        "power": float(rng.choice([1, 2, 0.5])),
        "n_mels": int(rng.integers(1, 129)),
        "fmin": fmin,
        "fmax": None if rng.integers(2) else float(rng.uniform(fmin + 100, sample_rate / 2 + 200)),
        "htk": bool(rng.integers(2)),
        "norm": [None, "slaney"][rng.integers(2)],
    }


@pytest.mark.parametrize("seed", range(60))
def test_random_settings_equal_the_reference(seed: int) -> None:
    rng = np.random.default_rng(seed)
    settings = random_settings(rng)
    wave = rng.uniform(-1, 1, 2100 + int(rng.integers(3000))).astype(np.float32)
    expected = reference(wave, **settings)
    got = audio.mel_spectrogram(wave, **settings)
    assert got.shape == expected.shape and got.dtype == np.float32
    scale = np.abs(expected).max(initial=1e-30)
    assert np.abs(got - expected).max() <= LINEAR_BOUND * scale, settings
    halves = audio.mel_spectrogram(wave, **settings, db_mult=20.0, dtype="float16")
    exact = audio.mel_spectrogram(wave, **settings, db_mult=20.0)
    assert np.abs(exact - 20 * np.log10(np.maximum(got.astype(np.float64), 1e-10))).max() <= 1e-4
    assert np.array_equal(halves, exact.astype(np.float16))
    assert np.abs(halves - exact).max() <= HALF_BOUND * np.abs(exact).max()


@pytest.mark.parametrize("pad_mode", ["constant", "reflect", "edge"])
@pytest.mark.parametrize("samples", [1, 2, 3, 100, 128, 129])
def test_waves_shorter_than_half_a_frame_are_padded_as_librosa_does(samples: int, pad_mode: str) -> None:
    """It has numpy.pad do it."""
    wave = np.random.default_rng(samples).uniform(-1, 1, samples).astype(np.float32)
    settings = {"sample_rate": 8000, "n_fft": 256, "hop_length": 64, "n_mels": 20, "center": True}
    expected = reference(wave, **settings, pad_mode=pad_mode)
    got = audio.mel_spectrogram(wave, **settings, pad_mode=pad_mode)
    assert np.abs(got - expected).max() <= LINEAR_BOUND * expected.max()


def test_equals_what_librosa_wrote() -> None:
    """data/librosa_features.npz, by data/write_librosa_features.py; the bounds are those of docs/audio.md."""
    with np.load(Path(__file__).parent / "data" / "librosa_features.npz") as known:
        about = json.loads(str(known["about"]))
        wave = known["wave"].astype(np.float32) / 32768
        assert len(about["settings"]) >= 40 and about["versions"]["librosa"]
        for i, settings in enumerate(about["settings"]):
            expected = known[f"mel_{i}"]
            got = audio.mel_spectrogram(wave, sample_rate=about["rate"], **settings)
            assert got.shape == expected.shape
            assert np.abs(got - expected).max() <= LINEAR_BOUND * expected.max(), settings
            # Values far below the loudest are rounding in both, and decibels show it.
            audible = expected > max(1e-10, 1e-5 * expected.max())
            exact = 20 * np.log10(np.maximum(expected.astype(np.float64), 1e-10))
            halves = audio.mel_spectrogram(wave, sample_rate=about["rate"], **settings, db_mult=20.0, dtype="float16")
            bound = HALF_BOUND * np.abs(exact).max() + 0.02
            assert np.abs(halves.astype(np.float64) - exact)[audible].max() <= bound, settings
            coefficients = known[f"mfcc_{i}"]
            mfcc = audio.mfcc(wave, sample_rate=about["rate"], n_mfcc=len(coefficients), **settings)
            assert np.abs(mfcc - coefficients).max() <= MFCC_BOUND, settings


def test_equals_torch_stft() -> None:
    torch = pytest.importorskip("torch")
    wave = noise(3, 8000)
    spectrum = torch.stft(
        torch.from_numpy(wave), 512, 128, window=torch.hann_window(512), center=True, pad_mode="reflect",
        return_complex=True,
    )  # fmt: skip
    weights = torch.from_numpy(bank(8000, 512, 64, 0, None, False, "slaney").astype(np.float32))
    expected = (weights @ spectrum.abs()).numpy()
    got = audio.mel_spectrogram(torch.from_numpy(wave), sample_rate=8000, center=True, pad_mode="reflect")
    assert isinstance(got, torch.Tensor) and got.shape == (3, 64, 63)
    assert np.abs(got.numpy() - expected).max() <= 2 * LINEAR_BOUND * expected.max()


def test_leading_axes_and_strides() -> None:
    waves = noise(2, 3, 1400)
    expected = np.stack([[audio.mel_spectrogram(w, sample_rate=4096) for w in row] for row in waves])
    assert np.array_equal(audio.mel_spectrogram(waves, sample_rate=4096), expected)
    every_second = np.repeat(waves, 2, axis=-1)[..., ::2]
    assert np.array_equal(audio.mel_spectrogram(every_second, sample_rate=4096), expected)
    assert np.array_equal(audio.mel_spectrogram(waves.astype(np.float64), sample_rate=4096), expected)
    assert audio.mel_spectrogram(waves[:, :0], sample_rate=4096).shape == (2, 0, 64, 7)


def test_mfcc_is_the_dct_of_decibels() -> None:
    wave = noise(4000)
    mel = reference(wave, sample_rate=8000, power=2.0, n_mels=40)
    decibels = 10 * np.log10(np.maximum(mel, 1e-10))
    decibels = np.maximum(decibels, decibels.max() - 80)
    k, m = np.arange(13)[:, None], np.arange(40)
    rows = np.sqrt(2 / 40) * np.cos(np.pi * k * (2 * m + 1) / 80)
    rows[0] /= np.sqrt(2)
    rows *= 1 + 22 / 2 * np.sin(np.pi * (k + 1) / 22)
    got = audio.mfcc(wave, sample_rate=8000, n_mels=40, n_mfcc=13, lifter=22)
    assert np.abs(got - rows @ decibels).max() < 2e-3


def test_decibels() -> None:
    values = noise(5, 7)
    expected = 20 * np.log10(np.maximum(np.abs(values.astype(np.float64)), 1e-5))
    assert np.abs(audio.amplitude_to_db(values, top_db=None) - expected).max() < 1e-4
    assert np.abs(audio.amplitude_to_db(values, top_db=10) - np.maximum(expected, expected.max() - 10)).max() < 1e-4
    assert abs(audio.amplitude_to_db(values, ref=np.max).max()) < 1e-6
    assert np.allclose(audio.power_to_db(values**2, ref=4.0, top_db=None), expected - 10 * np.log10(4), atol=1e-4)


def test_one_program_in_many_threads() -> None:
    waves = [noise(6000) for _ in range(8)]
    expected = [audio.mel_spectrogram(wave, sample_rate=8000) for wave in waves]
    wrong: list[int] = []

    def work(i: int) -> None:
        for _ in range(50):
            if not np.array_equal(audio.mel_spectrogram(waves[i], sample_rate=8000), expected[i]):
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert not wrong


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"n_fft": 1}, "n_fft"),
        ({"n_fft": 512.0}, "n_fft"),
        ({"n_fft": 1 << 40}, "n_fft"),
        ({"hop_length": 0}, "hop_length"),
        ({"win_length": 600}, "win_length"),
        ({"window": "kaiser"}, "kaiser"),
        ({"pad_mode": "wrap"}, "wrap"),
        ({"power": -1}, "power"),
        ({"sample_rate": "8000"}, "sample_rate"),
        ({"sample_rate": float("nan")}, "sample_rate"),
        ({"norm": "l2"}, "norm"),
        ({"dtype": "float64"}, "dtype"),
        ({"fmin": [1]}, r"fmin must be .* got \[1\]"),
        ({"fmin": np.zeros(2)}, "fmin must be"),
        ({"n_mels": np.zeros(2, int)}, "n_mels must be"),
        ({"n_mels": {}}, "n_mels must be"),
        ({"center": None}, "center must be .* got None"),
        ({"htk": "no"}, "htk must be .* got 'no'"),
        ({"norm": []}, "norm must be"),
        ({"dtype": np.zeros(2)}, "dtype must be"),
        ({"db_mult": 10**400}, "db_mult must be"),
        ({"wave": [[1.0], [1.0, 2.0]]}, "expected an array of floats"),
        ({"wave": np.zeros(511, np.float32)}, "511 samples"),
        ({"wave": np.zeros(5000, np.int16)}, "int16"),
        ({"wave": 1.0}, "single number"),
    ],
)
def test_impossible_settings_are_refused(change: dict, word: str) -> None:
    given = {"wave": np.zeros(5000, np.float32), "sample_rate": 8000, **change}
    with pytest.raises(penstock.InvalidError, match=word):
        audio.mel_spectrogram(given.pop("wave"), **given)


def test_numbers_of_numpy_are_numbers() -> None:
    wave = np.random.default_rng(0).random(3000).astype(np.float32)
    plain = audio.mel_spectrogram(wave, sample_rate=8000, n_fft=256, n_mels=20, center=True, power=2.0)
    numpy_ones = {"sample_rate": np.int64(8000), "n_fft": np.int16(256), "n_mels": np.array(20)}
    numpy_ones |= {"center": np.True_, "power": np.float32(2)}
    np.testing.assert_array_equal(audio.mel_spectrogram(wave, **numpy_ones), plain)
    assert transforms.MelSpectrogram(n_fft=np.array(256), center=np.True_) == transforms.MelSpectrogram(
        n_fft=256, center=True
    )
