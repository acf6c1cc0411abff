#pragma once
// Which sample stands at which place of an epoch.

#include <cstdint>
#include <optional>

#include "core/index_shuffle.hpp"

namespace penstock {

/// A pure function of (samples, shuffle, seed, epoch). Immutable: workers share it.
class EpochOrder {
 public:
  EpochOrder(std::uint64_t samples, bool shuffle, std::uint64_t seed, std::uint64_t epoch) : epoch_(epoch) {
    if (shuffle) {
      shuffle_.emplace(samples, seed, epoch);
    }
  }

  std::uint64_t epoch() const noexcept { return epoch_; }
  std::uint64_t sample_at(std::uint64_t place) const noexcept {
    return shuffle_ ? shuffle_->at(place) : place;
  }

 private:
  std::uint64_t epoch_;
  std::optional<IndexShuffle> shuffle_;
};

}  // namespace penstock
