"""Lists of operations, and Views, that training usually needs. Each is a plain value: print it, change it, take a part.

size is the side of the square images. mean and std are those of Normalize; mean=None leaves it out, so that values are
0 to 1.
"""

from ._labels import imagenet_train, imagenet_val, supervised_train, supervised_val
from ._masked import ijepa, mae
from ._parts import IMAGENET_MEAN, IMAGENET_STD
from ._planes import detection, segmentation
from ._recipes import deit3, resnet_strikes_back
from ._views import byol, dino, dinov2, ibot, ipcl, lejepa, mocov2, simclr

__all__ = [
    "IMAGENET_MEAN",
    "IMAGENET_STD",
    "byol",
    "deit3",
    "detection",
    "dino",
    "dinov2",
    "ibot",
    "ijepa",
    "imagenet_train",
    "imagenet_val",
    "ipcl",
    "lejepa",
    "mae",
    "mocov2",
    "resnet_strikes_back",
    "segmentation",
    "simclr",
    "supervised_train",
    "supervised_val",
]
