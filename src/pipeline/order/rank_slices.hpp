#pragma once
// Which places of an epoch each rank takes at each step.

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace penstock::inline v0 {

/// What one rank takes at one step.
struct StepSlice {
  std::uint64_t first = 0;
  std::size_t rows = 0;
  std::uint64_t stride = 1;  ///< from the place of a row to that of the next
  bool repeated = false;     ///< fewer samples than ranks remained: this place was delivered before
};

/// A step takes the next batch * world places, each rank a slice of them, or every world-th one where they
/// are dealt out; so a run continues from any position with any batch size and number of ranks. A tail is
/// shared out evenly; when fewer samples than ranks remain, the ranks without one repeat places from the
/// start of the epoch.
class RankSlices {
 public:
  RankSlices(std::uint64_t batch, std::uint64_t rank, std::uint64_t world, bool drop_last,
             bool dealt = false) noexcept
      : batch_(batch), rank_(rank), world_(world), drop_last_(drop_last), dealt_(dealt) {}

  /// Steps from `position` to the end of an epoch of that many places; the same for all ranks.
  std::uint64_t steps(std::uint64_t position, std::uint64_t places) const noexcept {
    const std::uint64_t left = places - std::min(position, places);
    return drop_last_ ? left / whole() : left / whole() + (left % whole() != 0 ? 1 : 0);
  }

  /// Where the step at `position` ends, for all ranks.
  std::uint64_t end_of(std::uint64_t position, std::uint64_t places) const noexcept {
    return position + std::min(whole(), places - position);
  }

  /// This rank's part of the step at `position`, position < places.
  StepSlice at(std::uint64_t position, std::uint64_t places) const noexcept {
    const std::uint64_t left = places - position;
    if (left >= whole()) {
      return dealt_ ? StepSlice{.first = position + rank_,
                                .rows = static_cast<std::size_t>(batch_),
                                .stride = world_}
                    : StepSlice{.first = position + rank_ * batch_, .rows = static_cast<std::size_t>(batch_)};
    }
    if (left < world_) {
      const bool repeated = rank_ >= left;
      return {
          .first = repeated ? (rank_ - left) % places : position + rank_, .rows = 1, .repeated = repeated};
    }
    const std::uint64_t share = left / world_;
    const std::uint64_t more = left % world_;  // the first ranks get one more
    const auto rows = static_cast<std::size_t>(share + (rank_ < more ? 1 : 0));
    return dealt_ ? StepSlice{.first = position + rank_, .rows = rows, .stride = world_}
                  : StepSlice{.first = position + rank_ * share + std::min(rank_, more), .rows = rows};
  }

  /// Places that a whole step takes.
  std::uint64_t whole() const noexcept { return batch_ * world_; }
  std::uint64_t rank() const noexcept { return rank_; }
  std::uint64_t world() const noexcept { return world_; }

 private:
  std::uint64_t batch_;
  std::uint64_t rank_;
  std::uint64_t world_;
  bool drop_last_;
  bool dealt_;
};

}  // namespace penstock::inline v0
