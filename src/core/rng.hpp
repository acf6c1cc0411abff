#pragma once
// Random numbers with an address: a draw is a pure function of (seed, epoch, sample, op, number of the draw).
// No state is shared, nothing is owned: any thread may make a stream for any sample at any time.

#include <array>
#include <cstdint>

#include "core/draw_address.hpp"

namespace penstock::inline v0 {

/// Whose randomness it is. For samplers that repeat samples, `sample` holds the place instead.
struct RandomKey {
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
  std::uint64_t sample = 0;
  std::uint64_t part = 0;  ///< part_address() of what a row has of the sample

  bool operator==(const RandomKey&) const = default;
};

namespace detail {

/// The Philox4x32-10 block function of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (SC
/// 2011).
std::array<std::uint32_t, 4> philox4x32_10(std::array<std::uint32_t, 4> counter,
                                           std::array<std::uint32_t, 2> key) noexcept;

}  // namespace detail

/// The stream that seed and epoch choose, and the part where there are several; sample and op are places in
/// it.
constexpr std::uint64_t stream_of(const RandomKey& key) noexcept {
  const std::uint64_t stream = mix64(mix64(0x70656E73746F636Bull, key.seed), key.epoch);
  return key.part == 0 ? stream : mix64(key.part, stream);
}

/// The draws of one operation on one sample: Philox4x32-10, counter (sample, op, block), key from (seed,
/// epoch).
class Draws {
 public:
  Draws(const RandomKey& key, std::uint32_t op) noexcept : Draws(key, DrawAddress{.room = 0, .op = op}) {}
  Draws(const RandomKey& key, const DrawAddress& address) noexcept : sample_(key.sample), op_(address.op) {
    const std::uint64_t stream = stream_of(key);
    const std::uint64_t mixed = address.room == 0 ? stream : mix64(address.room, stream);
    key_ = {static_cast<std::uint32_t>(mixed), static_cast<std::uint32_t>(mixed >> 32)};
  }

  /// Where the draws have got to: enough to continue from there, also elsewhere and later.
  struct State {
    std::array<std::uint32_t, 2> key{};
    std::uint64_t sample = 0;
    std::uint32_t op = 0;
    std::uint32_t drawn = 0;  ///< 32-bit words so far

    bool operator==(const State&) const = default;
  };
  State state() const noexcept {
    return {key_, sample_, op_, 4 * block_ - 4 + static_cast<std::uint32_t>(used_)};
  }
  explicit Draws(const State& state) noexcept
      : sample_(state.sample), op_(state.op), block_(state.drawn / 4), key_(state.key) {
    if (const int used = static_cast<int>(state.drawn % 4); used != 0) {
      refill();
      used_ = used;
    }
  }

  std::uint32_t next32() noexcept {
    if (used_ == 4) {
      refill();
    }
    return words_[used_++];
  }
  std::uint64_t next64() noexcept {
    const std::uint64_t high = next32();
    return (high << 32) | next32();
  }
  /// Uniform in [0, 1), 53 bits.
  double uniform() noexcept { return static_cast<double>(next64() >> 11) * 0x1.0p-53; }
  /// Uniform between low and high; high itself only by rounding.
  double uniform(double low, double high) noexcept { return low + (high - low) * uniform(); }
  /// Uniform in [0, bound), bound > 0, without bias.
  std::uint64_t below(std::uint64_t bound) noexcept;
  /// True with probability p.
  bool chance(double p) noexcept { return uniform() < p; }

 private:
  void refill() noexcept;

  std::uint64_t sample_;
  std::uint32_t op_;
  std::uint32_t block_ = 0;
  std::array<std::uint32_t, 2> key_{};
  std::array<std::uint32_t, 4> words_{};
  int used_ = 4;
};

}  // namespace penstock::inline v0
