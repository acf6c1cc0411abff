#pragma once
// The tiles of a parsed record, by their place.

#include <array>
#include <cstdint>

#include "codecs/repacked/layout.hpp"
#include "codecs/repacked/tables.hpp"
#include "codecs/repacked/tile_data.hpp"

namespace penstock::inline v0::detail {

/// Refers to the record and the tables. Not thread-safe.
class TileSource {
 public:
  TileSource(const RepackRecord& record, const RepackTables& tables);

  /// `corrupt` if the tile is damaged.
  Status decode(int tile_x, int tile_y, TileData& out);

 private:
  const RepackRecord& record_;
  TileBytes bytes_;
};

/// Coefficients of one block in zigzag order, as far as the mask says that they are not zero; the DC apart.
struct SparseBlock {
  std::array<std::int16_t, 64> zigzag;
  std::uint64_t mask;
  std::int16_t dc;
};

/// Whether they are these 64 coefficients in natural order.
bool equals(const SparseBlock& block, const std::int16_t* natural);

/// The next values of a component, by class.
using ValuePointers = std::array<const std::uint8_t*, kValueClasses>;

/// Takes the blocks of a component one after the other.
class SparseBlocks {
 public:
  SparseBlocks(const PartData& part, int component, int first_block);
  void next(SparseBlock* out, int count);

 private:
  const PartData& part_;
  ValuePointers values_;
  std::size_t block_;
};

/// Blocks [first, first + count) of a part; `values` move on. Equal on every CPU target.
void take_blocks(const PartData& part, std::size_t first, ValuePointers& values, SparseBlock* out, int count);

}  // namespace penstock::inline v0::detail
