"""tf.data, from class folders, private pool of threads; images of different sizes are gathered in a ragged batch."""

import tensorflow as tf

from common import Epoch, Settings, Tolerance
from support.tfdata import finish

CHECK = "full_decodes"
TOLERANCE = Tolerance(2.0, "its default is libjpeg-turbo's fast, less exact inverse DCT")


def decode(path: tf.Tensor, label: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    return tf.io.decode_jpeg(tf.io.read_file(path), channels=3), label


def build(settings: Settings) -> Epoch:
    files = tf.data.Dataset.from_tensor_slices(settings.data.image_paths())
    dataset = finish(files.map(decode, num_parallel_calls=settings.workers), settings, ragged=True)
    return lambda _: dataset
