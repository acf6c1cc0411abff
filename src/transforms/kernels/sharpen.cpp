#include "transforms/kernels/sharpen.hpp"

#include <algorithm>
#include <cstring>

#include "transforms/kernels/byte_tables.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "transforms/kernels/sharpen.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "core/vector_helpers-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::inline v0 {
namespace HWY_NAMESPACE {

CpuTarget sharpen_target_compiled() { return this_target(); }

// A row between its neighbours above and below, each from its first byte on; bytes from `first` to `last` are
// written. The neighbours count 1 and the pixel itself 5: (2 * sum + 13) / 26 is the rounded mean.

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

void sharpen_row(const std::uint8_t* above, const std::uint8_t* row, const std::uint8_t* below,
                 std::size_t first, std::size_t last, std::size_t channels, float factor, std::uint8_t* out) {
  for (std::size_t i = first; i < last; ++i) {
    int sum = 4 * row[i];
    for (const std::uint8_t* const line : {above, row, below}) {
      sum += line[i - channels] + line[i] + line[i + channels];
    }
    const auto smooth = static_cast<std::uint8_t>((2 * sum + 13) / 26);
    out[i] = channels == 4 && i % 4 == 3 ? row[i] : blend(smooth, row[i], factor);
  }
}

#else

using DU16 = hn::Repartition<std::uint16_t, D8>;
using VU16 = hn::Vec<DU16>;
using DF = hn::ScalableTag<float>;
using VF = hn::Vec<DF>;

// Half of the lanes, as words.
template <bool kUpper>
HWY_INLINE VU16 words(V8 v) {
  const V8 zero = hn::Zero(D8());
  return hn::BitCast(DU16(),
                     kUpper ? hn::InterleaveUpper(D8(), v, zero) : hn::InterleaveLower(D8(), v, zero));
}

template <bool kUpper>
HWY_INLINE V32 quads(VU16 v) {
  const VU16 zero = hn::Zero(DU16());
  return hn::BitCast(D32(),
                     kUpper ? hn::InterleaveUpper(DU16(), v, zero) : hn::InterleaveLower(DU16(), v, zero));
}

HWY_INLINE V32 blend_quads(V32 from, V32 to, VF factor) {
  const VF base = hn::ConvertTo(DF(), from);
  const VF moved = hn::Mul(factor, hn::ConvertTo(DF(), hn::Sub(to, from)));
  return hn::ConvertTo(D32(), hn::Min(hn::Max(hn::Add(base, moved), hn::Zero(DF())), hn::Set(DF(), 255.0F)));
}

/// Of nine vectors of neighbours; the middle one is the pixel itself.
template <bool kUpper>
HWY_INLINE V16 sharpen_half(const V8* nine, VF factor) {
  const VU16 itself = words<kUpper>(nine[4]);
  VU16 sum = hn::Add(hn::ShiftLeft<2>(itself), hn::Set(DU16(), 6));
  for (int n = 0; n < 9; ++n) {
    sum = hn::Add(sum, words<kUpper>(nine[n]));
  }
  // (sum + 6) / 13 is (2 * sum + 13) / 26; exact up to 65535 / 4.
  const VU16 smooth = hn::ShiftRight<2>(hn::MulHigh(sum, hn::Set(DU16(), 20165)));
  return pack_16(blend_quads(quads<false>(smooth), quads<false>(itself), factor),
                 blend_quads(quads<true>(smooth), quads<true>(itself), factor));
}

void sharpen_row(const std::uint8_t* above, const std::uint8_t* row, const std::uint8_t* below,
                 std::size_t first, std::size_t last, std::size_t channels, float factor, std::uint8_t* out) {
  constexpr std::size_t kWhole = HWY_MAX_BYTES;
  const VF by = hn::Set(DF(), factor);
  // Where bytes start at the second pixel, the fourth channel is every fourth lane.
  const V8 kept =
      hn::BitCast(D8(), hn::Set(D32(), channels == 4 ? static_cast<std::int32_t>(0xFF000000U) : 0));
  const auto sharpened = [&](std::size_t i) HWY_ATTR {
    V8 nine[9];
    int n = 0;
    for (const std::uint8_t* const line : {above, row, below}) {
      nine[n++] = hn::LoadU(D8(), line + i - channels);
      nine[n++] = hn::LoadU(D8(), line + i);
      nine[n++] = hn::LoadU(D8(), line + i + channels);
    }
    const V8 made = pack_8(sharpen_half<false>(nine, by), sharpen_half<true>(nine, by));
    return hn::IfVecThenElse(kept, nine[4], made);
  };
  std::size_t i = first;
  for (; i + kWhole <= last; i += kWhole) {
    hn::StoreU(sharpened(i), D8(), out + i);
  }
  if (i < last) {
    alignas(64) std::uint8_t rest[kWhole];
    hn::Store(sharpened(i), D8(), rest);
    std::memcpy(out + i, rest, last - i);
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace penstock::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::inline v0 {

HWY_EXPORT(sharpen_target_compiled);
HWY_EXPORT(sharpen_row);

void adjust_sharpness(const ConstPixelRows& in, const PixelRows& out, float factor) {
  const auto channels = static_cast<std::size_t>(in.channels);
  const std::size_t bytes = in.row_bytes();
  const bool small = in.size.width < 3;
  for (int y = 0; y < in.size.height; ++y) {
    std::uint8_t* const to = out.row(y);
    if (small || y == 0 || y + 1 == in.size.height) {
      std::memcpy(to, in.row(y), bytes);
      continue;
    }
    std::memcpy(to, in.row(y), channels);
    HWY_DYNAMIC_DISPATCH(sharpen_row)
    (in.row(y - 1), in.row(y), in.row(y + 1), channels, bytes - channels, channels, factor, to);
    std::memcpy(to + bytes - channels, in.row(y) + bytes - channels, channels);
  }
}

CpuTarget sharpen_target() { return HWY_DYNAMIC_DISPATCH(sharpen_target_compiled)(); }

}  // namespace penstock::inline v0
#endif
