#include "transforms/kernels/byte_tables.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "transforms/kernels/byte_tables.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "core/vector_helpers-inl.hpp"
#include "hwy/highway.h"
#include "transforms/kernels/rgb-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace penstock::inline v0 {
namespace HWY_NAMESPACE {

CpuTarget tables_target_compiled() { return this_target(); }

// What follows works on `count` bytes of a row. Those beyond may be read, not written.

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

// Runs map(bytes) for whole vectors; what is left goes through memory of its own.
template <class Map>
HWY_INLINE void map_vectors(const std::uint8_t* in, std::size_t count, std::uint8_t* out, Map map) {
  constexpr std::size_t kWhole = HWY_MAX_BYTES;
  std::size_t i = 0;
  for (; i + kWhole <= count; i += kWhole) {
    hn::StoreU(map(hn::LoadU(D8(), in + i)), D8(), out + i);
  }
  if (i < count) {
    alignas(64) std::uint8_t rest[kWhole];
    hn::Store(map(hn::LoadU(D8(), in + i)), D8(), rest);
    std::memcpy(out + i, rest, count - i);
  }
}

using DF = hn::ScalableTag<float>;
using VF = hn::Vec<DF>;

HWY_INLINE V32 blend_lanes(V32 bytes, VF from, VF factor) {
  const VF moved = hn::Mul(factor, hn::Sub(hn::ConvertTo(DF(), bytes), from));  // whole numbers: exact
  const VF sum = hn::Add(from, moved);
  return hn::ConvertTo(D32(), hn::Min(hn::Max(sum, hn::Zero(DF())), hn::Set(DF(), 255.0F)));
}

// Keeps the bytes of the fourth channel where kept is all ones.
void blend_row(const std::uint8_t* in, std::size_t count, std::uint8_t* out, std::uint8_t from, float factor,
               bool keeps_fourth) {
  const VF base = hn::Set(DF(), static_cast<float>(from));
  const VF by = hn::Set(DF(), factor);
  const V8 kept =
      hn::BitCast(D8(), hn::Set(D32(), keeps_fourth ? static_cast<std::int32_t>(0xFF000000U) : 0));
  map_vectors(in, count, out, [&](V8 bytes) HWY_ATTR {
    const V8 zero = hn::Zero(D8());
    const V8 lower = hn::InterleaveLower(D8(), bytes, zero), upper = hn::InterleaveUpper(D8(), bytes, zero);
    const auto quarter = [&](V8 half, bool high) HWY_ATTR {
      const V8 wide =
          high ? hn::BitCast(D8(), hn::InterleaveUpper(D16(), hn::BitCast(D16(), half), hn::Zero(D16())))
               : hn::BitCast(D8(), hn::InterleaveLower(D16(), hn::BitCast(D16(), half), hn::Zero(D16())));
      return blend_lanes(hn::BitCast(D32(), wide), base, by);
    };
    const V8 blended = pack_8(pack_16(quarter(lower, false), quarter(lower, true)),
                              pack_16(quarter(upper, false), quarter(upper, true)));
    return hn::IfVecThenElse(kept, bytes, blended);
  });
}

#else

void blend_row(const std::uint8_t* in, std::size_t count, std::uint8_t* out, std::uint8_t from, float factor,
               bool keeps_fourth) {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = keeps_fourth && i % 4 == 3 ? in[i] : blend(from, in[i], factor);
  }
}

#endif

#if HWY_TARGET == HWY_AVX3_DL

// Two lookups in 128 bytes each; the highest bit says which counts.
struct Lookup {
  __m512i part[4];

  HWY_INLINE explicit Lookup(const ByteTable& table) {
    for (int i = 0; i < 4; ++i) {
      part[i] = _mm512_loadu_si512(table.data() + 64 * i);
    }
  }
  HWY_INLINE V8 operator()(V8 bytes) const {
    const __m512i lower = _mm512_permutex2var_epi8(part[0], bytes.raw, part[1]);
    const __m512i upper = _mm512_permutex2var_epi8(part[2], bytes.raw, part[3]);
    return V8{_mm512_mask_blend_epi8(_mm512_movepi8_mask(bytes.raw), lower, upper)};
  }
};

