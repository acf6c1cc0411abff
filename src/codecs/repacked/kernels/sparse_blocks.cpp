#include <bit>
#include <cstring>

#include "codecs/jpeg_scan.hpp"
#include "codecs/repacked/scan_writer.hpp"
#include "codecs/repacked/tile_source.hpp"
#include "codecs/repacked/value_bits.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codecs/repacked/kernels/sparse_blocks.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"

// No vectors here: newer targets shift by any number of bits in one operation.

HWY_BEFORE_NAMESPACE();
namespace penstock::inline v0 {
namespace HWY_NAMESPACE {
using namespace detail;  // a namespace per target
namespace {

/// Zigzag place of each natural place.
constexpr std::array<std::uint8_t, 64> kZigzag = [] {
  std::array<std::uint8_t, 64> order{};
  for (std::size_t k = 0; k < 64; ++k) {
    order[kNatural[k]] = static_cast<std::uint8_t>(k);
  }
  return order;
}();

constexpr std::array<std::uint8_t, 64> kZigzagOfStored = [] {
  std::array<std::uint8_t, 64> order{};
  for (std::size_t i = 0; i < 64; ++i) {
    order[i] = kZigzag[kStoredOrder[i]];
  }
  return order;
}();

/// Stored places of each value class.
constexpr std::array<std::uint64_t, kValueClasses> kMaskOf = {0xFF, 0xFF00, 0xFFFFFFFF0000,
                                                              0xFFFF000000000000};

HWY_INLINE void take_block(const PartData& part, std::size_t block, ValuePointers& values, SparseBlock& out) {
  out.mask = 0;
  out.dc = part.dc[block];
  // By value class, so that each pointer stays in a register.
  for (std::size_t i = 0; i < kValueClasses; ++i) {
    const std::uint8_t* from = values[i];
    for (std::uint64_t mask = part.masks[block] & kMaskOf[i]; mask != 0; mask &= mask - 1) {
      const std::uint8_t place = kZigzagOfStored[static_cast<std::size_t>(std::countr_zero(mask))];
      out.zigzag[place] = static_cast<std::int8_t>(*from++);
      out.mask |= std::uint64_t{1} << place;
    }
    values[i] = from;
  }
  if ((part.groups()[block] & kHasEscapes) != 0) {
    const std::uint8_t* at = part.escapes.data() + part.escape_begin[block];
    bool last = false;
    for (; !last; at += 2) {
      last = (at[0] & kLastEscape) != 0;
      const std::uint8_t place = kZigzag[at[0] & 63u];
      const std::uint64_t bit = std::uint64_t{1} << place;
      const int low = (out.mask & bit) != 0 ? out.zigzag[place] : 0;
      out.zigzag[place] = static_cast<std::int16_t>(low + static_cast<std::int8_t>(at[1]) * 256);
      out.mask |= bit;
    }
    out.mask &= ~std::uint64_t{1};
  }
}

HWY_INLINE void put(CodedBits& end, std::uint64_t more, unsigned length) {
  // Without a branch: eight bytes are stored each time, and as many counted as are complete.
  end.bits |= more << ((64 - end.count - length) & 63);
  end.count += length;
  const std::uint64_t swapped =
      std::endian::native == std::endian::little ? __builtin_bswap64(end.bits) : end.bits;
  std::memcpy(end.at, &swapped, sizeof swapped);
  end.at += end.count / 8;
  end.bits <<= end.count / 8 * 8;
  end.count %= 8;
}

HWY_INLINE void put_code(CodedBits& end, std::uint32_t code) {
  end.missing_code |= code == 0;
  put(end, code >> ScanSetup::Codes::kLengthBits, code & kLengthMask);
}

HWY_INLINE void put_value(CodedBits& end, const ScanSetup::Codes& codes, unsigned run, int value) {
  const ValueBits coded = value_bits(codes, run, value);
  end.missing_code |= coded.missing;
  put(end, coded.bits, coded.length);
}

}  // namespace

void take_blocks_here(const PartData& part, std::size_t first, ValuePointers& values, SparseBlock* out,
                      int count) {
  for (int i = 0; i < count; ++i) {
    take_block(part, first + static_cast<std::size_t>(i), values, out[i]);
  }
}

void write_block_here(const ScanSetup& setup, std::size_t component, int dc_difference,
                      const SparseBlock& block, CodedBits& bits) {
  const ScanSetup::Codes& ac = setup.ac[component];
  const ScanSetup::ValueCodes& small = setup.small[component];
  CodedBits end = bits;  // in registers
  put_value(end, setup.dc[component], 0, dc_difference);
  unsigned last = 0;
  for (std::uint64_t mask = block.mask; mask != 0; mask &= mask - 1) {
    const auto k = static_cast<unsigned>(std::countr_zero(mask));
    unsigned run = k - last - 1;
    for (; run > 15; run -= 16) {
      put_code(end, ac.of[0xF0]);
    }
    const int value = block.zigzag[k];
    if (const auto place = static_cast<unsigned>(value + 8); place < 16) [[likely]] {
      put_code(end, small.of[run * 16 + place]);
    } else {
      put_value(end, ac, run, value);
    }
    last = k;
  }
  if (last < 63) {
    put_code(end, ac.of[0]);
  }
  bits = end;
}

}  // namespace HWY_NAMESPACE
}  // namespace penstock::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::inline v0 {

HWY_EXPORT(take_blocks_here);
HWY_EXPORT(write_block_here);

void detail::take_blocks(const PartData& part, std::size_t first, ValuePointers& values, SparseBlock* out,
                         int count) {
  HWY_DYNAMIC_DISPATCH(take_blocks_here)(part, first, values, out, count);
}

void detail::write_block(const ScanSetup& setup, std::size_t component, int dc_difference,
                         const SparseBlock& block, CodedBits& bits) {
  HWY_DYNAMIC_DISPATCH(write_block_here)(setup, component, dc_difference, block, bits);
}

}  // namespace penstock::inline v0
#endif
