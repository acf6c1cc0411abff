"""DALI's CPU pipeline, from class folders; resize and centre crop are one operation on a region of the image."""

from nvidia.dali import fn, pipeline_def, types

from common import CROP, MEAN_LEVELS, SHORT_SIDE, STD_LEVELS, Epoch, Settings, Tolerance
from support.dali import epochs

CHECK = "centre_crops"
TOLERANCE = Tolerance(1.0, "its resize does not round to 8 bits between the passes, as Pillow's does")


@pipeline_def
def val_pipeline(folders: str, seed: int, pad: bool):  # type: ignore[no-untyped-def]
    encoded, labels = fn.readers.file(file_root=folders, pad_last_batch=pad, seed=seed, name="reader")
    sides = fn.peek_image_shape(encoded, adjust_orientation=False)[:2]
    resized = SHORT_SIDE * sides // fn.reductions.min(sides)
    spare = resized - CROP
    start = spare // 2 + (spare & 1 & (spare // 2))  # half of the spare pixels, rounded to even as Python does
    images = fn.decoders.image(encoded, device="cpu", output_type=types.RGB, adjust_orientation=False)
    images = fn.resize(
        images,
        size=(CROP, CROP),
        roi_start=start / resized,
        roi_end=(start + CROP) / resized,
        roi_relative=True,
        interp_type=types.INTERP_LINEAR,
        antialias=True,
    )
    images = fn.crop_mirror_normalize(images, mean=MEAN_LEVELS, std=STD_LEVELS, dtype=types.FLOAT, output_layout="CHW")
    return images, labels


def build(settings: Settings) -> Epoch:
    return epochs(val_pipeline, settings)
