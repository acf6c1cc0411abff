#pragma once
// A folder opened by descriptor, through which everything is written. Why: docs/design/folders.md.

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/descriptor.hpp"
#include "io/disk_file.hpp"
#include "io/file.hpp"
#include "io/source.hpp"
#include "io/trust.hpp"
#include "penstock/result.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0 {

/// What is made in a folder may be used by others no further than this; the umask takes away from it.
struct Permissions {
  ::mode_t folders = 0700;
  ::mode_t files = 0600;
};
inline constexpr Permissions kForOneself{.folders = 0700, .files = 0600};
inline constexpr Permissions kForTheGroup{.folders = 0770, .files = 0660};
/// Folders are closed to others until they are finished: Folder::share_as().
inline constexpr Permissions kAsTheUmaskSays{.folders = 0700, .files = 0666};

/// How a folder is worked in.
struct FolderRules {
  Permissions permissions{};
  Trust trust{};         ///< whose entries are opened
  std::string advice{};  ///< what to do about one that is not
};

/// Whose folder is opened.
enum class Whose : std::uint8_t { trusted, anybodys };

/// What a name in a folder stands for; links are not followed.
struct Entry {
  enum class Type : std::uint8_t { file, folder, link, other };
  Type type = Type::other;
  Ownership owner;
  FileIdentity state;
  std::uint64_t device = 0;

  bool is_same(const Entry& other) const noexcept {
    return device == other.device && state.inode == other.state.inode;
  }
};

/// The right to do something, held by one process at a time (flock). Ends with it. Moves only.
class FileLock {
 private:
  friend class Folder;
  explicit FileLock(Descriptor descriptor) noexcept : descriptor_(std::move(descriptor)) {}
  Descriptor descriptor_;
};

/// Names in it are plain: no slash, no NUL. No link in it is followed. Folders and locks that are there
/// already are opened only if the rules trust their owner; `invalid` if not. Moves only; const members may be
/// called by any thread.
class Folder {
 public:
  /// `path` is the user's: it may be a link, and belong to anybody. `not_found` if it is missing.
  static Result<Folder> open(const std::string& path, FolderRules rules = {});
  /// The same; makes it, and folders above it, with `mode` less the umask where they are missing.
  static Result<Folder> make(const std::string& path, ::mode_t mode, FolderRules rules = {});

  /// The same folder with a descriptor of its own.
  Result<Folder> again() const;

  /// For messages.
  const std::string& path() const noexcept { return path_; }
  std::string path_of(const std::string& name) const;
  /// For libraries that take no descriptor: names the file whatever becomes of the folder's own name.
  std::string path_by_descriptor(const std::string& name) const;
  const FolderRules& rules() const noexcept { return rules_; }
  /// Of what is made from here on.
  void set_permissions(const Permissions& permissions) noexcept { rules_.permissions = permissions; }

  Result<Entry> state() const;
  /// Nothing if there is none of this name.
  Result<std::optional<Entry>> find(const std::string& name) const;
  /// Of all entries, in no order.
  Result<std::vector<std::string>> names() const;
  /// `invalid` if strangers could put entries of theirs into the place of others.
  Status check() const;
  /// `invalid` if there is an entry of this name that the rules do not trust, or that is a link.
  Status check(const std::string& name) const;

  /// `anybodys`: one that the user named.
  Result<Folder> open_folder(const std::string& name, Whose whose = Whose::trusted) const;
  /// Opens it if it is there.
  Result<Folder> make_folder(const std::string& name) const;
  /// To read a file, whatever becomes of the folder's own name.
  Result<SourcePtr> open_source(const std::string& name) const;
  /// Opens or makes a file, and cuts off what is longer than `size`; `corrupt` if it is shorter.
  Result<DiskFile> open_file(const std::string& name, std::uint64_t size) const;
  /// Opens or makes a file for lines. It is the user's: a link is followed if it is the user's own or root's.
  Result<LineFile> open_lines(const std::string& name) const;
  /// Writes `bytes` to a file beside it and renames that: others see the old file or the new one, never a
  /// part. Deletes files that killed processes of this user left behind.
  Status replace_file(const std::string& name, ByteSpan bytes) const;
  /// A file of the same bytes, on disk when it returns.
  Status copy_file(const Folder& from, const std::string& name) const;
  /// The same file under the same name; false where the system or the file system refuses it.
  bool link_file(const Folder& from, const std::string& name) const;

  /// `to` must not exist.
  Status rename(const std::string& from, const Folder& folder, const std::string& to) const;
  Status replace(const std::string& from, const std::string& to) const;
  Status exchange(const std::string& a, const std::string& b) const;
  /// Of a file or a link; nothing happens if it is missing.
  Status remove(const std::string& name) const;
  /// Of an empty folder.
  Status remove_folder(const std::string& name) const;
  /// With all that is in it.
  Status remove_all(const std::string& name) const;
  /// New names and renames survive a crash when it returns.
  Status sync() const;
  /// Gives the folder the permissions of the file `name` in it: who may read that may enter.
  Status share_as(const std::string& name) const;

  /// `timeout` if another process has it. The file is made, and stays: remove() it before the lock ends.
  Result<FileLock> lock(const std::string& name) const;
  /// Makes a folder, or opens the one that is there, and takes the lock named "lock" in it.
  struct Locked;
  Result<Locked> lock_folder(const std::string& name) const;

 private:
  Folder(Descriptor descriptor, std::string path, FolderRules rules) noexcept
      : descriptor_(std::move(descriptor)), path_(std::move(path)), rules_(std::move(rules)) {}
  Error failure(int error_number, const char* what, const std::string& name) const;
  Status check_name(const std::string& name) const;
  Status refuse_untrusted(const Entry& found, const std::string& name) const;
  void remove_orphans() const;

  Descriptor descriptor_;
  std::string path_;
  FolderRules rules_;
};

inline constexpr const char* kLockName = "lock";

struct Folder::Locked {
  Folder folder;
  FileLock lock;
};

/// Nothing, with errno set, if the system does not say.
std::optional<Entry> entry_of(int descriptor);

/// The part of a path before the last slash (empty if there is none: the current folder), and the part
/// behind.
std::pair<std::string, std::string> split_path(const std::string& path);

}  // namespace penstock::inline v0
