#include "core/local_shuffle.hpp"

#include <algorithm>

#include "core/rng.hpp"

namespace penstock::inline v0 {
namespace {

/// A block has its own key: computed again for each place, which costs a fraction of a microsecond.
std::uint64_t shuffled(std::uint64_t offset, std::uint64_t size, const RandomKey& key,
                       std::uint32_t op) noexcept {
  return size < 2 ? offset : detail::FeistelShuffle(size, Draws(key, op)).forward(offset);
}

}  // namespace

WindowShuffle::WindowShuffle(std::uint64_t size, std::uint64_t window, std::uint64_t seed,
                             std::uint64_t epoch)
    : size_(size), block_((std::min(window, 2 * size) + 1) / 2), seed_(seed), epoch_(epoch) {
  if (block_ > 0) {
    cut_[0] = Draws({.seed = seed, .epoch = epoch, .sample = size}, kCutOp).below(block_);
    cut_[1] = (cut_[0] + block_ / 2) % block_;
  }
}

std::uint64_t WindowShuffle::within_block(std::uint64_t place, std::uint32_t pass) const noexcept {
  const std::uint64_t cut = cut_[pass];
  const std::uint64_t block = place < cut ? 0 : 1 + (place - cut) / block_;
  const std::uint64_t begin = block == 0 ? 0 : cut + (block - 1) * block_;
  const std::uint64_t end = std::min(cut + block * block_, size_);
  return begin + shuffled(place - begin, end - begin, {.seed = seed_, .epoch = epoch_, .sample = block},
                          kWindowOp + pass);
}

std::uint64_t WindowShuffle::at(std::uint64_t place) const noexcept {
  return within_block(within_block(place, 0), 1);
}

ShardShuffle::ShardShuffle(std::uint64_t size, const std::vector<std::uint64_t>& starts,
                           std::uint64_t together, std::uint64_t seed, std::uint64_t epoch)
    : together_(together), seed_(seed), epoch_(epoch) {
  const IndexShuffle order(starts.size(), seed, epoch);
  std::uint64_t place = 0;
  first_index_.reserve(starts.size());
  first_place_.reserve(starts.size() + 1);
  for (std::uint64_t i = 0; i < starts.size(); ++i) {
    const std::uint64_t shard = order.at(i);
    first_index_.push_back(starts[shard]);
    first_place_.push_back(place);
    place += (shard + 1 < starts.size() ? starts[shard + 1] : size) - starts[shard];
  }
  first_place_.push_back(place);
}

std::uint64_t ShardShuffle::at(std::uint64_t place) const noexcept {
  const auto shard_at = [this](std::uint64_t where) {
    return static_cast<std::uint64_t>(std::upper_bound(first_place_.begin(), first_place_.end(), where) -
                                      first_place_.begin() - 1);
  };
  const std::uint64_t group = shard_at(place) / together_;
  const std::uint64_t begin = first_place_[group * together_];
  const std::uint64_t end =
      first_place_[std::min<std::uint64_t>((group + 1) * together_, first_index_.size())];
  const std::uint64_t mixed = begin + shuffled(place - begin, end - begin,
                                               {.seed = seed_, .epoch = epoch_, .sample = group}, kShardsOp);
  const std::uint64_t shard = shard_at(mixed);
  return first_index_[shard] + (mixed - first_place_[shard]);
}

}  // namespace penstock::inline v0
