#include "codecs/repacked/layout.hpp"

#include <fmt/format.h>

#include <cstring>

#include "codecs/image_format_decoder.hpp"
#include "codecs/repacked/bytes.hpp"

namespace penstock::inline v0::detail {
namespace {

constexpr std::array<std::uint8_t, 4> kRecordMagic = {'P', 'N', 'R', 'P'};
constexpr std::uint8_t kRecordVersion = 1;
constexpr std::size_t kFixedSize = 12;
constexpr std::uint8_t kHasFile = 0x10;
constexpr std::uint8_t kZeroPadding = 0x20;
constexpr std::uint8_t kWideQuant = 0x10;

Error bad_record(const char* what) {
  return decode_error(ErrorKind::corrupt, fmt::format("repacked image is damaged: {}", what));
}

std::size_t variant_bytes(const RepackGeometry& geometry) {
  return static_cast<std::size_t>(geometry.parts() * kClasses / 2);
}

}  // namespace

bool starts_as_record(ByteSpan record) noexcept {
  return record.size() >= kRecordMagic.size() &&
         std::memcmp(record.data(), kRecordMagic.data(), kRecordMagic.size()) == 0;
}

Status parse_record(ByteSpan bytes, RepackRecord& out) {
  if (!starts_as_record(bytes)) {
    return bad_record("it does not start like one");
  }
  if (bytes.size() < kFixedSize) {
    return bad_record("its header is truncated");
  }
  if (bytes[4] != kRecordVersion) {
    return decode_error(ErrorKind::unsupported,
                        fmt::format("repacked image of version {}; this version of penstock reads version {}",
                                    bytes[4], kRecordVersion),
                        "use a newer version of penstock");
  }
  const std::uint8_t kind = bytes[5];
  if ((kind & 0x0F) > static_cast<unsigned>(RepackSampling::s420) ||
      (kind & ~(0x0Fu | kHasFile | kZeroPadding)) != 0) {
    return bad_record("unknown kind");
  }
  RepackGeometry& geometry = out.geometry;
  geometry.sampling = static_cast<RepackSampling>(kind & 0x0F);
  geometry.width = load_16(bytes.data() + 6);
  geometry.height = load_16(bytes.data() + 8);
  if (geometry.width == 0 || geometry.height == 0) {
    return bad_record("it has no pixels");
  }
  out.has_file = (kind & kHasFile) != 0;
  out.zero_padding = (kind & kZeroPadding) != 0;

  // Quantisation tables: how many, whether of 16 bits, and which of them Cb and Cr use.
  const std::uint8_t tables = bytes[10];
  const std::size_t count = tables & 3u;
  const std::array<std::size_t, 3> table_of = {0, (tables >> 2) & 3u, bytes[11]};
  const std::size_t entry_size = (tables & kWideQuant) != 0 ? 2 : 1;
  if (count == 0 || table_of[1] >= count || table_of[2] >= count || (tables & 0xE0) != 0) {
    return bad_record("bad quantisation tables");
  }
  const auto tile_count =
      static_cast<std::size_t>(geometry.tiles_wide()) * static_cast<std::size_t>(geometry.tiles_high());
  const std::size_t quant_size = count * 64 * entry_size;
  const std::size_t start_size = kFixedSize + variant_bytes(geometry) + quant_size + 2 * tile_count;
  if (bytes.size() < start_size) {
    return bad_record("its tables are truncated");
  }
  const std::uint8_t* at = bytes.data() + kFixedSize;
  for (auto& part : out.variants) {
    part.fill(0);
  }
  for (std::size_t i = 0; i < variant_bytes(geometry) * 2; ++i) {
    const unsigned variant = (at[i / 2] >> (i % 2 * 4)) & 15u;
    if (variant >= kVariants) {
      return bad_record("unknown code table");
    }
    out.variants[i / kClasses][i % kClasses] = static_cast<std::uint8_t>(variant);
  }
  at += variant_bytes(geometry);
  for (std::size_t component = 0; component < 3; ++component) {
    const std::uint8_t* const table = at + table_of[component] * 64 * entry_size;
    for (std::size_t i = 0; i < 64; ++i) {
      out.quant[component][i] = entry_size == 2 ? load_16(table + 2 * i) : table[i];
    }
  }
  at += quant_size;
  out.tile_begins.resize(tile_count + 1);
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < tile_count; ++i) {
    out.tile_begins[i] = static_cast<std::uint32_t>(begin);
    begin += load_16(at + 2 * i);
  }
  out.tiles = bytes.subspan(start_size);
  if (begin > out.tiles.size() || begin > 0xFFFFFFFF) {
    return bad_record("its tiles are truncated");
  }
  out.tile_begins[tile_count] = static_cast<std::uint32_t>(begin);
  out.header = out.tiles.subspan(begin);
  return {};
}

void write_record_start(const RepackRecord& record, std::vector<std::uint8_t>& out) {
  const RepackGeometry& geometry = record.geometry;
  out.assign(kRecordMagic.begin(), kRecordMagic.end());
  out.push_back(kRecordVersion);
  out.push_back(static_cast<std::uint8_t>(static_cast<unsigned>(geometry.sampling) |
                                          (record.has_file ? kHasFile : 0u) |
                                          (record.zero_padding ? kZeroPadding : 0u)));
  append_16(out, static_cast<unsigned>(geometry.width));
  append_16(out, static_cast<unsigned>(geometry.height));
  std::array<std::size_t, 3> table_of{};
  std::array<std::size_t, 3> tables{};  // the component that each stored table is of
  std::size_t count = 0;
  bool wide = false;
  for (std::size_t component = 0; component < static_cast<std::size_t>(geometry.components()); ++component) {
    const auto& table = record.quant[component];
    std::size_t index = 0;
    while (index < count && record.quant[tables[index]] != table) {
      ++index;
    }
    if (index == count) {
      tables[count++] = component;
    }
    table_of[component] = index;
    wide = wide || *std::max_element(table.begin(), table.end()) > 255;
  }
  out.push_back(static_cast<std::uint8_t>(count | table_of[1] << 2 | (wide ? kWideQuant : 0u)));
  out.push_back(static_cast<std::uint8_t>(table_of[2]));
  for (std::size_t i = 0; i < variant_bytes(geometry); ++i) {
    const auto variant = [&](std::size_t at) { return record.variants[at / kClasses][at % kClasses]; };
    out.push_back(static_cast<std::uint8_t>(variant(2 * i) | variant(2 * i + 1) << 4));
  }
  for (std::size_t index = 0; index < count; ++index) {
    for (const std::uint16_t value : record.quant[tables[index]]) {
      if (wide) {
        append_16(out, value);
      } else {
        out.push_back(static_cast<std::uint8_t>(value));
      }
    }
  }
  for (std::size_t i = 0; i + 1 < record.tile_begins.size(); ++i) {
    append_16(out, record.tile_begins[i + 1] - record.tile_begins[i]);
  }
}

}  // namespace penstock::inline v0::detail
