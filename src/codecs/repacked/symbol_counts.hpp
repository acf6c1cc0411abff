#pragma once
// How often symbols occur, and what they cost in bits.

#include <array>
#include <cstddef>
#include <cstdint>

#include "codecs/repacked/code_lengths.hpp"

namespace penstock::inline v0::detail {

using SymbolHistogram = std::array<std::uint32_t, 256>;

inline void count_symbols(const std::uint8_t* symbols, std::size_t count, SymbolHistogram& out) {
  // Two histograms: equal neighbours would wait for each other's counter.
  SymbolHistogram second{};
  out.fill(0);
  std::size_t i = 0;
  for (; i + 2 <= count; i += 2) {
    ++out[symbols[i]];
    ++second[symbols[i + 1]];
  }
  if (i < count) {
    ++out[symbols[i]];
  }
  for (std::size_t symbol = 0; symbol < 256; ++symbol) {
    out[symbol] += second[symbol];
  }
}

inline std::uint64_t cost_of(const SymbolHistogram& histogram, const CodeLengths& lengths) {
  std::uint64_t bits = 0;
  for (std::size_t symbol = 0; symbol < 256; ++symbol) {
    bits += std::uint64_t{histogram[symbol]} * lengths[symbol];
  }
  return bits;
}

}  // namespace penstock::inline v0::detail
