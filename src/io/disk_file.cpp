#include "io/disk_file.hpp"

#include <unistd.h>

#include <cerrno>

#include "io/file.hpp"

namespace penstock::inline v0 {
namespace {

Error write_failure(const char* what, const std::string& path) {
  Error error = file_error(errno, what, path);
  error.place.stage = "write";
  return error;
}

Status write_all(int descriptor, std::uint64_t offset, ByteSpan bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ::ssize_t written = ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<::off_t>(offset));
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written < 0) {
      return write_failure("writing failed", path);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  return {};
}

}  // namespace

Status DiskFile::append(ByteSpan bytes) {
  PENSTOCK_TRY(write_all(descriptor_.get(), size_, bytes, path_));
  size_ += bytes.size();
  return {};
}

Status DiskFile::write_at(std::uint64_t offset, ByteSpan bytes) {
  return write_all(descriptor_.get(), offset, bytes, path_);
}

Status DiskFile::cut(std::uint64_t size) {
  size_ = size;
  return ::ftruncate(descriptor_.get(), static_cast<::off_t>(size)) == 0
             ? Status()
             : Status(write_failure("cannot truncate the file", path_));
}

Status DiskFile::sync() {
  return ::fsync(descriptor_.get()) == 0 ? Status() : Status(write_failure("writing to disk failed", path_));
}

Status DiskFile::close() {
  const int descriptor = descriptor_.release();
  return descriptor < 0 || ::close(descriptor) == 0 ? Status()
                                                    : Status(write_failure("closing failed", path_));
}

Status LineFile::add(std::string_view line) {
  ::ssize_t written = 0;
  do {
    written = ::write(descriptor_.get(), line.data(), line.size());
  } while (written < 0 && errno == EINTR);
  if (written == static_cast<::ssize_t>(line.size())) {
    return {};
  }
  errno = written < 0 ? errno : ENOSPC;
  return write_failure("writing failed", path_);
}

}  // namespace penstock::inline v0
