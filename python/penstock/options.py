"""How a Loader works, as an immutable value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from ._option_list import OPTIONS, OWN, no_such_option, with_option_parameters
from ._option_types import OptionFields, OptionKeywords
from ._output import OUTPUTS, default_output
from .errors import InvalidError
from .samplers import Random, sampler_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

CONTEXTS = ("spawn", "forkserver", "fork")
COLLATE_PLACES = ("thread", "process")

#: What the presets set; each is a method with that name.
PRESETS: dict[str, dict[str, Any]] = {
    "gpu_optimized": {
        "pin_memory": True,
        "non_blocking": True,
        "memory_format": "channels_last",
        "prefetch": 4,
        "persistent_workers": True,
    },
    "distributed_optimized": {
        "sampler": "distributed_random",
        "drop_last": True,
        "prefetch": 4,
        "persistent_workers": True,
    },
    "debug_mode": {
        "num_workers": 0,
        "collate_in": "thread",
        "prefetch": 0,
        "auto_tune": False,
        "cpu_budget": 1.0,
        "shuffle": False,
        "shuffle_mode": "global",
        "shuffle_window": None,
        "shuffle_shards": None,
        "length_window": None,
        "sampler": None,
        "loading_mode": "ordered",
        "on_error": "raise",
        "max_errors": None,
        "max_error_run": None,
        "pin_memory": False,
        "device": None,
    },
}


def check(given: Mapping[str, Any]) -> dict[str, Any]:
    """All options with their values; raises InvalidError for unknown names and impossible values."""
    rest = dict(given)
    for name in rest:
        if name not in OPTIONS:
            raise InvalidError(no_such_option(name))
    own = {name: rest.pop(name, option.default) for name, option in OWN.items()}
    _check_own(own)
    sampler = sampler_of(rest.pop("sampler", None))
    checked = _core.check_options({**rest, "sampler": None if sampler is None else sampler.spec()})
    if sampler is not None and checked["shuffle"] and sampler != Random():
        raise InvalidError(
            f"shuffle=True and sampler={sampler!r} cannot be combined: a sampler already determines the order"
        )
    return {**checked, "sampler": sampler, **own}


def _check_own(own: dict[str, Any]) -> None:
    if own["output"] is None:
        own["output"] = default_output()
    own["multiprocessing_context"] = _context_name(own["multiprocessing_context"])
    for name, choices in (
        ("output", OUTPUTS),
        ("multiprocessing_context", CONTEXTS),
        ("collate_in", COLLATE_PLACES),
    ):
        if own[name] not in choices:
            raise InvalidError(f"{name} must be {_either(choices)}, got {own[name]!r}")
    for name in ("pin_memory", "non_blocking"):
        if not isinstance(own[name], bool):
            raise InvalidError(f"{name} must be True or False, got {own[name]!r}")
    device = own["device"]
    if device is not None:
        if not isinstance(device, str) and type(device).__module__.partition(".")[0] != "torch":
            raise InvalidError(f"device must be a text such as 'cuda:1' or a torch.device, got {device!r}")
        own["device"] = str(device)


def _either(choices: Sequence[str]) -> str:
    *first, last = map(repr, choices)
    return f"{', '.join(first)} or {last}"


def _context_name(given: Any) -> Any:
    """One of multiprocessing's contexts stands for its name."""
    return given.get_start_method() if hasattr(given, "get_start_method") else given


