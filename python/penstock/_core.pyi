# Made by tools/gen_stubs.py from nanobind's stub of the compiled module.
from typing import Any
from collections.abc import Callable, Mapping, Sequence


def printable(text: str) -> str:
    """
    A name from data as people may be shown it: one line, escaped, and shortened if it is long.
    """

def check_options(given: dict[str, Any]) -> dict[str, Any]:
    """
    All options with their values, those not given at their defaults; raises InvalidError.
    """

def option_catalog() -> list[dict[str, object]]:
    """
    Every option: its name, its type as Python writes it, its default and what it does.
    """

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
    """Every operation with its parameters and what it draws."""

def imagenet_train(size: int = 224) -> list[Transform]: ...

def imagenet_val(size: int = 224) -> list[Transform]: ...

class SampleProgram:
    """A list of transforms for images of one kind."""

    def __init__(self, operations: Sequence[Transform], channels: int, wide: bool, first_op: int) -> None: ...

    def run(self, image: object, mask: object | None, boxes: object | None, keypoints: object | None, seed: int, params: list[dict[str, object]] | None, orientations: tuple[int, int], draws: bool) -> dict[str, object]:
        """
        The image [H, W, C], what lies in its plane where that was given, which boxes are left, and, if `draws`, what was drawn as params. A first dimension more where several images are made of one. bfloat16 comes as uint16, with its name as type. orientations: EXIF's of the image and of the mask.
        """

    @property
    def images(self) -> int: ...

def stream_of_seed(seed: int) -> int:
    """
    The stream of epoch 0, which functions in a list outside of a loader draw from.
    """

def batch_operations(operations: Sequence[Transform]) -> tuple[int, int]:
    """
    How many operations at the end of a list work on whole batches, and the classes of labels that they want.
    """

def replay_on_batch(operations: Sequence[Transform], params: list[dict[str, object]], images: object, channels_last: bool, labels: object | None, masks: object | None, boxes: Sequence[object], box_labels: Sequence[object]) -> list[tuple[object, object]]:
    """
    Runs operations on a batch where it is, with what was drawn for it; boxes and their labels are made anew.
    """

class Dataset:
    """Samples by number, read in place."""

    @staticmethod
    def open(sources: list[str], fields: dict[str, str], max_pixels: int, readings: Mapping[str, tuple[str, str, str, str]]) -> Dataset: ...

    def __len__(self) -> int: ...

    @property
    def fields(self) -> dict[str, str]: ...

    @property
    def planes(self) -> dict[str, str]:
        """
        Which fields are masks, boxes and key points: {name: "mask", "boxes" or "keypoints"}.
        """

    @property
    def classes(self) -> list[str]: ...

    @property
    def fingerprint(self) -> str: ...

    @property
    def warnings(self) -> list[str]: ...

    @property
    def description(self) -> str: ...

    def key(self, sample: int) -> str: ...

    def at(self, sample: int) -> tuple[dict[str, Any], list[str]]: ...

    def raw(self, sample: int) -> dict[str, bytes]: ...

def format_catalog() -> list[str]:
    """
    The names of all formats, in the order in which they are asked whether a source is theirs.
    """

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

    def params(self, row: int) -> list[tuple[str, bool, list[dict[str, Any]]]]: ...

    def kind(self, name: str) -> str: ...

    def is_image(self, name: str) -> bool: ...

    def is_bfloat16(self, name: str) -> bool:
        """
        Of what numpy cannot hold: such a column is to be asked for with numpy=False.
        """

    def box_format(self, name: str) -> str: ...

    def column(self, name: str, numpy: bool) -> Any: ...

    def lengths(self, name: str, numpy: bool) -> Any: ...

    def has_sizes(self, name: str) -> bool: ...

    def sizes(self, name: str, numpy: bool) -> Any: ...

    def index(self, numpy: bool) -> Any: ...

    def keys(self) -> list[str]: ...

    @property
    def is_raw(self) -> bool: ...

    def raw(self, name: str, numpy: bool) -> Any: ...

