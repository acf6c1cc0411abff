"""Lists of transforms as plain values: dicts, JSON, YAML, and dicts with _target_ as Hydra has them."""

from __future__ import annotations

import builtins
import json
import pickle
from collections import UserDict, UserList
from typing import Any

import pytest

import penstock
from penstock import transforms

LIST = [
    transforms.RandomResizedCrop(48, scale=(0.2, 1.0), key="crop"),
    transforms.ColorJitter(0.4, hue=(-0.1, 0.1)),
    transforms.RandomErasing(value="random"),
    transforms.ToFloat(),
    transforms.Normalize([0.5], [0.25]),
]
VIEWS = penstock.Views(a=LIST, local=(6, [transforms.RandomResizedCrop(96, key="crop")]))
FIELDS = {"image": LIST, "mask": [transforms.CenterCrop(8)]}


@pytest.mark.parametrize("value", [LIST, VIEWS, FIELDS, []], ids=["list", "views", "fields", "nothing"])
def test_goes_out_and_comes_back(value: Any) -> None:
    assert transforms.from_config(transforms.to_config(value)) == value
    assert transforms.from_json(transforms.to_json(value)) == value
    assert transforms.from_json(transforms.to_json(value, indent=2)) == value
    assert json.loads(transforms.to_json(value)) == transforms.to_config(value)
    pytest.importorskip("yaml")
    assert transforms.from_yaml(transforms.to_yaml(value)) == value


def test_a_list_as_one_value() -> None:
    compose = transforms.Compose(LIST)
    again = transforms.Compose(transforms.from_config(transforms.to_config(compose)))
    assert again == compose
    assert hash(again) == hash(compose)
    assert {compose: 1}[again] == 1
    assert list(compose) == LIST
    assert len(compose) == len(LIST)
    assert pickle.loads(pickle.dumps(VIEWS)) == VIEWS
    assert hash(transforms.from_config(transforms.to_config(VIEWS))) == hash(VIEWS)
    assert transforms.Compose(LIST[:2]) != compose


def test_yaml_as_people_write_it() -> None:
    pytest.importorskip("yaml")
    text = """
    - op: RandomResizedCrop
      size: 48
      scale: [0.2, 1]
      key: crop
    - {op: ColorJitter, brightness: 0.4, hue: [-0.1, 0.1]}
    - _target_: penstock.transforms.RandomErasing
      value: random
    - op: ToFloat
    - {op: Normalize, mean: 0.5, std: 0.25}
    """
    assert transforms.from_yaml(text) == LIST
    with pytest.raises(penstock.InvalidError, match="not YAML"):
        transforms.from_yaml("[1")


def test_yaml_without_pyyaml_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without_yaml(name: str, *rest: Any, **keywords: Any) -> Any:
        if name == "yaml":
            raise ImportError(name)
        return real(name, *rest, **keywords)

    monkeypatch.setattr(builtins, "__import__", without_yaml)
    with pytest.raises(penstock.UnsupportedError, match="pip install pyyaml"):
        transforms.to_yaml(LIST)


def test_targets_as_hydra_has_them() -> None:
    ours = [{"_target_": "penstock.transforms.RandomResizedCrop", "size": 224}]
    theirs = [{"_target_": "torchvision.transforms.v2.RandomResizedCrop", "size": 224}]
    old = [{"_target_": "torchvision.transforms.RandomResizedCrop", "size": (224, 224)}]
    wanted = [transforms.RandomResizedCrop(224)]
    assert transforms.from_config(ours) == transforms.from_config(theirs) == wanted
    assert transforms.from_config(old) == [transforms.RandomResizedCrop((224, 224))]
    assert transforms.from_config(ours[0]) == wanted
    assert transforms.from_config({"_target_": "torchvision.transforms.v2.Compose", "transforms": theirs}) == wanted
    views = {"_target_": "penstock.Views", "a": ours, "b": [2, theirs]}
    assert transforms.from_config(views) == penstock.Views(a=wanted, b=(2, wanted))
    composed = {"fields": {"image": {"_target_": "penstock.transforms.Compose", "transforms": ours}}}
    assert transforms.from_config(composed) == {"image": wanted}


def test_containers_that_only_look_like_dicts_and_lists() -> None:
    """OmegaConf's are such."""
    config = UserList([UserDict({"_target_": "penstock.transforms.CenterCrop", "size": UserList([3, 4])})])
    assert transforms.from_config(config) == [transforms.CenterCrop((3, 4))]


