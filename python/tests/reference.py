"""The documented rules of randomness and augmentation in plain Python, to hold the engine against."""

from __future__ import annotations

import math

import numpy as np
from PIL import Image

_WORD = (1 << 32) - 1
_LONG = (1 << 64) - 1


def _mix64(a: int, b: int) -> int:
    z = (b + 0x9E3779B97F4A7C15 * (a + 1)) & _LONG
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _LONG
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _LONG
    return z ^ (z >> 31)


class Draws:
    """Philox4x32-10 with counter (sample, op, block) and a key from (seed, epoch)."""

    def __init__(self, seed: int, epoch: int, sample: int, op: int) -> None:
        mixed = _mix64(_mix64(0x70656E73746F636B, seed), epoch)
        self._key = (mixed & _WORD, mixed >> 32)
        self._counter = [sample & _WORD, sample >> 32, op, 0]
        self._words: list[int] = []

    def _next32(self) -> int:
        if not self._words:
            x, (k0, k1) = list(self._counter), self._key
            for _ in range(10):
                p0, p1 = 0xD2511F53 * x[0], 0xCD9E8D57 * x[2]
                x = [(p1 >> 32) ^ x[1] ^ k0, p1 & _WORD, (p0 >> 32) ^ x[3] ^ k1, p0 & _WORD]
                k0, k1 = (k0 + 0x9E3779B9) & _WORD, (k1 + 0xBB67AE85) & _WORD
            self._counter[3] += 1
            self._words = x[::-1]
        return self._words.pop()

    def _next64(self) -> int:
        high = self._next32()
        return (high << 32) | self._next32()

    def uniform(self, low: float = 0.0, high: float = 1.0) -> float:
        return low + (high - low) * ((self._next64() >> 11) * 2.0**-53)

    def below(self, bound: int) -> int:
        uneven = (1 << 64) % bound
        while True:
            product = self._next64() * bound
            if product & _LONG >= uneven:
                return product >> 64


def random_resized_crop_box(draws: Draws, width: int, height: int) -> tuple[int, int, int, int]:
    """torchvision's rule at its default scale and ratio: left, top, width, height."""
    for _ in range(10):
        target = width * height * draws.uniform(0.08, 1.0)
        ratio = math.exp(draws.uniform(math.log(3 / 4), math.log(4 / 3)))
        w, h = round(math.sqrt(target * ratio)), round(math.sqrt(target / ratio))
        if 0 < w <= width and 0 < h <= height:
            top = draws.below(height - h + 1)
            return draws.below(width - w + 1), top, w, h
    w, h = width, height
    if width / height < 3 / 4:
        h = round(w / (3 / 4))
    elif width / height > 4 / 3:
        w = round(h * (4 / 3))
    return (width - w) // 2, (height - h) // 2, w, h


def imagenet_train_uint8(image: Image.Image, size: int, seed: int, epoch: int, sample: int) -> np.ndarray:
    """RandomResizedCrop(size) and RandomHorizontalFlip by Pillow, as [H, W, 3]."""
    left, top, width, height = random_resized_crop_box(Draws(seed, epoch, sample, 0), *image.size)
    crop = image.crop((left, top, left + width, top + height)).resize((size, size), Image.Resampling.BILINEAR)
    if Draws(seed, epoch, sample, 1).uniform() < 0.5:
        crop = crop.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    return np.asarray(crop)


def normalised(image: np.ndarray) -> np.ndarray:
    """ToTensor and Normalize with ImageNet's mean and std, float32 after each operation; [3, H, W]."""
    mean = np.array([0.485, 0.456, 0.406], np.float32).reshape(3, 1, 1)
    std = np.array([0.229, 0.224, 0.225], np.float32).reshape(3, 1, 1)
    return (image.transpose(2, 0, 1).astype(np.float32) / np.float32(255) - mean) / std
