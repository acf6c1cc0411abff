#pragma once
// A file mapped into memory, read-only.

#include <cstddef>
#include <memory>
#include <string>

#include "io/file.hpp"
#include "io/mapping_guard.hpp"
#include "io/source.hpp"

namespace penstock {

/// Owns the mapping; the file descriptor is closed as soon as the file is mapped, so no number of open files
/// adds up. If the file becomes shorter, what is gone reads as zeros: ask are_gone() after use. Reads return
/// views of the mapping: nothing is copied. An empty file is fine. The size is that of the moment of opening.
/// Reads and hints may come from any number of threads; close() only when no other thread reads.
class MappedFile final : public Source {
 public:
  /// A missing file is `not_found`; a directory, a device or a refused access is `io`.
  static Result<std::unique_ptr<MappedFile>> open(const std::string& path, Access access = Access::normal);

  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() override;

  const std::string& name() const noexcept override { return path_; }
  std::uint64_t size() const noexcept override { return size_; }
  /// Of the moment of opening.
  const FileState& state() const noexcept { return state_; }
  Result<ByteSpan> read(std::uint64_t offset, std::uint64_t size, Scratch& scratch) const override;
  void advise(Access access, std::uint64_t offset, std::uint64_t size) const noexcept override;
  Status check() const override;

  /// Unmaps: every view handed out becomes invalid, later reads fail with `io`.
  void close() noexcept;
  /// All bytes; empty after close().
  ByteSpan bytes() const noexcept { return {data_, static_cast<std::size_t>(size_)}; }

 private:
  MappedFile(std::string path, const std::uint8_t* data, const FileState& state) noexcept
      : path_(std::move(path)), state_(state), data_(data), size_(state.size) {}

  std::string path_;
  FileState state_;
  const std::uint8_t* data_ = nullptr;
  std::uint64_t size_ = 0;
  bool open_ = true;
  MappingGuard guard_;
};

}  // namespace penstock
