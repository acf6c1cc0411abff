"""Every option of a loader, by being listed: documented, typed, a value, and without effect on what must not change."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import material
import numpy as np
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
    "fuse",
    "generator_seed",
    "length_window",
    "memory_format",
    "num_workers_pytorch",
    "output",
    "pad_images",
    "sampler",
    "seed",
    "shard_rank",
    "shard_world_size",
    "shuffle",
    "shuffle_mode",
    "shuffle_shards",
    "shuffle_window",
    "worker_id",
}
#: What shows those of them that imagenet_train on shuffled images does not: a source, transforms, other options.
SHOWN_BY: dict[str, dict[str, Any]] = {
    "decode": {"transforms": []},
    "length_window": {"source": "audio", "transforms": []},
    "pad_images": {"transforms": [penstock.transforms.RandomHorizontalFlip()]},
    "sampler": {"shuffle": False},
}
#: What an option needs beside it.
NEEDS: dict[str, dict[str, Any]] = {
    "cache_trust": {"cache": "cache"},
    "device": {"output": "torch"},
    "max_error_run": {"on_error": "skip"},
    "max_errors": {"on_error": "skip"},
    "pin_memory": {"output": "torch"},
    "shard_rank": {"shard_world_size": 5},
    "shuffle_mode": {"shuffle": True},
    "shuffle_shards": {"shuffle": True, "shuffle_mode": "shards"},
    "shuffle_window": {"shuffle": True, "shuffle_mode": "window"},
    "worker_id": {"num_workers_pytorch": 5},
}
#: Values of those whose types do not tell any. Files and folders lie in an empty one, where the test runs.
VALUES: dict[str, list[Any]] = {
    "cache": ["cache"],
    "cache_trust": ["user:root"],
    "device": ["cpu"],
    "error_report": ["report.jsonl"],
    "max_pixels": [100_000],
    "sampler": [penstock.samplers.Indices([3, 1, 2])],
}


def other_values(name: str) -> list[Any]:
    """Values that differ from the default, made from the option's type."""
    option = OPTIONS[name]
    if name in VALUES:
        return VALUES[name]
    if choices := re.findall(r"[\"']([^\"']+)[\"']", option.type):
        return [choice for choice in choices if choice != option.default]
    if "bool" in option.type:
        return [not option.default]
    if "int" in option.type:
        return [(option.default or 0) + 4, 4096]
    assert "float" in option.type, f"add values of {name} to VALUES"
    return [0.5]


def stream(source: str, **options: Any) -> list[str]:
    settings = {"batch_size": 2, "shuffle": True, "seed": 5, "output": "numpy", **options}
    with penstock.Loader(source, transforms=penstock.presets.imagenet_train(16), **settings) as loader:
        return sorted(map(digest, loader))  # loading_mode may change when they come


def array_of(value: Any) -> Any:
    """Numpy's array on a tensor, or on what speaks DLPack alone; of a list each."""
    if isinstance(value, list):
        return [array_of(each) for each in value]
    return np.from_dlpack(value) if hasattr(value, "__dlpack__") else value


def digest(batch: penstock.Batch) -> str:
    return material.digest({name: array_of(value) for name, value in batch.items()})


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    return material.write_images(tmp_path_factory.mktemp("options") / "images.tar")


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> material.Sources:
    return material.write_sources(tmp_path_factory.mktemp("sources"))


@pytest.fixture(scope="module")
def reference(source: str) -> list[str]:
    return stream(source, num_workers=1)


@pytest.mark.parametrize("name", OPTIONS)
def test_is_a_keyword_a_property_and_a_method(name: str) -> None:
    needs = NEEDS.get(name, {})
    options = penstock.LoaderOptions(**needs)
    taken = 0
    for value in other_values(name):
        try:
            changed = getattr(options, f"with_{name}")(value)
        except penstock.InvalidError as refused:
            assert name in str(refused)
            continue
        taken += 1
        assert getattr(changed, name) == value
        assert getattr(options, name) == getattr(penstock.LoaderOptions(), name)
        assert changed == penstock.LoaderOptions(**needs, **{name: value})
        assert penstock.LoaderOptions.from_dict(json.loads(json.dumps(changed.to_dict()))) == changed
    assert taken > 0, f"all values of {name} were refused: add to NEEDS what it needs, or to VALUES"


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
def test_leaves_the_stream_as_it_is(
    name: str, source: str, reference: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    needs = NEEDS.get(name, {})
    if needs.get("output") == "torch":
        pytest.importorskip("torch")
    taken = 0
    for value in other_values(name):
        try:
            found = stream(source, **needs, **{name: value})
        except penstock.Error as refused:
            assert name in str(refused)
            continue
        taken += 1
        assert found == reference, f"{name}={value!r}"
    assert taken > 0, f"all values of {name} were refused: add to NEEDS what it needs, or to VALUES"


@pytest.mark.parametrize("name", sorted(DECIDES_THE_STREAM))
def test_workers_and_resuming_leave_its_stream_as_it_is(name: str, sources: material.Sources) -> None:
    shown_by = {"source": "image", "transforms": penstock.presets.imagenet_train(16), **SHOWN_BY.get(name, {})}
    source = sources[shown_by.pop("source")]
    settings = {"batch_size": 2, "shuffle": True, "seed": 5, "output": "numpy", **NEEDS.get(name, {}), **shown_by}
    taken = 0
    for value in other_values(name):
        if "torch" in (value, settings["output"]):
            pytest.importorskip("torch")
        options = settings | {name: value}
        try:
            loader = penstock.Loader(source, num_workers=0, **options)
        except penstock.Error as refused:
            assert name in str(refused)
            continue
        taken += 1
        with loader:
            states, stream = [loader.state_dict()], []
            for batch in loader:
                stream.append(digest(batch))
                states.append(loader.state_dict())
            following = list(map(digest, loader))
        assert stream
        for workers in (1, 2, 8):
            with penstock.Loader(source, num_workers=workers, **options) as other:
                for epoch in (stream, following):
                    assert list(map(digest, other)) == epoch, f"{name}={value!r}, {workers} workers"
        for step, state in enumerate(states):
            with penstock.Loader(source, num_workers=step % 3, **options) as resumed:
                resumed.load_state_dict(state)
                for epoch in (stream[step:], following):
                    assert list(map(digest, resumed)) == epoch, f"{name}={value!r}, resumed at step {step}"
    assert taken > 0, f"all values of {name} were refused: add to NEEDS or SHOWN_BY what it needs, or to VALUES"
