#pragma once
// The index of a set of tar shards: where each sample's members lie. One run of bytes, the same in memory and
// in the cache folder. To the byte: docs/formats/tar_index.md.

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "io/bytes.hpp"
#include "io/file.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0 {

static_assert(std::endian::native == std::endian::little, "the index is little-endian and used in place");

/// Also to be raised when the rules for grouping, field names, warnings or fingerprints change: old indexes
/// are then rebuilt, unless it can be shown that the rules make no difference to them.
inline constexpr std::uint32_t kTarIndexVersion = 5;
/// Has the same layout; is_up_to_date() of tar_index_earlier.hpp says whether it may be used.
inline constexpr std::uint32_t kTarIndexEarlierVersion = 3;
inline constexpr std::array<char, 8> kTarIndexMagic = {'P', 'N', 'S', 'T', 'K', 'I', 'D', 'X'};
/// Sections begin at, and the whole is, a multiple of this.
inline constexpr std::uint64_t kTarIndexAlignment = 32;

/// Part of the text section.
struct TextRef {
  std::uint32_t begin = 0;
  std::uint32_t size = 0;
};

struct TarIndexHeader {
  std::array<char, 8> magic = kTarIndexMagic;
  std::uint32_t version = kTarIndexVersion;
  std::uint32_t header_size = 128;
  std::uint64_t total_size = 0;
  std::uint64_t checksum = 0;  ///< of everything behind this field
  std::uint64_t shards = 0;
  std::uint64_t samples = 0;
  std::uint64_t members = 0;
  std::uint64_t extensions = 0;
  std::uint64_t key_bytes = 0;
  std::uint64_t text_bytes = 0;
  TextRef warnings;  ///< lines
  std::array<char, 32> fingerprint{};
  std::uint64_t reserved = 0;
};
static_assert(sizeof(TarIndexHeader) == 128);

struct ShardRecord {
  TextRef name;  ///< name_of_shard()
  std::uint64_t size = 0;
  std::int64_t modified = 0;  ///< ns
  std::int64_t changed = 0;   ///< ns
};
static_assert(sizeof(ShardRecord) == 32);

/// One more than there are samples: the last holds the ends.
struct SampleRecord {
  static constexpr int kMemberBits = 40;

  std::uint64_t where = 0;  ///< bits 0-39: first member; bits 40-63: shard
  std::uint64_t key_begin = 0;

  std::uint64_t first_member() const noexcept { return where & ((std::uint64_t{1} << kMemberBits) - 1); }
  std::uint64_t shard() const noexcept { return where >> kMemberBits; }
};
static_assert(sizeof(SampleRecord) == 16);

struct MemberRecord {
  std::uint32_t block = 0;  ///< data offset / 512
  std::uint32_t size_low = 0;
  std::uint16_t size_high = 0;
  std::uint16_t extension = 0;
  std::uint16_t width = 0;  ///< of an image, else 0; 0 also if a side is above 65535; array() of an .npy file
  std::uint16_t height = 0;

  std::uint64_t offset() const noexcept { return std::uint64_t{block} * 512; }
  std::uint64_t size() const noexcept { return (std::uint64_t{size_high} << 32) | size_low; }
  /// Of an .npy file: checksum_of() its type and shape, 0 if its header cannot be read.
  std::uint32_t array() const noexcept { return (std::uint32_t{height} << 16) | width; }
  void set_array(std::uint32_t checksum) noexcept {
    width = static_cast<std::uint16_t>(checksum);
    height = static_cast<std::uint16_t>(checksum >> 16);
  }
};
static_assert(sizeof(MemberRecord) == 16);

struct ExtensionRecord {
  TextRef extension;  ///< lower case
  TextRef field;      ///< default field name
  std::uint64_t samples = 0;
  std::uint32_t has_field = 0;
  std::uint32_t reserved = 0;
};
static_assert(sizeof(ExtensionRecord) == 32);

/// Byte offsets of the sections; nothing if the counts do not fit into 64 bits.
struct TarIndexLayout {
  std::uint64_t shards = 0;
  std::uint64_t samples = 0;
  std::uint64_t members = 0;
  std::uint64_t extensions = 0;
  std::uint64_t keys = 0;
  std::uint64_t text = 0;
  std::uint64_t total = 0;

  static std::optional<TarIndexLayout> of(const TarIndexHeader& header) noexcept;
};

/// By which the index knows a shard: its path; of an object that has a tag the path, a NUL and the tag.
std::string name_of_shard(const std::string& path, const std::string& tag);

/// Over any number of bytes that is a multiple of 32.
std::uint64_t tar_index_checksum(ByteSpan bytes) noexcept;

/// A checked view of index bytes. Every lookup is bounds-checked as well, so that
/// bytes that pretend to be an index give nothing or nonsense, but no access outside them. O(1), no lock, no
/// heap; any thread.
class TarIndex {
 public:
  struct Sample {
    std::uint64_t shard = 0;
    std::span<const MemberRecord> members;
  };

  /// Nothing if the bytes are not a whole, undamaged index of this version or of the earlier one.
  static std::optional<TarIndex> view(Bytes bytes);

  const TarIndexHeader& header() const noexcept { return header_; }
  bool is_of_earlier_version() const noexcept { return header_.version == kTarIndexEarlierVersion; }
  std::uint64_t shard_count() const noexcept { return header_.shards; }
  std::uint64_t size() const noexcept { return header_.samples; }
  std::span<const ExtensionRecord> extensions() const noexcept { return extensions_; }

  std::string_view shard_name(std::uint64_t shard) const noexcept { return text(shards_[shard].name); }
  FileState shard_state(std::uint64_t shard) const noexcept;
  /// Nothing if `sample` is out of range or its record points outside the tables.
  std::optional<Sample> sample(std::uint64_t sample) const noexcept;
  std::string_view key(std::uint64_t sample) const noexcept;
  /// Bytes::intact() of what sample() found, and of the records it went by.
  Status check(std::uint64_t sample, std::span<const MemberRecord> members) const;
  /// The same of all that is known of a sample, its key included.
  Status check(std::uint64_t sample) const;
  std::string_view text(TextRef part) const noexcept;
  std::string_view fingerprint() const noexcept {
    return {header_.fingerprint.data(), header_.fingerprint.size()};
  }

 private:
  /// With the means to tell whether they are intact.
  template <class T>
  Bytes bytes_of(std::span<const T> records) const noexcept;

  Bytes all_;
  TarIndexHeader header_{};  ///< a copy: how much there is stays known when the file is cut
  std::span<const ShardRecord> shards_;
  std::span<const SampleRecord> samples_;
  std::span<const MemberRecord> members_;
  std::span<const ExtensionRecord> extensions_;
  std::string_view keys_;
  std::string_view text_;
};

}  // namespace penstock::inline v0
