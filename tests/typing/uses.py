"""Right and wrong uses of the package, as a type checker sees them: mypy --strict finds exactly what is marked wrong.

Checked by the suite lint, never run. An ignore that is not needed is an error too (warn_unused_ignores).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from typing_extensions import assert_type

import penstock
from penstock import Batch, Loader, LoaderOptions, samplers, transforms


def collated(samples: list[dict[str, Any]]) -> list[int]:
    return [sample["index"] for sample in samples]


def wrongly_collated(samples: int) -> int:
    return samples


# --- options ----------------------------------------------------------------------------------------------------------

right = Loader(
    "train.tar",
    batch_size=4,
    seed=None,
    on_error="skip",
    max_errors=0.5,
    cache=Path("cache"),
    cache_trust="group:team",
    sampler=samplers.Weighted([1.0, 2.0]),
    device=torch.device("cpu"),
    options=LoaderOptions(shuffle=True),
    transforms=[transforms.CenterCrop(8), lambda array: array],
)
Loader(Path("train"), sampler="random", transforms={"image": [transforms.Resize(8)]})
Loader(["a.tar", "b.tar"], sampler=[3, 1, 2], timeout_seconds=None, memory_format="channels_last")
Loader(penstock.Dataset("train.tar"), num_workers=None)

Loader("train.tar", cache="cache", cache_trust=Path("group:team"))  # type: ignore[call-overload]
Loader("train.tar", batchsize=4)  # type: ignore[call-overload]
Loader("train.tar", batch_size="4")  # type: ignore[call-overload]
Loader("train.tar", on_error="ignore")  # type: ignore[call-overload]
Loader("train.tar", memory_format="nhwc")  # type: ignore[call-overload]
Loader("train.tar", collate_fn=collated, collate_in="helper")  # type: ignore[call-overload]
Loader("train.tar", sampler="randm")  # type: ignore[arg-type]
Loader("train.tar", 4)  # type: ignore[call-overload]
Loader(3)  # type: ignore[call-overload]
Loader("train.tar", transforms=transforms.Resize(8))  # type: ignore[call-overload]
Loader("train.tar", options={"batch_size": 4})  # type: ignore[call-overload]
right.batch_size = 3  # type: ignore[attr-defined]
right.options = LoaderOptions()  # type: ignore[misc]
samplers.Random().replacement = True  # type: ignore[misc]
samplers.Weighted([1.0]).weights = [2.0]  # type: ignore[assignment,misc]

options = LoaderOptions(batch_size=4, prefetch=3).with_seed(None).with_shuffle(seed=3).with_timeout(None)
assert_type(options.batch_size, int)
assert_type(options.seed, int | None)
assert_type(options.cache, str | None)
assert_type(options.cache_trust, str | None)
assert_type(options.with_prefetch(2), LoaderOptions)
options.replace(on_error="replace").channels_last().debug_mode()

LoaderOptions(batchsize=4)  # type: ignore[call-arg]
LoaderOptions(batch_size="4")  # type: ignore[arg-type]
options.with_foo()  # type: ignore[attr-defined]
options.with_batch_size("4")  # type: ignore[arg-type]
options.with_on_error("ignore")  # type: ignore[arg-type]
options.replace(prefetch_factor=2)  # type: ignore[call-arg]
options.batch_size = 3  # type: ignore[misc]
options.foo = 3  # type: ignore[attr-defined]
options.foo  # type: ignore[attr-defined]  # noqa: B018

# --- what is delivered ------------------------------------------------------------------------------------------------

for batch in right:
    assert_type(batch, Batch)
    batch["image"].mean()
    batch[0]  # type: ignore[index]
for numbers in Loader("train.tar", collate_fn=collated, collate_in="process"):
    assert_type(numbers, list[int])
for images, labels in Loader("train.tar", as_tuple=("image", "label")):
    images.mean(labels)


def train(loader: Loader) -> None:
    for batch in loader:
        assert_type(batch, Batch)


train(right)
train(Loader("train.tar", collate_fn=collated))  # type: ignore[arg-type]
Loader("train.tar", collate_fn=wrongly_collated)  # type: ignore[arg-type]
Loader("train.tar", collate_fn=collated, as_tuple=("image",))  # type: ignore[call-overload]
Loader("train.tar", as_tuple=3)  # type: ignore[call-overload]
assert_type(right.state_dict(), dict[str, Any])

# --- stores -----------------------------------------------------------------------------------------------------------

assert_type(penstock.build("train.tar", "store", image="repack", on_error="skip").samples, int)
penstock.build("train.tar", "store", image="repackk")  # type: ignore[arg-type]
penstock.build("train.tar", "store", on_error="replace")  # type: ignore[arg-type]
penstock.build("train.tar", "store", quality="high")  # type: ignore[arg-type]

# --- transforms -------------------------------------------------------------------------------------------------------

transforms.RandomResizedCrop(224, scale=(0.1, 1.0))
transforms.RandomResizedCrop("224")  # type: ignore[arg-type]
transforms.CenterCrop(8).handle = transforms.Resize(8).handle  # type: ignore[misc]
transforms.CenterCropp(8)  # type: ignore[attr-defined]
