#include "codecs/repacked/tile_symbols.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <bit>
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

/// Coefficients in stored order, by value class.
constexpr std::array<std::uint64_t, kValueClasses> kMaskOfClass = {0xFE, 0xFF00, 0xFFFFFFFF0000,
                                                                   0xFFFF000000000000};

/// A block in stored order.
struct StoredBlock {
  alignas(16) std::array<std::int16_t, 64> values;
  std::uint64_t mask;      // which are not zero
  std::uint32_t weighted;  // sum of the magnitudes times the quantisation steps, if all are small
};

/// The quantisation steps in stored order, as far as they are small enough to be summed up.
struct StoredQuant {
  alignas(16) std::array<std::int16_t, 64> steps;
  bool small = true;

  explicit StoredQuant(const std::array<std::uint16_t, 64>& natural) {
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint16_t step = natural[kStoredOrder[i]];
      small = small && step < 256;
      steps[i] = static_cast<std::int16_t>(step);
    }
  }
};

#if defined(__SSE2__)

void weigh(const StoredQuant& quant, StoredBlock& block) {
  const __m128i zero = _mm_setzero_si128();
  __m128i sum = zero;
  block.mask = 0;
  for (std::size_t i = 0; i < 64; i += 16) {
    const auto half = [&](std::size_t at) {
      const __m128i v = _mm_load_si128(reinterpret_cast<const __m128i*>(&block.values[at]));
      const __m128i steps = _mm_load_si128(reinterpret_cast<const __m128i*>(&quant.steps[at]));
      sum = _mm_add_epi32(sum, _mm_madd_epi16(_mm_max_epi16(v, _mm_sub_epi16(zero, v)), steps));
      return _mm_cmpeq_epi16(v, zero);
    };
    const __m128i lower = half(i);
    const __m128i upper = half(i + 8);
    const auto zeros = static_cast<unsigned>(_mm_movemask_epi8(_mm_packs_epi16(lower, upper)));
    block.mask |= std::uint64_t{zeros ^ 0xFFFFu} << i;
  }
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4E));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xB1));
  block.weighted = static_cast<std::uint32_t>(_mm_cvtsi128_si32(sum));
}

#else

void weigh(const StoredQuant& quant, StoredBlock& block) {
  block.mask = 0;
  block.weighted = 0;
  for (std::size_t i = 0; i < 64; ++i) {
    block.mask |= static_cast<std::uint64_t>(block.values[i] != 0) << i;
    block.weighted +=
        static_cast<std::uint32_t>(std::abs(block.values[i])) * static_cast<std::uint32_t>(quant.steps[i]);
  }
}

#endif

/// The most symbols that a block can have, by class.
constexpr std::array<std::size_t, kClasses> kMostPerBlock = {1, 1, 1, 1, 6, 7, 8, 32, 16, 126};

}  // namespace

/// Where the next symbols go. Used as a local copy: stores of bytes would otherwise make the compiler load
/// the pointers again and again.
class BlockWriter {
 public:
  explicit BlockWriter(const PartSymbols& part) : nibble_(part.dc_nibbles_ + part.counts_[kDc]) {
    for (std::size_t i = 0; i < kClasses; ++i) {
      at_[i] = part.begins_[i] + part.counts_[i];
    }
  }

  void finish(PartSymbols& part) const {
    for (std::size_t i = 0; i < kClasses; ++i) {
      part.counts_[i] = static_cast<std::size_t>(at_[i] - part.begins_[i]);
    }
  }

  /// False if the block's values are out of range.
  [[gnu::always_inline]] bool add(const std::int16_t* natural, int predicted_dc,
                                  const StoredQuant& stored_quant,
                                  const std::array<std::uint16_t, 64>& quant) {
    const int difference = natural[0] - predicted_dc;
    const unsigned folded =
        difference < 0 ? static_cast<unsigned>(-2 * difference - 1) : static_cast<unsigned>(2 * difference);
    if (folded > 4095) {
      return false;
    }
    *at_[kDc]++ = static_cast<std::uint8_t>(folded >> 4);
    *nibble_++ = folded & 15;

    StoredBlock block;
    for (std::size_t i = 0; i < 64; i += 4) {
      std::memcpy(&block.values[i], natural + kStoredOrder[i], 4 * sizeof natural[0]);
    }
    weigh(stored_quant, block);
    const std::uint64_t mask = block.mask & ~std::uint64_t{1};
    unsigned sizes = 0;  // more than 8 bits if a value has
    for (std::size_t i = 0; i < kValueClasses; ++i) {
      std::uint8_t* to = at_[kValues0 + i];
      for (std::uint64_t left = mask & kMaskOfClass[i]; left != 0; left &= left - 1) {
        const int value = block.values[static_cast<std::size_t>(std::countr_zero(left))];
        *to++ = static_cast<std::uint8_t>(value);
        sizes |= static_cast<unsigned>(value + 128);
      }
      at_[kValues0 + i] = to;
    }
    const bool escapes = sizes > 255;
    if ((escapes || !stored_quant.small || block.weighted > kMaxColumnSum) &&
        !columns_are_in_range(natural, quant)) {
      return false;
    }
    unsigned groups = 0;
    std::uint8_t* masks = at_[kMasks];
    for (unsigned group = 2; group < 8; ++group) {
      const auto of_group = static_cast<std::uint8_t>(mask >> (8 * group));
      *masks = of_group;
      masks += of_group != 0 ? 1 : 0;
      groups |= (of_group != 0 ? 1u : 0u) << (group - 2);
    }
    at_[kMasks] = masks;
    if (escapes) {
      add_escapes(block, mask);
      groups |= kHasEscapes;
    }
    *at_[kGroups]++ = static_cast<std::uint8_t>(groups);
    *at_[kMask0]++ = static_cast<std::uint8_t>(mask);
    *at_[kMask1]++ = static_cast<std::uint8_t>(mask >> 8);
    return true;
  }

 private:
  void add_escapes(const StoredBlock& block, std::uint64_t mask) {
    std::uint8_t* to = at_[kEscapes];
    for (std::uint64_t left = mask; left != 0; left &= left - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(left));
      const int value = block.values[i];
      const int low = static_cast<std::int8_t>(value);
      if (value != low) {
        *to++ = kStoredOrder[i];
        *to++ = static_cast<std::uint8_t>((value - low) >> 8);
      }
    }
    to[-2] |= kLastEscape;
    at_[kEscapes] = to;
  }

  std::array<std::uint8_t*, kClasses> at_{};
  std::uint8_t* nibble_;
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
    PartSymbols& part = out[component > 0 ? 1 : 0];
    BlockWriter writer(part);
    const auto& quant = picture.quant[static_cast<std::size_t>(component)];
    const StoredQuant stored_quant(quant);
    int above = 0;
    for (int y = range.y0; y < range.y1; ++y) {
      const std::int16_t* block = picture.block(component, range.x0, y);
      int predicted = above;
      above = block[0];
      for (int x = range.x0; x < range.x1; ++x, block += 64) {
        if (!writer.add(block, predicted, stored_quant, quant)) {
          return false;
        }
        predicted = block[0];
      }
    }
    writer.finish(part);
  }
  return true;
}

}  // namespace penstock::detail
