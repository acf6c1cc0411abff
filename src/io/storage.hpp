#pragma once
// Where objects live, and how they are found: local files, memory (for tests), (later) servers.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/file.hpp"
#include "io/source.hpp"
#include "penstock/result.hpp"

namespace penstock::inline v0 {

/// An entry of a folder.
struct ListedObject {
  std::string name;
  bool is_folder = false;  ///< or a link to one
  bool is_link = false;

  bool operator==(const ListedObject&) const = default;
};

/// All that is known of objects by name. Names are paths, or what stands behind the scheme of a URL. Any
/// thread.
class Storage {
 public:
  virtual ~Storage() = default;

  /// All that lies directly in a folder, hidden names too, sorted by bytes. A link that leads nowhere counts
  /// as a file and fails when it is read. `not_found` if there is no such folder.
  virtual Result<std::vector<ListedObject>> list(const std::string& folder) const = 0;
  /// That there is nothing of this name is not an error. `path` ends in a NUL: asking for a million files
  /// takes no memory.
  virtual Result<ObjectState> stat(const char* path) const = 0;
  Result<ObjectState> stat(const std::string& path) const { return stat(path.c_str()); }
  /// To be read in parts, many times. A missing object is `not_found`; a folder, a device or a refused access
  /// is `io`.
  virtual Result<SourcePtr> open(const std::string& path, Access access = Access::normal) const = 0;
  /// All bytes of an object that is read once, held. No memory is taken in the long run: buffers are used
  /// again.
  virtual Result<Bytes> read(const char* path) const = 0;
  Result<Bytes> read(const std::string& path) const { return read(path.c_str()); }
  /// The first `size` bytes of an object, or all of fewer, held: what a header tells costs no more.
  virtual Result<Bytes> read_start(const char* path, std::uint64_t size) const = 0;
  /// read() if it needs no waiting. If it does, the bytes are fetched in the background where that is
  /// possible: read() then waits less.
  virtual std::optional<Bytes> read_without_waiting(const std::string& path) const = 0;
  /// A hint that an object will be read soon.
  virtual void announce(const std::string& path) const noexcept = 0;
  /// The name that stays right when the process changes its folder; of "" that folder.
  virtual std::string absolute(const std::string& path) const = 0;
};

using StoragePtr = std::shared_ptr<const Storage>;

/// Files of this machine. Files that are opened are mapped; of those that are read once the small ones are
/// copied: mapping them costs more, and unmapping interrupts all threads of the process.
const StoragePtr& local_storage();

/// Files of more bytes are mapped by Storage::read() of local files.
inline constexpr std::uint64_t kMaxCopiedFile = 1 << 20;

/// The storages by the scheme of a name: those of penstock, and what was set in their place. A plain value.
class Storages {
 public:
  /// Of penstock: "" and "file", local files.
  static Storages standard();

  /// All of them, sorted.
  std::vector<std::string> schemes() const;
  /// In the place of what had the scheme before.
  void set(std::string scheme, StoragePtr storage) { by_scheme_[std::move(scheme)] = std::move(storage); }

  struct Found {
    StoragePtr storage;
    std::string path;  ///< without the scheme of the catalogue
  };
  /// `unsupported` for a scheme that is not in the catalogue. A name without one is a local path.
  Result<Found> find(const std::string& name) const;

 private:
  Storages() = default;

  std::map<std::string, StoragePtr, std::less<>> by_scheme_;
};

}  // namespace penstock::inline v0
