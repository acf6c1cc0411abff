"""DALI's CPU pipeline, from class folders, decoding the crop window only."""

from nvidia.dali import fn, pipeline_def, types

from common import CROP, MEAN_LEVELS, STD_LEVELS, Epoch, Settings, Tolerance
from support.dali import epochs

CHECK = "augmented"
TOLERANCE = Tolerance(0.0, "random crops: see imagenet_val")


@pipeline_def
def train_pipeline(folders: str, seed: int, pad: bool):  # type: ignore[no-untyped-def]
    encoded, labels = fn.readers.file(
        file_root=folders, random_shuffle=True, initial_fill=1024, pad_last_batch=pad, seed=seed, name="reader"
    )
    images = fn.decoders.image_random_crop(encoded, device="cpu", output_type=types.RGB, seed=seed)
    images = fn.resize(images, size=(CROP, CROP), interp_type=types.INTERP_LINEAR, antialias=True)
    mirror = fn.random.coin_flip(seed=seed)
    images = fn.crop_mirror_normalize(
        images, mirror=mirror, mean=MEAN_LEVELS, std=STD_LEVELS, dtype=types.FLOAT, output_layout="CHW"
    )
    return images, labels


def build(settings: Settings) -> Epoch:
    return epochs(train_pipeline, settings)
