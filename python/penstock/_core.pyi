# Made by tools/gen_stubs.py from nanobind's stub of the compiled module.
from typing import Any
from collections.abc import Callable, Sequence


def check_options(given: dict[str, Any]) -> dict[str, Any]:
    """
    All options with their values, those not given at their defaults; raises InvalidError.
    """

def option_docs() -> dict[str, Any]:
    """What each option does, by name."""

class Transform:
    """An operation with its parameters."""

    @property
    def name(self) -> str: ...

    @property
    def params(self) -> dict[str, Any]: ...

    def __repr__(self) -> str: ...

    def __eq__(self, other: object, /) -> bool: ...

def make_transform(name: str, params: dict[str, Any]) -> Transform:
    """An operation by name; raises InvalidError."""

def transform_catalog() -> list[dict[str, object]]:
    """Every operation with its parameters."""

def imagenet_train(size: int = 224) -> list[Transform]: ...

def imagenet_val(size: int = 224) -> list[Transform]: ...

class Dataset:
    """Samples by number, read in place."""

    @staticmethod
    def open(sources: list[str], fields: dict[str, str], max_pixels: int) -> Dataset: ...

    def __len__(self) -> int: ...

    @property
    def fields(self) -> dict[str, str]: ...

    @property
    def classes(self) -> list[str]: ...

    @property
    def fingerprint(self) -> str: ...

    @property
    def warnings(self) -> list[str]: ...

    @property
    def description(self) -> str: ...

    def key(self, sample: int) -> str: ...

    def at(self, sample: int) -> dict[str, Any]: ...

    def raw(self, sample: int) -> dict[str, bytes]: ...

class Batch:
    """What a loader delivers; the memory lives as long as any view of it."""

    @property
    def rows(self) -> int: ...

    @property
    def epoch(self) -> int: ...

    @property
    def step(self) -> int: ...

    @property
    def columns(self) -> list[str]: ...

    def kind(self, name: str) -> str: ...

    def column(self, name: str, numpy: bool) -> Any: ...

    def index(self, numpy: bool) -> Any: ...

    def keys(self) -> list[str]: ...

    @property
    def is_raw(self) -> bool: ...

    def raw(self, name: str, numpy: bool) -> Any: ...

class Loader:
    """Batches of a data set, epoch after epoch."""

    @staticmethod
    def open(dataset: Dataset, transforms: Sequence[tuple[str, Sequence[Transform]]], options: dict[str, Any]) -> Loader: ...

    @property
    def steps(self) -> int: ...

    def set_epoch(self, epoch: int) -> None: ...

    @property
    def next_epoch(self) -> int: ...

    def set_shard(self, rank: int, world: int) -> None: ...

    def start_epoch(self, order: Any | None = None) -> int: ...

    def state(self) -> str: ...

    def load_state(self, state: str, strict: bool) -> None: ...

    def next(self, ticket: int) -> Batch | None:
        """The next batch, or None at the end of the epoch."""

    def next_if_ready(self, ticket: int) -> Batch | None:
        """The next batch if it is ready and sound, else None."""

    def stats(self) -> dict[str, Any]: ...

    def errors(self) -> list[Error]: ...

    def await_cache(self) -> None:
        """
        Waits as long as the next epoch gains by it that the cache becomes complete.
        """

    def problems(self) -> list[tuple[str, str]]: ...

    def plan(self) -> str: ...

    def close(self) -> None: ...

def build(source: Dataset, destination: str, settings: dict[str, Any], show: Callable[[int, int, int, float], None] | None) -> dict[str, Any]: ...

def verify(opened: Dataset | None, paths: list[str], source: Dataset | None, sources: list[str], fields: dict[str, str], show: Callable[[int, int, int, float], None] | None) -> dict[str, Any]: ...

from .errors import Error

__version__: str
