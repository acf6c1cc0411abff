"""Data of the user must be measurable whatever its labels are. Run by `python -m unittest`."""

from __future__ import annotations

import contextlib
import io
import tarfile
import tempfile
import unittest
from pathlib import Path

import numpy as np
from PIL import Image

import checks
import make_data
from checks_test import EXACT, normalised
from common import Data

CLASSES = [7, 3, 7, 7, 999, 3]


def image(number: int) -> bytes:
    written = io.BytesIO()
    Image.fromarray(np.full((260, 300, 3), 40 * number, np.uint8)).save(written, "JPEG")
    return written.getvalue()


class MakeDataTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.source = Path(folder.name) / "source"
        self.source.mkdir()
        self.data = Data(Path(folder.name) / "prepared")

    def write(self, labels: list[int]) -> None:
        for shard in (0, 1):
            with tarfile.open(self.source / f"{shard}.tar", "w") as tar:
                for number in range(shard * 3, shard * 3 + 3):
                    make_data.add_member(tar, f"n{number}.jpeg", image(number))
                    make_data.add_member(tar, f"n{number}.cls", str(labels[number]).encode())

    def prepare(self, limit: int = 100) -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            make_data.make_images(self.data, self.source, limit)

    def labels(self) -> list[list[int]]:
        return [[label for label, _ in shard] for shard in self.shards()]

    def shards(self) -> list[list[make_data.Sample]]:
        return list(make_data.read_shards([Path(tar) for tar in self.data.tars], 100))

    def test_labels_of_classes_become_numbers(self) -> None:
        self.write(CLASSES)
        self.prepare()
        self.assertEqual(self.labels(), [[0, 1, 2], [3, 4, 5]])
        self.assertEqual(self.data.image_paths()[1], list(range(6)))
        stored = [image for shard in self.shards() for _, image in shard]
        self.assertEqual(stored, [image(number) for number in range(6)])

    def test_the_checks_tell_images_of_one_class_apart(self) -> None:
        self.write(CLASSES)
        self.prepare()
        crops = normalised(np.load(self.data.reference / "crops.npy"))
        self.assertEqual(checks.centre_crops([(crops, np.arange(6))], self.data, EXACT)["samples"], 6)
        with self.assertRaises(checks.CheckError):
            checks.centre_crops([(crops[[2, 1, 0, 3, 4, 5]], np.arange(6))], self.data, EXACT)  # both of class 7

    def test_unique_labels_are_used_as_they_are(self) -> None:
        self.write([5, 4, 3, 2, 1, 0])
        self.prepare()
        self.assertEqual(self.labels(), [[5, 4, 3], [2, 1, 0]])
        self.assertEqual(Path(self.data.tars[0]).parent, self.source)

    def test_no_more_images_are_taken_than_asked_for(self) -> None:
        self.write([5, 4, 3, 2, 1, 0])
        self.prepare(limit=4)
        self.assertEqual(self.labels(), [[0, 1, 2], [3]])
        self.assertEqual(self.data.manifest()["count"], 4)


if __name__ == "__main__":
    unittest.main()
