#include "transforms/kernels/byte_tables.hpp"

#include <algorithm>
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

// (value & mask) ^ (value < threshold ? below : above)
void masked_row(const std::uint8_t* in, std::size_t count, std::uint8_t* out, const MaskedTable& table) {
  const V8 mask = hn::Set(D8(), table.mask), threshold = hn::Set(D8(), table.threshold);
  const V8 below = hn::Set(D8(), table.below), above = hn::Set(D8(), table.above);
  map_vectors(in, count, out, [&](V8 bytes) HWY_ATTR {
    const auto reaches = hn::Eq(hn::Max(bytes, threshold), bytes);
    return hn::Xor(hn::And(bytes, mask), hn::IfThenElse(reaches, above, below));
  });
}

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

#else

// Sixteen lookups in 16 bytes each, of the differences between a part of the table and the one before it: as
// many of them as the value reaches make up what it becomes. Values below 128 and the others are counted down
// apart, so that a sign says which parts they reach.
struct Lookup {
  using DI = hn::ScalableTag<std::int8_t>;
  V8 part[16];

  HWY_INLINE explicit Lookup(const ByteTable& table) {
    for (std::size_t i = 0; i < 16; ++i) {
      const V8 own = hn::LoadDup128(D8(), table.data() + 16 * i);
      part[i] = i % 8 == 0 ? own : hn::Xor(own, hn::LoadDup128(D8(), table.data() + 16 * (i - 1)));
    }
  }
  // 0 where `places` are negative.
  static HWY_INLINE V8 look_up(V8 table, hn::Vec<DI> places) {
#if HWY_TARGET == HWY_NEON
    return hn::TableLookupBytesOr0(table, hn::And(hn::BitCast(D8(), places), hn::Set(D8(), 0x8F)));
#else
    return hn::TableLookupBytesOr0(table, hn::BitCast(D8(), places));  // looks at four bits and the sign
#endif
  }
  HWY_INLINE V8 operator()(V8 bytes) const {
    const auto sixteen = hn::Set(DI(), 16);
    auto lower = hn::BitCast(DI(), bytes);
    auto upper = hn::BitCast(DI(), hn::Xor(bytes, hn::Set(D8(), 0x80)));
    V8 found = hn::Xor(look_up(part[0], lower), look_up(part[8], upper));
    for (std::size_t i = 1; i < 8; ++i) {
      lower = hn::SaturatedSub(lower, sixteen);
      upper = hn::SaturatedSub(upper, sixteen);
      found = hn::Xor(found, hn::Xor(look_up(part[i], lower), look_up(part[8 + i], upper)));
    }
    return found;
  }
};

#endif

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

#else

void masked_row(const std::uint8_t* in, std::size_t count, std::uint8_t* out, const MaskedTable& table) {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = static_cast<std::uint8_t>((in[i] & table.mask) ^
                                       (in[i] < table.threshold ? table.below : table.above));
  }
}

void table_row(const std::uint8_t* in, std::size_t count, std::uint8_t* out, const ByteTable& table) {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = table[in[i]];
  }
}

std::size_t tables_row(const std::uint8_t*, std::size_t, std::uint8_t*, const ByteTable*, int) { return 0; }

#endif

}  // namespace HWY_NAMESPACE
}  // namespace penstock::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::inline v0 {

HWY_EXPORT(tables_target_compiled);
HWY_EXPORT(table_row);
HWY_EXPORT(tables_row);
HWY_EXPORT(masked_row);

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

ByteMap::ByteMap() { tables_.fill(identity_table()); }

ByteMap::ByteMap(std::span<const ByteTable> tables) : count_(tables.size()) {
  std::copy(tables.begin(), tables.end(), tables_.begin());
  if (count_ == 1) {
    masked_ = masked_table(tables[0]);
  }
}

void ByteMap::apply(const ConstPixelRows& in, const PixelRows& out) const {
  if (!masked_) {
    apply_tables(in, out, {tables_.data(), count_});
    return;
  }
  for_each_stretch(in, out, [&](const std::uint8_t* from, std::size_t bytes, std::uint8_t* to) {
    HWY_DYNAMIC_DISPATCH(masked_row)(from, bytes, to, *masked_);
  });
}

CpuTarget tables_target() { return HWY_DYNAMIC_DISPATCH(tables_target_compiled)(); }

}  // namespace penstock::inline v0
#endif
