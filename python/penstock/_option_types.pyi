# Made by tools/gen_stubs.py from the declarations of the options.
import os
from multiprocessing.context import BaseContext
from typing import Literal, TypedDict

import torch

from .options import LoaderOptions
from .samplers import Sampler, SamplerLike

class OptionKeywords(TypedDict, total=False):
    batch_size: int
    shuffle: bool
    seed: int | None
    drop_last: bool
    num_workers: int | None
    prefetch: int
    decode: bool
    on_error: Literal["raise", "skip", "replace"]
    memory_format: Literal["channels_first", "channels_last", "auto"]
    max_pixels: int | None
    fuse: Literal["off", "exact", "fast"]
    check_files: bool
    pad_images: bool
    cache: str | os.PathLike[str] | None
    cache_trust: str | None
    sampler: SamplerLike | None
    generator_seed: int | None
    loading_mode: Literal["ordered", "as_ready"]
    timeout_seconds: float | None
    persistent_workers: bool
    enable_transforms: bool
    max_errors: int | float | None
    max_error_run: int | None
    error_report: str | os.PathLike[str] | None
    collate_buffer_size: int | None
    shard_rank: int | None
    shard_world_size: int | None
    worker_id: int
    num_workers_pytorch: int
    shuffle_mode: Literal["global", "shards", "window"]
    shuffle_window: int | None
    shuffle_shards: int | None
    length_window: int | None
    auto_tune: bool
    cpu_budget: float
    output: Literal["torch", "numpy", "dlpack"] | None
    pin_memory: bool
    non_blocking: bool
    multiprocessing_context: Literal["spawn", "forkserver", "fork"] | BaseContext
    collate_in: Literal["thread", "process"]
    device: str | torch.device | None

