"""tf.data, from class folders, decoding the crop window only, private thread pool, no antialias (its fast setting)."""

import tensorflow as tf

from common import CROP, MEAN_LEVELS, STD_LEVELS, Epoch, Settings, Tolerance
from support.tfdata import finish

CHECK = "augmented"
TOLERANCE = Tolerance(0.0, "random crops: see imagenet_val")


def augment(path: tf.Tensor, label: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    encoded = tf.io.read_file(path)
    begin, size, _ = tf.image.sample_distorted_bounding_box(
        tf.image.extract_jpeg_shape(encoded),
        bounding_boxes=tf.zeros((1, 0, 4)),
        aspect_ratio_range=(3 / 4, 4 / 3),
        area_range=(0.08, 1.0),
        max_attempts=10,
        use_image_if_no_bounding_boxes=True,
    )
    window = tf.concat([begin[:2], size[:2]], axis=0)
    image = tf.image.decode_and_crop_jpeg(encoded, window, channels=3)
    image = tf.image.resize(image, (CROP, CROP), antialias=False)
    image = tf.image.random_flip_left_right(image)
    image = (image - MEAN_LEVELS) / STD_LEVELS
    return tf.transpose(image, (2, 0, 1)), label


def build(settings: Settings) -> Epoch:
    paths, labels = settings.data.image_paths()
    files = tf.data.Dataset.from_tensor_slices((paths, labels)).shuffle(len(paths), seed=settings.seed)
    dataset = finish(files.map(augment, num_parallel_calls=settings.workers), settings)
    return lambda _: dataset
