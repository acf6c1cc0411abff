#pragma once
// What a checkpoint holds of a loader: plain JSON, small, and enough to continue byte for byte.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/result.hpp"
#include "pipeline/order/epoch_walk.hpp"

namespace penstock::inline v0 {

/// What must be the same for a run to continue as if nothing had happened.
struct RunIdentity {
  std::uint64_t samples = 0;
  std::uint64_t seed = 0;
  std::uint64_t generator_seed = 0;
  std::string dataset;   ///< fingerprint
  std::string order;     ///< the sampler
  std::string pipeline;  ///< fingerprint of transforms and of the options that change rows
  /// What that was before lists for several fields had their field in the address of their draws; not kept.
  std::string pipeline_before = {};

  bool operator==(const RunIdentity&) const = default;
};

/// Who took which places: only needed where later batches were delivered before earlier ones.
struct ShardIdentity {
  std::uint64_t batch_size = 0;
  std::uint64_t rank = 0;
  std::uint64_t world = 0;

  bool operator==(const ShardIdentity&) const = default;
};

struct LoaderState {
  RunIdentity run;
  Progress progress;
  std::optional<ShardIdentity> shard;  ///< with progress.delivered
};

std::string write_state(const LoaderState& state);
/// `invalid` if the text is not a state, or one of a newer version.
Result<LoaderState> read_state(std::string_view text);
/// Refuses (`invalid`) a state of another run, with every difference in words.
Status check_fits(const LoaderState& state, const RunIdentity& run, const ShardIdentity& shard);

}  // namespace penstock::inline v0
