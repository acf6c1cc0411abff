"""penstock: training data from disk to the model at the speed the hardware allows.

loader = penstock.Loader("train-{000000..000146}.tar", batch_size=256, shuffle=True,
                         transforms=penstock.presets.imagenet_train(224))
for batch in loader:
    train_step(batch["image"], batch["label"])
"""

from . import audio, presets, samplers, transforms
from ._core import __version__
from ._mean_std import compute_mean_std
from ._readings import Boxes, Image, Keypoints, Mask
from .batch import Batch
from .dataset import Dataset
from .errors import (
    CancelledError,
    CorruptError,
    Error,
    InvalidError,
    IoError,
    MemoryError,  # noqa: A004 - as penstock.TimeoutError
    NotFoundError,
    TimeoutError,  # noqa: A004 - one exception class per kind, as penstock.TimeoutError
    UnsupportedError,
)
from .loader import Loader
from .options import LoaderOptions
from .store import BuildReport, VerifyReport, build, verify
from .views import Views

__all__ = [
    "Batch",
    "Boxes",
    "BuildReport",
    "CancelledError",
    "CorruptError",
    "Dataset",
    "Error",
    "Image",
    "InvalidError",
    "IoError",
    "Keypoints",
    "Loader",
    "LoaderOptions",
    "Mask",
    "MemoryError",
    "NotFoundError",
    "TimeoutError",
    "UnsupportedError",
    "VerifyReport",
    "Views",
    "__version__",
    "audio",
    "build",
    "compute_mean_std",
    "presets",
    "samplers",
    "transforms",
    "verify",
]
