"""penstock.audio.read beside soundfile (libsndfile) and soxr."""

from __future__ import annotations

import io
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import penstock
from penstock import audio

soundfile = pytest.importorskip("soundfile")

Floats = npt.NDArray[np.float32]

WAV_KINDS = [
    (container, subtype)
    for container in ("WAV", "WAVEX", "RF64")
    for subtype in ("PCM_U8", "PCM_16", "PCM_24", "PCM_32", "FLOAT", "DOUBLE", "ULAW", "ALAW")
]
COMPRESSED = [("FLAC", "PCM_16"), ("FLAC", "PCM_24"), ("OGG", "VORBIS"), ("OGG", "OPUS"), ("MP3", "MPEG_LAYER_III")]


def noise(frames: int, channels: int, seed: int) -> npt.NDArray[np.float64]:
    """Something with tones and noise in it, at most 0.9 loud."""
    generator = np.random.default_rng(seed)
    time = np.arange(frames)[:, None]
    tones = np.sin(time * generator.uniform(0.01, 0.5, (1, channels)))
    return 0.5 * tones + generator.uniform(-0.4, 0.4, (frames, channels))


def written(samples: npt.NDArray[Any], rate: int, container: str, subtype: str) -> bytes:
    memory = io.BytesIO()
    soundfile.write(memory, samples, rate, format=container, subtype=subtype)
    return memory.getvalue()


def reference(content: bytes) -> tuple[Floats, int]:
    samples, rate = soundfile.read(io.BytesIO(content), dtype="float32", always_2d=True)
    return np.ascontiguousarray(samples.T), rate


@pytest.mark.parametrize(("container", "subtype"), WAV_KINDS)
def test_wav_equals_soundfile_sample_for_sample(container: str, subtype: str, tmp_path: Path) -> None:
    if not soundfile.check_format(container, subtype):
        pytest.skip(f"libsndfile writes no {subtype} in {container}")
    for channels, frames, rate in [(1, 1001, 8000), (2, 777, 44100), (3, 100, 16000), (7, 65, 48000), (1, 0, 8000)]:
        content = written(noise(frames, channels, frames), rate, container, subtype)
        expected, expected_rate = reference(content)
        path = tmp_path / "audio.wav"
        path.write_bytes(content)
        for source in (path, str(path), content):
            samples, got_rate = audio.read(source, mono=False)
            assert (got_rate, samples.dtype, samples.shape) == (expected_rate, np.float32, (channels, frames))
            np.testing.assert_array_equal(samples, expected)
        mono, _ = audio.read(content)
        np.testing.assert_array_equal(mono, expected.mean(axis=0) if frames else np.zeros(0, np.float32))


@pytest.mark.parametrize("subtype", ["PCM_U8", "PCM_16", "PCM_24", "PCM_32", "FLOAT", "DOUBLE", "ULAW", "ALAW"])
def test_big_endian_wav_equals_soundfile_sample_for_sample(subtype: str) -> None:
    for channels, frames in [(1, 10_001), (2, 777), (7, 65), (1, 0)]:
        memory = io.BytesIO()
        soundfile.write(memory, noise(frames, channels, frames), 16000, format="WAV", subtype=subtype, endian="BIG")
        content = memory.getvalue()
        assert content[:4] == b"RIFX"
        samples, rate = audio.read(content, mono=False)
        assert rate == 16000
        np.testing.assert_array_equal(samples, reference(content)[0])
        part, _ = audio.read(content, start=min(13, frames) / rate, mono=False)
        np.testing.assert_array_equal(part, samples[:, min(13, frames) :])


@pytest.mark.parametrize(("container", "subtype"), COMPRESSED)
def test_compressed_audio_equals_soundfile_and_slices_equal_the_whole(container: str, subtype: str) -> None:
    for channels in (1, 2):
        rate = 48000 if subtype == "OPUS" else 22050
        content = written(noise(rate, channels, channels), rate, container, subtype)
        expected, _ = reference(content)
        whole, got_rate = audio.read(content, mono=False)
        assert got_rate == rate
        assert whole.shape == expected.shape
        # Two builds of libsndfile may carry two builds of a lossy decoder.
        tolerance = 0.0 if container == "FLAC" else 2e-4
        np.testing.assert_allclose(whole, expected, rtol=0, atol=tolerance)
        generator = random.Random(channels)
        frames = whole.shape[1]
        for _ in range(12):
            first = generator.randrange(frames)
            count = generator.randrange(frames - first)
            part, _ = audio.read(content, start=first / rate, duration=count / rate, mono=False)
            np.testing.assert_array_equal(part, whole[:, first : first + count])


