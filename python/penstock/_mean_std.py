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
    field: str = "image",
    num_workers: int | None = None,
    progress: bool = True,
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """(mean, std) of a field of images: a number for each channel, of values in 0 to 1, as Normalize takes them.

    Of every pixel of every image, or of what `transforms` give of the first epoch. Bytes are added as integers: the
    result is exact, and the same for any number of workers. A large image counts for more than a small one; where
    training resizes them to one size, pass that as transforms.

    field: which; a list of transforms is that of this field.
    num_workers: threads; None = the cores that this process may use.
    progress: show a bar, on a terminal only.
    """
    dataset = source if isinstance(source, Dataset) else Dataset(source)
    _check_images(dataset, field)
    _check_transforms(transforms, field)
    if transforms is not None and field != "image" and not isinstance(transforms, Mapping | Views):
        transforms = {field: transforms}
    with (
        Loader(dataset, transforms=transforms, num_workers=num_workers, output="numpy") as loader,
        ProgressBar("mean and std", "images") as bar,
    ):
        mean, std = loader._core.mean_std(field, bar if progress and bar.visible else None)
    return tuple(mean), tuple(std)


def _check_images(dataset: Dataset, field: str) -> None:
    if dataset.fields.get(field) == "image":
        return
    if dataset._core.planes.get(field) == "mask":
        raise InvalidError(f"the field {field} is read as a mask, whose values have no mean and std; read it as Image")
    others = [name for name, each in dataset.fields.items() if each == "image"]
    if others:
        raise InvalidError(
            f"mean and std of the field {field}: it is none of the images here, which are {', '.join(others)}; "
            f"pass field={others[0]!r}"
        )
    raise InvalidError(f"mean and std need a field of images called {field}; the fields are {dataset.fields}")


def _check_transforms(transforms: Transforms | None, field: str) -> None:
    if isinstance(transforms, Views):
        raise InvalidError("mean and std need one list of transforms, got Views; pass one of their lists")
    listed = transforms.get(field) if isinstance(transforms, Mapping) else transforms
    for operation in flat(listed) if isinstance(listed, list | tuple | Compose) else []:
        if isinstance(operation, Transform) and operation.handle.name in _SEVERAL:
            raise InvalidError(
                f"mean and std need one image of each sample, and {operation.handle.name} makes several; leave it out"
            )
