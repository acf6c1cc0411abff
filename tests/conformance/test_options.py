"""Every option of a loader, by being listed: documented, typed, a value, and without effect on what must not change."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import material
import pytest

import penstock
from penstock import _option_list

OPTIONS = _option_list.OPTIONS
#: What these change is which samples come, or what a sample is; all others leave the stream as it is.
DECIDES_THE_STREAM = {
    "batch_size",
    "decode",
    "drop_last",
    "enable_transforms",
    "generator_seed",
    "length_window",
    "memory_format",
    "num_workers_pytorch",
    "output",
    "sampler",
    "seed",
    "shard_rank",
    "shard_world_size",
    "shuffle",
    "shuffle_mode",
    "worker_id",
}


def other_values(name: str) -> list[Any]:
    """Values that differ from the default, made from the option's type."""
    option = OPTIONS[name]
    if choices := re.findall(r"[\"']([^\"']+)[\"']", option.type):
        return [choice for choice in choices if choice != option.default]
    if "bool" in option.type:
        return [not option.default]
    if "PathLike" in option.type:
        return []  # test_cache.py and test_options_running.py have folders for them
    if "int" in option.type:
        return [(option.default or 0) + 4, 4096]
    return [0.5] if "float" in option.type else []


def stream(source: str, **options: Any) -> list[str]:
    settings = {"batch_size": 2, "shuffle": True, "seed": 5, "output": "numpy", **options}
    with penstock.Loader(source, transforms=penstock.presets.imagenet_train(16), **settings) as loader:
        return sorted(material.digest(batch) for batch in loader)  # loading_mode may change when they come


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    return material.write_images(tmp_path_factory.mktemp("options") / "images.tar")


@pytest.fixture(scope="module")
def reference(source: str) -> list[str]:
    return stream(source, num_workers=1)


@pytest.mark.parametrize("name", OPTIONS)
def test_is_a_keyword_a_property_and_a_method(name: str) -> None:
    options = penstock.LoaderOptions()
    for value in other_values(name):
        try:
            changed = getattr(options, f"with_{name}")(value)
        except penstock.InvalidError as refused:
            assert name in str(refused)
            continue
        assert getattr(changed, name) == value
        assert getattr(options, name) == getattr(penstock.LoaderOptions(), name)
        assert changed == penstock.LoaderOptions(**{name: value})
        assert penstock.LoaderOptions.from_dict(json.loads(json.dumps(changed.to_dict()))) == changed


@pytest.mark.parametrize("name", OPTIONS)
def test_is_documented(name: str) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "options.md").read_text()
    assert f"`{name}`" in page
    assert OPTIONS[name].doc in page.replace("\\", "")
    assert f"{name}: " in str(penstock.Loader.__doc__)


@pytest.mark.parametrize("name", OPTIONS)
def test_refuses_what_it_cannot_be(name: str) -> None:
    with pytest.raises((penstock.InvalidError, TypeError), match=name):
        penstock.LoaderOptions(**{name: object()})


@pytest.mark.parametrize("name", sorted(set(OPTIONS) - DECIDES_THE_STREAM))
def test_leaves_the_stream_as_it_is(name: str, source: str, reference: list[str]) -> None:
    for value in other_values(name):
        try:
            found = stream(source, **{name: value})
        except penstock.Error as refused:
            assert name in str(refused)
            continue
        assert found == reference, f"{name}={value!r}"
