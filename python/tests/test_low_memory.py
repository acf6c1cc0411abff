"""A process that runs out of memory: an error that says how much was wanted, never samples that are called bad."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from conftest import draw, encode

import penstock
from penstock import transforms

OUT_OF_MEMORY = """
import resource, sys, penstock
loader = penstock.Loader(sys.argv[1], batch_size=4, on_error="skip", num_workers=2, prefetch=1, transforms=[])
steps, kept = [], []
free = resource.getrlimit(resource.RLIMIT_AS)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (200 << 20), free[1]))
iterator = iter(loader)
while True:
    try:
        batch = next(iterator)
    except StopIteration:
        break
    except MemoryError as lack:
        assert isinstance(lack, penstock.MemoryError), repr(lack)
        assert "not enough memory" in str(lack), lack
        steps.append("MemoryError")
        resource.setrlimit(resource.RLIMIT_AS, free)
        continue
    assert len(batch["index"]) == 4
    steps.append(batch.step)
    kept.append(batch["image"])
print(steps, loader.errors())
"""


def test_lack_of_memory_is_no_fault_of_the_samples(make_tar: Any) -> None:
    big = encode(draw(1, 3000, 3000), quality=30)
    path = make_tar([(f"{i:02}.jpg", big) for i in range(24)])
    done = subprocess.run(
        [sys.executable, "-c", OUT_OF_MEMORY, path], capture_output=True, text=True, timeout=120, check=True
    )
    assert "MemoryError" in done.stdout
    assert done.stdout.rstrip().endswith("[]")


LARGE_BATCH = """
import resource, sys, penstock
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
loader = penstock.Loader(sys.argv[1], batch_size=64, transforms=[penstock.transforms.Resize((8192, 8192))])
resource.setrlimit(resource.RLIMIT_AS, (used + (2 << 30), resource.RLIM_INFINITY))
try:
    next(iter(loader))
except penstock.MemoryError as lack:
    print(lack)
"""


def test_lack_of_memory_says_how_much_a_batch_takes(make_tar: Any) -> None:
    image = encode(draw(1, 8, 8))
    path = make_tar([(f"{i:02}.jpg", image) for i in range(64)])
    done = subprocess.run(
        [sys.executable, "-c", LARGE_BATCH, path], capture_output=True, text=True, timeout=120, check=True
    )
    words = "not enough memory for a batch of 64 rows of 'image', uint8 (3, 8192, 8192), 12.9 GB; use a smaller batch"
    assert words in done.stdout, done.stdout


def test_rows_beyond_all_measure_are_refused_before_they_are_allocated(shards: Any) -> None:
    with pytest.raises(penstock.InvalidError, match="Resize: an image of 60000 x 60000 = 3600000000 pixels is over"):
        penstock.Loader(shards, transforms=[transforms.Resize((60000, 60000))])


MANY_PROGRAMS = """
import numpy, penstock
from penstock import transforms
image = numpy.zeros((3000, 4000, 3), numpy.uint8)
kept = []
for i in range(20):
    compose = transforms.Compose([transforms.RandomErasing(1.0, value=i)])
    compose(image)
    kept.append(compose)
# What getrusage() tells would be that of the process that started this one.
print(next(int(line.split()[1]) // 1024 for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


def test_lists_of_their_own_keep_no_memory_of_large_images() -> None:
    done = subprocess.run(
        [sys.executable, "-c", MANY_PROGRAMS], capture_output=True, text=True, timeout=120, check=True
    )
    assert int(done.stdout) < 700, "MiB"  # 72 for each would be 1.4 GiB