void table_row(const std::uint8_t* in, std::size_t count, std::uint8_t* out, const ByteTable& table) {
  const Lookup lookup(table);
  map_vectors(in, count, out, [&](V8 bytes) HWY_ATTR { return lookup(bytes); });
}

// Returns how many bytes whole vectors held.
std::size_t tables_row(const std::uint8_t* in, std::size_t count, std::uint8_t* out, const ByteTable* tables,
                       int channels) {
  const std::size_t step = HWY_MAX_BYTES * static_cast<std::size_t>(channels);
  std::size_t i = 0;
  if (channels == 3) {
    const Lookup red(tables[0]), green(tables[1]), blue(tables[2]);
    for (; i + step <= count; i += step) {
      V8 r, g, b;
      load_rgb(in + i, r, g, b);
      store_rgb(red(r), green(g), blue(b), out + i);
    }
  } else if (channels == 4) {
    const Lookup red(tables[0]), green(tables[1]), blue(tables[2]), alpha(tables[3]);
    for (; i + step <= count; i += step) {
      V8 r, g, b, a;
      hn::LoadInterleaved4(D8(), in + i, r, g, b, a);
      hn::StoreInterleaved4(red(r), green(g), blue(b), alpha(a), D8(), out + i);
    }
  }
  return i;
}

void blend_row_best(const std::uint8_t* in, std::size_t count, std::uint8_t* out, std::uint8_t from,
                    float factor, const ByteTable& table, bool keeps_fourth) {
  if (keeps_fourth) {
    blend_row(in, count, out, from, factor, true);
  } else {
    table_row(in, count, out, table);
  }
}

#else

void table_row(const std::uint8_t* in, std::size_t count, std::uint8_t* out, const ByteTable& table) {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = table[in[i]];
  }
}

std::size_t tables_row(const std::uint8_t*, std::size_t, std::uint8_t*, const ByteTable*, int) { return 0; }