@pytest.mark.parametrize(("container", "subtype"), COMPRESSED)
@pytest.mark.parametrize(("rate", "seconds", "channels"), [(8000, 3.0, 1), (24000, 2.5, 2), (8000, 0.1, 1)])
def test_slices_near_the_end_equal_the_whole(
    container: str, subtype: str, rate: int, seconds: float, channels: int
) -> None:
    """The last page of Vorbis may end within a packet, and tones need few pages."""
    time = np.arange(int(rate * seconds))[:, None] / rate
    tones = 0.5 * np.sin(2 * np.pi * np.array([[300.0, 500.0]])[:, :channels] * time * (1 + 0.1 * time))
    content = written(tones, rate, container, subtype)
    whole, _ = audio.read(content, mono=False)
    frames = whole.shape[1]
    generator = random.Random(7)
    for first in sorted({frames - 1, frames // 2, *(generator.randrange(frames) for _ in range(40))}):
        part, _ = audio.read(content, start=first / rate, duration=1000 / rate, mono=False)
        np.testing.assert_array_equal(part, whole[:, first : first + 1000], err_msg=str(first))


@pytest.mark.parametrize("subtype", ["VORBIS", "OPUS"])
def test_damage_within_ogg_is_an_error(subtype: str, tmp_path: Path) -> None:
    """Each page has a checksum; libsndfile leaves out those that are wrong without a word."""
    rate = 24000
    content = written(noise(2 * rate, 1, 4), rate, "OGG", subtype)
    whole, _ = audio.read(content)
    generator = random.Random(5)
    found = 0
    for _ in range(200):
        changed = bytearray(content)
        changed[generator.randrange(len(changed))] ^= 1 << generator.randrange(8)
        try:
            samples, _ = audio.read(bytes(changed))
        except penstock.CorruptError:
            found += 1
            continue
        # The last page says that it is longer than the file, which is what a file that was cut has.
        np.testing.assert_array_equal(samples, whole[: len(samples)])
    assert found >= 198
    audio.read(content + b"TAG" + bytes(125))  # anything may follow the last page


def test_slices_are_exact_and_end_with_the_audio() -> None:
    content = written(noise(9000, 2, 5), 9000, "WAV", "PCM_16")
    whole, _ = audio.read(content)
    for first, count in [(0, 9000), (0, 1), (8999, 1), (4500, 100), (9000, 10), (10, 0)]:
        part, _ = audio.read(content, start=first / 9000, duration=count / 9000)
        np.testing.assert_array_equal(part, whole[first : first + count])
    rest, _ = audio.read(content, start=0.5, duration=100.0)
    np.testing.assert_array_equal(rest, whole[4500:])
    with pytest.raises(penstock.InvalidError, match="past the end of a recording of 1 seconds"):
        audio.read(content, start=1.5)
    for values in ({"start": -1}, {"duration": -1}, {"start": float("nan")}, {"sample_rate": 0}):
        with pytest.raises(penstock.InvalidError, match=next(iter(values))):
            audio.read(content, **values)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", ["1", b"1", [1], np.zeros(2), {}, 1j])
@pytest.mark.parametrize("name", ["start", "duration", "sample_rate", "mono"])
def test_settings_of_another_type_are_named(name: str, value: Any) -> None:
    content = written(noise(900, 1, 5), 9000, "WAV", "PCM_16")
    with pytest.raises(penstock.InvalidError, match=f"{name} must be "):
        audio.read(content, **{name: value})


def test_settings_of_numpy_are_taken() -> None:
    content = written(noise(9000, 1, 5), 9000, "WAV", "PCM_16")
    part, rate = audio.read(content, start=np.float32(0.5), duration=np.float64(0.1), mono=np.True_)
    assert part.shape == (900,)
    assert audio.read(content, duration=float("inf"), sample_rate=np.int32(rate))[0].shape == (9000,)
    with pytest.raises(penstock.InvalidError, match="path must be .* got 3"):
        audio.read(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(("before", "after"), [(8000, 16000), (44100, 16000), (16000, 4096), (22050, 44100)])
def test_resampling_equals_soxr(before: int, after: int) -> None:
    soxr = pytest.importorskip("soxr")
    content = written(noise(before * 2 + 123, 2, before), before, "WAV", "FLOAT")
    whole, _ = audio.read(content, mono=False)
    for mono in (False, True):
        samples, rate = audio.read(content, sample_rate=after, mono=mono)
        assert rate == after
        given = whole.mean(axis=0) if mono else whole
        expected = soxr.resample(given.T, before, after, quality="HQ").T
        assert samples.shape == expected.shape
        # Two builds of soxr may add in another order.
        np.testing.assert_allclose(samples, expected, rtol=0, atol=2e-6)
    part, _ = audio.read(content, start=0.5, duration=0.25, sample_rate=after)
    edge = int(0.5 * before)
    sliced = whole.mean(axis=0)[edge : edge + int(0.25 * before)]
    np.testing.assert_allclose(part, soxr.resample(sliced, before, after, quality="HQ"), rtol=0, atol=2e-6)


@pytest.mark.parametrize(("container", "subtype"), [("WAV", "PCM_16"), ("FLAC", "PCM_16"), ("OGG", "VORBIS")])
def test_every_truncation_point_is_an_error_or_a_shorter_audio(container: str, subtype: str) -> None:
    content = written(noise(300, 1, 8), 8000, container, subtype)
    whole, _ = audio.read(content)
    shorter = 0
    for size in range(len(content)):
        try:
            samples, _ = audio.read(content[:size])
        except (penstock.CorruptError, penstock.UnsupportedError):
            continue
        # Ogg has no length of its own: what is cut off is not missed before the last page.
        assert container == "OGG"
        shorter += 1
        np.testing.assert_array_equal(samples, whole[: len(samples)])
    assert (shorter > 0) == (container == "OGG")


@pytest.mark.parametrize(("container", "subtype"), [("WAV", "PCM_16"), *COMPRESSED])
def test_changed_bytes_end_in_an_error_or_in_samples(container: str, subtype: str) -> None:
    rate = 48000 if subtype == "OPUS" else 16000
    content = written(noise(2000, 2, 9), rate, container, subtype)
    generator = random.Random(10)
    for _ in range(150):
        changed = bytearray(content)
        for _ in range(generator.choice((1, 2, 8))):
            changed[generator.randrange(min(len(changed), 200))] = generator.randrange(256)
        try:
            samples, got = audio.read(bytes(changed), mono=False)
        except (penstock.CorruptError, penstock.UnsupportedError, penstock.InvalidError):
            continue
        assert samples.dtype == np.float32
        assert 0 < got <= 2**24


@pytest.mark.parametrize("packages", ["penstock", "penstock, soundfile"])
def test_damaged_mp3_prints_nothing(tmp_path: Path, packages: str) -> None:
    """libmpg123 would; in a process of its own, where no other libsndfile was loaded before."""
    content = written(noise(44100, 1, 3), 44100, "MP3", "MPEG_LAYER_III")
    penstock.audio.read(content)  # a build without libsndfile says so here
    rng = random.Random(0)
    for i in range(40):
        changed = bytearray(content[: rng.randrange(500, len(content))] if i % 5 == 0 else content)
        for _ in range(20):
            changed[rng.randrange(200, len(changed))] = rng.randrange(256)
        if i % 3 == 0:  # a hole
            at = rng.randrange(200, len(changed))
            changed[at : at + 400] = bytes(len(changed[at : at + 400]))
        (tmp_path / f"{i}.mp3").write_bytes(changed)
    program = (
        f"import sys, {packages}\n"
        "for path in sys.argv[1:]:\n"
        "    try: penstock.audio.read(path)\n"
        "    except penstock.CorruptError as error: print(error)\n"
    )
    command = [sys.executable, "-c", program, *map(str, sorted(tmp_path.iterdir()))]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert "MP3 is damaged or truncated" in done.stdout
    assert done.stderr == ""


def mp3_frames(content: bytes) -> list[bytes]:
    """The frames of an MPEG 1 layer III file at 44.1 kHz, its Xing header among them."""
    rates = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
    frames, at = [], 0
    while at + 4 <= len(content):
        assert content[at : at + 2] == b"\xff\xfb"
        size = 144_000 * rates[content[at + 2] >> 4] // 44100 + (content[at + 2] >> 1 & 1)
        frames.append(content[at : at + size])
        at += size
    return frames


def without_xing(samples: npt.NDArray[Any], mode: str) -> tuple[bytes, int]:
    """An MP3 that does not say its length, and how many frames it has."""
    memory = io.BytesIO()
    soundfile.write(
        memory, samples, 44100, format="MP3", subtype="MPEG_LAYER_III", bitrate_mode=mode, compression_level=0.5
    )
    frames = mp3_frames(memory.getvalue())
    assert b"Xing" in frames[0] or b"Info" in frames[0]
    assert (len({len(frame) // 2 for frame in frames}) == 1) == (mode == "CONSTANT")
    return b"".join(frames[1:]), len(frames) - 1


@pytest.mark.parametrize("mode", ["CONSTANT", "AVERAGE", "VARIABLE"])
@pytest.mark.parametrize("channels", [1, 2])
def test_an_mp3_that_does_not_say_its_length_is_read_whole(mode: str, channels: int) -> None:
    content, frames = without_xing(noise(100_000, channels, 11), mode)
    id3 = b"ID3\x03\x00\x00\x00\x00\x02\x01" + bytes(257)
    for file in (content, id3 + content, id3 + content + b"TAG" + bytes(125), content + bytes(20)):
        samples, rate = audio.read(file, mono=False)
        assert (rate, samples.shape) == (44100, (channels, frames * 1152))
        expected = reference(file)[0]  # as far as libsndfile guesses its length
        common = min(expected.shape[1], samples.shape[1]) - 1152
        np.testing.assert_allclose(samples[:, :common], expected[:, :common], rtol=0, atol=2e-4)
        assert np.abs(samples[:, -2000:-1152]).max() > 0.1


@pytest.mark.parametrize("mode", ["CONSTANT", "VARIABLE"])
def test_an_mp3_that_does_not_say_its_length_is_refused_where_frames_are_missing(mode: str) -> None:
    content, frames = without_xing(noise(100_000, 1, 11), mode)
    half = len(content) // 2
    with pytest.raises(penstock.CorruptError, match="its last frame, at byte .* is incomplete"):
        audio.read(content[:-5])
    with pytest.raises(penstock.CorruptError, match="no frame at byte"):
        audio.read(content[:half] + bytes(3000) + content[half + 3000 :])
    with pytest.raises(penstock.CorruptError, match="no frame at byte"):
        audio.read(content[:half] + content[half + 100 :])
    with pytest.raises(penstock.CorruptError, match="no frame at byte"):
        audio.read(content + bytes(5000))
    assert len(audio.read(content)[0]) == frames * 1152


@pytest.mark.parametrize("mode", ["CONSTANT", "VARIABLE"])
def test_an_mp3_that_does_not_say_its_length_is_refused_where_its_last_frame_is_destroyed(mode: str) -> None:
    frames = mp3_frames(without_xing(noise(50_000, 1, 11), mode)[0])
    for count in range(2, len(frames)):
        for tag in (b"", b"TAG" + bytes(125)):
            with pytest.raises(penstock.CorruptError, match="no frame at byte"):
                audio.read(b"".join(frames[:count]) + bytes(len(frames[count])) + tag)


def test_errors_name_the_file(tmp_path: Path) -> None:
    with pytest.raises(penstock.NotFoundError, match=r"none\.wav"):
        audio.read(tmp_path / "none.wav")
    (tmp_path / "text.wav").write_text("hello, this is no audio")
    with pytest.raises(penstock.CorruptError, match=r"text\.wav.*not a known audio format"):
        audio.read(tmp_path / "text.wav")
    (tmp_path / "page.mp3").write_text("<!doctype html><p>gone")
    with pytest.raises(penstock.UnsupportedError, match="HTML"):
        audio.read(tmp_path / "page.mp3")
    with pytest.raises(penstock.IoError, match=str(tmp_path)):
        audio.read(tmp_path)
