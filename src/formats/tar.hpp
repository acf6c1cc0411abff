#pragma once
// Tar archives as real tools write them: v7, ustar, GNU and PAX. To the byte: docs/formats/tar.md.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "io/source.hpp"
#include "penstock/result.hpp"

namespace penstock::inline v0 {

inline constexpr std::uint64_t kTarBlock = 512;
/// Largest extended header (types x, g, L, K) that is read.
inline constexpr std::uint64_t kTarMaxExtendedHeader = 1 << 20;

/// One header block as it lies in the file.
struct TarHeader {
  char name[100];
  char mode[8];
  char uid[8];
  char gid[8];
  char size[12];
  char mtime[12];
  char checksum[8];
  char type;
  char link[100];
  char magic[6];
  char version[2];
  char user[32];
  char group[32];
  char device_major[8];
  char device_minor[8];
  char prefix[155];
  char padding[12];
};
static_assert(sizeof(TarHeader) == kTarBlock && alignof(TarHeader) == 1);

/// Octal text (leading spaces; ended by NUL, space or the field's end; empty is 0) or base-256. No heap.
/// Nothing if the field is neither, negative, or above 2^63 - 1.
std::optional<std::uint64_t> parse_tar_number(std::string_view field) noexcept;
/// Whether the stored checksum is that of the block, summed as unsigned or as signed bytes.
bool has_valid_checksum(const TarHeader& header) noexcept;

struct TarMember {
  std::string_view name;  ///< as stored, any bytes but NUL; lives until the next next()
  char type = '0';        ///< '0' regular (also for NUL and '7'), '5' directory, else as stored
  std::uint64_t header_offset = 0;
  std::uint64_t data_offset = 0;  ///< always a multiple of kTarBlock
  std::uint64_t size = 0;  ///< of the data; 0 for links, folders and devices, whatever their header says

  bool is_file() const noexcept { return type == '0'; }
  /// Hard or symbolic.
  bool is_link() const noexcept { return type == '1' || type == '2'; }
};

/// Walks the members of one archive in order. Extended headers are applied, not shown. Never reads past the
/// source's size, and holds at most two names and one extended header in memory. One thread; keeps a
/// reference to the source.
class TarReader {
 public:
  explicit TarReader(const Source& source) noexcept : source_(source) {}

  /// The next member, or nothing at the end of the archive. What is damaged is `corrupt`, with shard, offset
  /// and member; compressed archives, sparse members and files that are no archive are `unsupported`. After
  /// an error the reader must not be used again.
  Result<std::optional<TarMember>> next();

  /// After the end: why the archive may be incomplete or hold more than was read, or empty.
  const std::string& doubt() const noexcept { return doubt_; }

 private:
  /// What a PAX header says about one key: nothing, "no value" (fall back), or a value.
  struct PaxText {
    enum class State : std::uint8_t { unset, deleted, set } state = State::unset;
    std::string value;
  };
  struct PaxHeader {
    PaxText path;
    PaxText size;
    bool sparse = false;
  };

  Result<const TarHeader*> header_at(std::uint64_t offset);
  Error not_a_header(const TarHeader& header) const;
  Result<ByteSpan> extended_data(const TarHeader& header);
  Status read_long_name(const TarHeader& header);
  Status read_pax(const TarHeader& header, PaxHeader& into);
  Result<TarMember> finish_member(const TarHeader& header);
  Result<std::uint64_t> data_size(const TarHeader& header, std::string_view name) const;
  std::string_view plain_name(const TarHeader& header) noexcept;
  void check_trailing_data();
  Error corrupt(std::uint64_t offset, std::string message, std::string_view member = {}) const;

  const Source& source_;
  Bytes block_;     ///< the header that is looked at
  Bytes extended_;  ///< the data of an extended one
  std::uint64_t offset_ = 0;
  std::array<char, 256> joined_name_{};
  std::string pax_name_;
  std::optional<std::string> long_name_;  ///< from type L, for the next member
  PaxHeader local_;                       ///< from type x, for the next member
  PaxHeader global_;                      ///< from type g, for all that follow
  std::optional<std::uint64_t> pending_;  ///< offset of an extended header that still waits for its member
  bool ended_ = false;
  std::string doubt_;
};

}  // namespace penstock::inline v0