def test_compose_stands_wherever_a_list_takes_it() -> None:
    crop, flip, invert = transforms.CenterCrop(8), transforms.RandomHorizontalFlip(), transforms.RandomInvert()
    listed = transforms.to_config([flip, invert])
    composed = {"_target_": "torchvision.transforms.v2.Compose", "transforms": listed}
    held = transforms.to_config([crop])
    for inner in (composed, {"op": "Compose", "transforms": listed}, listed, transforms.Compose([flip, invert])):
        assert transforms.from_config([*held, inner]) == [crop, flip, invert]
        for name in ("RandomApply", "RandomChoice"):
            wanted = getattr(transforms, name)([transforms.Compose([flip, invert]), crop])
            assert transforms.from_config([{"op": name, "transforms": [inner, *held]}]) == [wanted]
    apply = [{"_target_": "torchvision.transforms.v2.RandomApply", "transforms": composed}]
    assert transforms.from_config(apply) == [transforms.RandomApply([flip, invert])]


def test_what_hydra_says_beside_parameters() -> None:
    said = {"_convert_": "all", "_recursive_": False, "_partial_": False}
    crop = {"_target_": "penstock.transforms.CenterCrop", "size": 8} | said
    wanted = [transforms.CenterCrop(8)]
    assert transforms.from_config([crop]) == wanted
    compose = {"_target_": "penstock.transforms.Compose", "transforms": [crop]} | said
    assert transforms.from_config({"_target_": "penstock.Views", "a": compose} | said) == penstock.Views(a=wanted)


def test_inplace_may_be_its_default() -> None:
    given = {"_target_": "torchvision.transforms.v2.Normalize", "mean": [0.5], "std": [0.25], "inplace": False}
    assert transforms.from_config([given]) == [transforms.Normalize([0.5], [0.25])]
    with pytest.raises(penstock.InvalidError, match=r"^\[0\]\.inplace: Normalize has no such parameter"):
        transforms.from_config([given | {"inplace": True}])


def test_compose_is_a_list_by_either_name() -> None:
    for name in ({"op": "Compose"}, {"_target_": COMPOSE}):
        assert transforms.from_config(name | {"transforms": transforms.to_config(LIST)}) == LIST


def test_texts_that_say_a_thing_twice_or_without_end_are_refused() -> None:
    with pytest.raises(penstock.InvalidError, match="^the config has 'size' twice in one object"):
        transforms.from_json('[{"op": "CenterCrop", "size": 8, "size": 9}]')
    itself: list[Any] = []
    itself.append(itself)
    for read, text in (
        (transforms.from_yaml, "&x [*x]"),
        (transforms.from_yaml, "[" * 5000 + "]" * 5000),
        (transforms.from_json, "[" * 100_000 + "]" * 100_000),
        (transforms.from_json, "[" * 900 + "]" * 900),
        (transforms.from_config, itself),
    ):
        with pytest.raises(penstock.InvalidError, match="^the config is nested too deeply, or holds itself"):
            read(text)


COMPOSE = "torchvision.transforms.v2.Compose"
RESIZE = {"_target_": "torchvision.transforms.v2.Resize", "size": "q"}

