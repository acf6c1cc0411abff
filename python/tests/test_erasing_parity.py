"""RandomErasing beside torchvision v2, and beside timm's modes written down in numpy, with what was drawn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from image_parity import OTHERS, compare, images, words_of
from PIL import Image

from penstock import transforms

functional = pytest.importorskip("torchvision.transforms.v2.functional")
torch = pytest.importorskip("torch")


def boxes_of(drawn: dict[str, Any]) -> Iterator[tuple[slice, slice]]:
    """Rows and columns of each rectangle, in the order in which they were drawn."""
    if not drawn["apply"]:
        return
    first = [drawn[name] for name in ("top", "left", "height", "width")]
    for top, left, height, width in np.reshape([*first, *drawn["more"]], (-1, 4)):
        yield slice(top, top + height), slice(left, left + width)


@pytest.mark.parametrize(
    ("value", "modes"),
    [(0.0, ("RGB", "L", "RGBA")), ((1.0, 2.0, 3.0), ("RGB",)), ((200.0, 7.0, 255.0, 9.0), ("RGBA",))],
)
def test_a_value_is_put_where_torchvision_puts_it(value: Any, modes: tuple[str, ...]) -> None:
    erased = 0

    def erase(image: Image.Image, drawn: dict[str, Any]) -> Image.Image:
        nonlocal erased
        if not drawn["apply"] or drawn["height"] == 0 or drawn["width"] == 0:
            return image
        erased += 1
        box = [drawn[name] for name in ("top", "left", "height", "width")]
        color = torch.tensor(value if isinstance(value, tuple) else [value])[:, None, None]
        return functional.erase(image, *box, color)

    compare(transforms.RandomErasing(p=0.9, value=value), erase, modes)
    assert erased > 100  # those of one row or column have no room for a smaller rectangle


@pytest.mark.parametrize("options", [{"value": "random"}, {"mode": "pixel"}, {"mode": "rand"}], ids=str)
def test_noise_of_bytes_is_the_stream_that_was_drawn(options: dict[str, str]) -> None:
    counts = {"min_count": 1, "max_count": 4} if "mode" in options else {}
    several = 0

    def erase(image: Image.Image, drawn: dict[str, Any]) -> Image.Image:
        nonlocal several
        several += bool(drawn["more"])
        pixels = np.array(image)
        made = pixels.reshape(*pixels.shape[:2], -1)
        noise = (words_of(drawn["stream"], made.size * 4 + 16) >> np.uint64(24)).astype(np.uint8)
        for box in boxes_of(drawn):
            shape = (made.shape[2],) if options.get("mode") == "rand" else made[box].shape
            values, noise = np.split(noise, [int(np.prod(shape))])
            made[box] = values.reshape(shape)
        return Image.fromarray(pixels)

    compare(transforms.RandomErasing(p=0.9, **options, **counts), erase, ("RGB", "L", "RGBA"))
    assert (several > 100) == bool(counts)


@pytest.mark.parametrize("mode", ["pixel", "rand"])
def test_noise_of_floats_is_normal_numbers_of_the_stream(mode: str) -> None:
    compose = transforms.Compose([transforms.ToFloat(), transforms.RandomErasing(p=1.0, mode=mode, max_count=2)])
    plain = transforms.Compose([transforms.ToFloat()])
    erased = []
    for seed, image in images(count=OTHERS, least=2):
        pixels = np.asarray(image)
        drawn = compose.draw(pixels, seed=seed)[1]
        wanted = plain(pixels).copy()
        words = words_of(drawn["stream"], wanted.size * 8 + 64)
        uniform = ((words[0::2] << np.uint64(32) | words[1::2]) >> np.uint64(11)).astype(np.float64) * 2.0**-53
        radius, angle = np.sqrt(-2 * np.log(1 - uniform[0::2])), 2 * np.pi * uniform[1::2]
        normal = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1).ravel()
        for box in boxes_of(drawn):
            shape = (3,) if mode == "rand" else wanted[box].shape
            values, normal = np.split(normal, [int(np.prod(shape))])
            wanted[box] = values.reshape(shape)
            erased.append(values)
        np.testing.assert_allclose(compose(pixels, seed=seed), wanted, rtol=1e-6, atol=1e-7)
    numbers = np.concatenate(erased)
    assert numbers.size > (100 if mode == "rand" else 10_000)
    assert abs(numbers.mean()) < 4 / np.sqrt(numbers.size)