class HelperPool:
    """Helper processes and what they share with this one."""

    def __init__(self, helpers: object, timeout_seconds: float | None) -> None: ...

    def add(self, id: int, socket: int, process: int) -> None:
        """Takes over the descriptors of a helper."""

    def stop(self) -> None: ...

    @property
    def started(self) -> int: ...

    @property
    def lost(self) -> int: ...

    @property
    def alive(self) -> int: ...

class PythonStage:
    """A function of the user as a stage of the pipeline."""

    def __init__(self, stage: object, name: str, identity: str, number: int, pool: HelperPool) -> None: ...

    def transform(self) -> Transform: ...

    @property
    def unchanged(self) -> int: ...

    @property
    def calls(self) -> int: ...

    @property
    def seconds(self) -> float: ...

def measure_round_trip() -> float:
    """Seconds that the way to a helper process and back takes now."""

def end_with(socket: int, parent: int) -> None:
    """
    Ends this process with its parent, or when the other end of the socket is closed.
    """

def scalar_names() -> list[str]:
    """Types of arrays, in the order of their numbers."""

class Loader:
    """Batches of a data set, epoch after epoch."""

    @staticmethod
    def open(dataset: Dataset, transforms: Sequence[tuple[str, Sequence[Transform]]], options: dict[str, Any], views: Sequence[tuple[str, int, Sequence[Transform]]]) -> Loader: ...

    @property
    def steps(self) -> int: ...

    @property
    def columns(self) -> list[tuple[str, str]]: ...

    def set_epoch(self, epoch: int) -> None: ...

    @property
    def next_epoch(self) -> int: ...

    @property
    def next_position(self) -> int | None: ...

    def set_shard(self, rank: int, world: int) -> None: ...

    def start_epoch(self, order: Any | None = None) -> int: ...

    def state(self) -> str: ...

    def load_state(self, state: str, strict: bool) -> None: ...

    def skip(self, steps: int) -> None: ...

    def next(self, ticket: int) -> Batch | None:
        """The next batch, or None at the end of the epoch."""

    def next_if_ready(self, ticket: int) -> Batch | None:
        """The next batch if it is ready and intact, else None."""

    def stats(self) -> dict[str, Any]: ...

    def errors(self) -> list[Error]: ...

    def await_cache(self) -> None:
        """
        Waits as long as the next epoch gains by it that the cache becomes complete.
        """

    def problems(self) -> list[tuple[str, str]]: ...

    def mean_std(self, field: str, show: object | None) -> tuple[list[float], list[float]]:
        """
        Mean and standard deviation of each channel of the next epoch's images.
        """

    def plan(self) -> str: ...

    def close(self) -> None: ...

def build(source: Dataset, destination: str, settings: dict[str, Any], show: Callable[[int, int, int, float], None] | None) -> dict[str, Any]: ...

def verify(opened: Dataset | None, paths: list[str], source: Dataset | None, sources: list[str], fields: dict[str, str], show: Callable[[int, int, int, float], None] | None) -> dict[str, Any]: ...

def read_audio(source: str | bytes, start: float, duration: float | None, sample_rate: int | None, mono: bool) -> tuple[Any, int]: ...

class MelSpectrogram:
    def __init__(self, settings: dict[str, Any]) -> None: ...

    def frames(self, samples: int) -> int: ...

    def filters(self) -> list[float]: ...

    def window(self) -> list[float]: ...

    def run(self, waves: Any, out: Any) -> None: ...

class Mfcc:
    def __init__(self, settings: dict[str, Any]) -> None: ...

    def frames(self, samples: int) -> int: ...

    def run(self, waves: Any, out: Any) -> None: ...

def to_db(power: bool, values: Any, ref: float, amin: float, top_db: float | None, out: Any) -> None: ...

def build_audio(opened: Dataset | None, source: str, destination: str, settings: dict[str, Any], show: Callable[[int, int, int, float], None] | None, compute: Callable[[Any, Any], None] | None) -> dict[str, Any]: ...

from .errors import Error

__version__: str
