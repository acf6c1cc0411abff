// Rows of bytes to columns and back, a vector's bytes of rows at a time. Included once per target.

#if defined(PENSTOCK_TRANSPOSE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PENSTOCK_TRANSPOSE_INL
#undef PENSTOCK_TRANSPOSE_INL
#else
#define PENSTOCK_TRANSPOSE_INL
#endif

#include <algorithm>
#include <cstdint>

#include "core/vector_helpers-inl.hpp"
#include "hwy/highway.h"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

HWY_BEFORE_NAMESPACE();
namespace penstock::inline v0 {
namespace HWY_NAMESPACE {

constexpr int kRows = 16 * kBlocks;  // of a strip: as many as a vector has bytes

// The bytes of a, b, c and d in turns: four vectors, within each block.
HWY_INLINE void interleave_four(V8 a, V8 b, V8 c, V8 d, V8* out) {
  const V8 ac_lower = hn::InterleaveLower(D8(), a, c), ac_upper = hn::InterleaveUpper(D8(), a, c);
  const V8 bd_lower = hn::InterleaveLower(D8(), b, d), bd_upper = hn::InterleaveUpper(D8(), b, d);
  out[0] = hn::InterleaveLower(D8(), ac_lower, bd_lower);
  out[1] = hn::InterleaveUpper(D8(), ac_lower, bd_lower);
  out[2] = hn::InterleaveLower(D8(), ac_upper, bd_upper);
  out[3] = hn::InterleaveUpper(D8(), ac_upper, bd_upper);
}

// In each block of 16 vectors, bytes change places: byte j of load(i) is byte i of what store(j, .) gets.
// Vectors are loaded and stored one after the other, so that they fit the registers.
template <class Load, class Store>
HWY_INLINE void transpose(Load load, Store store) {
  V8 half_way[16];
  for (int i = 0; i < 4; ++i) {
    interleave_four(load(i), load(i + 4), load(i + 8), load(i + 12), half_way + 4 * i);
  }
  for (int i = 0; i < 4; ++i) {
    V8 done[4];
    interleave_four(half_way[i], half_way[i + 4], half_way[i + 8], half_way[i + 12], done);
    for (int j = 0; j < 4; ++j) {
      store(4 * i + j, done[j]);
    }
  }
}

// A block of 16 bytes from each row of a strip to 16 columns of kRows bytes.
inline HWY_NOINLINE void to_columns(const std::uint8_t* in, std::size_t stride, int rows,
                                    std::uint8_t* columns) {
  alignas(64) std::uint8_t block[kRows * 16];
  if (rows < kRows) {  // the last row takes the places of those that are missing
    const hn::Full128<std::uint8_t> d;
    for (int y = 0; y < kRows; ++y) {
      hn::Store(hn::LoadU(d, in + static_cast<std::size_t>(std::min(y, rows - 1)) * stride), d,
                block + y * 16);
    }
    in = block;
    stride = 16;
  }
  transpose([&](int y)
                HWY_ATTR { return load_blocks(in + static_cast<std::size_t>(y) * stride, 16 * stride); },
            [&](int i, V8 v) HWY_ATTR { hn::Store(v, D8(), columns + i * kRows); });
}

// The way back.
inline HWY_NOINLINE void to_rows(const std::uint8_t* columns, int rows, std::uint8_t* out,
                                 std::size_t stride) {
  const auto load = [&](int i) HWY_ATTR { return hn::Load(D8(), columns + i * kRows); };
  std::uint8_t* four = out;  // rows are stored in order: addresses from here need no multiplication
  const auto store = [&](int y, V8 v, int blocks) HWY_ATTR {
    store_blocks(v, four + static_cast<std::size_t>(y % 4) * stride, 16 * stride, blocks);
    four += y % 4 == 3 ? 4 * stride : 0;
  };
  if (rows == kRows) {
    transpose(load, [&](int y, V8 v) HWY_ATTR { store(y, v, kBlocks); });
    return;
  }
  transpose(load, [&](int y, V8 v) HWY_ATTR {
    if (y < rows) {
      store(y, v, (rows - y + 15) / 16);
    }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace penstock::inline v0
HWY_AFTER_NAMESPACE();

#endif  // vectors
#endif  // PENSTOCK_TRANSPOSE_INL
