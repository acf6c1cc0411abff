#pragma once
// Draws too many to be kept: noise is kept as where its numbers come from.

#include <cstdint>
#include <vector>

#include "core/rng.hpp"

namespace penstock::inline v0 {

/// A part of what an operation draws: the numbers that follow, as their address.
struct DrawnStream {
  std::vector<double>
      stream;  ///< two halves of the key, two of the sample, the operation, numbers drawn before

  void set(const Draws& draws) {
    const Draws::State at = draws.state();
    stream = {static_cast<double>(at.key[0]),
              static_cast<double>(at.key[1]),
              static_cast<double>(at.sample & 0xFFFFFFFF),
              static_cast<double>(at.sample >> 32),
              static_cast<double>(at.op),
              static_cast<double>(at.drawn)};
  }
  Draws draws() const {
    const auto word = [this](std::size_t i) -> std::uint32_t {
      const double value = i < stream.size() ? stream[i] : 0.0;
      return value >= 0 && value <= 4294967295.0 ? static_cast<std::uint32_t>(value) : 0;
    };
    return Draws(Draws::State{.key = {word(0), word(1)},
                              .sample = (std::uint64_t{word(3)} << 32) | word(2),
                              .op = word(4),
                              .drawn = word(5)});
  }

  template <class V>
  void fields(V&& v) {
    v("stream", stream);
  }
};

}  // namespace penstock::inline v0
