"""A small convolutional network, trained from penstock loaders."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import nn

import penstock


class SmallNet(nn.Module):
    """Six convolutions, the strongest response of each feature, and a linear layer."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        before = 3
        for channels, stride in ((16, 2), (32, 2), (32, 1), (64, 2), (64, 1), (128, 2)):
            layers += [
                nn.Conv2d(before, channels, 3, stride, padding=1, bias=False),
                nn.BatchNorm2d(channels),
                nn.ReLU(inplace=True),
            ]
            before = channels
        self.features = nn.Sequential(*layers)
        self.head = nn.Linear(before, classes)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        pooled = self.features(images).amax(dim=(2, 3))
        return torch.as_tensor(self.head(pooled))


@dataclass(frozen=True)
class Epoch:
    """What one epoch gave."""

    loss: float
    train_accuracy: float
    val_accuracy: float
    images_per_second: float  # training pass: loading, forward, backward and update
    waiting_share: float  # part of the training pass spent waiting for the loader


def accuracy(model: nn.Module, loader: penstock.Loader) -> float:
    """Share of the loader's images that the model names rightly."""
    model.eval()
    right = seen = 0
    with torch.inference_mode():
        for batch in loader:
            right += int((model(batch["image"]).argmax(1) == batch["label"]).sum())
            seen += len(batch["label"])
    return right / seen


def train(
    model: nn.Module,
    train_loader: penstock.Loader,
    val_loader: penstock.Loader,
    epochs: int,
    on_step: Callable[[int, int, float], None],
) -> Iterator[Epoch]:
    """Trains and yields what each epoch gave. `on_step(epoch, step, images per second)` follows every update."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=4e-3, total_steps=epochs * len(train_loader))
    for epoch in range(epochs):
        model.train()
        total_loss = waited = 0.0
        right = seen = 0
        start = asked = time.perf_counter()
        for step, batch in enumerate(train_loader):
            waited += time.perf_counter() - asked
            images, labels = batch["image"], batch["label"]
            scores = model(images)
            loss = nn.functional.cross_entropy(scores, labels)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            schedule.step()
            total_loss += float(loss.detach()) * len(labels)
            right += int((scores.argmax(1) == labels).sum())
            seen += len(labels)
            asked = time.perf_counter()
            on_step(epoch, step, seen / (asked - start))
        seconds = time.perf_counter() - start
        yield Epoch(total_loss / seen, right / seen, accuracy(model, val_loader), seen / seconds, waited / seconds)
