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

/// The mapping itself: it lives as long as anybody holds its bytes. What can no longer be read, because the
/// file became shorter or its disk fails, reads as zeros: ask Bytes::intact() after use. Any thread.
class Mapping final : public ByteOwner {
 public:
  /// Of an open file; the descriptor is not needed afterwards. An empty file is fine.
  static Result<Bytes> map(const OpenFile& file, const std::string& path);

  Status check(ByteSpan part) const override {
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

  Mapping(std::string path, ByteSpan bytes, const FileIdentity& state)
      : path_(std::move(path)), state_(state), bytes_(bytes) {}
  ~Mapping() override;
  Status check_page_by_page(ByteSpan part) const;
  Error gone(ByteSpan part) const;

  std::string path_;
  std::string absolute_path_;  ///< the process may have changed its folder when the file is looked at again
  FileIdentity state_;
  Inode inode_;
  ByteSpan bytes_;
  MappingGuard guard_;
};

/// The file descriptor is closed as soon as the file is mapped, so no number of open files adds up. Reads
/// lend parts of the mapping: nothing is copied. The size is that of the moment of opening. Reads and hints
/// may come from any number of threads.
class MappedFile final : public Source {
 public:
  /// A missing file is `not_found`; a directory, a device or a refused access is `io`.
  static Result<std::shared_ptr<const MappedFile>> open(const std::string& path,
                                                        Access access = Access::normal);
  /// Of a file that is open; `path` is for messages and for later looks at it.
  static Result<std::shared_ptr<const MappedFile>> map(const OpenFile& file, const std::string& path,
                                                       Access access = Access::normal);

  const std::string& name() const noexcept override { return path_; }
  std::uint64_t size() const noexcept override { return bytes_.size(); }
  const FileIdentity& identity() const noexcept override { return identity_; }
  Result<Bytes> read(std::uint64_t offset, std::uint64_t size) const override;
  void advise(Access access, std::uint64_t offset, std::uint64_t size) const noexcept override;
  Status check() const override { return bytes_.intact(); }

  /// All of them, lent.
  Bytes bytes() const noexcept { return bytes_.lend(0, bytes_.size()); }

 private:
  MappedFile(std::string path, const FileIdentity& identity, Bytes bytes)
      : path_(std::move(path)), identity_(identity), bytes_(std::move(bytes)) {}

  std::string path_;
  FileIdentity identity_;
  Bytes bytes_;  ///< held
};

}  // namespace penstock::inline v0
