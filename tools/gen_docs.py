"""Writes the reference pages that the catalogues hold the text of: docs/transforms.md, docs/functional.md and
docs/options.md.

    python tools/gen_docs.py [--check]

--check writes nothing and exits 1 when a page differs from what the installed penstock would give.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import penstock
from gen_images import example, shown_operations
from generated_files import write_or_compare
from penstock import options, presets, transforms
from penstock._on_device import MIXES, STEPS
from penstock._option_list import OPTIONS

NOTE = "<!-- made by tools/gen_docs.py from the installed package: change the text there, beside the code -->"


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(head)} |", f"|{'|'.join('---' for _ in head)}|"]
    return lines + [f"| {' | '.join(cell(text) for text in row)} |" for row in rows]


def operation_section(info: Mapping[str, Any]) -> list[str]:
    lines = [f"## {info['name']}", "", info["summary"], ""]
    if info["name"] in shown_operations():
        lines += [f"![before and after](images/transforms/{info['name']}.jpg)", ""]
        lines += [f"The image, then `{example(info['name'])[1]}`.", ""]
    rows = [
        (
            f"`{parameter['name']}`",
            f"`{parameter['type']}`",
            "required" if parameter["required"] else f"`{parameter['default']!r}`",
            parameter["doc"],
        )
        for parameter in info["parameters"]
    ]
    return lines + ([*table(("parameter", "type", "default", "meaning"), rows), ""] if rows else [])


def preset_section(name: str) -> list[str]:
    preset = getattr(presets, name)
    made = preset()
    lists = {"": (None, made)} if isinstance(made, list) else made.lists
    lines = [f"### presets.{name}", "", f"`{call_text(name, inspect.signature(preset))}`", ""]
    lines += [" ".join((inspect.getdoc(preset) or "").split()), ""]
    for view, (count, operations) in lists.items():
        lines += [f"`{view}`{f', {count} of them' if count else ''}:", ""] if view else []
        lines += [*(f"{number}. `{operation!r}`" for number, operation in enumerate(operations, 1)), ""]
    return lines


def transforms_page() -> str:
    classes = [getattr(transforms, name) for name in transforms.__all__]
    infos = [kind.info for kind in classes if isinstance(kind, type) and hasattr(kind, "info")]
    lines = [
        NOTE,
        "# Transforms",
        "",
        "Operations on images and on recordings, for `Loader(..., transforms=[...])`. For images names, parameters and",
        "defaults are those of torchvision, pixels those of Pillow. The plan (`print(loader.plan())`) fuses what it",
        "can: only the pixels that are needed are decoded and computed, and the results stay the same. Operations on",
        "recordings begin with [ToMono](#tomono); a list that begins with a crop decodes only what it keeps. Functions",
        "of yours can stand among those on images, plain or as `Python(fn, shape, dtype)`:",
        "[python_stages.md](python_stages.md). A list acts on the sample: geometry moves masks, boxes and keypoints",
        "with the image ([masks_and_boxes.md](masks_and_boxes.md)). As functions of one image, with what is drawn",
        "given: [functional.md](functional.md).",
        "",
        "`fill`, `RandomErasing`'s `value` and `RandomSolarize`'s `threshold` are values of 8 bits, 0 to 255, also",
        "where `Compose` is given floats of 0 to 1: white is `fill=255`. `functional` takes the image's own values.",
        "`Compose` rounds floats to 8 bits and divides them by 255 again, also where the list changes none of them:",
        "`Compose([])`, `Compose([ToFloat()])`, flips and crops. Fills may be written as floats: what is behind the",
        "point is cut off, and None is 0.",
        "",
        "`transforms.on_device(list)` does a part of a list on a batch that lies on a device, by torch's operations",
        "and with what the loader drew: `on_device(colors)(images, batch.params)`. It takes",
        f"{', '.join([*STEPS, *MIXES])}.",
        "Bytes are the same as here, floats to about 1e-6. Blurs, sharpness, jitter in HSV and YIQ, noise, erasing,",
        "policies, mosaics and all other geometry are left to the loader: put them before what on_device() does. It is",
        "tested on CPU tensors; nobody has run it on a GPU.",
        "",
        "## Lambda",
        "",
        "`Lambda(f)`, or `f` itself, runs a function of yours on an image [H, W, C] between operations: in the one",
        "list of a loader ([python_stages.md](python_stages.md)), and in `Compose`, where it is called in the same",
        "way and its `rng` draws what it draws of the first sample of a loader with that seed. A list with functions",
        "moves the image alone: it takes no mask, boxes or keypoints. `apply` calls functions again, but refuses",
        "those that take an `rng`: params do not say what these drew. Views, and operations that hold others",
        "(RandomApply, RandomChoice, ...), take no functions.",
        "",
        "## Operations",
        "",
        *table(("operation", "what it does"), [(f"[{i['name']}](#{i['name'].lower()})", i["summary"]) for i in infos]),
        "",
    ]
    for info in infos:
        lines += operation_section(info)
    lines += ["## Presets", "", *(inspect.getdoc(presets) or "").splitlines(), ""]
    for name in presets.__all__:
        if callable(getattr(presets, name)):
            lines += preset_section(name)
    return "\n".join(lines).rstrip() + "\n"


def call_text(name: str, signature: inspect.Signature) -> str:
    """`rotate(image, angle, expand=False)`."""
    texts: list[str] = []
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in texts:
            texts.append("*")
        optional = parameter.default is not inspect.Parameter.empty
        texts.append(f"{parameter.name}={parameter.default!r}" if optional else parameter.name)
    return f"{name}({', '.join(texts)})"


def functional_page() -> str:
    functions = {name: getattr(transforms.functional, name) for name in sorted(transforms.functional.__all__)}
    rows = [
        (f"`{call_text(name, inspect.signature(function))}`", " ".join((inspect.getdoc(function) or "").split()))
        for name, function in functions.items()
    ]
    lines = [
        NOTE,
        "# Transforms as functions",
        "",
        "`penstock.transforms.functional` has every operation on images as a function of one image, with the values",
        "given that the operation draws: `functional.rotate(image, 30)` is what `RandomRotation` does when it draws",
        "an angle of 30 degrees. Names and parameters are those of `torchvision.transforms.v2.functional` where it has",
        "the function, and pixels those that it makes of PIL images. Every other operation is named after its class",
        "without `Random`, and takes what it draws, then those of its parameters that still matter; noise takes a",
        "`seed`. What is not possible raises `InvalidError`, which names the function and the parameter.",
        "",
        "Images are PIL images, numpy arrays `[H, W, C]` or `[H, W]`, or tensors `[C, H, W]`, and the result is of",
        "the same kind; PIL images of palettes and of other modes than RGB, RGBA, L and I;16 become RGBA where they",
        "have transparency, else RGB. Values are uint8, uint16, or floats of 0 to 1, which are rounded to 8 bits and",
        "divided by 255 again afterwards. `fill`, `threshold` and the `v` of `erase` are values of the image: 0 to 1",
        "where it has floats, as torchvision has it; steps of policies (`operations`) and all other parameters are",
        "the same for all images. The work is done without the GIL, so threads help. For masks, boxes and",
        "keypoints, and for lists, use `transforms.Compose`.",
        "",
        *table(("function", "what it does"), rows),
        "",
        "## Not there",
        "",
        "Of torchvision's functions these are missing:",
        "",
        *table(("torchvision", "use"), [(f"`{name}`", use) for name, use in transforms.functional.ELSEWHERE.items()]),
        "",
        "Parameters that its functions have and ours have not, or not in full:",
        "",
        *table(("torchvision", "here"), list(transforms.functional.NARROWER.items())),
        "",
        "`adjust_hue` and `adjust_gamma` leave the transparency of RGBA images as it is; torchvision's change it.",
    ]
    return "\n".join(lines) + "\n"


def preset_row(name: str, settings: Mapping[str, Any]) -> tuple[str, str, str]:
    method = getattr(penstock.LoaderOptions, name)
    arguments = [argument for argument in inspect.signature(method).parameters if argument != "self"]
    given = {f"shard_{argument}": argument for argument in arguments}
    sets = [f"`{option}={value}`" for option, value in given.items()]
    sets += [f"`{option}={value!r}`" for option, value in settings.items()]
    return f"`{name}({', '.join(arguments)})`", inspect.getdoc(method) or "", ", ".join(sets)


def options_page() -> str:
    defaults = penstock.LoaderOptions().to_dict()
    rows = [
        (f"`{name}`", '`"torch"` or `"numpy"`' if name == "output" else f"`{defaults[name]!r}`", option.doc)
        for name, option in OPTIONS.items()
    ]
    lines = [
        NOTE,
        "# Options of a Loader",
        "",
        "Each is a keyword of `penstock.Loader` and a field of `penstock.LoaderOptions`. The default of `output` is",
        "torch where torch is installed. Unknown names and impossible values raise `InvalidError`.",
        "",
        *table(("option", "default", "meaning"), rows),
        "",
        "## As a value",
        "",
        "`penstock.LoaderOptions(batch_size=64).with_shuffle(seed=3).channels_last()` is a value that does not change:",
        "each option is a property, `with_<option>(value)` and `replace(**options)` return changed copies, and the",
        "last call wins. Short forms: `with_shuffle(on=True, seed=None)`, `with_timeout(seconds)`, `channels_first()`,",
        "`channels_last()`, `random_sampling(replacement=False)`, `use_spawn()`, `use_forkserver()`, `use_fork()`.",
        "`to_dict()` gives plain values, which `from_dict()` takes; options compare with `==`.",
        "",
        "In C++, `penstock::LoaderOptions` has the same names as fields of a plain struct, without those that only",
        "Python has (the last five of the table): `{.batch_size = 64, .shuffle = true}`, or",
        "`options.with<&LoaderOptions::batch_size>(64).with_shuffle().debug_mode()`. `to_dict()` and `from_dict()`",
        "hold the values as JSON, and `to_string()` tells what differs from the defaults.",
        "",
        "## Presets",
        "",
        "Methods that set several options at once; later calls win.",
        "",
        *table(("preset", "for", "sets"), [preset_row(*preset) for preset in options.PRESETS.items()]),
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    texts = {
        "docs/transforms.md": transforms_page(),
        "docs/functional.md": functional_page(),
        "docs/options.md": options_page(),
    }
    return write_or_compare("Writes the generated pages of docs/.", "gen_docs.py", texts)


if __name__ == "__main__":
    sys.exit(main())
