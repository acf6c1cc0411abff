"""Every option of a Loader: its type, its default, and what it does. Signatures, stubs and pages are made from it."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from . import _core

Function = TypeVar("Function", bound=Callable[..., Any])


class Option(NamedTuple):
    """What is known of an option. Types are texts, as Python writes them."""

    type: str  #: of what may be given
    held: str  #: of what LoaderOptions makes of it
    default: Any
    doc: str


def _of_engine(declared: dict[str, Any]) -> Option:
    given = declared["type"]
    held = given.replace("str | os.PathLike[str]", "str").replace("SamplerLike", "Sampler")
    return Option(given, held, declared["default"], declared["doc"])


#: Options of the Python face alone.
OWN: dict[str, Option] = {
    "output": Option(
        'Literal["torch", "numpy", "dlpack"] | None',
        'Literal["torch", "numpy", "dlpack"]',
        None,
        "what batches hold: torch, numpy or dlpack; None = torch where it is installed, else numpy",
    ),
    "pin_memory": Option(
        "bool", "bool", False, "tensors in page-locked memory, where torch has CUDA; otherwise a warning says why not"
    ),
    "non_blocking": Option(
        "bool",
        "bool",
        False,
        "copies to the device do not wait: the next batch is on its way while this one is used; needs device",
    ),
    "multiprocessing_context": Option(
        'Literal["spawn", "forkserver", "fork"] | BaseContext',
        'Literal["spawn", "forkserver", "fork"]',
        "spawn",
        "how helper processes are started that run Python functions among the transforms, or collate_fn: spawn, "
        "forkserver, or fork, which is refused once threads or CUDA make it unsafe",
    ),
    "collate_in": Option(
        'Literal["thread", "process"]',
        'Literal["thread", "process"]',
        "thread",
        "where collate_fn runs: in the thread of whoever takes the batches, or in a helper process, ahead of it",
    ),
    "device": Option(
        "str | torch.device | None",
        "str | None",
        None,
        "where tensors go, as torch.device takes it; None = they stay in the host's memory",
    ),
}
#: All of them.
OPTIONS: dict[str, Option] = {
    **{str(declared["name"]): _of_engine(declared) for declared in _core.option_catalog()},
    **OWN,
}
#: What others call an option, or what they have in its place.
_ELSEWHERE = {
    "prefetch_factor": "prefetch",
    "timeout": "timeout_seconds",
    "generator": "seed",
    "in_order": "loading_mode",
    "pin_memory_device": "device",
    "batch_sampler": "sampler",
    "workers": "num_workers",
    "num_threads": "num_workers",
    "world_size": "shard_world_size",
    "rank": "shard_rank",
    "cache_dir": "cache",
    "collate": "collate_fn",
}
#: What to do without an option that others have.
_INSTEAD = {
    "worker_init_fn": "workers are threads that run no Python, so there is nothing to initialise: let a function among "
    "the transforms make what it needs when it is first called, and draw from the rng that it is given",
}
#: What a Loader takes besides options.
_ARGUMENTS = ("transforms", "collate_fn", "as_tuple")


def no_such_option(name: str) -> str:
    """What to say of a name that no option has."""
    if name in _INSTEAD:
        return f"unknown option {name!r}; {_INSTEAD[name]}"
    near = _ELSEWHERE.get(name) or next(iter(difflib.get_close_matches(name, [*OPTIONS, *_ARGUMENTS], 1)), None)
    if near is None:
        meant = ";"
    else:
        meant = f"; did you mean {near} ({OPTIONS[near].doc if near in OPTIONS else 'an argument of Loader'})?"
    return f"unknown option {name!r}{meant} the options are: {', '.join(OPTIONS)}"


def option_lines() -> str:
    """Every option with its default and its sentence, a line each."""
    return "\n".join(f"{name}: {option.doc} (default: {option.default!r})" for name, option in OPTIONS.items())


def with_option_parameters(function: Function) -> Function:
    """Names the options in the signature of a function that takes them as **keywords."""
    own = inspect.signature(function)
    first = [parameter for parameter in own.parameters.values() if parameter.kind is not parameter.VAR_KEYWORD]
    options = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=option.type)
        for name, option in OPTIONS.items()
    ]
    function.__signature__ = own.replace(parameters=[*first, *options])  # type: ignore[attr-defined]
    return function
