#include <algorithm>
#include <array>

#include "codecs/repacked/bytes.hpp"
#include "codecs/repacked/tile_data.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codecs/repacked/kernels/tile_entropy.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "codecs/repacked/kernels/block_lists-inl.hpp"
#include "codecs/repacked/kernels/symbol_lanes-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::inline v0 {
namespace HWY_NAMESPACE {
using namespace detail;  // a namespace per target
namespace {

/// The bytes before the lanes, taken one after the other.
struct Reader {
  const std::uint8_t* at;
  const std::uint8_t* end;

  bool has(std::size_t count) const { return static_cast<std::size_t>(end - at) >= count; }
};

bool read_escape_count(Reader& reader, unsigned limit, unsigned& flags, std::size_t& count) {
  if (!reader.has(3)) {
    return false;
  }
  flags = *reader.at++;
  count = flags & limit;
  if (count == limit) {
    count = load_16(reader.at);
    reader.at += 2;
  }
  return true;
}

}  // namespace

const char* decode_tile_here(const TileBytes& in, TileData& out) {
  Reader reader{in.tile.data(), in.tile.data() + in.tile.size()};
  std::array<std::size_t, kParts> escapes{};
  unsigned flags = 0;
  unsigned unused = 0;
  if (!read_escape_count(reader, 127, flags, escapes[0]) ||
      (in.parts == 2 && !read_escape_count(reader, 255, unused, escapes[1]))) {
    return "a tile is truncated";
  }
  const std::size_t length_size = (flags & 128) != 0 ? 2 : 1;
  const std::uint8_t* const lengths = reader.at;
  std::array<const std::uint8_t*, kParts> nibbles{};
  std::size_t before_lanes = (kLanes - 1) * length_size;
  for (int part = 0; part < in.parts; ++part) {
    const auto index = static_cast<std::size_t>(part);
    out[index].blocks = in.wide[index] * in.high[index] * (part + 1);
    nibbles[index] = reader.at + before_lanes;
    before_lanes += (static_cast<std::size_t>(out[index].blocks) + 1) / 2;
    if (escapes[index] > static_cast<std::size_t>(out[index].blocks) * 63) {
      return "too many escapes";
    }
  }
  if (!reader.has(before_lanes)) {
    return "a tile is truncated";
  }
  Lanes lanes;
  lanes.base = reader.at + before_lanes;
  const auto lane_bytes = static_cast<std::size_t>(reader.end - lanes.base);
  std::array<std::size_t, kLanes> ends{};
  std::size_t end = 0;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    lanes.position[lane] = end * 8;
    if (lane == kLanes - 1) {
      end = std::max(end, lane_bytes);
    } else {
      end += length_size == 2 ? load_16(lengths + 2 * lane) : lengths[lane];
    }
    ends[lane] = end;
  }
  if (end > lane_bytes) {
    return "a lane is truncated";
  }
  lanes.furthest = lanes.position[kLanes - 1];
  lanes.last_word = in.readable_end - lanes.base - 8;

  for (int index = 0; index < in.parts; ++index) {
    const auto at = static_cast<std::size_t>(index);
    PartData& part = out[at];
    const auto& lookups = in.lookups[at];
    decode_block_symbols(lanes, lookups.data(), part);
    decode_symbols(lanes, lookups[kMasks], part.more_masks.data(),
                   count_bits(part.groups(), 0, part.blocks, 0x3F3F3F3F3F3F3F3Full));
    const std::array<std::uint8_t*, kValueClasses> values = {part.values0.data(), part.values1.data(),
                                                             part.values2.data(), part.values3.data()};
    ValueCounts counts{};
    const int half = part.blocks / (index + 1);
    const std::uint8_t* list = part.more_masks.data();
    for (std::size_t component = 0; component <= at; ++component) {
      for (std::size_t i = 0; i < kValueClasses; ++i) {
        part.value_begins[component][i] = values[i] + counts[i];
      }
      const int begin = static_cast<int>(component) * half;
      const std::uint8_t* const list_end = join_masks(part, begin, begin + half, list);
      count_values(part, begin, begin + half, list, list_end, counts);
      list = list_end;
    }
    for (std::size_t i = 0; i < kValueClasses; ++i) {
      decode_symbols(lanes, lookups[kValues0 + i], values[i], counts[i]);
    }
    if (escapes[at] > 0) {
      decode_symbols(lanes, lookups[kEscapes], part.escapes.data(), 2 * escapes[at]);
    }
    if (!find_escapes(part, 2 * escapes[at])) {
      return "escapes do not match";
    }
    sum_dc(part, nibbles[at], index + 1, in.wide[at], in.high[at]);
  }
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if ((lanes.position[lane] + 7) / 8 != ends[lane]) {
      return "a lane does not end where it should";
    }
  }
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace penstock::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::inline v0 {

HWY_EXPORT(decode_tile_here);

const char* detail::decode_tile(const TileBytes& in, TileData& out) {
  return HWY_DYNAMIC_DISPATCH(decode_tile_here)(in, out);
}

}  // namespace penstock::inline v0
#endif
