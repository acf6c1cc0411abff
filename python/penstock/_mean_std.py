"""Mean and standard deviation of images."""

from __future__ import annotations

from ._lists import Transforms
from ._progress import ProgressBar
from .dataset import Dataset, Source
from .errors import InvalidError
from .loader import Loader
from .views import Views


def compute_mean_std(
    source: Source | Dataset,
    *,
    transforms: Transforms | None = None,
    num_workers: int | None = None,
    progress: bool = True,
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """(mean, std) of the field `image`: a number for each channel, of values in 0 to 1, as Normalize takes them.

    Of every pixel of every image, or of what `transforms` give of the first epoch. Bytes are added as integers: the
    result is exact, and the same for any number of workers. A large image counts for more than a small one; where
    training resizes them to one size, pass that as transforms.

    num_workers: threads; None = the cores that this process may use.
    progress: show a bar, on a terminal only.
    """
    if isinstance(transforms, Views):
        raise InvalidError("mean and std need one list of transforms, got Views; pass one of their lists")
    with (
        Loader(source, transforms=transforms, num_workers=num_workers, output="numpy") as loader,
        ProgressBar("mean and std", "images") as bar,
    ):
        mean, std = loader._core.mean_std("image", bar if progress and bar.visible else None)
    return tuple(mean), tuple(std)