WRONG: list[tuple[Any, str]] = [
    ({"views": {"a": {"_target_": COMPOSE, "transforms": [RESIZE]}}}, r"^views\.a\.transforms\[0\]\.size must be"),
    ({"fields": {"m": {"_target_": COMPOSE, "transforms": [RESIZE]}}}, r"^fields\.m\.transforms\[0\]\.size must be"),
    ({"fields": {"m": RESIZE}}, r"^fields\.m\.size must be"),
    ([[], {"_target_": COMPOSE, "transforms": [RESIZE]}], r"^\[1\]\.transforms\[0\]\.size must be"),
    ([{"_target_": COMPOSE, "list": []}], r"^\[0\]: Compose takes 'transforms', got \['list'\]"),
    ({"_target_": "penstock.Views", "a": [RESIZE]}, r"^a\[0\]\.size must be"),
    (RESIZE, r"^size must be"),
    ({"views": {"a": [0, []]}}, r"^views\.a\[0\] must be a positive integer, got 0"),
    ({"views": {"a": ["6", []]}}, r"^views\.a\[0\] must be a positive integer, got '6'"),
    ({"views": {"a": ["x", "y"]}}, r"^views\.a\[0\] must be \{'op': name"),
    ([RESIZE | {"_partial_": True}], r"^\[0\]\._partial_ must be false: an operation is made at once"),
    ([{"op": "ToFloat", "_convert_": "all"}], r"^\[0\]\._convert_: ToFloat has no such parameter"),
    ([{"op": "RandomApply", "transforms": [[RESIZE]]}], r"^\[0\]\.transforms\[0\]\[0\]\.size must be"),
    ([{"op": "RandomApply", "transforms": 3}], r"^\[0\]\.transforms must be a list of operations, got 3"),
    (7, r"the config must be a list of operations, got 7"),
    ({"op": "ToFloat"}, r"a config is a list of operations.*got the keys \['op'\]"),
    ([{"op": "ToFloat"}, 7], r"^\[1\] must be \{'op': name, \.\.\.\}, got 7"),
    ([{"size": 3}], r"^\[0\] must be \{'op': name"),
    ([{"op": "CenterCrop", "_target_": "x", "size": 3}], r"^\[0\] must be \{'op': name"),
    ([{"op": "CentreCrop", "size": 3}], r"^\[0\]\.op: unknown operation 'CentreCrop'; did you mean CenterCrop\?"),
    ([{"op": 3}], r"^\[0\]\.op must be the name of an operation, got 3"),
    ([{"op": "CenterCrop", "sise": 3}], r"^\[0\]\.sise: CenterCrop has no such parameter; did you mean size\?"),
    ([{"op": "CenterCrop", "zzz": 3}], r"^\[0\]\.zzz: CenterCrop has no such parameter; it takes size"),
    ([{"op": "CenterCrop", "size": "a"}], r"^\[0\]\.size must be an integer or a sequence of integers, got 'a'"),
    ([{"op": "CenterCrop"}], r"^\[0\]: CenterCrop: missing a required argument: 'size'"),
    ([{"op": "RandomHorizontalFlip", "p": 2}], r"^\[0\]\.p must be between 0 and 1, got 2"),
    ({"views": {"a": [{"op": "Nothing"}]}}, r"^views\.a\[0\]\.op: unknown operation"),
    ({"views": {"a": [2, [{"op": "ToFloat"}, {"op": "RandomCrop", "size": 0}]]}}, r"^views\.a\[1\]\[1\]\.size must be"),
    ({"fields": {"mask": 3}}, r"^fields\.mask must be a list of operations, got 3"),
    ([{"_target_": "os.system", "command": "x"}], r"^\[0\]\._target_ must be a class of penstock\.transforms or"),
    ([{"_target_": "torchvision.transforms.v2.ToTensor"}], r"^\[0\]\._target_: unknown .* 'ToTensor'; use ToFloat"),
    ({"_target_": "penstock.transforms.Compose", "list": []}, r"Compose takes 'transforms', got \['list'\]"),
]


@pytest.mark.parametrize(("config", "message"), WRONG, ids=[str(number) for number in range(len(WRONG))])
def test_what_is_wrong_is_named_by_its_path(config: Any, message: str) -> None:
    with pytest.raises(penstock.InvalidError, match=message):
        transforms.from_config(config)


def test_lists_in_lists_are_one_list() -> None:
    nested: Any = [transforms.Compose(LIST[:2]), LIST[2:]]
    assert transforms.to_config(nested) == transforms.to_config(LIST)
    assert transforms.to_config({"image": transforms.Compose(LIST)}) == transforms.to_config({"image": LIST})


@pytest.mark.parametrize("value", [transforms.ToFloat(), 7, None])
def test_what_is_no_list_is_refused(value: Any) -> None:
    words = r"a list of operations, \{field: list\} or Views can be a config, got (ToFloat\(\)|7|None)"
    with pytest.raises(penstock.InvalidError, match=words):
        transforms.to_config(value)


def test_texts_that_are_not_json_and_functions_are_refused() -> None:
    with pytest.raises(penstock.InvalidError, match="not JSON"):
        transforms.from_json("[1")
    with pytest.raises(penstock.InvalidError, match=r"\[0\] is .* put functions into the list"):
        transforms.to_config([len])  # type: ignore[list-item]
