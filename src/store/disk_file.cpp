#include "store/disk_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "io/file.hpp"

namespace penstock {
namespace {

Error failure(const char* what, const std::string& path) {
  Error error = file_error(errno, what, path);
  error.place.stage = "build";
  return error;
}

Status write_all(int descriptor, std::uint64_t offset, ByteSpan bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ::ssize_t written = ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<::off_t>(offset));
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written < 0) {
      return failure("writing failed", path);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  return {};
}

}  // namespace

DiskFile::DiskFile(DiskFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)), size_(other.size_) {}

DiskFile& DiskFile::operator=(DiskFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(path_, other.path_);
  std::swap(size_, other.size_);
  return *this;
}

DiskFile::~DiskFile() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

Result<DiskFile> DiskFile::open(const std::string& path, std::uint64_t size) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    return failure("cannot write", path);
  }
  DiskFile file(descriptor, path, size);
  struct stat found {};
  if (::fstat(descriptor, &found) != 0) {
    return failure("cannot look at the file", path);
  }
  if (static_cast<std::uint64_t>(found.st_size) < size) {
    return Error{.kind = ErrorKind::corrupt,
                 .message = fmt::format("the file has {} bytes where {} were written", found.st_size, size),
                 .advice = {},
                 .place = {.shard = path, .stage = "build"}};
  }
  PENSTOCK_TRY(file.cut(size));
  return file;
}

Status DiskFile::append(ByteSpan bytes) {
  PENSTOCK_TRY(write_all(descriptor_, size_, bytes, path_));
  size_ += bytes.size();
  return {};
}

Status DiskFile::write_at(std::uint64_t offset, ByteSpan bytes) {
  return write_all(descriptor_, offset, bytes, path_);
}

Status DiskFile::cut(std::uint64_t size) {
  size_ = size;
  return ::ftruncate(descriptor_, static_cast<::off_t>(size)) == 0
             ? Status()
             : Status(failure("cannot cut the file", path_));
}

Status DiskFile::sync() {
  return ::fsync(descriptor_) == 0 ? Status() : Status(failure("writing to disk failed", path_));
}

Status DiskFile::close() {
  const int descriptor = std::exchange(descriptor_, -1);
  return descriptor < 0 || ::close(descriptor) == 0 ? Status() : Status(failure("closing failed", path_));
}

Status sync_folder(const std::string& path) {
  const int descriptor = ::open(path.empty() ? "." : path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) {
    return failure("cannot open the folder", path);
  }
  // Some file systems cannot sync folders (EINVAL); there is nothing better to do on those.
  const bool synced = ::fsync(descriptor) == 0 || errno == EINVAL;
  Status status = synced ? Status() : Status(failure("writing to disk failed", path));
  ::close(descriptor);
  return status;
}

Status rename_folder(const std::string& from, const std::string& to) {
  // Without RENAME_NOREPLACE an empty folder of that name would be replaced unseen.
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) {
    return {};
  }
  if (errno == EINVAL || errno == ENOSYS) {
    if (::rename(from.c_str(), to.c_str()) == 0) {
      return {};
    }
  }
  return failure("cannot rename what was built", to);
}

Status exchange_folders(const std::string& a, const std::string& b) {
  if (::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0) {
    return {};
  }
  Error error = failure("cannot let the old and the new store change places", b);
  if (errno == EINVAL || errno == ENOSYS) {
    error.kind = ErrorKind::unsupported;
    error.advice = "this file system cannot do it in one step; build a new store elsewhere";
  }
  return error;
}

FolderLock::FolderLock(FolderLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

Result<FolderLock> FolderLock::take(const std::string& folder) {
  const std::string path = folder + "/lock";
  constexpr int kAttempts = 100;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (::mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) {
      return failure("cannot make the folder", folder);
    }
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0) {
      if (errno == ENOENT) {
        continue;  // the folder was renamed a moment ago
      }
      return failure("cannot write", path);
    }
    FolderLock lock(descriptor, path);
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK) {
        return Error{.kind = ErrorKind::timeout,
                     .message = "another process is at work on this build",
                     .advice = "wait for it, or stop it",
                     .place = {.shard = folder, .stage = "build"}};
      }
      return failure("cannot lock", path);
    }
    // Who had it before may have deleted the file or renamed the folder: then the lock is one of nothing.
    struct stat held {};
    struct stat named {};
    if (::fstat(descriptor, &held) == 0 && ::stat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
        held.st_dev == named.st_dev) {
      return lock;
    }
  }
  return Error{.kind = ErrorKind::io,
               .message = "the folder keeps changing while it is being locked",
               .advice = {},
               .place = {.shard = folder, .stage = "build"}};
}

Status FolderLock::remove_file() {
  return ::unlink(path_.c_str()) == 0 || errno == ENOENT ? Status() : Status(failure("cannot delete", path_));
}

}  // namespace penstock
