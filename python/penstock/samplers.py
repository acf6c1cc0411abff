"""Which samples an epoch has, and in which order. Every sampler gives the global order; ranks take slices of it."""

from __future__ import annotations

import itertools
import operator
import sys
from collections.abc import Iterable, Mapping, Sized
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from .errors import InvalidError

NAMES = ("sequential", "random", "distributed_random")

#: An iterable without a length that gives more values than these is taken to be endless.
MAX_VALUES = 1 << 26
#: The same for the epoch of a sampler of the caller; 16 times the samples of its data set, if that is more.
MAX_PLACES = 1 << 24
_CHUNK = 1 << 16  # values between two looks for Ctrl-C


class Sampler:
    """What the samplers of this module have in common. They do not change; equality compares what they do."""

    __slots__ = ()
    kind = ""

    def spec(self) -> dict[str, Any]:
        """For the engine: {"kind": ..., ...}."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Plain values, which LoaderOptions(sampler=...) takes."""
        return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in self.spec().items()}

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, Sampler) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(self.kind)

    def __repr__(self) -> str:
        given = {name: value for name, value in self.spec().items() if name != "kind"}
        shown = (f"{n}={f'<{len(v)} values>' if isinstance(v, np.ndarray) else repr(v)}" for n, v in given.items())
        return f"{type(self).__name__}({', '.join(shown)})"


class Sequential(Sampler):
    """The data set's own order."""

    __slots__ = ()
    kind = "sequential"

    def spec(self) -> dict[str, Any]:
        return {"kind": self.kind}


class Random(Sampler):
    """A permutation, new every epoch; with replacement, num_samples independent draws (as many as there are samples
    unless given)."""

    __slots__ = ("num_samples", "replacement")
    kind = "random"

    def __init__(self, replacement: bool = False, num_samples: int | None = None) -> None:
        self.replacement: Final = bool(replacement)
        self.num_samples: Final = _count("num_samples", num_samples)

    def spec(self) -> dict[str, Any]:
        return {"kind": self.kind, "replacement": self.replacement, "num_samples": self.num_samples}


class Weighted(Sampler):
    """Draws with these probabilities, one weight for each sample. Without replacement every epoch is a new order of
    the samples with a weight, heavy ones earlier; making it takes time in the number of samples."""

    __slots__ = ("num_samples", "replacement", "weights")
    kind = "weighted"

    def __init__(self, weights: Iterable[float], replacement: bool = True, num_samples: int | None = None) -> None:
        try:
            self.weights: Final[npt.NDArray[np.float64]] = np.array(
                _array_of(weights, "weights", MAX_VALUES), dtype=np.float64, order="C"
            )
        except InvalidError:
            raise
        except (TypeError, ValueError) as problem:
            raise InvalidError(f"weights must be a list of numbers: {problem}") from None
        if self.weights.ndim != 1:
            raise InvalidError("weights must be one number per sample")
        self.replacement: Final = bool(replacement)
        self.num_samples: Final = _count("num_samples", num_samples)

    def spec(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "weights": self.weights,
            "replacement": self.replacement,
            "num_samples": self.num_samples,
        }


class RepeatedAugmentation(Sampler):
    """A permutation, new every epoch, of which each sample comes num_repeats times in a row. Places are dealt out to
    the ranks one by one, so that the copies of a sample land on different ranks, and each copy draws for itself (Hoffer
    et al., arXiv 1901.09335; timm's and DeiT's RepeatAugSampler).

    An epoch has num_samples places, all ranks together: unless given as many as there are samples, rounded down to a
    multiple of 256 where there are so many. So an epoch sees about a third of the samples, three times each.
    """

    __slots__ = ("num_repeats", "num_samples")
    kind = "repeated"

    def __init__(self, num_repeats: int = 3, num_samples: int | None = None) -> None:
        repeats = _count("num_repeats", num_repeats)
        if repeats is None:
            raise InvalidError("num_repeats must be a positive integer, got None")
        self.num_repeats: Final = repeats
        self.num_samples: Final = _count("num_samples", num_samples)

    def spec(self) -> dict[str, Any]:
        return {"kind": self.kind, "num_repeats": self.num_repeats, "num_samples": self.num_samples}


class Indices(Sampler):
    """These samples, in this order. A sample may come more than once."""

    __slots__ = ("indices",)
    kind = "indices"

    def __init__(self, indices: Iterable[int]) -> None:
        self.indices: Final = order_array(indices, MAX_VALUES)

    def spec(self) -> dict[str, Any]:
        return {"kind": self.kind, "indices": self.indices}


