#include "io/folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string_view>

namespace penstock::inline v0 {
namespace {

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
constexpr ::mode_t kPermissionBits = 07777;

Entry entry_of(const struct stat& found) {
  const auto nanoseconds = [](const struct timespec& time) {
    return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
  };
  Entry entry;
  entry.type = S_ISREG(found.st_mode)   ? Entry::Type::file
               : S_ISDIR(found.st_mode) ? Entry::Type::folder
               : S_ISLNK(found.st_mode) ? Entry::Type::link
                                        : Entry::Type::other;
  entry.owner = {.user = found.st_uid, .group = found.st_gid, .mode = found.st_mode & kPermissionBits};
  entry.state.size = static_cast<std::uint64_t>(found.st_size);
  entry.state.modified = nanoseconds(found.st_mtim);
  entry.state.changed = nanoseconds(found.st_ctim);
  entry.state.inode = found.st_ino;
  entry.device = found.st_dev;
  return entry;
}

Status refuse_nul(const std::string& path) {
  if (path.find('\0') == std::string::npos) {
    return {};
  }
  return Error{.kind = ErrorKind::invalid,
               .message = "a path must not contain NUL",
               .advice = {},
               .place = {.shard = path.substr(0, path.find('\0')), .stage = "open"}};
}

}  // namespace

std::optional<Entry> entry_of(int descriptor) {
  struct stat found {};
  return ::fstat(descriptor, &found) == 0 ? std::optional(entry_of(found)) : std::nullopt;
}

std::pair<std::string, std::string> split_path(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) {
    return {"", path};
  }
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

Result<Folder> Folder::open(const std::string& path, FolderRules rules) {
  PENSTOCK_TRY(refuse_nul(path));
  Descriptor opened(::open(path.empty() ? "." : path.c_str(), kFolderFlags));
  if (!opened.ok()) {
    return file_error(errno, "cannot open the folder", path);
  }
  return Folder(std::move(opened), path, std::move(rules));
}

Result<Folder> Folder::make(const std::string& path, ::mode_t mode, FolderRules rules) {
  PENSTOCK_TRY(refuse_nul(path));
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    // What is there already, as a folder or as a file, is told by open().
    if (!part.empty() && ::mkdir(part.c_str(), mode) != 0 && errno != EEXIST) {
      const int failed = errno;
      struct stat found {};
      if (::stat(part.c_str(), &found) != 0) {
        return file_error(failed, "cannot create the folder", path);
      }
    }
    if (end == std::string::npos) {
      return open(path, std::move(rules));
    }
  }
}

Result<Folder> Folder::again() const {
  Descriptor opened(::openat(descriptor_.get(), ".", kFolderFlags));
  return opened.ok() ? Result<Folder>(Folder(std::move(opened), path_, rules_))
                     : Result<Folder>(failure(errno, "cannot open the folder", ""));
}

std::string Folder::path_of(const std::string& name) const {
  return path_.empty() || path_.ends_with('/') ? path_ + name : path_ + "/" + name;
}

std::string Folder::path_by_descriptor(const std::string& name) const {
  return "/proc/self/fd/" + std::to_string(descriptor_.get()) + "/" + name;
}

Error Folder::failure(int error_number, const char* what, const std::string& name) const {
  Error error = file_error(error_number, what, name.empty() ? path_ : path_of(name));
  error.place.stage = "write";
  return error;
}

Status Folder::check_name(const std::string& name) const {
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos ||
      name.find('\0') != std::string::npos) {
    return Error{.kind = ErrorKind::invalid,
                 .message = "is not a valid file name",
                 .advice = {},
                 .place = {.shard = path_of(name.substr(0, name.find('\0'))), .stage = "write"}};
  }
  return {};
}

Result<Entry> Folder::state() const {
  const auto found = entry_of(descriptor_.get());
  return found ? Result<Entry>(*found) : Result<Entry>(failure(errno, "cannot access the folder", ""));
}

