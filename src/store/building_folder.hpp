#pragma once
// The folder DST.building: begun, continued with, or turned into DST.

#include <optional>
#include <string>
#include <vector>

#include "formats/store.hpp"
#include "formats/store_manifest.hpp"
#include "io/folder.hpp"
#include "store/journal.hpp"

namespace penstock::inline v0 {

/// Held by the one process that builds. One thread.
class BuildingFolder {
 public:
  /// `timeout` if another process is building the same store; `invalid` if the folder or the destination is
  /// there and holds what penstock did not make, or the folder is somebody else's. `parent` is the folder
  /// above the destination, and made if none is given.
  static Result<BuildingFolder> open(const std::string& destination, std::optional<Folder> parent = {});

  const Folder& folder() const noexcept { return folder_; }
  /// To read in it, whatever becomes of its name.
  std::string path() const { return folder_.path_by_descriptor(""); }
  std::string file(const std::string& name) const { return folder_.path_by_descriptor(name); }

  /// The manifest of a build that was finished but for its last step.
  std::optional<StoreManifest> finished() const;
  /// Deletes all that an earlier build left, and nothing else.
  Status clear();
  /// Deletes the folder.
  Status discard();
  /// Begins with the samples of the store that is the destination: links to its shards and tables, or copies
  /// where links cannot be; copies of its index and keys. On disk when it returns.
  Status begin_with(const StoreFiles& store);
  /// Writes the manifest: from here on the build is finished().
  Status write_manifest(const StoreManifest& manifest);
  /// Becomes the destination, for those who may read the file `like` in it; with `exchange` in the place of
  /// the store that is there, whose files are deleted: `invalid` if there are others among them.
  Status publish(bool exchange, const std::string& like);

 private:
  BuildingFolder(Folder parent, std::string name, Folder::Locked locked)
      : parent_(std::move(parent)),
        name_(std::move(name)),
        folder_(std::move(locked.folder)),
        lock_(std::move(locked.lock)) {}

  Folder parent_;
  std::string name_;  // of the destination in it
  Folder folder_;
  FileLock lock_;
};

/// Deletes what a build that was killed in its last steps leaves: the lock in the finished store, and the
/// store whose place that took. `manifest` is that of the destination.
void clean_up_after_kill(const std::string& destination, const StoreManifest& manifest);

/// The destination without a slash at its end, or the folder that it is a link to; `invalid` if that leaves
/// nothing.
Result<std::string> folder_name(const std::string& destination);

/// `invalid` if a source that is a folder of images would find the destination among them.
Status refuse_inside(const SampleTable& source, const std::string& destination);

}  // namespace penstock::inline v0
