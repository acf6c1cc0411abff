#pragma once
// A stage of somebody else's making in a list of transforms: arrays in, arrays out.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "penstock/array_spec.hpp"
#include "penstock/result.hpp"
#include "penstock/transform.hpp"

namespace penstock::inline v0 {

/// Whose randomness a call has: a pure function of (seed, epoch), the sample (or its place, for samplers that
/// repeat samples) and the number of the stage in its list.
struct StageKey {
  std::uint64_t stream = 0;
  std::uint64_t sample = 0;
  std::uint32_t op = 0;
};

/// One stage of one loader. run() is called by any number of workers at once, describe(), start() and stop()
/// by one thread at a time, stop() also while run() is being called.
class ForeignStage {
 public:
  virtual ~ForeignStage() = default;

  /// What users call it: the stage of its errors.
  virtual std::string name() const = 0;
  /// What tells it from others, in any process: part of the fingerprint of the pipeline.
  virtual std::string identity() const = 0;
  /// How and where it runs, human-readable.
  virtual std::string where() const = 0;
  /// What comes out when `in` goes in, kAnyExtent where samples differ. Images go in as [H, W, 3]. Called
  /// when a loader is planned.
  virtual Result<ArraySpec> describe(const ArraySpec& in) = 0;

  /// Where a result of this shape and type goes; fails if it is not what was planned.
  using Room = std::function<Result<void*>(const ArraySpec& result)>;
  /// Works on one sample: `data` holds what `in` says, which is fixed, and may be changed; the result is
  /// written to the room that is asked for once.
  virtual Status run(const ArraySpec& in, void* data, const StageKey& key, const Room& room) = 0;

  /// Before the first run(), for that many workers (0: the consumer's own thread).
  virtual Status start(int workers) = 0;
  /// After the last run(); calls under way fail soon.
  virtual void stop() noexcept = 0;
};

/// The stage as an element of a list of transforms.
TransformPtr foreign_transform(std::shared_ptr<ForeignStage> stage);

}  // namespace penstock::inline v0
