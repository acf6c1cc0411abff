#include "io/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <random>
#include <system_error>

namespace penstock {
namespace {

std::int64_t nanoseconds(const struct timespec& time) noexcept {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

Result<FileState> state_of(const struct stat& found, const char* path) {
  if (!S_ISREG(found.st_mode)) {
    return Error{
        .kind = ErrorKind::io,
        .message = S_ISDIR(found.st_mode) ? "is a directory where a file is needed" : "is not a regular file",
        .advice = S_ISDIR(found.st_mode) ? "name the files in it" : "copy its contents into a file",
        .place = {.shard = path, .stage = "open"}};
  }
  return FileState{.size = static_cast<std::uint64_t>(found.st_size),
                   .modified = nanoseconds(found.st_mtim),
                   .changed = nanoseconds(found.st_ctim)};
}

/// False with errno set.
bool write_all(int descriptor, ByteSpan bytes) noexcept {
  while (!bytes.empty()) {
    const ::ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) {
        continue;
      }
      return false;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

constexpr const char* kTemporaryMark = ".tmp-";

/// A new file beside `path` that no other process or thread uses. Unlike mkstemp, with the permissions of the
/// umask.
Result<std::pair<int, std::string>> open_temporary(const std::string& path) {
  std::random_device random;
  for (int attempt = 0; attempt < 16; ++attempt) {
    std::string name = fmt::format("{}{}{:08x}{:08x}", path, kTemporaryMark, random(), random());
    const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) {
      ::flock(descriptor, LOCK_EX);  // ends with the process: who is alive has it
      return std::pair(descriptor, std::move(name));
    }
    if (errno != EEXIST) {
      break;
    }
  }
  return file_error(errno, "cannot write", path);
}

bool is_temporary(const std::string& name) {
  constexpr std::size_t kDigits = 16;
  const std::size_t mark = name.rfind(kTemporaryMark);
  return mark != std::string::npos && name.size() == mark + std::strlen(kTemporaryMark) + kDigits &&
         name.find_first_not_of("0123456789abcdef", name.size() - kDigits) == std::string::npos;
}

/// Whether the process that wrote it has ended: it would have it locked.
bool has_no_owner(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    return false;
  }
  const bool free = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  ::close(descriptor);
  return free;
}

/// Deletes what killed processes left behind in a folder.
void remove_orphans(const std::filesystem::path& folder) {
  constexpr auto kYoung = std::chrono::seconds(10);  // may be made and not yet locked
  std::error_code failed;
  for (std::filesystem::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    std::error_code skipped;
    if (is_temporary(entry->path().filename().string()) &&
        entry->last_write_time(skipped) < std::filesystem::file_time_type::clock::now() - kYoung &&
        !skipped && has_no_owner(entry->path().string())) {
      std::filesystem::remove(entry->path(), skipped);
    }
  }
}

}  // namespace

Error file_error(int error_number, const std::string& what, const std::string& path) {
  const bool missing = error_number == ENOENT || error_number == ENOTDIR;
  return {.kind = missing ? ErrorKind::not_found : ErrorKind::io,
          .message = fmt::format("{}: {}", what, std::generic_category().message(error_number)),
          .advice = error_number == EACCES ? "check the permissions" : "",
          .place = {.shard = path, .stage = "open"}};
}

std::string absolute_path(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path absolute = std::filesystem::absolute(path, failed);
  return failed ? path : absolute.string();
}

Result<FileState> file_state(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) {
    return file_error(errno, "cannot look at the file", path);
  }
  return state_of(found, path.c_str());
}

Result<OpenFile> OpenFile::open_regular(const char* path) {
  // O_NONBLOCK: opening a fifo must not wait for a writer; it has no effect on regular files.
  int descriptor = -1;
  do {
    descriptor = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  } while (descriptor < 0 && errno == EINTR);
  if (descriptor < 0) {
    return file_error(errno, "cannot open the file", path);
  }
  OpenFile file(descriptor, {});
  struct stat found {};
  if (::fstat(descriptor, &found) != 0) {
    return file_error(errno, "cannot look at the file", path);
  }
  PENSTOCK_ASSIGN(file.state_, state_of(found, path));
  return file;
}

OpenFile::~OpenFile() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

Result<ByteSpan> read_file(const char* path, Scratch& scratch) {
  PENSTOCK_ASSIGN(const OpenFile file, OpenFile::open_regular(path));
  return read_file(file, path, scratch);
}

Result<ByteSpan> read_file(const OpenFile& file, const char* path, Scratch& scratch) {
  const std::size_t size = static_cast<std::size_t>(file.state().size);
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

Status replace_file(const std::string& path, ByteSpan bytes) {
  const std::filesystem::path target(path);
  if (target.has_parent_path()) {
    std::error_code failed;
    std::filesystem::create_directories(target.parent_path(), failed);
    if (failed) {
      return file_error(failed.value(), "cannot make the folder", target.parent_path().string());
    }
  }
  remove_orphans(target.parent_path());
  PENSTOCK_ASSIGN(const auto temporary, open_temporary(path));
  const auto& [descriptor, name] = temporary;
  int failure = write_all(descriptor, bytes) ? 0 : errno;
  if (::close(descriptor) != 0 && failure == 0) {
    failure = errno;
  }
  if (failure == 0 && ::rename(name.c_str(), path.c_str()) != 0) {
    failure = errno;
  }
  if (failure != 0) {
    ::unlink(name.c_str());
    return file_error(failure, "cannot write", path);
  }
  return {};
}

}  // namespace penstock
