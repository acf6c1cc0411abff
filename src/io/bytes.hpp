#pragma once
// Bytes that can tell whether they were really there.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "penstock/result.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0 {

class MappedFile;

/// A run of bytes, and the mapped file that holds it, if one does. Lives as long as that file, or as the
/// memory it was made of. Copies freely; any thread.
///
/// A file can be cut, or its disk can fail, while it is mapped: what is gone then reads as zeros. So whoever
/// has made something of such bytes asks intact() before anybody sees the outcome.
class Bytes {
 public:
  Bytes() = default;
  Bytes(ByteSpan memory) noexcept : span_(memory) {}                          // NOLINT: implicit on purpose
  Bytes(const std::vector<std::uint8_t>& memory) noexcept : span_(memory) {}  // NOLINT
  Bytes(const std::uint8_t* data, std::size_t size) noexcept : span_(data, size) {}
  Bytes(ByteSpan span, const MappedFile& file) noexcept : span_(span), file_(&file) {}

  const std::uint8_t* data() const noexcept { return span_.data(); }
  std::size_t size() const noexcept { return span_.size(); }
  bool empty() const noexcept { return span_.empty(); }
  auto begin() const noexcept { return span_.begin(); }
  auto end() const noexcept { return span_.end(); }
  std::uint8_t operator[](std::size_t i) const noexcept { return span_[i]; }

  /// A part that exists.
  Bytes part(std::uint64_t offset, std::uint64_t size) const noexcept {
    Bytes part = *this;
    part.span_ = span_.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
    return part;
  }

  /// To be asked after use: `io`, naming the file, if any of the bytes was not there. Touches the last one.
  Status intact() const { return file_ != nullptr ? intact_in_file() : Status(); }

 private:
  Status intact_in_file() const;

  ByteSpan span_;
  const MappedFile* file_ = nullptr;
};

}  // namespace penstock::inline v0
