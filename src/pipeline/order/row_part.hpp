#pragma once
// What a row of a batch is made of.

#include <cstdint>
#include <vector>

namespace penstock::inline v0 {

/// A sample of a table, or a numbered part of one: a clip, a run of tokens.
struct RowPart {
  std::uint64_t sample = 0;
  std::uint32_t table = 0;  ///< which of the tables that the rows are made of
  std::uint32_t part = 0;   ///< of the sample; what it means is the filler's business

  bool operator==(const RowPart&) const = default;
};

/// In the order in which the row has them; at least one.
using RowParts = std::vector<RowPart>;

}  // namespace penstock::inline v0