void blend_row_best(const std::uint8_t* in, std::size_t count, std::uint8_t* out, std::uint8_t from,
                    float factor, const ByteTable&, bool keeps_fourth) {
  blend_row(in, count, out, from, factor, keeps_fourth);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace penstock::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::inline v0 {

HWY_EXPORT(tables_target_compiled);
HWY_EXPORT(table_row);
HWY_EXPORT(tables_row);
HWY_EXPORT(blend_row_best);

namespace {

// Rows that follow each other closely are one long row.
template <class Row>
void for_each_stretch(const ConstPixelRows& in, const PixelRows& out, Row row) {
  const std::size_t bytes = in.row_bytes();
  if (in.stride == bytes && out.stride == bytes) {
    row(in.data, bytes * static_cast<std::size_t>(in.size.height), out.data);
    return;
  }
  for (int y = 0; y < in.size.height; ++y) {
    row(in.row(y), bytes, out.row(y));
  }
}

}  // namespace

std::uint8_t blend(std::uint8_t from, std::uint8_t to, float factor) {
  const float moved = factor * static_cast<float>(to - from);
  const float sum = static_cast<float>(from) + moved;
  return sum <= 0.0F ? 0 : sum >= 255.0F ? 255 : static_cast<std::uint8_t>(sum);
}

ByteTable identity_table() {
  ByteTable table;
  for (std::size_t i = 0; i < table.size(); ++i) {
    table[i] = static_cast<std::uint8_t>(i);
  }
  return table;
}

ByteTable blend_table(std::uint8_t from, float factor) {
  ByteTable table = identity_table();
  for (std::uint8_t& value : table) {
    value = blend(from, value, factor);
  }
  return table;
}

ByteTable solarize_table(double threshold) {
  ByteTable table = identity_table();
  for (std::uint8_t& value : table) {
    value = value < threshold ? value : static_cast<std::uint8_t>(255 - value);
  }
  return table;
}

ByteTable posterize_table(int bits) {
  ByteTable table = identity_table();
  for (std::uint8_t& value : table) {
    value &= static_cast<std::uint8_t>(~((1 << (8 - bits)) - 1));
  }
  return table;
}

ByteTable invert_table() { return solarize_table(0.0); }

ByteTable autocontrast_table(std::uint8_t smallest, std::uint8_t largest) {
  ByteTable table = identity_table();
  if (largest <= smallest) {
    return table;
  }
  const double scale = 255.0 / (largest - smallest);
  const double offset = -smallest * scale;
  for (std::uint8_t& value : table) {
    const double scaled = value * scale;
    value = static_cast<std::uint8_t>(std::clamp(static_cast<int>(scaled + offset), 0, 255));
  }
  return table;
}

ByteTable equalize_table(const std::array<std::uint32_t, 256>& histogram) {
  std::uint64_t pixels = 0, last = 0;
  int used = 0;
  for (const std::uint32_t count : histogram) {
    pixels += count;
    used += count != 0 ? 1 : 0;
    last = count != 0 ? count : last;
  }
  const std::uint64_t step = (pixels - last) / 255;
  ByteTable table = identity_table();
  if (used < 2 || step == 0) {
    return table;
  }
  std::uint64_t sum = step / 2;
  for (std::size_t i = 0; i < table.size(); ++i) {
    table[i] = static_cast<std::uint8_t>(std::min<std::uint64_t>(sum / step, 255));
    sum += histogram[i];
  }
  return table;
}

ByteTable gamma_table(double gamma, double gain) {
  ByteTable table = identity_table();
  for (std::uint8_t& value : table) {
    const double scaled = 255.999 * gain * std::pow(value / 255.0, gamma);
    value = static_cast<std::uint8_t>(std::min(scaled, 255.0));
  }
  return table;
}

ByteTable joined(const ByteTable& first, const ByteTable& then) {
  ByteTable table = first;
  for (std::uint8_t& value : table) {
    value = then[value];
  }
  return table;
}

void apply_table(const ConstPixelRows& in, const PixelRows& out, const ByteTable& table) {
  for_each_stretch(in, out, [&](const std::uint8_t* from, std::size_t bytes, std::uint8_t* to) {
    HWY_DYNAMIC_DISPATCH(table_row)(from, bytes, to, table);
  });
}

void apply_tables(const ConstPixelRows& in, const PixelRows& out, std::span<const ByteTable> tables) {
  if (tables.size() == 1) {
    apply_table(in, out, tables[0]);
    return;
  }
  const auto channels = static_cast<std::size_t>(in.channels);
  for_each_stretch(in, out, [&](const std::uint8_t* from, std::size_t bytes, std::uint8_t* to) {
    std::size_t i = HWY_DYNAMIC_DISPATCH(tables_row)(from, bytes, to, tables.data(), in.channels);
    for (; i < bytes; i += channels) {
      for (std::size_t c = 0; c < channels; ++c) {
        to[i + c] = tables[c][from[i + c]];
      }
    }
  });
}

void apply_blend(const ConstPixelRows& in, const PixelRows& out, std::uint8_t from, float factor) {
  const ByteTable table = blend_table(from, factor);
  for_each_stretch(in, out, [&](const std::uint8_t* source, std::size_t bytes, std::uint8_t* to) {
    HWY_DYNAMIC_DISPATCH(blend_row_best)(source, bytes, to, from, factor, table, in.channels == 4);
  });
}

CpuTarget tables_target() { return HWY_DYNAMIC_DISPATCH(tables_target_compiled)(); }

}  // namespace penstock::inline v0
#endif
