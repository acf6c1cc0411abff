"""Features of audio, as librosa defines them."""

from __future__ import annotations

import inspect
import math
import operator
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

import numpy as np

from .. import _core
from ..errors import InvalidError

if TYPE_CHECKING:
    from typing_extensions import Unpack

Function = TypeVar("Function", bound=Callable[..., Any])


def _whole(name: str, value: Any) -> int:
    try:
        whole = operator.index(value)
    except TypeError:
        whole = None
    if whole is None or isinstance(value, bool) or abs(whole) >= 1 << 31:
        raise InvalidError(f"{name} must be an integer, got {value!r}")
    return whole


def _number(name: str, value: Any) -> float:
    try:
        number = None if isinstance(value, (str, bytes, bool)) else float(value)
    except (TypeError, ValueError, OverflowError, RuntimeError):  # the last: torch's for tensors of several numbers
        number = None
    if number is None or not math.isfinite(number):
        raise InvalidError(f"{name} must be a finite number, got {value!r}")
    return number


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise InvalidError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def _text(name: str, value: Any) -> str:
    return str(value)


def _norm(name: str, value: Any) -> str:
    if not (value is None or (isinstance(value, str) and value == "slaney")):
        raise InvalidError(f"norm must be 'slaney' or None, got {value!r}")
    return value or "none"


def _or_none(check: Callable[[str, Any], Any]) -> Callable[[str, Any], Any]:
    return lambda name, value: None if value is None else check(name, value)


#: Settings of a mel spectrogram: the default of each, and what makes of a given value the one that the engine takes.
MEL: dict[str, tuple[Any, Callable[[str, Any], Any]]] = {
    "n_fft": (512, _whole),
    "hop_length": (128, _whole),
    "win_length": (None, _or_none(_whole)),
    "window": ("hann", _text),
    "center": (False, _flag),
    "pad_mode": ("constant", _text),
    "power": (1.0, _number),
    "n_mels": (64, _whole),
    "fmin": (0.0, _number),
    "fmax": (None, _or_none(_number)),
    "htk": (False, _flag),
    "norm": ("slaney", _norm),
}


class MelKeywords(TypedDict, total=False):
    """How a mel spectrogram is made, for type checkers; MEL has the same names."""

    n_fft: int
    hop_length: int
    win_length: int | None
    window: str
    center: bool
    pad_mode: str
    power: float
    n_mels: int
    fmin: float
    fmax: float | None
    htk: bool
    norm: str | None


def _with_mel_parameters(**defaults: Any) -> Callable[[Function], Function]:
    """Names the settings of a mel spectrogram in the signature of a function that takes them as **keywords; `defaults`
    are those that differ there."""

    def named(function: Function) -> Function:
        own = inspect.signature(function)
        kinds = MelKeywords.__annotations__
        settings = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kinds[name])
            for name, (default, _) in MEL.items()
        ]
        changed = [setting.replace(default=defaults.get(setting.name, setting.default)) for setting in settings]
        first = [parameter for parameter in own.parameters.values() if parameter.kind is not parameter.VAR_KEYWORD]
        function.__signature__ = own.replace(parameters=[*first, *changed])  # type: ignore[attr-defined]
        return function

    return named


@_with_mel_parameters()
def mel_spectrogram(
    wave: Any,
    *,
    sample_rate: float,
    db_mult: float | None = None,
    dtype: str = "float32",
    **settings: Unpack[MelKeywords],
) -> Any:
    """`[..., samples]` to `[..., n_mels, frames]`: equal to librosa.feature.melspectrogram with the same settings.

    wave: floats, a numpy array or a torch tensor on the CPU; the result is of the same sort. NaN in a wave gives NaN in
        the frames that it is in.
    sample_rate: of the wave, in Hz.
    n_fft, hop_length, win_length: of the frames, in samples; win_length None = n_fft.
    window: "hann", "hamming", "blackman", "bartlett" or "rectangular".
    center: frame t has its middle at t * hop_length, else its beginning; pad_mode says what lies beyond the ends then:
        "constant" (zeros), "reflect" or "edge".
    power: 1 for magnitudes, 2 for power, or any number above 0.
    n_mels, fmin, fmax: filters between fmin and fmax Hz; fmax None = half the sample rate.
    htk: HTK's scale of frequencies, else Slaney's. norm: "slaney" (filters of equal area) or None (of equal height).
    db_mult: given, values become db_mult * log10(max(value, 1e-10)), computed in float32.
    dtype: "float32" or "float16" of the result, rounded at the very end.
    """
    samples = _samples(wave)
    checked = _mel_settings(sample_rate, db_mult, settings)
    mel = _mel_program(tuple(checked.items()))
    if not isinstance(dtype, str) or dtype not in ("float32", "float16"):
        raise InvalidError(f"dtype must be 'float32' or 'float16', got {dtype!r}")
    out = np.empty((*samples.shape[:-1], checked["n_mels"], mel.frames(samples.shape[-1])), dtype)
    mel.run(samples, out)
    return _like(wave, out)


