"""The end of every tf.data pipeline here: batches, prefetch and a pool of threads of its own."""

from __future__ import annotations

import tensorflow as tf

from common import Settings


def finish(dataset: tf.data.Dataset, settings: Settings, ragged: bool = False) -> tf.data.Dataset:
    options = tf.data.Options()
    options.threading.private_threadpool_size = settings.workers
    options.deterministic = False
    batches = dataset.ragged_batch(settings.batch_size) if ragged else dataset.batch(settings.batch_size)
    return batches.prefetch(2).with_options(options)
