#pragma once
// Files and folders that are written piece by piece and must survive a crash.

#include <cstdint>
#include <string>

#include "penstock/result.hpp"
#include "penstock/sample.hpp"

namespace penstock {

/// A file open for writing at its end. Moves only. One thread.
class DiskFile {
 public:
  DiskFile() = default;
  DiskFile(DiskFile&& other) noexcept;
  DiskFile& operator=(DiskFile&& other) noexcept;
  ~DiskFile();

  /// Opens or makes the file, and cuts off or refuses (`corrupt`) what is not `size` bytes long: longer is
  /// cut.
  static Result<DiskFile> open(const std::string& path, std::uint64_t size);

  std::uint64_t size() const noexcept { return size_; }
  Status append(ByteSpan bytes);
  /// Overwrites bytes that are there. Several threads may, at places that are apart.
  Status write_at(std::uint64_t offset, ByteSpan bytes);
  /// Takes off all behind the first `size` bytes.
  Status cut(std::uint64_t size);
  /// On disk when it returns.
  Status sync();
  Status close();

 private:
  DiskFile(int descriptor, std::string path, std::uint64_t size) noexcept
      : descriptor_(descriptor), path_(std::move(path)), size_(size) {}

  int descriptor_ = -1;
  std::string path_;
  std::uint64_t size_ = 0;
};

/// Makes renames and new names in a folder survive a crash.
Status sync_folder(const std::string& path);
/// Renames `from` to `to`, which must not exist; or lets the two change places.
Status rename_folder(const std::string& from, const std::string& to);
Status exchange_folders(const std::string& a, const std::string& b);

/// The right to write into a folder, held by one process at a time (a `lock` file in it, with flock).
class FolderLock {
 public:
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();

  /// Makes the folder if it is missing. `timeout` if another process has the lock.
  static Result<FolderLock> take(const std::string& folder);
  /// Deletes the file, before the folder is renamed; the lock is held on.
  Status remove_file();

 private:
  FolderLock(int descriptor, std::string path) noexcept : descriptor_(descriptor), path_(std::move(path)) {}

  int descriptor_;
  std::string path_;
};

}  // namespace penstock