@_with_mel_parameters(power=2.0)
def mfcc(
    wave: Any,
    *,
    sample_rate: float,
    n_mfcc: int = 20,
    lifter: float = 0.0,
    top_db: float | None = 80.0,
    **settings: Unpack[MelKeywords],
) -> Any:
    """`[..., samples]` to `[..., n_mfcc, frames]`: an orthonormal DCT-II of the decibels of the mel spectrogram.

    Equal to librosa.feature.mfcc with the same settings.

    lifter: 0 = none. top_db: nothing is further below the loudest value of the same wave; None = no bound.
    The others are those of mel_spectrogram.
    """
    samples = _samples(wave)
    checked = {
        **_mel_settings(sample_rate, None, {"power": 2.0, **settings}),
        "n_mfcc": _whole("n_mfcc", n_mfcc),
        "lifter": _number("lifter", lifter),
        "top_db": None if top_db is None else _number("top_db", top_db),
    }
    program = _mfcc_program(tuple(checked.items()))
    out = np.empty((*samples.shape[:-1], checked["n_mfcc"], program.frames(samples.shape[-1])), "float32")
    program.run(samples, out)
    return _like(wave, out)


def amplitude_to_db(
    values: Any, *, ref: float | Callable[[Any], float] = 1.0, amin: float = 1e-5, top_db: float | None = 80.0
) -> Any:
    """20 * log10(|values| / ref): equal to librosa.amplitude_to_db.

    ref: the amplitude of 0 dB, or a function of the amplitudes that gives it, such as numpy.max.
    amin: smaller amplitudes count as this. top_db: nothing is further below the loudest; None = no bound.
    """
    return _to_db(False, values, ref, amin, top_db)


def power_to_db(
    values: Any, *, ref: float | Callable[[Any], float] = 1.0, amin: float = 1e-10, top_db: float | None = 80.0
) -> Any:
    """10 * log10(values / ref): equal to librosa.power_to_db. The settings are those of amplitude_to_db."""
    return _to_db(True, values, ref, amin, top_db)


def _to_db(power: bool, values: Any, ref: Any, amin: float, top_db: float | None) -> Any:
    given = _floats(values)
    level = _number("ref", ref(given if power else np.abs(given)) if callable(ref) else ref)
    limit = None if top_db is None else _number("top_db", top_db)
    out = np.empty(given.shape, "float32")
    _core.to_db(power, given.reshape(-1), level, _number("amin", amin), limit, out.reshape(-1))
    return _like(values, out)


@lru_cache(maxsize=64)
def _mel_program(settings: tuple[tuple[str, Any], ...]) -> _core.MelSpectrogram:
    return _core.MelSpectrogram(dict(settings))


@lru_cache(maxsize=64)
def _mfcc_program(settings: tuple[tuple[str, Any], ...]) -> _core.Mfcc:
    return _core.Mfcc(dict(settings))


def _mel_settings(sample_rate: float, db_mult: float | None, given: Mapping[str, Any]) -> dict[str, Any]:
    """All settings, checked; those not given at their defaults."""
    for name in given:
        if name not in MEL:
            raise TypeError(f"unexpected keyword argument {name!r}; the settings are {', '.join(MEL)}")
    checked = {name: check(name, given.get(name, default)) for name, (default, check) in MEL.items()}
    return {
        "sample_rate": _number("sample_rate", sample_rate),
        **checked,
        "db_mult": _or_none(_number)("db_mult", db_mult),
    }


def _is_tensor(values: Any) -> bool:
    torch = sys.modules.get("torch")  # whoever has a tensor has imported it
    return torch is not None and isinstance(values, torch.Tensor)


def _floats(values: Any) -> np.ndarray[Any, np.dtype[np.float32]]:
    """As a float32 array without gaps; nothing is copied that is one already."""
    if _is_tensor(values):
        if values.device.type != "cpu":
            raise InvalidError(f"expected a tensor on the CPU, got one on {values.device}; move it with .cpu()")
        values = values.detach().numpy()
    try:
        array = np.asarray(values)
    except ValueError as error:  # rows of different lengths
        raise InvalidError(f"expected an array of floats: {error}") from None
    if array.dtype.kind != "f":
        raise InvalidError(f"expected an array of floats, a wave between -1 and 1, got {array.dtype}")
    return np.ascontiguousarray(array, "float32") if array.ndim else array.astype("float32")


def _samples(wave: Any) -> np.ndarray[Any, np.dtype[np.float32]]:
    samples = _floats(wave)
    if samples.ndim == 0:
        raise InvalidError("expected an array with samples along its last axis, got a single number")
    return samples


def _like(given: Any, out: np.ndarray[Any, Any]) -> Any:
    return sys.modules["torch"].from_numpy(out) if _is_tensor(given) else out