class LoaderOptions(OptionFields):
    """Options of a Loader. Every option is a property and has a with_<option>(value) that returns a changed copy."""

    __slots__ = ("_values",)
    _values: dict[str, Any]

    @with_option_parameters
    def __init__(self, **options: Unpack[OptionKeywords]) -> None:
        object.__setattr__(self, "_values", check(options))

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise AttributeError(no_such_option(name.removeprefix("with_")))

        def __setattr__(self, name: str, value: Any) -> None:
            raise AttributeError(f"options are immutable; use with_{name}({value!r}), which returns a changed copy")

    def with_shuffle(self, on: bool = True, seed: int | None = None) -> LoaderOptions:
        """Shuffling on or off, and its seed if given."""
        changes: dict[str, Any] = {"shuffle": on}
        if seed is not None:
            changes["seed"] = seed
        return self.replace(**changes)

    def channels_first(self) -> LoaderOptions:
        """Images as [B, 3, H, W] in memory."""
        return self.replace(memory_format="channels_first")

    def channels_last(self) -> LoaderOptions:
        """Images as [B, H, W, 3] in memory."""
        return self.replace(memory_format="channels_last")

    def use_spawn(self) -> LoaderOptions:
        """Helper processes that begin again."""
        return self.replace(multiprocessing_context="spawn")

    def use_forkserver(self) -> LoaderOptions:
        """Helper processes that begin as copies of a small process without threads."""
        return self.replace(multiprocessing_context="forkserver")

    def use_fork(self) -> LoaderOptions:
        """Helper processes that begin as copies of this one, while that is safe."""
        return self.replace(multiprocessing_context="fork")

    def with_timeout(self, seconds: float | None) -> LoaderOptions:
        """The longest wait for a batch."""
        return self.replace(timeout_seconds=seconds)

    def gpu_optimized(self) -> LoaderOptions:
        """For training on a GPU: page-locked memory, copies that do not wait, channels last, more batches ahead."""
        return self.replace(**PRESETS["gpu_optimized"])

    def distributed_optimized(self, rank: int, world_size: int) -> LoaderOptions:
        """For one rank of several: its part of one shuffled order, whole batches only."""
        return self.replace(shard_rank=rank, shard_world_size=world_size, **PRESETS["distributed_optimized"])

    def debug_mode(self) -> LoaderOptions:
        """For looking into things: all in the caller's thread, in order, nothing ahead, the first error raises."""
        return self.replace(**PRESETS["debug_mode"])

    def random_sampling(self, replacement: bool = False) -> LoaderOptions:
        """Samples in random order: a permutation, or independent draws."""
        return self.replace(sampler=Random(replacement))

    @with_option_parameters
    def replace(self, **changes: Unpack[OptionKeywords]) -> LoaderOptions:
        """A copy with these options changed."""
        return LoaderOptions(**{**self._values, **changes})

    def to_dict(self) -> dict[str, Any]:
        """A plain dict, which from_dict takes."""
        sampler = self._values["sampler"]
        return {**self._values, "sampler": None if sampler is None else sampler.to_dict()}

    def for_core(self) -> dict[str, Any]:
        """What the engine takes."""
        sampler = self._values["sampler"]
        values = {
            **self._values,
            "sampler": None if sampler is None else sampler.spec(),
            "memory_format": self._layout(),
        }
        return {name: value for name, value in values.items() if name not in OWN}

    def _layout(self) -> str:
        """The memory format, decided where it is auto: torch's convolutions prefer channels_last on CUDA."""
        layout: str = self._values["memory_format"]
        if layout != "auto":
            return layout
        on_cuda = self._values["output"] == "torch" and str(self._values["device"]).startswith("cuda")
        return "channels_last" if on_cuda else "channels_first"

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> LoaderOptions:
        """Options from a plain dict; raises InvalidError for unknown names."""
        for name in values:
            if not isinstance(name, str):
                raise InvalidError(f"unknown option {name!r}; the options are: {', '.join(OPTIONS)}")
        return cls(**values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LoaderOptions) and self._values == other._values

    def __hash__(self) -> int:
        return hash(tuple(self._values.items()))

    def __repr__(self) -> str:
        return f"LoaderOptions({', '.join(f'{name}={value!r}' for name, value in self._values.items())})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (self._values,))


def _rebuild(values: Mapping[str, Any]) -> LoaderOptions:
    return LoaderOptions(**values)
