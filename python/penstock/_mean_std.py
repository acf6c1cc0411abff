"""Mean and standard deviation of images."""

from __future__ import annotations

from collections.abc import Mapping

from ._compose import Compose
from ._lists import Transforms
from ._operations import Transform, flat
from ._progress import ProgressBar
from .dataset import Dataset, Source
from .errors import InvalidError
from .loader import Loader
from .views import Views

#: Operations that make several images of one.
_SEVERAL = ("FiveCrop", "TenCrop")


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
    dataset = source if isinstance(source, Dataset) else Dataset(source)
    _check_images(dataset)
    _check_transforms(transforms)
    with (
        Loader(dataset, transforms=transforms, num_workers=num_workers, output="numpy") as loader,
        ProgressBar("mean and std", "images") as bar,
    ):
        mean, std = loader._core.mean_std("image", bar if progress and bar.visible else None)
    return tuple(mean), tuple(std)


def _check_images(dataset: Dataset) -> None:
    kind = dataset.fields.get("image")
    if kind == "image":
        return
    if dataset._core.planes.get("image") == "mask":
        raise InvalidError("the field image is read as a mask, whose values have no mean and std; read it as Image")
    others = [name for name, each in dataset.fields.items() if each == "image"]
    if others:
        _, extensions, _, readings = dataset._arguments
        renamed = {"image": readings.get(others[0], extensions.get(others[0], others[0]))}
        raise InvalidError(
            f"mean and std are of the field image, and the images here are {', '.join(others)}; "
            f"rename one: Dataset(..., fields={renamed})"
        )
    raise InvalidError(f"mean and std need a field of images called image; the fields are {dataset.fields}")


def _check_transforms(transforms: Transforms | None) -> None:
    if isinstance(transforms, Views):
        raise InvalidError("mean and std need one list of transforms, got Views; pass one of their lists")
    listed = transforms.get("image") if isinstance(transforms, Mapping) else transforms
    for operation in flat(listed) if isinstance(listed, list | tuple | Compose) else []:
        if isinstance(operation, Transform) and operation.handle.name in _SEVERAL:
            raise InvalidError(
                f"mean and std need one image of each sample, and {operation.handle.name} makes several; leave it out"
            )
