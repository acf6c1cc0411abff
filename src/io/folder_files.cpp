// The part of Folder that makes, renames and deletes entries.

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <random>

#include "io/folder.hpp"
#include "io/mapped_file.hpp"

namespace penstock::inline v0 {
namespace {

constexpr const char* kTemporaryMark = ".tmp-";

bool is_temporary(const std::string& name) {
  constexpr std::size_t kDigits = 16;
  const std::size_t mark = name.rfind(kTemporaryMark);
  return mark != std::string::npos && name.size() == mark + std::strlen(kTemporaryMark) + kDigits &&
         name.find_first_not_of("0123456789abcdef", name.size() - kDigits) == std::string::npos;
}

}  // namespace

Result<SourcePtr> Folder::open_source(const std::string& name) const {
  PENSTOCK_TRY(check_name(name));
  Result<OpenFile> file = OpenFile::open_regular(name.c_str(), descriptor_.get());
  if (!file) {
    file.error().place.shard = path_of(name);
    return std::move(file).error();
  }
  PENSTOCK_ASSIGN(SourcePtr source, MappedFile::map(*file, path_of(name)));
  return source;
}

Result<DiskFile> Folder::open_file(const std::string& name, std::uint64_t size) const {
  PENSTOCK_TRY(check_name(name));
  // O_NONBLOCK: a fifo must not hold it up; it has no effect on regular files.
  Descriptor opened(::openat(descriptor_.get(), name.c_str(),
                             O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
                             rules_.permissions.files));
  if (!opened.ok()) {
    return failure(errno, "cannot write", name);
  }
  const auto found = entry_of(opened.get());
  if (!found) {
    return failure(errno, "cannot access the file", name);
  }
  if (found->type != Entry::Type::file || found->state.size < size) {
    return Error{
        .kind = ErrorKind::corrupt,
        .message = found->type != Entry::Type::file
                       ? "is not a regular file"
                       : fmt::format("the file has {} bytes where {} were written", found->state.size, size),
        .advice = {},
        .place = {.shard = path_of(name), .stage = "write"}};
  }
  DiskFile file(std::move(opened), path_of(name), size);
  PENSTOCK_TRY(file.cut(size));
  return file;
}

Result<LineFile> Folder::open_lines(const std::string& name) const {
  PENSTOCK_TRY(check_name(name));
  PENSTOCK_ASSIGN(const std::optional<Entry> found, find(name));
  const bool is_link = found && found->type == Entry::Type::link;
  const bool own_link = is_link && (found->owner.user == ::geteuid() || found->owner.user == 0);
  if (is_link && !own_link) {
    return Error{.kind = ErrorKind::invalid,
                 .message = "is a link owned by another user",
                 .advice = "choose another file",
                 .place = {.shard = path_of(name), .stage = "write"}};
  }
  // Not blocking: a FIFO without a reader must not hold up training.
  constexpr int kFlags = O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_CLOEXEC;
  Descriptor opened(::openat(descriptor_.get(), name.c_str(), own_link ? kFlags : kFlags | O_NOFOLLOW,
                             rules_.permissions.files));
  if (!opened.ok()) {
    return failure(errno, "cannot write", name);
  }
  return LineFile(std::move(opened), path_of(name));
}

Status Folder::replace_file(const std::string& name, ByteSpan bytes) const {
  PENSTOCK_TRY(check_name(name));
  remove_orphans();
  std::random_device random;
  const std::string temporary = fmt::format("{}{}{:08x}{:08x}", name, kTemporaryMark, random(), random());
  Descriptor opened(::openat(descriptor_.get(), temporary.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, rules_.permissions.files));
  if (!opened.ok()) {
    return failure(errno, "cannot write", name);
  }
  ::flock(opened.get(), LOCK_EX);  // ends with the process: who is alive has it
  DiskFile file(std::move(opened), path_of(temporary), 0);
  Status written = file.append(bytes);
  if (written) {
    written = file.close();
  }
  if (written) {
    written = replace(temporary, name);
  }
  if (!written) {
    ::unlinkat(descriptor_.get(), temporary.c_str(), 0);
    written.error().place.shard = path_of(name);
  }
  return written;
}

void Folder::remove_orphans() const {
  constexpr std::chrono::nanoseconds kYoung = std::chrono::seconds(10);  // may be made and not yet locked
  const auto names_here = names();
  if (!names_here) {
    return;  // whoever writes there gets the error
  }
  const std::int64_t now =
      std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
  for (const std::string& name : *names_here) {
    if (!is_temporary(name)) {
      continue;
    }
    const Descriptor file(
        ::openat(descriptor_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    const auto found = file.ok() ? entry_of(file.get()) : std::nullopt;
    if (found && found->type == Entry::Type::file && found->owner.user == ::geteuid() &&
        found->state.modified < now - kYoung.count() && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0) {
      ::unlinkat(descriptor_.get(), name.c_str(), 0);
    }
  }
}

Status Folder::copy_file(const Folder& from, const std::string& name) const {
  PENSTOCK_TRY(check_name(name));
  const Descriptor source(
      ::openat(from.descriptor_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  const auto found = source.ok() ? entry_of(source.get()) : std::nullopt;
  if (!found || found->type != Entry::Type::file) {
    return from.failure(found ? EINVAL : errno, "cannot copy", name);
  }
  PENSTOCK_ASSIGN(DiskFile file, open_file(name, 0));
  std::vector<std::uint8_t> block(std::size_t{1} << 20);
  while (true) {
    const ::ssize_t count = ::read(source.get(), block.data(), block.size());
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      return from.failure(errno, "cannot copy", name);
    }
    if (count == 0) {
      break;
    }
    PENSTOCK_TRY(file.append(ByteSpan(block).first(static_cast<std::size_t>(count))));
  }
  PENSTOCK_TRY(file.sync());
  return file.close();
}

bool Folder::link_file(const Folder& from, const std::string& name) const {
  const auto found = from.find(name);
  return found && *found && (*found)->type == Entry::Type::file &&
         ::linkat(from.descriptor_.get(), name.c_str(), descriptor_.get(), name.c_str(), 0) == 0;
}

Status Folder::rename(const std::string& from, const Folder& folder, const std::string& to) const {
  PENSTOCK_TRY(check_name(from));
  PENSTOCK_TRY(folder.check_name(to));
  // Without RENAME_NOREPLACE an empty folder of that name would be replaced unseen.
  if (::renameat2(descriptor_.get(), from.c_str(), folder.descriptor_.get(), to.c_str(), RENAME_NOREPLACE) ==
      0) {
    return {};
  }
  if ((errno == EINVAL || errno == ENOSYS) &&
      ::renameat(descriptor_.get(), from.c_str(), folder.descriptor_.get(), to.c_str()) == 0) {
    return {};
  }
  return folder.failure(errno, "cannot rename what was built", to);
}

Status Folder::replace(const std::string& from, const std::string& to) const {
  PENSTOCK_TRY(check_name(from));
  PENSTOCK_TRY(check_name(to));
  return ::renameat(descriptor_.get(), from.c_str(), descriptor_.get(), to.c_str()) == 0
             ? Status()
             : Status(failure(errno, "cannot rename", from));
}

Status Folder::exchange(const std::string& a, const std::string& b) const {
  PENSTOCK_TRY(check_name(a));
  PENSTOCK_TRY(check_name(b));
  if (::renameat2(descriptor_.get(), a.c_str(), descriptor_.get(), b.c_str(), RENAME_EXCHANGE) == 0) {
    return {};
  }
  const int number = errno;
  Error error = failure(number, "cannot swap the old and the new store", b);
  if (number == EINVAL || number == ENOSYS) {
    error.kind = ErrorKind::unsupported;
    error.advice = "this file system cannot do so atomically; build a new store elsewhere";
  }
  return error;
}

Status Folder::remove(const std::string& name) const {
  PENSTOCK_TRY(check_name(name));
  return ::unlinkat(descriptor_.get(), name.c_str(), 0) == 0 || errno == ENOENT
             ? Status()
             : Status(failure(errno, "cannot delete", name));
}

Status Folder::remove_folder(const std::string& name) const {
  PENSTOCK_TRY(check_name(name));
  return ::unlinkat(descriptor_.get(), name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT
             ? Status()
             : Status(failure(errno, "cannot delete", name));
}

Status Folder::remove_all(const std::string& name) const {
  PENSTOCK_ASSIGN(const std::optional<Entry> found, find(name));
  if (!found || found->type != Entry::Type::folder) {
    return remove(name);
  }
  PENSTOCK_ASSIGN(const Folder inner, open_folder(name));
  PENSTOCK_ASSIGN(const std::vector<std::string> below, inner.names());
  for (const std::string& entry : below) {
    PENSTOCK_TRY(inner.remove_all(entry));
  }
  return remove_folder(name);
}

}  // namespace penstock::inline v0
