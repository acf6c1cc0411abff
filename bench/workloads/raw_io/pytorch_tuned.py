"""PyTorch DataLoader tuned by hand: tar members read at their offsets, one shared-memory buffer per batch."""

import os
import tarfile

import torch
from torch.utils.data import DataLoader, Dataset

from common import Epoch, Settings, Tolerance
from support.torch_bytes import one_buffer

CHECK = "stored_bytes"
TOLERANCE = Tolerance(0.0, "the stored bytes")


class TarMembers(Dataset[tuple[bytes, int]]):
    """The images of the tars by number: where each lies, and its label."""

    def __init__(self, tars: list[str]) -> None:
        self.files = [os.open(tar, os.O_RDONLY) for tar in tars]
        self.places: list[tuple[int, int, int, int]] = []
        for file, path in zip(self.files, tars, strict=True):
            with tarfile.open(path) as tar:
                members = {member.name: member for member in tar}
                for name, member in members.items():
                    if name.endswith(".jpg"):
                        label = tar.extractfile(members[name.removesuffix(".jpg") + ".cls"])
                        assert label is not None
                        self.places.append((file, member.size, member.offset_data, int(label.read())))

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, number: int) -> tuple[bytes, int]:
        file, size, offset, label = self.places[number]
        return os.pread(file, size, offset), label


def build(settings: Settings) -> Epoch:
    torch.set_num_threads(1)
    torch.manual_seed(settings.seed)
    loader = DataLoader(
        TarMembers(settings.data.tars),
        batch_size=settings.batch_size,
        shuffle=True,
        num_workers=settings.workers,
        persistent_workers=True,
        collate_fn=one_buffer,
    )
    return lambda _: loader
