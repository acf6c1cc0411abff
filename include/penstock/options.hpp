#pragma once
// How a Loader works. A plain value: copies, compares, designated initialisers.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "penstock/result.hpp"
#include "penstock/sample.hpp"
#include "penstock/sampler.hpp"

namespace penstock::inline v0 {

/// What happens to a sample that cannot be read, decoded or transformed.
enum class OnError : std::uint8_t {
  raise,   ///< the batch that holds it fails
  skip,    ///< its row is left out; other rows and steps stay as they are
  replace  ///< another sample, drawn from (seed, epoch, sample, attempt), takes the row
};

/// When a batch is delivered.
enum class LoadingMode : std::uint8_t {
  ordered,  ///< in the order of the plan
  as_ready  ///< as batches complete: the same set, fewer waits for a slow one
};

/// How far apart an epoch's neighbours may lie in the data set.
enum class ShuffleMode : std::uint8_t {
  everywhere,  ///< any sample may come anywhere
  shards,      ///< shards in random order, the samples of a few of them mixed
  window       ///< a sample comes near its place in the data set
};

/// How many bad samples are too many, with on_error skip or replace.
struct MaxErrors {
  std::optional<std::uint64_t> count{};  ///< more of them end the iteration
  std::optional<double> share{};         ///< a larger part of the samples seen, once 100 were

  bool operator==(const MaxErrors&) const = default;
};

struct LoaderOptions {
  std::int64_t batch_size = 32;           ///< samples per batch
  bool shuffle = false;                   ///< a new order every epoch, from (seed, epoch)
  std::optional<std::uint64_t> seed = 0;  ///< of order and augmentation; absent = drawn by Loader::open()
  bool drop_last = false;                 ///< leave out a last batch smaller than batch_size
  std::optional<int>
      num_workers{};   ///< threads; absent = the cores this process may use; 0 = in the caller's thread
  int prefetch = 2;    ///< batches prepared ahead of the consumer; each costs one batch of memory
  bool decode = true;  ///< false: stored bytes, no decoding, no transforms
  OnError on_error = OnError::raise;
  MemoryFormat memory_format = MemoryFormat::channels_first;
  std::optional<std::uint64_t> max_pixels{};  ///< larger images are refused; absent = the data set's limit
  Fuse fuse = Fuse::exact;                    ///< passes over pixels; fast changes them a little
  bool check_files = false;            ///< look for damage outside a crop too; costs its entropy decoding
  bool pad_images = false;             ///< images of different sizes as one array; costs a copy of each
  std::optional<std::string> cache{};  ///< folder of stores: one is built beside the first epochs, then read
  /// Whose files in the cache folder are used besides one's own and root's: "user:NAME, group:NAME".
  std::optional<std::string> cache_trust{};
  Sampler sampler{};                              ///< which samples, in which order
  std::optional<std::uint64_t> generator_seed{};  ///< of augmentation; absent = seed
  LoadingMode loading_mode = LoadingMode::ordered;
  std::optional<int> shard_rank{};        ///< this process among those that share the epoch; absent = 0
  std::optional<int> shard_world_size{};  ///< how many they are; absent = 1
  std::optional<double> timeout_seconds = 300.0;  ///< max seconds that a consumer waits for a batch
  bool persistent_workers = true;                 ///< threads live across epochs
  bool enable_transforms = true;                  ///< false: decoded samples as they are
  MaxErrors max_errors{};
  std::optional<std::uint64_t> max_error_run{};        ///< more bad samples in a row end the iteration
  std::optional<std::string> error_report{};           ///< file of JSON lines, one for each bad sample
  std::optional<std::uint64_t> collate_buffer_size{};  ///< bytes of batches not yet delivered
  int worker_id = 0;                                   ///< this loader among those of one rank
  int num_workers_pytorch = 1;                         ///< how many loaders a rank has
  bool auto_tune = false;  ///< workers and batches ahead settle by measurement; costs a few slow seconds
  ShuffleMode shuffle_mode = ShuffleMode::everywhere;
  std::optional<std::uint64_t> shuffle_window{};  ///< samples; absent = 16384
  std::optional<std::uint64_t> shuffle_shards{};  ///< shards mixed together; absent = 8
  std::optional<std::uint64_t>
      length_window{};      ///< samples sorted by length together; absent = none; costs 8 bytes per sample
  double cpu_budget = 1.0;  ///< share of the cores this process may use that workers may use, 0 to 1

