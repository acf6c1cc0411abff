"""Policies, and what moves an object or shows it elsewhere, beside those of others."""

from __future__ import annotations

import kornia.augmentation.auto

from penstock import transforms as t
from rows import Row
from support.torchvision import v2

auto = kornia.augmentation.auto


def rows(height: int, width: int) -> list[Row]:
    """All of them draw, so that no two libraries' images are the same."""
    del height, width
    return [
        Row("AutoAugment", [t.AutoAugment()], v2.AutoAugment(), kornia=auto.AutoAugment("imagenet")),
        Row("RandAugment", [t.RandAugment()], v2.RandAugment(), kornia=auto.RandAugment(2, 9)),
        Row(
            "TrivialAugmentWide",
            [t.TrivialAugmentWide()],
            v2.TrivialAugmentWide(),
            kornia=auto.TrivialAugment(),
        ),
        Row("AugMix", [t.AugMix()], v2.AugMix()),
        Row("TimmRandAugment", [t.TimmRandAugment()]),
        Row("ThreeAugment", [t.ThreeAugment()]),
        Row("RandomRotateObject", [t.RandomRotateObject(p=1.0)]),
    ]
