#include "core/rng.hpp"

namespace penstock::inline v0 {

namespace {

__extension__ using uint128 = unsigned __int128;

}  // namespace

std::array<std::uint32_t, 4> detail::philox4x32_10(std::array<std::uint32_t, 4> counter,
                                                   std::array<std::uint32_t, 2> key) noexcept {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = std::uint64_t{0xD2511F53u} * counter[0];
    const std::uint64_t product1 = std::uint64_t{0xCD9E8D57u} * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(product0)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

void Draws::refill() noexcept {
  words_ = detail::philox4x32_10(
      {static_cast<std::uint32_t>(sample_), static_cast<std::uint32_t>(sample_ >> 32), op_, block_++}, key_);
  used_ = 0;
}

std::uint64_t Draws::below(std::uint64_t bound) noexcept {
  // Lemire's multiply and reject: the low word tells whether the draw falls into the uneven rest.
  uint128 product = uint128{next64()} * bound;
  if (auto low = static_cast<std::uint64_t>(product); low < bound) {
    const std::uint64_t uneven = (0 - bound) % bound;
    while (low < uneven) {
      product = uint128{next64()} * bound;
      low = static_cast<std::uint64_t>(product);
    }
  }
  return static_cast<std::uint64_t>(product >> 64);
}

}  // namespace penstock::inline v0
