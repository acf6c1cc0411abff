"""The checks must catch what they are for: a library that is wrong gets no time. Run by `python -m unittest`."""

from __future__ import annotations

import json
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path

import numpy as np

import checks
from common import CROP, MEAN, STD, Data, Tolerance

COUNT = 6
EXACT = Tolerance(0.001, "the same pixels")


def normalised(levels: checks.Array) -> checks.Array:
    """uint8 [B,224,224,3] to what a library delivers."""
    mean, std = np.array(MEAN, np.float32), np.array(STD, np.float32)
    return ((levels.astype(np.float32) / np.float32(255) - mean) / std).transpose(0, 3, 1, 2)


class ChecksTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.data = Data(Path(folder.name))
        self.data.reference.mkdir()
        draws = np.random.default_rng(0)
        self.crops = draws.integers(0, 256, (COUNT, CROP, CROP, 3), dtype=np.uint8)
        self.stored = [draws.integers(0, 256, 10 + number, dtype=np.uint8) for number in range(COUNT)]
        np.save(self.data.reference / "crops.npy", self.crops)
        np.save(self.data.reference / "sizes.npy", [len(stored) for stored in self.stored])
        (self.data.reference / "stored.bin").write_bytes(b"".join(stored.tobytes() for stored in self.stored))
        facts = {
            "count": COUNT,
            "channel_means": self.crops.mean(axis=(0, 1, 2)).tolist(),
            "channel_stds": self.crops.std(axis=(0, 1, 2)).tolist(),
        }
        self.data.manifest_path.write_text(json.dumps(facts))

    def refuses(self, check: Callable[..., object], images: object, labels: object) -> None:
        with self.assertRaises(checks.CheckError):
            check([(images, labels)], self.data, EXACT)

    def test_accepts_the_right_images_in_any_order(self) -> None:
        order = np.array([3, 1, 0, 5, 4, 2])
        batch = (normalised(self.crops[order]), order)
        for check in (checks.centre_crops, checks.augmented):
            self.assertEqual(check([batch], self.data, EXACT)["samples"], COUNT)

    def test_refuses_images_under_each_others_labels(self) -> None:
        self.refuses(checks.centre_crops, normalised(self.crops), np.arange(COUNT)[::-1])

    def test_refuses_swapped_colours(self) -> None:
        self.refuses(checks.centre_crops, normalised(self.crops[..., ::-1]), np.arange(COUNT))

    def test_refuses_a_missing_and_a_repeated_sample(self) -> None:
        self.refuses(checks.centre_crops, normalised(self.crops[:-1]), np.arange(COUNT - 1))
        self.refuses(checks.augmented, normalised(self.crops), np.zeros(COUNT, int))

    def test_refuses_images_that_are_not_normalised(self) -> None:
        plain = self.crops.transpose(0, 3, 1, 2).astype(np.float32) / np.float32(255)
        self.refuses(checks.augmented, plain, np.arange(COUNT))

    def test_refuses_another_type_or_layout(self) -> None:
        self.refuses(checks.centre_crops, normalised(self.crops).astype(np.float64), np.arange(COUNT))
        self.refuses(checks.centre_crops, normalised(self.crops).transpose(0, 2, 3, 1), np.arange(COUNT))

    def test_accepts_views_one_by_one_and_counted(self) -> None:
        labels = np.arange(COUNT)
        flipped = normalised(self.crops[:, ::-1, :, ::-1])
        whole = normalised(self.crops)
        separate = np.roll(whole, 1, axis=0)  # means of images differ from those of the first view
        self.assertEqual(checks.simclr_views([([whole, separate], labels)], self.data, EXACT)["samples"], COUNT)
        counted = np.stack([whole, separate], axis=1)
        self.assertEqual(checks.simclr_views([([counted], labels)], self.data, EXACT)["samples"], COUNT)
        self.refuses(checks.simclr_views, [whole], labels)
        self.refuses(checks.simclr_views, [whole, whole.copy()], labels)
        self.refuses(checks.simclr_views, [whole, separate * 2 + 1], labels)
        self.refuses(checks.dino_views, [whole, flipped], labels)

    def test_refuses_a_changed_byte(self) -> None:
        labels = np.arange(COUNT)
        self.assertEqual(checks.stored_bytes([(self.stored, labels)], self.data, EXACT)["samples"], COUNT)
        self.stored[2][3] ^= 1
        self.refuses(checks.stored_bytes, self.stored, labels)


if __name__ == "__main__":
    unittest.main()
