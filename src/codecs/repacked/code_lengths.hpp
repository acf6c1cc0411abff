#pragma once
// Lengths of prefix codes by package-merge.

#include <array>
#include <cstdint>

namespace penstock::inline v0::detail {

using SymbolCounts = std::array<std::uint64_t, 256>;
using CodeLengths = std::array<std::uint8_t, 256>;

/// The cheapest lengths of at most kMaxCodeBits for symbols of these frequencies. Every symbol gets a code,
/// so that tables fit any later image; the code is complete. Depends on the counts only.
CodeLengths limited_code_lengths(const SymbolCounts& counts);

}  // namespace penstock::inline v0::detail
