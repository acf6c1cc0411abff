#pragma once
// Batches of a data set, epoch after epoch.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "penstock/batch.hpp"
#include "penstock/dataset.hpp"
#include "penstock/options.hpp"
#include "penstock/result.hpp"
#include "penstock/stats.hpp"
#include "penstock/transform.hpp"

namespace penstock::inline v0 {

/// The operations for each field; fields not named are delivered as they are. A list under the name "" is for
/// the sample: for the field `image`, and its geometry for every mask, box and key point beside it (or for
/// the first field of audio, where there are no images). Lists under the names of fields move nothing else.
using FieldTransforms = std::vector<std::pair<std::string, std::vector<TransformPtr>>>;

struct RowRecipe;

/// Owns its worker threads. Not copyable. One thread at a time may iterate; stats() and errors() may be
/// called by any.
class Loader {
 public:
  /// `views`: of the field `image`, which has no transforms of its own then; each is delivered under its
  /// name, and what lies in the image's plane as `<view>.<field>`.
  static Result<Loader> open(Dataset dataset, FieldTransforms transforms = {}, LoaderOptions options = {},
                             std::vector<View> views = {});
  /// For the pipeline: rows that are not a sample each.
  static Result<Loader> open(Dataset dataset, FieldTransforms transforms, LoaderOptions options,
                             std::vector<View> views, RowRecipe rows);
  /// A list for the sample.
  static Result<Loader> open(Dataset dataset, std::vector<TransformPtr> sample_transforms,
                             LoaderOptions options = {}) {
    return open(std::move(dataset), FieldTransforms{{"", std::move(sample_transforms)}}, std::move(options));
  }
  Loader(Loader&&) noexcept;
  Loader& operator=(Loader&&) noexcept;
  ~Loader();

  const Dataset& dataset() const noexcept;
  const LoaderOptions& options() const noexcept;
  /// Batches in an epoch.
  std::uint64_t steps() const noexcept;
  /// Names the epoch that the next start_epoch() begins.
  void set_epoch(std::uint64_t epoch) noexcept;
  /// The epoch that the next start_epoch() begins, or continues with.
  std::uint64_t next_epoch() const;
  /// How many places of it all ranks together have taken before, which ranks that share the epoch agree on.
  /// Nothing where this rank alone knows what it has received: later batches came before earlier ones.
  std::optional<std::uint64_t> next_position() const;

  /// Whether the store of options().cache is still being built, after waiting for at most `patience`. Epochs
  /// begun before it is complete are read from the source, later ones from the store.
  bool cache_building(std::chrono::milliseconds patience) const;
  /// Whether the next epoch is worth a wait, after waiting for at most `patience`: after a whole epoch the
  /// store of options().cache is nearly complete, and makes the next one faster. False when it is complete or
  /// given up, or was waited for as long as that epoch took (30 s at least, timeout_seconds at most).
  /// start_epoch() waits so by itself; call this before, until it is false, where something else must be
  /// heard meanwhile.
  bool await_cache(std::chrono::milliseconds patience);

  /// Ends an unfinished epoch. Whether the workers are free for the next one, after waiting for at most
  /// `patience` until they have left what they are at. start_epoch() does so by itself; call this before,
  /// until it is true, where something else must be heard meanwhile. A `timeout` as that of next().
  Result<bool> await_workers(std::chrono::milliseconds patience);

  /// What goes wrong without ending the iteration.
  struct Problem {
    std::string about;  ///< cache, error_report, close, skip, draws, plane, or "field" and a field's name
    std::string text;   ///< human-readable
  };
  /// The cache could not be built or is damaged, so that the source is read; the error report cannot be
  /// written; close() has left workers behind; on_error skip has left batches that surprise; fields that
  /// belong together are drawn apart, or one of them moves alone; the images of a field lose something by
  /// being read as RGB.
  std::vector<Problem> problems() const;
  /// Which part of each epoch is this process's, if the options did not say; before the first epoch.
  Status set_shard(int rank, int world);
  /// Begins the next epoch and ends an unfinished one. Returns a ticket for next(). `order`: the samples of
  /// the epoch, with Sampler::given() and only then.
  Result<std::uint64_t> start_epoch(std::optional<std::vector<std::uint64_t>> order = {});

  /// What the consumer has received, as JSON of less than 1 kB. Batches that failed are not received.
  Result<std::string> state() const;
  /// The next start_epoch() continues where the state was taken, in constant time. `strict`: a state of
  /// another data set, order, seed or pipeline is refused, with the difference. A loader that drew its seed
  /// continues with that of the state.
  Status load_state(std::string_view state, bool strict = true);

  /// The next start_epoch() leaves out the first `steps` of what it would deliver, in constant time.
  Status skip(std::uint64_t steps);

  struct Step {
    enum class State : std::uint8_t { ready, waiting, finished } state = State::waiting;
    Batch batch;
  };
  /// The next batch of the epoch begun with `ticket`, or `waiting` if none is ready within `patience`, or
  /// `finished`. An older ticket is `cancelled`. With the error of a bad sample the iteration may continue at
  /// the next batch.
  Result<Step> next(std::uint64_t ticket, std::chrono::milliseconds patience);
  /// Whether next() would give a batch at once, and no error.
  bool is_ready(std::uint64_t ticket) const;
  /// The same, waiting as long as it takes; an empty optional ends the epoch.
  Result<std::optional<Batch>> next(std::uint64_t ticket);

  LoaderStats stats() const;
  /// Errors of samples that were skipped or replaced, oldest first (the first 1,000 are kept).
  std::vector<Error> errors() const;
  /// What will run, human-readable.
  std::string plan() const;
  /// The columns of every batch; the kind of masks, boxes and key points is array.
  std::vector<FieldInfo> columns() const;
  /// Ends the workers and the build of a cache, which the next loader resumes. Batches already delivered stay
  /// valid. Iterating afterwards is `cancelled`. Takes at most 5 s for each of the two: threads that a source
  /// holds up for longer are left behind, with all they need, and problems() tells.
  void close() noexcept;

 private:
  class Impl;
  explicit Loader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock::inline v0
