#include "io/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "io/permission_advice.hpp"

namespace penstock::inline v0 {
namespace {

std::int64_t nanoseconds(const struct timespec& time) noexcept {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

FileIdentity identity_of(const struct stat& found) {
  FileIdentity identity;
  identity.size = static_cast<std::uint64_t>(found.st_size);
  identity.modified = nanoseconds(found.st_mtim);
  identity.changed = nanoseconds(found.st_ctim);
  identity.inode = found.st_ino;
  return identity;
}

Result<FileIdentity> state_of(const struct stat& found, const char* path) {
  if (!S_ISREG(found.st_mode)) {
    return Error{
        .kind = ErrorKind::io,
        .message = S_ISDIR(found.st_mode) ? "is a directory where a file is needed" : "is not a regular file",
        .advice = S_ISDIR(found.st_mode) ? "pass the files in it" : "copy its contents into a file",
        .place = {.shard = path, .stage = "open"}};
  }
  return identity_of(found);
}

const char* advice_for(int error_number) noexcept {
  switch (error_number) {
    case EACCES:
      return kCheckPermissions;
    case EMFILE:
      return "raise the limit of open files (ulimit -n), or use fewer workers";
    case ENFILE:
      return "close files elsewhere, or raise the system's limit (fs.file-max)";
    case ENOMEM:
      return "free memory, or use fewer workers and smaller batches";
    default:
      return "";
  }
}

}  // namespace

Error file_error(int error_number, const std::string& what, const std::string& path) {
  const bool missing = error_number == ENOENT || error_number == ENOTDIR;
  return {.kind = missing ? ErrorKind::not_found : ErrorKind::io,
          .message = fmt::format("{}: {}", what, std::generic_category().message(error_number)),
          .advice = advice_for(error_number),
          .place = {.shard = path, .stage = "open"},
          .systemic = error_number == EMFILE || error_number == ENFILE || error_number == ENOMEM};
}

std::string absolute_path(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path absolute = std::filesystem::absolute(path, failed);
  return failed ? path : absolute.string();
}

Result<ObjectState> object_state(const char* path) {
  struct stat found {};
  if (::stat(path, &found) != 0) {
    const int number = errno;
    if (number == ENOENT || number == ENOTDIR) {
      return ObjectState{};
    }
    return file_error(number, "cannot access the path", path);
  }
  using Type = ObjectState::Type;
  return ObjectState{.type = S_ISREG(found.st_mode)   ? Type::file
                             : S_ISDIR(found.st_mode) ? Type::folder
                                                      : Type::other,
                     .identity = identity_of(found),
                     .device = found.st_dev};
}

Result<OpenFile> OpenFile::open_regular(const char* path, int folder) {
  static_assert(kCurrentFolder == AT_FDCWD);
  // O_NONBLOCK: opening a fifo must not wait for a writer; it has no effect on regular files.
  int descriptor = -1;
  do {
    descriptor = ::openat(folder, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  } while (descriptor < 0 && errno == EINTR);
  if (descriptor < 0) {
    return file_error(errno, "cannot open the file", path);
  }
  OpenFile file(descriptor, {});
  struct stat found {};
  if (::fstat(descriptor, &found) != 0) {
    return file_error(errno, "cannot access the file", path);
  }
  PENSTOCK_ASSIGN(file.state_, state_of(found, path));
  return file;
}

OpenFile::~OpenFile() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

Result<ByteSpan> read_file(const OpenFile& file, const char* path, Scratch& scratch, std::uint64_t max_size) {
  const auto size = static_cast<std::size_t>(std::min(file.state().size, max_size));
  std::uint8_t* const data = scratch.reserve(size);
  std::size_t have = 0;
  while (have < size) {
    const ::ssize_t count = ::pread(file.descriptor(), data + have, size - have, static_cast<::off_t>(have));
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      return file_error(errno, "reading failed", path);
    }
    if (count == 0) {
      return Error{
          .kind = ErrorKind::corrupt,
          .message = fmt::format("the file shrank from {} to {} bytes while it was read", size, have),
          .advice = "do not change the data set while it is in use",
          .place = {.shard = path, .offset = have, .stage = "read"}};
    }
    have += static_cast<std::size_t>(count);
  }
  return ByteSpan(data, size);
}

}  // namespace penstock::inline v0
