"""DALI's CPU pipeline, from class folders."""

from nvidia.dali import fn, pipeline_def, types

from common import Epoch, Settings, Tolerance
from support.dali import epochs

CHECK = "full_decodes"
TOLERANCE = Tolerance(0.0, "libjpeg-turbo with the exact inverse DCT, as in Pillow")


@pipeline_def
def decode_pipeline(folders: str, seed: int, pad: bool):  # type: ignore[no-untyped-def]
    encoded, labels = fn.readers.file(file_root=folders, pad_last_batch=pad, seed=seed, name="reader")
    return fn.decoders.image(encoded, device="cpu", output_type=types.RGB, adjust_orientation=False), labels


def build(settings: Settings) -> Epoch:
    return epochs(decode_pipeline, settings)