Result<std::optional<Entry>> Folder::find(const std::string& name) const {
  PENSTOCK_TRY(check_name(name));
  struct stat found {};
  if (::fstatat(descriptor_.get(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0) {
    return std::optional(entry_of(found));
  }
  if (errno == ENOENT) {
    return std::optional<Entry>();
  }
  return failure(errno, "cannot access the file", name);
}

Result<std::vector<std::string>> Folder::names() const {
  Descriptor opened(::openat(descriptor_.get(), ".", kFolderFlags));
  const std::unique_ptr<::DIR, int (*)(::DIR*)> listing(opened.ok() ? ::fdopendir(opened.get()) : nullptr,
                                                        ::closedir);
  if (listing == nullptr) {
    return failure(errno, "cannot list the folder", "");
  }
  opened.release();
  std::vector<std::string> names;
  for (errno = 0; const ::dirent* const entry = ::readdir(listing.get()); errno = 0) {
    if (std::string_view name = entry->d_name; name != "." && name != "..") {
      names.emplace_back(name);
    }
  }
  if (errno != 0) {
    return failure(errno, "cannot list the folder", "");
  }
  return names;
}

Status Folder::check() const {
  PENSTOCK_ASSIGN(const Entry found, state());
  const std::string objection = rules_.trust.folder_objection(found.owner);
  if (objection.empty()) {
    return {};
  }
  return Error{.kind = ErrorKind::invalid,
               .message = "the folder " + objection,
               .advice = rules_.advice,
               .place = {.shard = path_, .stage = "write"}};
}

Status Folder::refuse_untrusted(const Entry& found, const std::string& name) const {
  PENSTOCK_ASSIGN(const Entry here, state());
  const std::string objection =
      found.type == Entry::Type::link
          ? "is a link"
          : rules_.trust.objection(found.owner, rules_.trust.writable_by_others(here.owner));
  if (objection.empty()) {
    return {};
  }
  const bool own_link = found.type == Entry::Type::link && found.owner.user == ::geteuid();
  return Error{.kind = ErrorKind::invalid,
               .message = objection,
               .advice = own_link ? "put what it leads to in its place: links in this folder are not followed"
                                  : rules_.advice,
               .place = {.shard = path_of(name), .stage = "write"}};
}

Status Folder::check(const std::string& name) const {
  PENSTOCK_ASSIGN(const std::optional<Entry> found, find(name));
  return found ? refuse_untrusted(*found, name) : Status();
}

Result<Folder> Folder::open_folder(const std::string& name, Whose whose) const {
  PENSTOCK_TRY(check_name(name));
  Descriptor opened(::openat(descriptor_.get(), name.c_str(), kFolderFlags | O_NOFOLLOW));
  if (!opened.ok()) {
    const int number = errno;
    PENSTOCK_TRY(check(name));  // says better what a link or a file of others is
    return failure(number, "cannot open the folder", name);
  }
  const auto found = entry_of(opened.get());
  if (!found) {
    return failure(errno, "cannot access the folder", name);
  }
  PENSTOCK_TRY(whose == Whose::trusted ? refuse_untrusted(*found, name) : Status());
  return Folder(std::move(opened), path_of(name), rules_);
}

Result<Folder> Folder::make_folder(const std::string& name) const {
  PENSTOCK_TRY(check_name(name));
  if (::mkdirat(descriptor_.get(), name.c_str(), rules_.permissions.folders) != 0 && errno != EEXIST) {
    return failure(errno, "cannot create the folder", name);
  }
  return open_folder(name);
}

Status Folder::sync() const {
  // Some file systems cannot sync folders (EINVAL); there is nothing better to do on those.
  return ::fsync(descriptor_.get()) == 0 || errno == EINVAL
             ? Status()
             : Status(failure(errno, "writing to disk failed", ""));
}

Status Folder::share_as(const std::string& name) const {
  PENSTOCK_ASSIGN(const std::optional<Entry> file, find(name));
  PENSTOCK_ASSIGN(const Entry here, state());
  if (!file) {
    return {};
  }
  constexpr ::mode_t kReadByOthers = S_IRGRP | S_IROTH;
  constexpr ::mode_t kSpecial = S_ISUID | S_ISGID | S_ISVTX;
  const ::mode_t bits = file->owner.mode & (kReadByOthers | S_IWGRP | S_IWOTH);
  const ::mode_t wanted = (here.owner.mode & kSpecial) | S_IRWXU | bits | ((bits & kReadByOthers) >> 2);
  // That of a colleague, which may be finished by others, cannot be changed by them and need not be.
  return here.owner.mode == wanted || ::fchmod(descriptor_.get(), wanted) == 0
             ? Status()
             : Status(failure(errno, "cannot set the permissions", ""));
}

Result<FileLock> Folder::lock(const std::string& name) const {
  PENSTOCK_TRY(check_name(name));
  constexpr int kAttempts = 100;
  constexpr ::mode_t kReadWrite = 0666;
  constexpr int kSafe = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    PENSTOCK_TRY(check(name));
    // Network file systems lock what is open for writing; that of a colleague may be for reading alone.
    Descriptor opened(::openat(descriptor_.get(), name.c_str(), O_RDWR | O_CREAT | kSafe,
                               rules_.permissions.folders & kReadWrite));
    if (!opened.ok() && errno == EACCES) {
      opened = Descriptor(::openat(descriptor_.get(), name.c_str(), O_RDONLY | kSafe));
    }
    if (!opened.ok()) {
      return failure(errno, "cannot write", name);
    }
    const auto held = entry_of(opened.get());
    if (!held) {
      return failure(errno, "cannot access the file", name);
    }
    PENSTOCK_TRY(refuse_untrusted(*held, name));
    if (::flock(opened.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK) {
        return Error{.kind = ErrorKind::timeout,
                     .message = "another process is working on this build",
                     .advice = "wait for it, or stop it",
                     .place = {.shard = path_of(name), .stage = "build"}};
      }
      return failure(errno, "cannot lock", name);
    }
    // Who had it before may have deleted the file: then the lock is one of nothing.
    PENSTOCK_ASSIGN(const std::optional<Entry> named, find(name));
    if (named && named->is_same(*held)) {
      return FileLock(std::move(opened));
    }
  }
  return Error{.kind = ErrorKind::io,
               .message = "the file keeps changing while it is being locked",
               .advice = {},
               .place = {.shard = path_of(name), .stage = "write"}};
}

Result<Folder::Locked> Folder::lock_folder(const std::string& name) const {
  constexpr int kAttempts = 100;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Result<Folder> folder = make_folder(name);
    if (!folder && folder.error().kind == ErrorKind::not_found) {
      continue;  // renamed a moment ago
    }
    PENSTOCK_ASSIGN(Folder opened, std::move(folder));
    Result<FileLock> lock = opened.lock(kLockName);
    if (!lock && lock.error().kind == ErrorKind::not_found) {
      continue;
    }
    PENSTOCK_ASSIGN(FileLock held, std::move(lock));
    PENSTOCK_ASSIGN(const std::optional<Entry> named, find(name));
    PENSTOCK_ASSIGN(const Entry here, opened.state());
    if (named && named->is_same(here)) {
      return Locked{std::move(opened), std::move(held)};
    }
  }
  return Error{.kind = ErrorKind::io,
               .message = "the folder keeps changing while it is being locked",
               .advice = {},
               .place = {.shard = path_of(name), .stage = "write"}};
}

}  // namespace penstock::inline v0
