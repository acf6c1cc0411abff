"""Chains of operations from a JPEG file to floats, as each library does them."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import albumentations as alb
import cv2
import kornia
import numpy as np
import torch
from PIL import Image

import penstock
from common import CROP, MEAN, STD
from contest import Contender, WrongAnswerError, timed, values_of
from engine import Engine
from penstock import transforms as t
from rows import ALBUMENTATIONS, CALL, ENGINE, KORNIA, PIL, TENSOR
from support.torchvision import v2

COPIES = 256  # of the file, in the data set of our loader
CHECKED = 64
SHARE_SECONDS = 0.15  # of a round: crops are drawn, so that many make a fair mean
#: How far the mean and the deviation of normalised values may be from ours, over that many draws.
MAX_DIFFERENCE = 0.25
JITTER = (0.8, 0.8, 0.8, 0.2)


@dataclass(frozen=True)
class Chain:
    """What stands between crop with flip and the floats, for those that have it."""

    name: str
    ours: list[t.Transform]
    torchvision: list[Any]
    albumentations: list[Any] | None = None
    kornia: list[torch.nn.Module] | None = None
    erasing: tuple[t.Transform, Any] | None = None  # ours and torchvision's, behind Normalize

    @property
    def listed(self) -> list[t.Transform]:
        start = [t.RandomResizedCrop(CROP), t.RandomHorizontalFlip(), *self.ours]
        return [*start, t.ToFloat(), t.Normalize(MEAN, STD), *([self.erasing[0]] if self.erasing else [])]


def chains() -> list[Chain]:
    return [
        Chain("crop, flip, normalise", [], [], [], []),
        Chain(
            "the same with ColorJitter and blur 23",
            [t.ColorJitter(*JITTER), t.GaussianBlur(23, (0.1, 2.0))],
            [v2.ColorJitter(*JITTER), v2.GaussianBlur(23, (0.1, 2.0))],
            [
                alb.ColorJitter((0.2, 1.8), (0.2, 1.8), (0.2, 1.8), (-0.2, 0.2), p=1.0),
                alb.GaussianBlur((23, 23), (0.1, 2.0), p=1.0),
            ],
            [
                kornia.augmentation.ColorJitter(*JITTER, p=1.0),
                kornia.augmentation.RandomGaussianBlur((23, 23), (0.1, 2.0), p=1.0),
            ],
        ),
        Chain("the same with RandAugment", [t.RandAugment()], [v2.RandAugment()]),
        Chain(
            "the same with AutoAugment, RandomErasing",
            [t.AutoAugment()],
            [v2.AutoAugment()],
            erasing=(t.RandomErasing(), v2.RandomErasing()),
        ),
    ]


def rivals(chain: Chain) -> dict[str, Callable[[bytes], Any]]:
    """From the file's bytes to a tensor of floats: Pillow decodes for torchvision and kornia, OpenCV for
    albumentations."""
    end = [v2.ToDtype(torch.float32, scale=True), v2.Normalize(MEAN, STD)]
    if chain.erasing is not None:
        end.append(chain.erasing[1])
    start = [v2.RandomResizedCrop(CROP, antialias=True), v2.RandomHorizontalFlip()]
    on_images = v2.Compose([*start, *chain.torchvision, v2.PILToTensor(), *end])
    on_tensors = v2.Compose([v2.PILToTensor(), *start, *chain.torchvision, *end])
    found: dict[str, Callable[[bytes], Any]] = {
        PIL: lambda file: on_images(opened(file)),
        TENSOR: lambda file: on_tensors(opened(file)),
    }
    if chain.albumentations is not None:
        crop = alb.RandomResizedCrop((CROP, CROP))
        listed = [crop, alb.HorizontalFlip(p=0.5), *chain.albumentations, alb.Normalize(MEAN, STD), alb.ToTensorV2()]
        composed = alb.Compose(listed)
        found[ALBUMENTATIONS] = lambda file: composed(image=decoded(file))["image"]
    if chain.kornia is not None:
        layers = torch.nn.Sequential(
            kornia.augmentation.RandomResizedCrop((CROP, CROP)),
            kornia.augmentation.RandomHorizontalFlip(),
            *chain.kornia,
            kornia.augmentation.Normalize(torch.tensor(MEAN), torch.tensor(STD)),
        )
        to_floats = v2.Compose([v2.PILToTensor(), v2.ToDtype(torch.float32, scale=True)])
        found[KORNIA] = lambda file: layers(to_floats(opened(file))[None])
    return found


def opened(file: bytes) -> Image.Image:
    return Image.open(io.BytesIO(file)).convert("RGB")


def decoded(file: bytes) -> Any:
    return cv2.cvtColor(cv2.imdecode(np.frombuffer(file, np.uint8), cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB)


class OneThread:
    """A loader without workers over copies of the file: whole epochs, in the caller's thread."""

    def __init__(self, chain: Chain, file: Path) -> None:
        folder = file.parent / "copies" / "class"
        if not folder.exists():
            folder.mkdir(parents=True)
            for number in range(COPIES):
                (folder / f"{number:04}.jpg").write_bytes(file.read_bytes())
        self.loader = penstock.Loader(
            str(folder.parent), batch_size=32, num_workers=0, seed=1, transforms=chain.listed, output="numpy"
        )

    def images(self) -> np.ndarray[Any, Any]:
        return np.concatenate([batch["image"] for batch in self.loader])

    def seconds(self, calls: int) -> float:
        """Of that many images, in whole epochs."""
        epochs = -(-calls // COPIES)
        return timed(lambda: [None for _ in self.loader])(epochs) * calls / (epochs * COPIES)


def contenders(chain: Chain, file: Path, engine: Engine) -> dict[str, Contender]:
    encoded = file.read_bytes()
    found: dict[str, Contender] = {
        CALL: OneThread(chain, file).seconds,
        ENGINE: lambda calls: engine.nanoseconds(chain.listed, file, calls) / 1e9,
    }
    for name, call in rivals(chain).items():
        found[name] = timed(lambda call=call: call(encoded))  # type: ignore[misc]
    return found


def check(chain: Chain, file: Path) -> Mapping[str, float]:
    """Draws differ, so only their statistics are compared. Raises WrongAnswerError."""
    encoded = file.read_bytes()
    ours = OneThread(chain, file).images()
    differences = {}
    for name, call in rivals(chain).items():
        theirs = np.stack([values_of(call(encoded)) for _ in range(CHECKED)])
        if theirs.shape[1:] != (CROP, CROP, 3) or theirs.dtype != np.float32:
            raise WrongAnswerError(f"{chain.name}: {name} gives {theirs.dtype} {theirs.shape[1:]}")
        differences[name] = max(abs(float(theirs.mean() - ours.mean())), abs(float(theirs.std() - ours.std())))
        if differences[name] > MAX_DIFFERENCE:
            raise WrongAnswerError(f"{chain.name}: {name} has other statistics, by {differences[name]:.3f}")
    return differences