class OptionFields:
    @property
    def batch_size(self) -> int:
        """samples per batch"""
    def with_batch_size(
        self, value: int, /
    ) -> LoaderOptions:
        """samples per batch"""
    @property
    def shuffle(self) -> bool:
        """a new order every epoch, a pure function of (seed, epoch)"""
    @property
    def seed(self) -> int | None:
        """seed of order and augmentation; None = a random one, which stats() shows and states keep"""
    def with_seed(
        self, value: int | None, /
    ) -> LoaderOptions:
        """seed of order and augmentation; None = a random one, which stats() shows and states keep"""
    @property
    def drop_last(self) -> bool:
        """drop the last batch if it is smaller than batch_size"""
    def with_drop_last(
        self, value: bool, /
    ) -> LoaderOptions:
        """drop the last batch if it is smaller than batch_size"""
    @property
    def num_workers(self) -> int | None:
        """worker threads; None = the cores this process may use; 0 = load in the caller's thread"""
    def with_num_workers(
        self, value: int | None, /
    ) -> LoaderOptions:
        """worker threads; None = the cores this process may use; 0 = load in the caller's thread"""
    @property
    def prefetch(self) -> int:
        """batches prepared ahead of the consumer"""
    def with_prefetch(
        self, value: int, /
    ) -> LoaderOptions:
        """batches prepared ahead of the consumer"""
    @property
    def decode(self) -> bool:
        """False: stored bytes instead of images, no transforms"""
    def with_decode(
        self, value: bool, /
    ) -> LoaderOptions:
        """False: stored bytes instead of images, no transforms"""
    @property
    def on_error(self) -> Literal["raise", "skip", "replace"]:
        """what happens to a bad sample: raise, skip or replace"""
    def with_on_error(
        self, value: Literal["raise", "skip", "replace"], /
    ) -> LoaderOptions:
        """what happens to a bad sample: raise, skip or replace"""
    @property
    def memory_format(self) -> Literal["channels_first", "channels_last", "auto"]:
        """channels_first, channels_last, or auto: channels_last for tensors that go to a CUDA device, whose
        convolutions prefer it, else channels_first; stats() shows which it is"""
    def with_memory_format(
        self, value: Literal["channels_first", "channels_last", "auto"], /
    ) -> LoaderOptions:
        """channels_first, channels_last, or auto: channels_last for tensors that go to a CUDA device, whose
        convolutions prefer it, else channels_first; stats() shows which it is"""
    @property
    def max_pixels(self) -> int | None:
        """larger images (width * height) are refused before anything is allocated; None = the data set's limit"""
    def with_max_pixels(
        self, value: int | None, /
    ) -> LoaderOptions:
        """larger images (width * height) are refused before anything is allocated; None = the data set's limit"""
    @property
    def fuse(self) -> Literal["off", "exact", "fast"]:
        """exact: operations share passes over the pixels where the result is the same; fast: rotations, affine
        and perspective maps that follow each other, and crops after them, also become one, which
        interpolates once and changes pixels a little: transforms.apply makes such batches again with other
        pixels; off: every operation has a pass of its own, which is slow and gives the same pixels as exact"""
    def with_fuse(
        self, value: Literal["off", "exact", "fast"], /
    ) -> LoaderOptions:
        """exact: operations share passes over the pixels where the result is the same; fast: rotations, affine
        and perspective maps that follow each other, and crops after them, also become one, which
        interpolates once and changes pixels a little: transforms.apply makes such batches again with other
        pixels; off: every operation has a pass of its own, which is slow and gives the same pixels as exact"""
    @property
    def check_files(self) -> bool:
        """True: an image with damage anywhere in its file is a bad sample, also where a crop needs another
        part of it; the pixels stay the same. Costs the entropy decoding of what lies outside the crop:
        docs/performance.md says how much. False: damage in what is decoded is found, and no other"""
    def with_check_files(
        self, value: bool, /
    ) -> LoaderOptions:
        """True: an image with damage anywhere in its file is a bad sample, also where a crop needs another
        part of it; the pixels stay the same. Costs the entropy decoding of what lies outside the crop:
        docs/performance.md says how much. False: damage in what is decoded is found, and no other"""
    @property
    def pad_images(self) -> bool:
        """True: images of different sizes come as one array, each in the upper left corner with zeros around
        it up to the largest of the batch; batch['image_size'] has the height and width of each, int64 [B,
        2]. False: as a list"""
    def with_pad_images(
        self, value: bool, /
    ) -> LoaderOptions:
        """True: images of different sizes come as one array, each in the upper left corner with zeros around
        it up to the largest of the batch; batch['image_size'] has the height and width of each, int64 [B,
        2]. False: as a list"""
    @property
    def cache(self) -> str | None:
        """folder of stores: one of the source is built beside the first epochs, and read by those that begin
        when it is complete; None = read the source"""
    def with_cache(
        self, value: str | os.PathLike[str] | None, /
    ) -> LoaderOptions:
        """folder of stores: one of the source is built beside the first epochs, and read by those that begin
        when it is complete; None = read the source"""
    @property
    def cache_trust(self) -> str | None:
        """whose files in the cache folder are used besides your own and root's, such as 'group:team' or
        'user:alice, group:team' by name or number; a folder of one of these groups is shared with it; None
        = nobody's"""
    def with_cache_trust(
        self, value: str | None, /
    ) -> LoaderOptions:
        """whose files in the cache folder are used besides your own and root's, such as 'group:team' or
        'user:alice, group:team' by name or number; a folder of one of these groups is shared with it; None
        = nobody's"""
    @property
    def sampler(self) -> Sampler | None:
        """which samples, in which order: 'sequential', 'random', 'distributed_random', one of
        penstock.samplers, or a re-iterable of sample numbers; None = as shuffle says"""
    def with_sampler(
        self, value: SamplerLike | None, /
    ) -> LoaderOptions:
        """which samples, in which order: 'sequential', 'random', 'distributed_random', one of
        penstock.samplers, or a re-iterable of sample numbers; None = as shuffle says"""
    @property
    def generator_seed(self) -> int | None:
        """seed of augmentation; None = seed"""
    def with_generator_seed(
        self, value: int | None, /
    ) -> LoaderOptions:
        """seed of augmentation; None = seed"""
    @property
    def loading_mode(self) -> Literal["ordered", "as_ready"]:
        """ordered: batches come in the order of the plan; as_ready: as they complete, the same set"""
    def with_loading_mode(
        self, value: Literal["ordered", "as_ready"], /
    ) -> LoaderOptions:
        """ordered: batches come in the order of the plan; as_ready: as they complete, the same set"""
    @property
    def timeout_seconds(self) -> float | None:
        """max seconds that the consumer waits for a batch, after which a TimeoutError says which stage is
        stuck; None = forever"""
    def with_timeout_seconds(
        self, value: float | None, /
    ) -> LoaderOptions:
        """max seconds that the consumer waits for a batch, after which a TimeoutError says which stage is
        stuck; None = forever"""
    @property
    def persistent_workers(self) -> bool:
        """threads stay alive across epochs and prepare the next one; False: they end with each epoch"""
    def with_persistent_workers(
        self, value: bool, /
    ) -> LoaderOptions:
        """threads stay alive across epochs and prepare the next one; False: they end with each epoch"""
    @property
    def enable_transforms(self) -> bool:
        """False: decoded samples as they are, without transforms"""
    def with_enable_transforms(
        self, value: bool, /
    ) -> LoaderOptions:
        """False: decoded samples as they are, without transforms"""
    @property
    def max_errors(self) -> int | float | None:
        """with on_error skip or replace: more bad samples than this raise; an integer counts them, a fraction
        is a share of the samples seen, from the 100th on, both since this process opened the loader; None =
        any number"""
    def with_max_errors(
        self, value: int | float | None, /
    ) -> LoaderOptions:
        """with on_error skip or replace: more bad samples than this raise; an integer counts them, a fraction
        is a share of the samples seen, from the 100th on, both since this process opened the loader; None =
        any number"""
    @property
    def max_error_run(self) -> int | None:
        """with on_error skip or replace: more bad samples in a row than this raise; None = any number"""
    def with_max_error_run(
        self, value: int | None, /
    ) -> LoaderOptions:
        """with on_error skip or replace: more bad samples in a row than this raise; None = any number"""
    @property
    def error_report(self) -> str | None:
        """file to which a line of JSON is appended for each bad sample that is delivered, skipped, replaced or
        raised: epoch, index, key, kind, message, stage, source, shard, offset, replaced; ranks may share it"""
    def with_error_report(
        self, value: str | os.PathLike[str] | None, /
    ) -> LoaderOptions:
        """file to which a line of JSON is appended for each bad sample that is delivered, skipped, replaced or
        raised: epoch, index, key, kind, message, stage, source, shard, offset, replaced; ranks may share it"""
    @property
    def collate_buffer_size(self) -> int | None:
        """bytes of batches prepared and not yet delivered, at most (one batch is always prepared); None = as
        prefetch says"""
    def with_collate_buffer_size(
        self, value: int | None, /
    ) -> LoaderOptions:
        """bytes of batches prepared and not yet delivered, at most (one batch is always prepared); None = as
        prefetch says"""
    @property
    def shard_rank(self) -> int | None:
        """this process among those that share each epoch; None = of torch.distributed or torchrun, else 0"""
    def with_shard_rank(
        self, value: int | None, /
    ) -> LoaderOptions:
        """this process among those that share each epoch; None = of torch.distributed or torchrun, else 0"""
    @property
    def shard_world_size(self) -> int | None:
        """how many processes share each epoch; None = of torch.distributed or torchrun, else 1"""
    def with_shard_world_size(
        self, value: int | None, /
    ) -> LoaderOptions:
        """how many processes share each epoch; None = of torch.distributed or torchrun, else 1"""
    @property
    def worker_id(self) -> int:
        """this loader among the num_workers_pytorch of its rank"""
    def with_worker_id(
        self, value: int, /
    ) -> LoaderOptions:
        """this loader among the num_workers_pytorch of its rank"""
    @property
    def num_workers_pytorch(self) -> int:
        """loaders of each rank that share its part: the effective rank is shard_rank * num_workers_pytorch +
        worker_id"""
    def with_num_workers_pytorch(
        self, value: int, /
    ) -> LoaderOptions:
        """loaders of each rank that share its part: the effective rank is shard_rank * num_workers_pytorch +
        worker_id"""
    @property
    def shuffle_mode(self) -> Literal["global", "shards", "window"]:
        """global: any sample may come anywhere; shards: shards in random order, the samples of shuffle_shards
        of them mixed; window: each sample within shuffle_window places of its own. The last two are for
        data that is larger than memory on disks that seek slowly"""
    def with_shuffle_mode(
        self, value: Literal["global", "shards", "window"], /
    ) -> LoaderOptions:
        """global: any sample may come anywhere; shards: shards in random order, the samples of shuffle_shards
        of them mixed; window: each sample within shuffle_window places of its own. The last two are for
        data that is larger than memory on disks that seek slowly"""
    @property
    def shuffle_window(self) -> int | None:
        """with shuffle_mode='window': how far a sample may move, in samples, 4 or more; None = 16384"""
    def with_shuffle_window(
        self, value: int | None, /
    ) -> LoaderOptions:
        """with shuffle_mode='window': how far a sample may move, in samples, 4 or more; None = 16384"""
    @property
    def shuffle_shards(self) -> int | None:
        """with shuffle_mode='shards': how many shards are mixed; None = 8"""
    def with_shuffle_shards(
        self, value: int | None, /
    ) -> LoaderOptions:
        """with shuffle_mode='shards': how many shards are mixed; None = 8"""
    @property
    def length_window(self) -> int | None:
        """recordings: within windows of this many places of the epoch's order, 2 or more, the samples are
        sorted by the size of their files, so that batches need little padding; shuffled epochs choose for
        each window whether lengths ascend or descend; None = no sorting"""
    def with_length_window(
        self, value: int | None, /
    ) -> LoaderOptions:
        """recordings: within windows of this many places of the epoch's order, 2 or more, the samples are
        sorted by the size of their files, so that batches need little padding; shuffled epochs choose for
        each window whether lengths ascend or descend; None = no sorting"""
    @property
    def auto_tune(self) -> bool:
        """workers and batches ahead settle by measurement, within cpu_budget and collate_buffer_size:
        num_workers is then the maximum and prefetch the initial value; stats()['auto_tune'] shows what was
        measured and decided"""
    def with_auto_tune(
        self, value: bool, /
    ) -> LoaderOptions:
        """workers and batches ahead settle by measurement, within cpu_budget and collate_buffer_size:
        num_workers is then the maximum and prefetch the initial value; stats()['auto_tune'] shows what was
        measured and decided"""
    @property
    def cpu_budget(self) -> float:
        """share of the cores this process may use, above 0 and up to 1, that workers may use where the loader
        chooses their number; at least one worker"""
    def with_cpu_budget(
        self, value: float, /
    ) -> LoaderOptions:
        """share of the cores this process may use, above 0 and up to 1, that workers may use where the loader
        chooses their number; at least one worker"""
    @property
    def output(self) -> Literal["torch", "numpy", "dlpack"]:
        """what batches hold: torch, numpy or dlpack; None = torch where it is installed, else numpy"""
    def with_output(
        self, value: Literal["torch", "numpy", "dlpack"] | None, /
    ) -> LoaderOptions:
        """what batches hold: torch, numpy or dlpack; None = torch where it is installed, else numpy"""
    @property
    def pin_memory(self) -> bool:
        """tensors in page-locked memory, where torch has CUDA; otherwise a warning says why not"""
    def with_pin_memory(
        self, value: bool, /
    ) -> LoaderOptions:
        """tensors in page-locked memory, where torch has CUDA; otherwise a warning says why not"""
    @property
    def non_blocking(self) -> bool:
        """copies to the device do not wait: the next batch is on its way while this one is used; needs device"""
    def with_non_blocking(
        self, value: bool, /
    ) -> LoaderOptions:
        """copies to the device do not wait: the next batch is on its way while this one is used; needs device"""
    @property
    def multiprocessing_context(self) -> Literal["spawn", "forkserver", "fork"]:
        """how helper processes are started that run Python functions among the transforms, or collate_fn:
        spawn, forkserver, or fork, which is refused once threads or CUDA make it unsafe"""
    def with_multiprocessing_context(
        self, value: Literal["spawn", "forkserver", "fork"] | BaseContext, /
    ) -> LoaderOptions:
        """how helper processes are started that run Python functions among the transforms, or collate_fn:
        spawn, forkserver, or fork, which is refused once threads or CUDA make it unsafe"""
    @property
    def collate_in(self) -> Literal["thread", "process"]:
        """where collate_fn runs: in the thread of whoever takes the batches, or in a helper process, ahead of
        it"""
    def with_collate_in(
        self, value: Literal["thread", "process"], /
    ) -> LoaderOptions:
        """where collate_fn runs: in the thread of whoever takes the batches, or in a helper process, ahead of
        it"""
    @property
    def device(self) -> str | None:
        """where tensors go, as torch.device takes it; None = they stay in the host's memory"""
    def with_device(
        self, value: str | torch.device | None, /
    ) -> LoaderOptions:
        """where tensors go, as torch.device takes it; None = they stay in the host's memory"""
