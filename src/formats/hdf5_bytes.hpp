#pragma once
// The bytes of an HDF5 file, as its structures are read: every place is checked. Layouts are those of the
// HDF5 File Format Specification 3.0.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/source.hpp"
#include "penstock/result.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0 {

/// The address of what was never written.
inline constexpr std::uint64_t kHdf5Nowhere = ~std::uint64_t{0};
/// Levels that no tree of a real file reaches.
inline constexpr unsigned kMaxHdf5TreeDepth = 16;

/// Reads numbers one after the other. Past the end everything is zero, and ok() is false from then on.
class Hdf5Cursor {
 public:
  explicit Hdf5Cursor(ByteSpan bytes) noexcept : bytes_(bytes) {}

  bool ok() const noexcept { return ok_; }
  std::size_t left() const noexcept { return bytes_.size() - at_; }
  ByteSpan take(std::uint64_t size) noexcept {
    if (size > left()) {
      ok_ = false;
      at_ = bytes_.size();
      return {};
    }
    const ByteSpan taken = bytes_.subspan(at_, static_cast<std::size_t>(size));
    at_ += static_cast<std::size_t>(size);
    return taken;
  }
  void skip(std::uint64_t size) noexcept { take(size); }
  /// Little-endian, of up to 8 bytes.
  std::uint64_t number(std::size_t size) noexcept {
    std::uint64_t value = 0;
    const ByteSpan bytes = take(size);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      value |= std::uint64_t{bytes[i]} << (8 * i);
    }
    return value;
  }
  std::uint8_t byte() noexcept { return static_cast<std::uint8_t>(number(1)); }
  /// An address or a length.
  std::uint64_t word() noexcept { return number(8); }
  /// Whether the next bytes are this text.
  bool says(std::string_view text) noexcept;

 private:
  ByteSpan bytes_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

/// The file, from its superblock on. What is read of it lives as long as this. One thread.
class Hdf5Bytes {
 public:
  /// `source` must outlive it; it holds at least `start` bytes.
  Hdf5Bytes(const Source& source, std::uint64_t start) noexcept : source_(&source), start_(start) {}

  std::uint64_t size() const noexcept { return source_->size() - start_; }
  /// `corrupt` if the file has no such bytes. Reads nothing.
  Status check(std::uint64_t address, std::uint64_t size) const;
  /// `corrupt` if the file has no such bytes.
  Result<ByteSpan> at(std::uint64_t address, std::uint64_t size) const;
  /// From the address on, fewer than `most` only at the end of the file.
  Result<ByteSpan> from(std::uint64_t address, std::uint64_t most) const;

 private:
  const Source* source_;
  std::uint64_t start_;
  mutable std::vector<Bytes> kept_;  ///< what the source does not lend
};

/// Whether the last four bytes are the checksum of those before.
bool hdf5_sum_is_right(ByteSpan block) noexcept;

Error hdf5_damage(std::string what, std::uint64_t address);
/// With advice how to write a file that can be read.
Error hdf5_unsupported(std::string what);

}  // namespace penstock::inline v0
