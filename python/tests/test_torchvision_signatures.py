"""Every class that torchvision has too takes the same parameters, in the same order and with the same defaults."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from penstock import transforms

v2 = pytest.importorskip("torchvision.transforms.v2")

THEIRS = {
    name: value
    for name, value in vars(v2).items()
    if inspect.isclass(value) and issubclass(value, v2.Transform) and value is not v2.Transform
}
#: Parameters of torchvision's that are not here.
LEFT_OUT = {
    ("ClampBoundingBoxes", "clamping_mode"): "of rotated boxes, which are not here: others are always cut off",
    ("Normalize", "inplace"): "of tensors: rows are written once",
    ("RandomErasing", "inplace"): "of tensors: rows are written once",
    ("CutMix", "labels_getter"): "the field of labels is known",
    ("MixUp", "labels_getter"): "the field of labels is known",
    ("SanitizeBoundingBoxes", "labels_getter"): "penstock.Boxes(labels=...) says which labels are dropped",
    ("SanitizeKeyPoints", "labels_getter"): "penstock.Boxes and Keypoints of one object are dropped together",
    ("Lambda", "types"): "functions are given the image alone",
}
#: Those that have another default.
OTHER_DEFAULTS = {
    ("CutMix", "num_classes"): "is required: labels become one-hot",
    ("MixUp", "num_classes"): "is required: labels become one-hot",
}
#: Classes of torchvision's that are not here, and what takes their place.
ELSEWHERE = {
    "ConvertImageDtype": "ToFloat, ToFloat16, ToBfloat16, ToUint8",
    "LinearTransformation": "a function",
    "PILToTensor": "nothing: images come as arrays and tensors",
    "SetClampingMode": "nothing: boxes are always cut off",
    "ToDtype": "ToFloat, ToFloat16, ToBfloat16, ToUint8",
    "ToImage": "nothing: images come as arrays and tensors",
    "ToPILImage": "nothing: images come as arrays and tensors",
    "ToPureTensor": "nothing: images come as arrays and tensors",
    "ToTensor": "ToFloat",
    "UniformTemporalSubsample": "nothing: of video",
}


def _default(value: Any) -> Any:
    """As numbers, texts and tuples; one number in a tuple is the number."""
    inner = getattr(value, "value", value)
    value = inner if isinstance(inner, str) else value
    if isinstance(value, list | tuple):
        return float(value[0]) if len(value) == 1 else tuple(map(float, value))
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number else value


def _parameters(signature: inspect.Signature) -> dict[str, Any]:
    return {name: _default(parameter.default) for name, parameter in signature.parameters.items()}


@pytest.mark.parametrize("name", sorted(name for name in THEIRS if hasattr(transforms, name)))
def test_parameters_are_torchvisions(name: str) -> None:
    ours = _parameters(inspect.signature(getattr(transforms, name)))
    theirs = _parameters(inspect.signature(THEIRS[name]))
    wanted = [parameter for parameter in theirs if (name, parameter) not in LEFT_OUT]
    assert [parameter for parameter in ours if parameter in theirs] == wanted
    assert list(ours)[: len(wanted)] == wanted, "what is ours alone comes behind"
    for parameter in wanted:
        if (name, parameter) not in OTHER_DEFAULTS:
            assert ours[parameter] == theirs[parameter], parameter


def test_every_class_is_here_or_has_its_reason() -> None:
    missing = {name for name in THEIRS if not hasattr(transforms, name)}
    assert missing == set(ELSEWHERE)
    for name, parameter in [*LEFT_OUT, *OTHER_DEFAULTS]:
        assert parameter in inspect.signature(THEIRS[name]).parameters, "an exception that nothing needs"


@pytest.mark.parametrize("given", ["nearest-exact", 0, 2, 3, None])
def test_interpolation_is_taken_as_torchvision_takes_it(given: Any) -> None:
    from PIL import Image
    from torchvision.transforms import InterpolationMode

    names = {"nearest-exact": "nearest", 0: "nearest", 2: "bilinear", 3: "bicubic"}
    if given is None:
        for mode in InterpolationMode:
            name = names.get(mode.value, mode.value)
            assert transforms.Resize(8, interpolation=mode).params["interpolation"] == name
        for name in ("nearest", "box", "bilinear", "hamming", "bicubic", "lanczos"):
            filter_ = Image.Resampling[name.upper()]
            assert transforms.Resize(8, interpolation=filter_).params["interpolation"] == name
        assert transforms.Resize(8, antialias=None) == transforms.Resize(8)
        return
    assert transforms.Resize(8, interpolation=given).params["interpolation"] == names[given]
