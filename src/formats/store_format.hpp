#pragma once
// The files of a store, as they lie on disk. To the byte: docs/formats/store.md.

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/crc32c.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0 {

static_assert(std::endian::native == std::endian::little, "the index is little-endian and used in place");

inline constexpr std::uint32_t kStoreVersion = 1;
inline constexpr std::array<char, 8> kStoreMagic = {'P', 'N', 'S', 'T', 'K', 'S', 'T', 'O'};
inline constexpr std::array<char, 8> kStoreShardMagic = {'P', 'N', 'S', 'T', 'K', 'S', 'H', 'D'};
inline constexpr std::size_t kStoreMaxFields = 1024;
inline constexpr std::uint64_t kStoreMaxShards = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kStoreMaxShard = std::uint64_t{1} << 40;

inline constexpr const char* kStoreManifestName = "manifest.json";
inline constexpr const char* kStoreIndexName = "index.bin";
inline constexpr const char* kStoreKeysName = "keys.bin";
inline constexpr const char* kStoreTablesName = "tables.bin";
inline std::string store_shard_name(std::uint64_t shard) { return fmt::format("shard-{:06}.bin", shard); }

/// Codec of a field, as the index numbers them.
enum class RecordCodec : std::uint8_t { original = 0, repacked = 1, pixels = 2, number = 3 };

struct StoreIndexHeader {
  std::array<char, 8> magic = kStoreMagic;
  std::uint32_t version = kStoreVersion;
  std::uint32_t header_size = 64;
  std::uint64_t samples = 0;
  std::uint32_t fields = 0;
  std::uint32_t row_size = 0;
  std::uint64_t key_bytes = 0;
  std::uint32_t shards = 0;
  std::array<std::uint8_t, 16> reserved{};
  std::uint32_t checksum = 0;  ///< of the bytes before it

  std::uint32_t right_checksum() const noexcept {
    return crc32c({reinterpret_cast<const std::uint8_t*>(this), offsetof(StoreIndexHeader, checksum)});
  }
};
static_assert(sizeof(StoreIndexHeader) == 64 && offsetof(StoreIndexHeader, checksum) == 60);

/// One field of one sample.
struct FieldRecord {
  static constexpr int kOffsetBits = 40;
  static constexpr std::uint64_t kMaxField = (std::uint64_t{1} << 48) - 1;

  std::uint64_t where = 0;  ///< bits 0-39: offset; bits 40-63: shard
  std::uint32_t stored_low = 0;
  std::uint32_t original_low = 0;
  std::uint16_t stored_high = 0;
  std::uint16_t original_high = 0;
  std::uint16_t width = 0;
  std::uint16_t height = 0;
  std::uint32_t checksum = 0;
  RecordCodec codec = RecordCodec::original;
  std::uint8_t reason = 0;  ///< why an image was kept as it was, from 1 in the manifest's list
  std::uint16_t reserved = 0;

  std::uint64_t offset() const noexcept { return where & ((std::uint64_t{1} << kOffsetBits) - 1); }
  std::uint64_t shard() const noexcept { return where >> kOffsetBits; }
  std::uint64_t stored_size() const noexcept { return (std::uint64_t{stored_high} << 32) | stored_low; }
  std::uint64_t original_size() const noexcept { return (std::uint64_t{original_high} << 32) | original_low; }

  void set_place(std::uint64_t shard, std::uint64_t offset) noexcept {
    where = (shard << kOffsetBits) | offset;
  }
  void set_stored_size(std::uint64_t size) noexcept {
    stored_low = static_cast<std::uint32_t>(size);
    stored_high = static_cast<std::uint16_t>(size >> 32);
  }
  void set_original_size(std::uint64_t size) noexcept {
    original_low = static_cast<std::uint32_t>(size);
    original_high = static_cast<std::uint16_t>(size >> 32);
  }
  /// A side above 65535 is left to the image's own header.
  void set_image_size(ImageSize size) noexcept {
    const bool fits = size.width <= 0xFFFF && size.height <= 0xFFFF;
    width = static_cast<std::uint16_t>(fits ? size.width : 0);
    height = static_cast<std::uint16_t>(fits ? size.height : 0);
  }
};
static_assert(sizeof(FieldRecord) == 32);

/// A row of the index: the end of the sample's key, and its fields.
constexpr std::uint32_t store_row_size(std::size_t fields) noexcept {
  return static_cast<std::uint32_t>(8 + sizeof(FieldRecord) * fields);
}

struct StoreShardHeader {
  std::array<char, 8> magic = kStoreShardMagic;
  std::uint32_t version = kStoreVersion;
  std::uint32_t number = 0;
};
static_assert(sizeof(StoreShardHeader) == 16);

}  // namespace penstock::inline v0