class Given(Sampler):
    """A re-iterable of the caller, asked for the order of each epoch when that begins. If it has set_epoch(epoch),
    that is called before; a resumed run is exact if it gives the same order for the same epoch."""

    __slots__ = ("order",)
    kind = "given"

    def __init__(self, order: Iterable[int]) -> None:
        self.order: Final = order

    @property
    def num_samples(self) -> int | None:
        """Of an epoch, if it knows."""
        return len(self.order) if isinstance(self.order, Sized) else None

    def spec(self) -> dict[str, Any]:
        return {"kind": self.kind, "num_samples": self.num_samples}

    def to_dict(self) -> dict[str, Any]:
        raise InvalidError("options with a custom sampler cannot be converted to a dict; remove the sampler first")

    def of_epoch(self, epoch: int, samples: int) -> npt.NDArray[np.uint64]:
        """The samples of that epoch; `samples` are in the data set. Raises InvalidError if there is no end of them."""
        set_epoch = getattr(self.order, "set_epoch", None)
        if callable(set_epoch):
            set_epoch(epoch)
        return order_array(self.order, max(MAX_PLACES, 16 * samples))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Given) and other.order is self.order

    def __hash__(self) -> int:
        return hash(self.kind)

    def __repr__(self) -> str:
        return repr(self.order)


#: What the option `sampler` takes; a mapping is what to_dict() of a sampler returned.
SamplerLike: TypeAlias = (
    Literal["sequential", "random", "distributed_random"] | Sampler | Iterable[int] | Mapping[str, Any]
)


def order_array(indices: Iterable[int], limit: int) -> npt.NDArray[np.uint64]:
    """Sample numbers as the engine takes them; raises InvalidError for what is none, and for more than `limit`."""
    try:
        array = _array_of(indices, "sampler", limit)
    except InvalidError:
        raise
    except (TypeError, ValueError) as problem:
        raise InvalidError(f"sampler must consist of sample numbers: {problem}") from None
    if array.size == 0:
        return np.zeros(0, np.uint64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise InvalidError(f"sampler must be a list of integers, got {array.ndim} dimensions of {array.dtype}")
    if array.dtype.kind == "i" and int(array.min()) < 0:
        raise InvalidError(f"sampler: sample numbers start at 0, got {int(array.min())}")
    return np.ascontiguousarray(array, np.uint64)


def sampler_of(given: object) -> Sampler | None:
    """A sampler from what the option takes; raises InvalidError."""
    if given is None or isinstance(given, Sampler):
        return given
    if isinstance(given, str):
        if given not in NAMES:
            choices = ", ".join(repr(name) for name in NAMES)
            raise InvalidError(f"sampler must be {choices} or one of penstock.samplers, got {given!r}")
        return Sequential() if given == "sequential" else Random()
    if isinstance(given, Mapping):
        return _from_dict(given)
    _refuse_torch(given)
    if isinstance(given, (list, tuple, range, np.ndarray)):
        return Indices(given)
    if isinstance(given, Iterable):
        if iter(given) is given:
            raise InvalidError("sampler: an iterator is exhausted after one epoch; use one that can be iterated again")
        return Given(given)
    raise InvalidError(f"sampler must be a name, one of penstock.samplers, or sample numbers, got {given!r}")


def _from_dict(given: Mapping[Any, Any]) -> Sampler:
    values = dict(given)
    kind = values.pop("kind", None)
    for choice in (Sequential, Random, Weighted, RepeatedAugmentation, Indices):
        if choice.kind == kind:
            try:
                return choice(**values)
            except TypeError as problem:
                raise InvalidError(f"sampler={dict(given)!r} is not valid: {problem}") from None
    raise InvalidError(f"sampler must be what to_dict() of a sampler returned, got {dict(given)!r}")


def _refuse_torch(given: object) -> None:
    data = sys.modules.get("torch.utils.data")
    if data is None:
        return
    if isinstance(given, data.DistributedSampler):
        raise InvalidError(
            "sampler: a DistributedSampler gives the slice of one rank, and penstock slices the global order by rank "
            "itself: together they would leave samples out; pass sampler='distributed_random' or shuffle=True"
        )
    if isinstance(given, data.BatchSampler):
        raise InvalidError("sampler: a BatchSampler gives batches; pass its sampler and batch_size")


def _count(name: str, value: int | None) -> int | None:
    if value is None:
        return None
    try:
        number = operator.index(value)
    except TypeError:
        number = 0
    if number < 1:
        raise InvalidError(f"{name} must be a positive integer, got {value!r}")
    return number


def _array_of(values: Iterable[Any], name: str, limit: int) -> npt.NDArray[Any]:
    """What an iterable gives, which may have no end."""
    if isinstance(values, (list, tuple, range, np.ndarray)):
        return np.asarray(values)
    length = len(values) if isinstance(values, Sized) else None
    limit = limit if length is None else length
    iterator, parts, count = itertools.islice(values, min(limit + 1, sys.maxsize)), [], 0
    while part := list(itertools.islice(iterator, _CHUNK)):
        parts.append(np.asarray(part))
        count += len(part)
    if count > limit and length is not None:
        raise InvalidError(f"{name}: len() is {length:,}, and it gives {count:,} values or more; make both agree")
    if count > limit:
        raise InvalidError(f"{name}: an iterable must end, got more than {limit:,} values")
    return np.concatenate(parts) if parts else np.zeros(0)
