#include "codecs/repacked/tile_symbols.hpp"

#include <cstdlib>
#include <cstring>

namespace penstock::detail {
namespace {

/// Up to this sum of a column's dequantised magnitudes nothing overflows 16 bits in either pass of the
/// inverse DCT (4 * 1.3870 * 2953 < 2^14), so every decoder gives the same pixels.
constexpr std::int64_t kMaxColumnSum = 2953;

bool columns_are_in_range(const std::int16_t* block, const std::array<std::uint16_t, 64>& quant) {
  for (std::size_t column = 0; column < 8; ++column) {
    std::int64_t sum = 0;
    for (std::size_t i = column; i < 64; i += 8) {
      sum += std::int64_t{std::abs(block[i])} * quant[i];
    }
    if (sum > kMaxColumnSum) {
      return false;
    }
  }
  return true;
}

/// Half a row of a block: where it is in the stored order, in natural order.
struct HalfRow {
  std::uint8_t natural;
  std::uint8_t group;
  std::uint8_t shift;  // of its four bits in the group's mask
};

constexpr std::array<HalfRow, 16> kHalfRows = [] {
  std::array<HalfRow, 16> rows{};
  for (std::size_t i = 0; i < 16; ++i) {
    rows[i] = {kStoredOrder[i * 4], static_cast<std::uint8_t>(i / 2), static_cast<std::uint8_t>(i % 2 * 4)};
  }
  return rows;
}();

/// The most symbols that a block can have, by class.
constexpr std::array<std::size_t, kClasses> kMostPerBlock = {1, 1, 1, 1, 6, 7, 8, 32, 16, 126};

}  // namespace

class BlockWriter {
 public:
  explicit BlockWriter(PartSymbols& part) : part_(part) {
    for (std::size_t i = 0; i < kClasses; ++i) {
      at_[i] = part.begins_[i] + part.counts_[i];
    }
    nibble_ = part.dc_nibbles_ + part.counts_[kDc];
  }
  ~BlockWriter() {
    for (std::size_t i = 0; i < kClasses; ++i) {
      part_.counts_[i] = static_cast<std::size_t>(at_[i] - part_.begins_[i]);
    }
  }
  BlockWriter(const BlockWriter&) = delete;
  BlockWriter& operator=(const BlockWriter&) = delete;

  /// False if the block's values are out of range.
  bool add(const std::int16_t* block, int predicted_dc, const std::array<std::uint16_t, 64>& quant) {
    const int difference = block[0] - predicted_dc;
    const unsigned folded =
        difference < 0 ? static_cast<unsigned>(-2 * difference - 1) : static_cast<unsigned>(2 * difference);
    if (folded > 4095) {
      return false;
    }
    *at_[kDc]++ = static_cast<std::uint8_t>(folded >> 4);
    *nibble_++ = folded & 15;

    std::array<std::uint8_t, 8> masks{};
    std::uint8_t* const escapes = at_[kEscapes];
    std::int64_t sum = std::int64_t{std::abs(block[0])} * quant[0];
    for (const HalfRow& half : kHalfRows) {
      std::uint64_t four;
      std::memcpy(&four, block + half.natural, sizeof four);
      if (half.natural == 0) {
        four &= ~std::uint64_t{0xFFFF};
      }
      if (four == 0) {
        continue;
      }
      std::uint8_t*& values = at_[kValues0 + kValueClassOf[half.group]];
      unsigned mask = 0;
      for (unsigned i = 0; i < 4; ++i) {
        const auto value = static_cast<std::int16_t>(four >> (16 * i));
        *values = static_cast<std::uint8_t>(value);
        values += value != 0 ? 1 : 0;
        mask |= (value != 0 ? 1u : 0u) << i;
        sum += std::int64_t{std::abs(value)} * quant[half.natural + i];
        if (value != static_cast<std::int8_t>(value)) {
          *at_[kEscapes]++ = static_cast<std::uint8_t>(half.natural + i);
          *at_[kEscapes]++ = static_cast<std::uint8_t>((value - static_cast<std::int8_t>(value)) >> 8);
        }
      }
      masks[half.group] = static_cast<std::uint8_t>(masks[half.group] | mask << half.shift);
    }
    if (sum > kMaxColumnSum && !columns_are_in_range(block, quant)) {
      return false;
    }
    unsigned groups = 0;
    for (unsigned group = 2; group < 8; ++group) {
      *at_[kMasks] = masks[group];
      at_[kMasks] += masks[group] != 0 ? 1 : 0;
      groups |= (masks[group] != 0 ? 1u : 0u) << (group - 2);
    }
    if (at_[kEscapes] != escapes) {
      groups |= kHasEscapes;
      at_[kEscapes][-2] |= kLastEscape;
    }
    *at_[kGroups]++ = static_cast<std::uint8_t>(groups);
    *at_[kMask0]++ = masks[0];
    *at_[kMask1]++ = masks[1];
    return true;
  }

 private:
  PartSymbols& part_;
  std::array<std::uint8_t*, kClasses> at_{};
  std::uint8_t* nibble_ = nullptr;
};

void PartSymbols::start(std::size_t blocks) {
  constexpr std::size_t kSlack = 8;  // what is zero is written and not counted
  std::size_t size = blocks + kSlack;
  for (const std::size_t most : kMostPerBlock) {
    size += most * blocks + kSlack;
  }
  std::uint8_t* at = memory_.reserve(size);
  for (std::size_t i = 0; i < kClasses; ++i) {
    begins_[i] = at;
    at += kMostPerBlock[i] * blocks + kSlack;
  }
  dc_nibbles_ = at;
  counts_.fill(0);
}

void start_symbols(const RepackGeometry& geometry, PictureSymbols& out) {
  const auto blocks = [&](int component) {
    return static_cast<std::size_t>(geometry.blocks_wide(component)) *
           static_cast<std::size_t>(geometry.blocks_high(component));
  };
  out[0].start(blocks(0));
  out[1].start(geometry.parts() == 2 ? 2 * blocks(1) : 0);
}

bool add_tile_symbols(const JpegCoefficients& picture, int tile_x, int tile_y, PictureSymbols& out) {
  for (int component = 0; component < picture.geometry.components(); ++component) {
    const BlockRange range = picture.geometry.blocks_of_tile(component, tile_x, tile_y);
    BlockWriter writer(out[component > 0 ? 1 : 0]);
    const auto& quant = picture.quant[static_cast<std::size_t>(component)];
    for (int y = range.y0; y < range.y1; ++y) {
      for (int x = range.x0; x < range.x1; ++x) {
        const int predicted = x > range.x0   ? picture.block(component, x - 1, y)[0]
                              : y > range.y0 ? picture.block(component, x, y - 1)[0]
                                             : 0;
        if (!writer.add(picture.block(component, x, y), predicted, quant)) {
          return false;
        }
      }
    }
  }
  return true;
}

}  // namespace penstock::detail
