#pragma once
// The folder DST.building: begun, gone on with, or turned into DST.

#include <optional>
#include <string>
#include <vector>

#include "formats/store.hpp"
#include "formats/store_manifest.hpp"
#include "store/disk_file.hpp"
#include "store/journal.hpp"

namespace penstock {

/// Held by the one process that builds. One thread.
class BuildingFolder {
 public:
  /// `timeout` if another process is building the same store; `invalid` if the folder or the destination is
  /// there and holds what penstock did not make.
  static Result<BuildingFolder> open(const std::string& destination);

  const std::string& path() const noexcept { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

  /// The manifest of a build that was finished but for its last step.
  std::optional<StoreManifest> finished() const;
  /// Deletes all that an earlier build left, and nothing else.
  Status clear();
  /// Deletes the folder.
  Status discard();
  /// Begins with the samples of a store: links to its shards and tables, copies of its index and keys.
  Status begin_with(const StoreFiles& store);
  /// Writes the manifest: from here on the build is finished().
  Status write_manifest(const StoreManifest& manifest);
  /// Becomes the destination; with `exchange` in the place of the store that is there, whose files are
  /// deleted: `invalid` if there are others among them.
  Status publish(bool exchange);

 private:
  BuildingFolder(std::string destination, std::string path, FolderLock lock)
      : destination_(std::move(destination)), path_(std::move(path)), lock_(std::move(lock)) {}

  std::string destination_;
  std::string path_;
  FolderLock lock_;
};

/// Deletes the lock in a finished store, which a build that was killed in its last step leaves there.
void remove_left_lock(const std::string& destination);

/// The destination without a slash at its end, or the folder that it is a link to; `invalid` if that leaves
/// nothing.
Result<std::string> folder_name(const std::string& destination);

/// `invalid` if a source that is a folder of pictures would find the destination among them.
Status refuse_inside(const SampleTable& source, const std::string& destination);

}  // namespace penstock