  /// Visits every option as v(name, value, what it does).
  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& v) {
    v("batch_size", self.batch_size, "samples per batch");
    v("shuffle", self.shuffle, "a new order every epoch, a pure function of (seed, epoch)");
    v("seed", self.seed,
      "seed of order and augmentation; None = a random one, which stats() shows and states keep");
    v("drop_last", self.drop_last, "drop the last batch if it is smaller than batch_size");
    v("num_workers", self.num_workers,
      "worker threads; None = the cores this process may use; 0 = load in the caller's thread");
    v("prefetch", self.prefetch, "batches prepared ahead of the consumer");
    v("decode", self.decode, "False: stored bytes instead of images, no transforms");
    v("on_error", self.on_error, "what happens to a bad sample: raise, skip or replace");
    v("memory_format", self.memory_format,
      "channels_first, channels_last, or auto: channels_last for tensors that go to a CUDA device, whose "
      "convolutions prefer it, else channels_first; stats() shows which it is");
    v("max_pixels", self.max_pixels,
      "larger images (width * height) are refused before anything is allocated; None = the data set's "
      "limit");
    v("fuse", self.fuse,
      "exact: operations share passes over the pixels where the result is the same; fast: rotations, affine "
      "and "
      "perspective maps that follow each other, and crops after them, also become one, which "
      "interpolates once and changes pixels a little: transforms.apply makes such batches again with other "
      "pixels; off: every operation has a pass of its own, which is slow "
      "and gives the same pixels as exact");
    v("check_files", self.check_files,
      "True: an image with damage anywhere in its file is a bad sample, also where a crop needs another part "
      "of it; the pixels stay the same. Costs the entropy decoding of what lies outside the crop: "
      "docs/performance.md says how much. False: damage in what is decoded is found, and no other");
    v("pad_images", self.pad_images,
      "True: images of different sizes come as one array, each in the upper left corner with zeros around it "
      "up to the largest of the batch; batch['image_size'] has the height and width of each, int64 [B, 2]. "
      "False: as a list");
    v("cache", self.cache,
      "folder of stores: one of the source is built beside the first epochs, and read by those that begin "
      "when it is complete; None = read the source");
    v("cache_trust", self.cache_trust,
      "whose files in the cache folder are used besides your own and root's, such as 'group:team' or "
      "'user:alice, group:team' by name or number; a folder of one of these groups is shared with it; None = "
      "nobody's");
    v("sampler", self.sampler,
      "which samples, in which order: 'sequential', 'random', 'distributed_random', one of "
      "penstock.samplers, or a re-iterable of sample numbers; None = as shuffle says");
    v("generator_seed", self.generator_seed, "seed of augmentation; None = seed");
    v("loading_mode", self.loading_mode,
      "ordered: batches come in the order of the plan; as_ready: as they complete, the same set");
    v("timeout_seconds", self.timeout_seconds,
      "max seconds that the consumer waits for a batch, after which a TimeoutError says which stage is "
      "stuck; None = forever");
    v("persistent_workers", self.persistent_workers,
      "threads stay alive across epochs and prepare the next one; False: they end with each epoch");
    v("enable_transforms", self.enable_transforms, "False: decoded samples as they are, without transforms");
    v("max_errors", self.max_errors,
      "with on_error skip or replace: more bad samples than this raise; an integer counts them, a "
      "fraction is a share of the samples seen, from the 100th on, both since this process opened the "
      "loader; "
      "None = any number");
    v("max_error_run", self.max_error_run,
      "with on_error skip or replace: more bad samples in a row than this raise; None = any number");
    v("error_report", self.error_report,
      "file to which a line of JSON is appended for each bad sample that is delivered, skipped, replaced or "
      "raised: epoch, index, key, kind, message, stage, source, shard, offset, replaced; ranks may share it");
    v("collate_buffer_size", self.collate_buffer_size,
      "bytes of batches prepared and not yet delivered, at most (one batch is always prepared); None = as "
      "prefetch says");
    v("shard_rank", self.shard_rank,
      "this process among those that share each epoch; None = of torch.distributed or torchrun, else 0");
    v("shard_world_size", self.shard_world_size,
      "how many processes share each epoch; None = of torch.distributed or torchrun, else 1");
    v("worker_id", self.worker_id, "this loader among the num_workers_pytorch of its rank");
    v("num_workers_pytorch", self.num_workers_pytorch,
      "loaders of each rank that share its part: the effective rank is shard_rank * num_workers_pytorch + "
      "worker_id");
    v("shuffle_mode", self.shuffle_mode,
      "global: any sample may come anywhere; shards: shards in random order, the samples of shuffle_shards "
      "of "
      "them mixed; window: each sample within shuffle_window places of its own. The last two are for data "
      "that is larger than memory on disks that seek slowly");
    v("shuffle_window", self.shuffle_window,
      "with shuffle_mode='window': how far a sample may move, in samples, 4 or more; None = 16384");
    v("shuffle_shards", self.shuffle_shards,
      "with shuffle_mode='shards': how many shards are mixed; None = 8");
    v("length_window", self.length_window,
      "recordings: within windows of this many places of the epoch's order, 2 or more, the samples are "
      "sorted by the "
      "size of their files, so that batches need little padding; shuffled epochs choose for each window "
      "whether lengths ascend or descend; None = no sorting");
    v("auto_tune", self.auto_tune,
      "workers and batches ahead settle by measurement, within cpu_budget and collate_buffer_size: "
      "num_workers is then the maximum and prefetch the initial value; stats()['auto_tune'] shows what was "
      "measured and decided");
    v("cpu_budget", self.cpu_budget,
      "share of the cores this process may use, above 0 and up to 1, that workers may use where the loader "
      "chooses their number; at least one worker");
  }

