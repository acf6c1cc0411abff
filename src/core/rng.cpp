#include "core/rng.hpp"

namespace penstock {

namespace {

__extension__ using uint128 = unsigned __int128;

}  // namespace

void Draws::refill() noexcept {
  std::array<std::uint32_t, 4> x = {static_cast<std::uint32_t>(sample_), static_cast<std::uint32_t>(sample_ >> 32),
                                    op_, block_++};
  auto [k0, k1] = key_;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = std::uint64_t{0xD2511F53u} * x[0];
    const std::uint64_t product1 = std::uint64_t{0xCD9E8D57u} * x[2];
    x = {static_cast<std::uint32_t>(product1 >> 32) ^ x[1] ^ k0, static_cast<std::uint32_t>(product1),
         static_cast<std::uint32_t>(product0 >> 32) ^ x[3] ^ k1, static_cast<std::uint32_t>(product0)};
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  words_ = x;
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

}  // namespace penstock
