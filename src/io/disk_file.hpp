#pragma once
// Files that are written piece by piece, as Folder opens them.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "io/descriptor.hpp"
#include "penstock/result.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0 {

/// Open for writing at its end; must survive a crash. Moves only. One thread.
class DiskFile {
 public:
  DiskFile() = default;

  std::uint64_t size() const noexcept { return size_; }
  Status append(ByteSpan bytes);
  /// Overwrites bytes that are there. Several threads may, at places that are apart.
  Status write_at(std::uint64_t offset, ByteSpan bytes);
  /// Takes off all after the first `size` bytes.
  Status cut(std::uint64_t size);
  /// On disk when it returns.
  Status sync();
  Status close();

 private:
  friend class Folder;
  DiskFile(Descriptor descriptor, std::string path, std::uint64_t size) noexcept
      : descriptor_(std::move(descriptor)), path_(std::move(path)), size_(size) {}

  Descriptor descriptor_;
  std::string path_;
  std::uint64_t size_ = 0;
};

/// To which any number of processes append lines: each is one write at the end. Moves only. One thread.
class LineFile {
 public:
  Status add(std::string_view line);

 private:
  friend class Folder;
  LineFile(Descriptor descriptor, std::string path) noexcept
      : descriptor_(std::move(descriptor)), path_(std::move(path)) {}

  Descriptor descriptor_;
  std::string path_;
};

}  // namespace penstock::inline v0