  /// Refuses impossible values, naming the option and what would be right.
  Status validate() const;

  bool operator==(const LoaderOptions&) const = default;

  /// A changed copy, as all that follow: options.with<&LoaderOptions::prefetch>(4).channels_last().
  template <auto Option, class Value>
  LoaderOptions with(Value&& value) const {
    LoaderOptions changed = *this;
    changed.*Option = std::forward<Value>(value);
    return changed;
  }
  /// Shuffling on or off, and its seed if given.
  LoaderOptions with_shuffle(bool on = true, std::optional<std::uint64_t> with_seed = {}) const;
  LoaderOptions with_timeout(std::optional<double> seconds) const;
  LoaderOptions channels_first() const;
  LoaderOptions channels_last() const;
  LoaderOptions random_sampling(bool replacement = false) const;
  /// For training on a GPU: channels last, more batches ahead, persistent workers.
  LoaderOptions gpu_optimized() const;
  /// For one rank of several: its part of one shuffled order, whole batches only.
  LoaderOptions distributed_optimized(int rank, int world_size) const;
  /// For looking into things: all in the caller's thread, in order, nothing ahead, the first error raises.
  LoaderOptions debug_mode() const;

  /// Every option by name, its value as JSON has it; names and values are those of Python.
  std::map<std::string, std::string> to_dict() const;
  /// Options that are not named have their defaults. `invalid` for unknown names and impossible values.
  static Result<LoaderOptions> from_dict(const std::map<std::string, std::string>& values);
  /// What differs from the defaults, human-readable: "LoaderOptions(batch_size=7, on_error="skip")".
  std::string to_string() const;
};

}  // namespace penstock::inline v0
