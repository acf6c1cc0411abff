#pragma once
// A file mapped into memory, read-only.

#include <cstddef>
#include <memory>
#include <string>

#include "io/bytes.hpp"
#include "io/file.hpp"
#include "io/mapping_guard.hpp"
#include "io/source.hpp"

namespace penstock::inline v0 {

/// Owns the mapping; the file descriptor is closed as soon as the file is mapped, so no number of open files
/// adds up. What can no longer be read, because the file became shorter or its disk fails, reads as zeros:
/// ask Bytes::intact() after use. Reads return views of the mapping: nothing is copied. An empty file is
/// fine. The size is that of the moment of opening. Reads and hints may come from any number of threads;
/// close() only when no other thread reads.
class MappedFile final : public Source {
 public:
  /// A missing file is `not_found`; a directory, a device or a refused access is `io`.
  static Result<std::unique_ptr<MappedFile>> open(const std::string& path, Access access = Access::normal);
  /// Of a file that is open; `path` is for messages and for later looks at it.
  static Result<std::unique_ptr<MappedFile>> map(const OpenFile& file, const std::string& path,
                                                 Access access = Access::normal);

  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() override;

  const std::string& name() const noexcept override { return path_; }
  std::uint64_t size() const noexcept override { return size_; }
  /// Of the moment of opening.
  const FileIdentity& state() const noexcept { return state_; }
  Result<Bytes> read(std::uint64_t offset, std::uint64_t size, Scratch& scratch) const override;
  void advise(Access access, std::uint64_t offset, std::uint64_t size) const noexcept override;
  Status check() const override { return bytes().intact(); }

  /// Unmaps: every view handed out becomes invalid, later reads fail with `io`.
  void close() noexcept;
  /// All bytes; empty after close().
  Bytes bytes() const noexcept { return {ByteSpan(data_, static_cast<std::size_t>(size_)), *this}; }
  /// Bytes::intact() of a part of bytes().
  Status check(ByteSpan part) const {
    // A page that is gone is marked when it is touched, so the last byte stands for all between it and those
    // that were used. Where it is not zero, the file was not cut before it.
    const bool ends_in_zero = !part.empty() && *static_cast<const volatile std::uint8_t*>(&part.back()) == 0;
    return guard_.is_gone(part) || ends_in_zero ? check_page_by_page(part) : Status();
  }

 private:
  /// Of the file that is mapped, whatever its path names later.
  struct Inode {
    std::uint64_t device = 0;
    std::uint64_t number = 0;

    bool operator==(const Inode&) const = default;
  };

  MappedFile(std::string path, const std::uint8_t* data, const FileIdentity& state)
      : path_(std::move(path)), state_(state), data_(data), size_(state.size) {}
  Status check_page_by_page(ByteSpan part) const;
  Error gone(ByteSpan part) const;

  std::string path_;
  std::string absolute_path_;  ///< the process may have changed its folder when the file is looked at again
  FileIdentity state_;
  Inode inode_;
  const std::uint8_t* data_ = nullptr;
  std::uint64_t size_ = 0;
  bool open_ = true;
  MappingGuard guard_;
};

}  // namespace penstock::inline v0
