"""tf.data, from class folders, private pool of threads, no antialias (its fast setting)."""

import tensorflow as tf

from common import CROP, MEAN_LEVELS, SHORT_SIDE, STD_LEVELS, Epoch, Settings, Tolerance
from support.tfdata import finish

CHECK = "centre_crops"
TOLERANCE = Tolerance(8.0, "without antialias a reduced image keeps grain that Pillow's filter averages away")


def crop(path: tf.Tensor, label: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """The centre window that Resize(256) + CenterCrop(224) would show, decoded alone and resized once."""
    encoded = tf.io.read_file(path)
    shape = tf.image.extract_jpeg_shape(encoded)
    side = tf.cast(tf.cast(tf.minimum(shape[0], shape[1]), tf.float32) * (CROP / SHORT_SIDE), tf.int32)
    window = tf.stack([(shape[0] - side + 1) // 2, (shape[1] - side + 1) // 2, side, side])
    image = tf.image.decode_and_crop_jpeg(encoded, window, channels=3)
    image = tf.image.resize(image, (CROP, CROP), antialias=False)
    return tf.transpose((image - MEAN_LEVELS) / STD_LEVELS, (2, 0, 1)), label


def build(settings: Settings) -> Epoch:
    files = tf.data.Dataset.from_tensor_slices(settings.data.image_paths())
    dataset = finish(files.map(crop, num_parallel_calls=settings.workers), settings)
    return lambda _: dataset
