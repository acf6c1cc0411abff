#pragma once
// Files by descriptor: open, state, whole reads; failures carry the system's words. Writing: folder.hpp.

#include <cstdint>
#include <string>
#include <utility>

#include "core/scratch.hpp"
#include "penstock/result.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0 {

/// What tells that a file is still the same one. Times in ns since 1970.
struct FileState {
  std::uint64_t size = 0;
  std::int64_t modified = 0;
  std::int64_t changed = 0;  ///< of the inode: also set by a rename or a restored mtime

  bool operator==(const FileState&) const = default;
};

/// What tells a file or object from every other one in its storage. The device is left out: its number may be
/// another after each start.
struct FileIdentity : FileState {
  std::uint64_t inode = 0;
  std::string tag{};  ///< what a storage without inodes and times calls this version (an ETag)

  bool operator==(const FileIdentity&) const = default;
};

/// "what: <errno text>" with the fitting kind: `not_found` for a path that is not there, else `io`.
Error file_error(int error_number, const std::string& what, const std::string& path);

/// The path from the root on, which stays right when the process changes its folder; as it is where that
/// cannot be known.
std::string absolute_path(const std::string& path);

/// What a name stands for; links are followed.
struct ObjectState {
  enum class Type : std::uint8_t { missing, file, folder, other };
  Type type = Type::missing;
  FileIdentity identity{};   ///< of a file; of a folder its inode, if it has one
  std::uint64_t device = 0;  ///< together with the inode: which folder it is

  bool exists() const noexcept { return type != Type::missing; }
  bool is_file() const noexcept { return type == Type::file; }
  bool is_folder() const noexcept { return type == Type::folder; }
};

/// `io` if the system does not say what there is; that there is nothing is not an error.
Result<ObjectState> object_state(const char* path);

/// A descriptor open for reading, closed at the end. Moves only. One thread.
class OpenFile {
 public:
  /// A relative path begins in `folder`, a descriptor.
  static Result<OpenFile> open_regular(const char* path, int folder = kCurrentFolder);

  OpenFile(OpenFile&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), state_(other.state_) {}
  OpenFile& operator=(OpenFile&&) = delete;
  ~OpenFile();

  int descriptor() const noexcept { return descriptor_; }
  const FileIdentity& state() const noexcept { return state_; }

 private:
  static constexpr int kCurrentFolder = -100;  // AT_FDCWD
  OpenFile(int descriptor, const FileIdentity& state) noexcept : descriptor_(descriptor), state_(state) {}

  int descriptor_;
  FileIdentity state_;
};

/// The whole file in `scratch`, or its first `max_size` bytes, with no other memory. The bytes live until the
/// next use of `scratch`; `path` is for errors.
Result<ByteSpan> read_file(const OpenFile& file, const char* path, Scratch& scratch,
                           std::uint64_t max_size = ~std::uint64_t{0});

}  // namespace penstock::inline v0
