"""The workloads: what is asked, and of whom. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass, field

OURS = "penstock"
VIEW_LIBRARIES = ("penstock", "penstock_store", "pytorch")
IMAGE_LIBRARIES = ("penstock", "pytorch", "ffcv", "dali", "turboloader", "tfdata", "webdataset")


@dataclass(frozen=True)
class Workload:
    """A question to all libraries: whose files answer it, at how many workers."""

    files: str
    title: str
    workers: tuple[int, ...] = (2,)
    batch_size: int = 32
    vouched_by: str | None = None  # another workload whose check covers the pixels of this one
    libraries: tuple[str, ...] = IMAGE_LIBRARIES
    cannot: dict[str, str] = field(default_factory=dict)  # library -> why it has no file here
    ours: str = OURS  # the row that the others are compared with


SUITE: dict[str, Workload] = {
    "imagenet_train": Workload(
        files="imagenet_train",
        title="RandomResizedCrop 224, flip, normalise to float32 NCHW",
        vouched_by="imagenet_val",
    ),
    "imagenet_train_store": Workload(
        files="imagenet_train",
        title="RandomResizedCrop 224, flip, normalise to float32 NCHW; penstock from a store of repacked images",
        vouched_by="imagenet_val",
        libraries=("penstock_store", *IMAGE_LIBRARIES),
        ours="penstock_store",
    ),
    "pixels_256": Workload(
        files="pixels_256",
        title="Pixels stored with a shorter side of 256, then RandomResizedCrop 224, flip, normalise to float32 NCHW",
        libraries=("penstock_raw", "ffcv", "turboloader"),
        ours="penstock_raw",
    ),
    "imagenet_val": Workload(files="imagenet_val", title="Resize 256, CenterCrop 224, normalise to float32 NCHW"),
    "simclr": Workload(
        files="simclr",
        title="Two views of 224 of each image as SimCLR has them, to float32 NCHW",
        vouched_by="imagenet_val",
        libraries=VIEW_LIBRARIES,
    ),
    "dino": Workload(
        files="dino",
        title="Two views of 224 and eight of 96 of each image as DINO has them, to float32 NCHW",
        vouched_by="imagenet_val",
        libraries=VIEW_LIBRARIES,
    ),
    "decode_only": Workload(
        files="decode_only",
        title="Whole images, decoded to uint8",
        cannot={"ffcv": "it decodes images of different sizes only together with a crop or resize"},
    ),
    "raw_io": Workload(
        files="raw_io",
        title="Stored bytes, not decoded, every byte read by the consumer",
        libraries=("penstock", "pytorch", "pytorch_tuned", "ffcv", "webdataset"),
    ),
    "worker_sweep": Workload(
        files="imagenet_train",
        title="imagenet_train at 1, 2 and 4 workers",
        workers=(1, 2, 4),
        vouched_by="imagenet_val",
    ),
    "reference_r2": Workload(
        files="imagenet_train",
        title="The reference setting: imagenet_train, 4 workers, batch 32",
        workers=(4,),
        vouched_by="imagenet_val",
    ),
}
