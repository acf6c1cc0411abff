#pragma once
// A tile's symbols as bytes, the second half of encoding.

#include <array>
#include <cstdint>
#include <vector>

#include "codecs/repacked/layout.hpp"
#include "codecs/repacked/tables.hpp"
#include "codecs/repacked/tile_symbols.hpp"

namespace penstock::inline v0::detail {

using TileCounts = std::array<PartSymbols::Counts, kParts>;

/// Keeps its memory. Not thread-safe.
class TileWriter {
 public:
  TileWriter();

  void use(const RepackTables& tables, const VariantChoice& variants, int parts);
  /// Appends the tile whose symbols are those of the image from `begin` to `end`.
  void write(const ImageSymbols& symbols, const TileCounts& begin, const TileCounts& end,
             std::vector<std::uint8_t>& out);

 private:
  struct Lane {
    std::uint8_t* begin;
    std::uint8_t* at;
    std::uint64_t bits;
    unsigned count;
  };

  /// Symbols `first`, `first` + `step`, ... of a class to one lane, filled up to `rounds`.
  void put(Lane& lane, const CodeTable& code, const std::uint8_t* symbols, std::size_t count,
           std::size_t first, std::size_t step, std::size_t rounds);

  std::vector<std::uint8_t> memory_;
  std::array<Lane, kLanes> lanes_{};
  std::array<std::array<const CodeTable*, kClasses>, kParts> codes_{};
  int parts_ = 0;
};

}  // namespace penstock::inline v0::detail
