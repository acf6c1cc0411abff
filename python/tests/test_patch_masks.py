"""Masks of patches: their counts, and how often each patch is masked, beside references written from the rules."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import draw, encode
from field_files import write_tar

import penstock
from penstock import Views, transforms

SAMPLES = 96
GRID = 14
PATCHES = GRID * GRID
CROP = transforms.CenterCrop(28)
Grid = np.ndarray[Any, Any]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    samples = [{"jpg": encode(draw(number, 32, 30)), "cls": b"1"} for number in range(SAMPLES)]
    return str(write_tar(tmp_path_factory.mktemp("patches") / "samples.tar", samples))


def loader_of(source: str, listed: Any, **options: Any) -> penstock.Loader:
    given = {"batch_size": 32, "num_workers": 2, "shuffle": True, "seed": 5, "output": "numpy"} | options
    data = penstock.Dataset(source, fields={"image": "jpg"})
    return penstock.Loader(data, transforms=listed, **given)


def batches_of(source: str, listed: Any, epochs: int, **options: Any) -> list[dict[str, Any]]:
    """Of several epochs; copies without the images."""
    with loader_of(source, listed, **options) as loader:
        return [
            {name: np.array(batch[name]) for name in batch if name not in ("image", "key")}
            for _ in range(epochs)
            for batch in loader
        ]


def masks_by_sample(batches: list[dict[str, Any]], name: str = "patch_mask") -> dict[int, list[Grid]]:
    found: dict[int, list[Grid]] = {}
    for batch in batches:
        for number, mask in zip(batch["index"].tolist(), batch[name], strict=True):
            found.setdefault(number, []).append(mask)
    return found


def assert_as_often(ours: Grid, theirs: Grid, deviations: float = 5.0) -> None:
    """Whether each patch is masked as often in two arrays of masks [N, rows, columns]."""
    a, b = ours.mean(0), theirs.mean(0)
    share = (a * len(ours) + b * len(theirs)) / (len(ours) + len(theirs))
    spread = np.sqrt(share * (1 - share) * (1 / len(ours) + 1 / len(theirs)))
    assert (np.abs(a - b) <= deviations * spread + 1e-12).all()


def kolmogorov(a: Grid, b: Grid) -> float:
    """The two-sample statistic, above 1.95 in one of 1,000 pairs of samples from one distribution."""
    values = np.union1d(a, b)
    shares = [np.searchsorted(np.sort(each), values, side="right") / len(each) for each in (a, b)]
    return float(np.abs(shares[0] - shares[1]).max() * math.sqrt(len(a) * len(b) / (len(a) + len(b))))


# --- MAE --------------------------------------------------------------------------------------------------------------


def reference_mae(rng: np.random.Generator, rows: int, ratio: float) -> Grid:
    """Noise for each patch, sorted; the first int(patches * (1 - ratio)) are kept."""
    order = np.argsort(rng.random((rows, PATCHES)), axis=1)
    masks = np.ones((rows, PATCHES), bool)
    np.put_along_axis(masks, order[:, : int(PATCHES * (1 - ratio))], False, axis=1)
    return masks.reshape(rows, GRID, GRID)


@pytest.mark.parametrize("ratio", [0.75, 0.6, 0.4, 0.9])
def test_mae_keeps_what_its_rule_keeps(source: str, ratio: float) -> None:
    batches = batches_of(source, [CROP, transforms.RandomPatchMask(GRID, ratio)], 20)
    ours = np.concatenate([batch["patch_mask"] for batch in batches])
    theirs = reference_mae(np.random.default_rng(1), len(ours), ratio)
    assert ours.dtype == np.bool_ and ours.shape == theirs.shape
    assert set(ours.sum((1, 2))) == set(theirs.sum((1, 2)))
    assert_as_often(ours, theirs)
    assert len(np.unique(ours.reshape(len(ours), -1), axis=0)) == len(ours)
    # Pairs of neighbours, which blocks would mask together.
    assert_as_often(ours[:, 1:] & ours[:, :-1], theirs[:, 1:] & theirs[:, :-1])


def test_masks_of_samples_do_not_depend_on_their_batch(source: str) -> None:
    apart = transforms.RandomBlockMask(GRID, per_batch=False, name="blocks")
    listed = [CROP, transforms.RandomPatchMask(GRID), apart]
    several = batches_of(source, listed, 1)
    for other in (
        batches_of(source, listed, 1, batch_size=7, num_workers=0),
        batches_of(source, listed, 1, shuffle=False),
    ):
        for name in ("patch_mask", "blocks"):
            ours, theirs = masks_by_sample(several, name), masks_by_sample(other, name)
            assert ours.keys() == theirs.keys()
            for number, masks in ours.items():
                np.testing.assert_array_equal(masks, theirs[number])


# --- iBOT and DINOv2 --------------------------------------------------------------------------------------------------


def reference_blocks(rng: np.random.Generator, number: int, min_patches: int = 4) -> Grid:
    """Blocks until so many patches are masked, or ten in turn have found no room."""
    mask = np.zeros((GRID, GRID), bool)
    while mask.sum() < number:
        left = number - mask.sum()
        for _ in range(10):
            area = rng.uniform(min_patches, left) if left > min_patches else rng.uniform(left, min_patches)
            aspect = math.exp(rng.uniform(math.log(0.3), math.log(1 / 0.3)))
            height, width = round(math.sqrt(area * aspect)), round(math.sqrt(area / aspect))
            if height >= GRID or width >= GRID:
                continue
            top, left_side = rng.integers(0, GRID - height + 1), rng.integers(0, GRID - width + 1)
            block = mask[top : top + height, left_side : left_side + width]
            if 0 < (~block).sum() <= left:
                block[:] = True
                break
        else:
            break
    return mask


def reference_dinov2(rng: np.random.Generator, rows: int) -> Grid:
    """Half of the batch is masked, shares are drawn from even parts of 0.1 to 0.5, and all are shuffled."""
    masked = rows // 2
    edges = np.linspace(0.1, 0.5, masked + 1)
    numbers = [int(PATCHES * rng.uniform(edges[i], edges[i + 1])) for i in range(masked)] + [0] * (rows - masked)
    masks = np.stack([reference_blocks(rng, number) for number in numbers])
    return masks[rng.permutation(rows)]


def test_dinov2_masks_what_its_rule_masks(source: str) -> None:
    rng = np.random.default_rng(2)
    batches = batches_of(source, [CROP, transforms.RandomBlockMask(GRID)], 40)
    ours = np.stack([batch["patch_mask"] for batch in batches])
    theirs = np.stack([reference_dinov2(rng, 32) for _ in range(len(ours))])
    assert ours.shape == theirs.shape
    assert ((ours.any((2, 3))).sum(1) == 16).all()
    sorted_ours, sorted_theirs = np.sort(ours.sum((2, 3)), 1), np.sort(theirs.sum((2, 3)), 1)
    np.testing.assert_allclose(sorted_ours.mean(0), sorted_theirs.mean(0), atol=1.5)
    assert (sorted_ours[:, 16:] <= np.floor(PATCHES * np.linspace(0.1, 0.5, 17)[1:])).all()
    assert kolmogorov(ours.sum((2, 3)).ravel(), theirs.sum((2, 3)).ravel()) < 1.95
    assert_as_often(ours.reshape(-1, GRID, GRID), theirs.reshape(-1, GRID, GRID))
    # Any place of the batch is as good as others.
    rows = ours.any((2, 3)).mean(0)
    assert np.abs(rows - 0.5).max() < 5 * math.sqrt(0.25 / len(ours))


def test_ibot_masks_what_its_rule_masks(source: str) -> None:
    rng = np.random.default_rng(3)
    mask = transforms.RandomBlockMask(GRID, min_patches=16, per_batch=False)
    ours = np.concatenate([batch["patch_mask"] for batch in batches_of(source, [CROP, mask], 30)])
    numbers = np.where(rng.random(len(ours)) < 0.5, 0, PATCHES * rng.uniform(0.1, 0.5, len(ours))).astype(int)
    theirs = np.stack([reference_blocks(rng, int(number), 16) for number in numbers])
    assert kolmogorov(ours.sum((1, 2)), theirs.sum((1, 2))) < 1.95
    assert_as_often(ours, theirs)


def test_one_image_is_a_batch_of_one() -> None:
    compose = transforms.Compose([transforms.RandomBlockMask(GRID)])
    masked = [compose(np.zeros((28, 28, 3), np.uint8), seed=seed)["patch_mask"].any() for seed in range(400)]
    assert abs(np.mean(masked) - 0.5) < 0.1


# --- I-JEPA -----------------------------------------------------------------------------------------------------------


def reference_jepa(rng: np.random.Generator, rows: int) -> tuple[Grid, Grid]:
    """Contexts [rows, n] and targets [rows, 4, m], as lists of patches."""

    def size(scale: tuple[float, float], aspect: tuple[float, float]) -> tuple[int, int]:
        where = rng.random()
        patches = int(PATCHES * (scale[0] + where * (scale[1] - scale[0])))
        ratio = aspect[0] + where * (aspect[1] - aspect[0])
        sides = round(math.sqrt(patches * ratio)), round(math.sqrt(patches / ratio))
        return min(sides[0], GRID - 1), min(sides[1], GRID - 1)

    def block(height: int, width: int) -> Grid:
        mask = np.zeros((GRID, GRID), bool)
        top, left = rng.integers(0, GRID - height), rng.integers(0, GRID - width)
        mask[top : top + height, left : left + width] = True
        return mask

    target, context = size((0.15, 0.2), (0.75, 1.5)), size((0.85, 1.0), (1.0, 1.0))
    contexts, targets = [], []
    for _ in range(rows):
        blocks = [block(*target) for _ in range(4)]
        for attempt in range(100):
            left = block(*context)
            for cut in blocks[: 4 - attempt // 20]:
                left &= ~cut
            if left.sum() > 10:
                break
        contexts.append(np.flatnonzero(left))
        targets.append([np.flatnonzero(each) for each in blocks])
    shortest = min(len(each) for each in contexts)
    return np.stack([each[:shortest] for each in contexts]), np.array(targets)


def lists_of(masks: Grid) -> Grid:
    """The numbers of the patches that are set, of masks that have equally many."""
    flat = masks.reshape(-1, PATCHES)
    return np.nonzero(flat)[1].reshape(*masks.shape[:-2], -1)


def as_masks(lists: Grid) -> Grid:
    flat = np.zeros((lists.size // lists.shape[-1], PATCHES), bool)
    np.put_along_axis(flat, lists.reshape(len(flat), -1), True, axis=1)
    return flat.reshape(-1, GRID, GRID)


def test_ijepa_gives_what_its_rule_gives(source: str) -> None:
    rng = np.random.default_rng(4)
    batches = batches_of(source, [CROP, transforms.IJEPAMask(GRID)], 100)
    references = [reference_jepa(rng, 32) for _ in batches]
    ours = [(lists_of(batch["context_mask"]), lists_of(batch["target_mask"])) for batch in batches]
    assert ours[0][0].shape[0] == 32 and ours[0][1].shape[:2] == (32, 4)
    for number in (0, 1):
        # One number for a batch, which decides about all of it.
        mine, wanted = (np.array([lists[number].shape[-1] for lists in each]) for each in (ours, references))
        assert kolmogorov(mine, wanted) < 1.95
        # The batch's sizes are common to its rows, so batches and not rows are counted.
        mine, wanted = (np.stack([as_masks(lists[number]).mean(0) for lists in each]) for each in (ours, references))
        spread = np.sqrt(mine.var(0) / len(mine) + wanted.var(0) / len(wanted))
        assert (np.abs(mine.mean(0) - wanted.mean(0)) <= 5 * spread + 1e-12).all()
    for context, targets in ours:
        for row in range(32):
            assert not np.isin(context[row], targets[row]).any()


def test_ijepa_as_torch_takes_it(source: str) -> None:
    torch = pytest.importorskip("torch")
    with loader_of(source, [CROP, transforms.IJEPAMask(GRID)], output="torch") as loader:
        batch = next(iter(loader))
    mask = batch["context_mask"]
    assert mask.dtype == torch.bool
    context = mask.flatten(1).nonzero()[:, 1].view(len(mask), -1)
    targets = batch["target_mask"].flatten(2).nonzero()[:, 2].view(len(mask), 4, -1)
    assert torch.equal(torch.zeros_like(mask).flatten(1).scatter(1, context, True), mask.flatten(1))
    assert targets.shape[:2] == (32, 4)


# --- in loaders, views, and outside -----------------------------------------------------------------------------------

KINDS: dict[str, Callable[..., transforms.Transform]] = {
    "mae": lambda **given: transforms.RandomPatchMask(GRID, **given),
    "ibot": lambda **given: transforms.RandomBlockMask(GRID, **given),
}


@pytest.mark.parametrize("kind", KINDS)
def test_images_are_those_of_the_list_without_masks(source: str, kind: str) -> None:
    moves = [transforms.RandomCrop(28), transforms.RandomHorizontalFlip(), transforms.ToFloat()]
    with loader_of(source, moves) as plain, loader_of(source, [*moves, KINDS[kind](name="hidden")]) as masked:
        for one, other in zip(plain, masked, strict=True):
            np.testing.assert_array_equal(one["image"], other["image"])
            assert other["hidden"].shape == (len(other["index"]), GRID, GRID)
        plan = masked.plan()
    assert "hidden (array): rows of bool (14, 14)" in plan
    assert KINDS[kind](name="hidden").handle.name in plan


def test_views_have_masks_of_their_own(source: str) -> None:
    mask = transforms.RandomPatchMask((7, 14))
    views = Views(
        a=[CROP, mask],
        b=[CROP, transforms.RandomPatchMask((7, 14), key="same")],
        c=[CROP, transforms.RandomPatchMask((7, 14), key="same")],
        plain=[CROP],
        local=(3, [CROP, mask, transforms.IJEPAMask(7)]),
    )
    with loader_of(source, views) as loader:
        for batch in loader:
            rows = len(batch["index"])
            assert batch["a.patch_mask"].shape == (rows, 7, 14)
            assert batch["local.patch_mask"].shape == (rows, 3, 7, 14)
            assert batch["local.target_mask"].shape == (rows, 3, 4, 7, 7)
            assert "plain.patch_mask" not in batch
            np.testing.assert_array_equal(batch["b.patch_mask"], batch["c.patch_mask"])
            assert (batch["a.patch_mask"] != batch["b.patch_mask"]).any((1, 2)).all()
            assert (batch["local.patch_mask"][:, 0] != batch["local.patch_mask"][:, 1]).any((1, 2)).all()
            for number, index in enumerate(batch["index"].tolist()):
                for one in range(3):
                    params = batch.params[number]["local"][one]
                    again = transforms.apply(views.lists["local"][1], loader.dataset[index]["image"], params)
                    for name in ("patch_mask", "context_mask", "target_mask"):
                        np.testing.assert_array_equal(again[name], batch[f"local.{name}"][number, one])


def test_five_crops_share_what_was_drawn(source: str) -> None:
    with loader_of(source, [transforms.FiveCrop(14), transforms.RandomPatchMask(GRID)]) as loader:
        batch = next(iter(loader))
    assert batch["patch_mask"].shape == (32, 5, GRID, GRID)
    np.testing.assert_array_equal(batch["patch_mask"][:, 0], batch["patch_mask"][:, 4])


def test_bad_samples_leave_masks_of_others_as_they_are(tmp_path: Path) -> None:
    samples = [{"jpg": encode(draw(number, 32, 30)), "cls": b"1"} for number in range(16)]
    listed = [CROP, transforms.RandomBlockMask(GRID), transforms.IJEPAMask(GRID)]
    whole = write_tar(tmp_path / "whole.tar", samples)
    samples[5]["jpg"] = samples[5]["jpg"][:40]
    broken = write_tar(tmp_path / "broken.tar", samples)
    (before,) = batches_of(str(whole), listed, 1, batch_size=16, shuffle=False)
    for policy, left in (("skip", 15), ("replace", 16)):
        with loader_of(str(broken), listed, batch_size=16, shuffle=False, on_error=policy) as loader:
            (batch,) = list(loader)
        assert len(batch["index"]) == left
        kept = [row for row in range(16) if row != 5]
        rows = slice(None) if left == 15 else kept
        for name in ("patch_mask", "context_mask", "target_mask"):
            np.testing.assert_array_equal(batch[name][rows], before[name][kept])
        assert len(set(batch["context_mask"].sum((1, 2)))) == 1


def test_compose_gives_masks_by_name() -> None:
    torch = pytest.importorskip("torch")
    compose = transforms.Compose([transforms.ToFloat(), transforms.RandomPatchMask(GRID), transforms.IJEPAMask(7)])
    image = np.array(draw(1, 28, 28))
    made = compose(image, seed=3)
    assert set(made) == {"image", "patch_mask", "context_mask", "target_mask"}
    assert made["patch_mask"].dtype == np.bool_ and made["target_mask"].shape == (4, 7, 7)
    again = transforms.apply(compose, image, compose.draw(image, seed=3))
    tensors = compose(torch.from_numpy(image).permute(2, 0, 1), seed=3)
    for name, value in made.items():
        np.testing.assert_array_equal(again[name], value)
        if name != "image":
            assert tensors[name].dtype == torch.bool
            np.testing.assert_array_equal(tensors[name].numpy(), value)
    with pytest.raises(penstock.InvalidError, match="two results would be called 'mask'"):
        transforms.Compose([transforms.RandomPatchMask(7, name="mask")])(image, mask=image[..., 0])


def test_what_cannot_be_is_refused(source: str) -> None:
    def refused(listed: Any) -> str:
        with pytest.raises(penstock.InvalidError) as problem, loader_of(source, listed):
            pass
        return str(problem.value)

    mask = transforms.RandomPatchMask(GRID)
    assert "grid must divide the image of 30 x 28" in refused([transforms.CenterCrop((30, 28)), mask])
    assert "two fields of masks would be called 'patch_mask'" in refused([mask, transforms.RandomBlockMask(7)])
    named_image = transforms.RandomPatchMask(GRID, name="image")
    assert "two columns of a batch would be called 'image'" in refused([CROP, named_image])
    assert "RandomApply cannot hold RandomPatchMask" in refused([transforms.RandomApply([mask])])
    assert "is in a list that makes masks of patches" in refused([CROP, lambda image: image, mask])
