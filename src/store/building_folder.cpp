#include "store/building_folder.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "formats/store_format.hpp"
#include "io/file.hpp"

namespace penstock {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLockName = "lock";
constexpr const char* kJournalName = "journal";
constexpr const char* kNewManifestName = "manifest.json.new";

Status status_of(const std::error_code& failed, const char* what, const std::string& path) {
  if (!failed) {
    return {};
  }
  Error error = file_error(failed.value(), what, path);
  error.place.stage = "build";
  return error;
}

std::string parent_of(const std::string& path) {
  const std::string parent = fs::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

bool is_numbered_shard(const std::string& name, const char* ending) {
  const std::string front = "shard-";
  return name.starts_with(front) && name.ends_with(ending) &&
         name.find_first_not_of("0123456789", front.size()) == name.size() - std::strlen(ending);
}

/// What a finished store holds, and the lock of a build that was killed between its last two steps.
bool is_name_in_store(const std::string& name) {
  constexpr std::array<std::string_view, 5> kNames = {kStoreManifestName, kStoreIndexName, kStoreKeysName,
                                                      kStoreTablesName, kLockName};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end() || is_numbered_shard(name, ".bin");
}

/// What a folder that becomes a store, or one of tars, holds.
bool is_name_in_building(const std::string& name, bool locked) {
  return is_name_in_store(name) || name == kJournalName || name == kNewManifestName ||
         // Tars of this name are common; a conversion has a lock beside them.
         (locked && is_numbered_shard(name, ".tar"));
}

/// Paths in a folder whose names are, or are not, ours; a folder is not, whatever its name. A folder that
/// cannot be read gives its error to whoever writes there.
template <class IsOurs>
std::vector<fs::path> entries(const std::string& folder, bool ours, IsOurs&& is_ours) {
  std::vector<fs::path> found;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    std::error_code unknown;
    const bool is_file = !fs::is_directory(entry->symlink_status(unknown));
    if ((is_file && is_ours(entry->path().filename().string())) == ours) {
      found.push_back(entry->path());
    }
  }
  return found;
}

/// As a message has them: "'a', 'b' and 3 more".
std::string names_of(std::vector<fs::path> paths) {
  constexpr std::size_t kMostNamed = 5;
  std::sort(paths.begin(), paths.end());
  std::string names;
  for (std::size_t i = 0; i < std::min(paths.size(), kMostNamed); ++i) {
    names += (i == 0 ? "'" : ", '") + paths[i].filename().string() + "'";
  }
  if (paths.size() > kMostNamed) {
    names += " and " + std::to_string(paths.size() - kMostNamed) + " more";
  }
  return names;
}

/// A folder of that name with anything else in it is somebody's, and must not be cleared.
Status refuse_foreign(const std::string& path) {
  std::error_code failed;
  const fs::file_status found = fs::symlink_status(path, failed);
  if (!fs::exists(found)) {
    return {};  // or the name cannot be: making the folder gives that error
  }
  std::string problem;
  if (!fs::is_directory(found)) {
    problem = "is no folder";
  } else {
    const bool locked = fs::exists(path + "/" + kLockName, failed);
    const auto foreign =
        entries(path, false, [&](const std::string& name) { return is_name_in_building(name, locked); });
    if (foreign.empty()) {
      return {};
    }
    problem = "holds " + names_of(foreign) + ", which penstock did not make";
  }
  return Error{.kind = ErrorKind::invalid,
               .message = "the folder to build in " + problem,
               .advice = "move '" + path + "' away, or name another destination",
               .place = {.source = path, .stage = "build"}};
}

/// A store that is replaced is deleted, which must not take anything else along.
Status refuse_foreign_in_store(const std::string& path) {
  const auto foreign = entries(path, false, is_name_in_store);
  if (foreign.empty()) {
    return {};
  }
  return Error{
      .kind = ErrorKind::invalid,
      .message = "the store holds " + names_of(foreign) +
                 ", which penstock did not make and would be lost when the new store takes its place",
      .advice = "move that out of '" + path + "', and start again",
      .place = {.source = path, .stage = "build"}};
}

Status copy_or_link(const std::string& from, const std::string& to, bool link) {
  std::error_code failed;
  if (link) {
    fs::create_hard_link(from, to, failed);
    if (!failed) {
      return {};
    }
  }
  fs::copy_file(from, to, fs::copy_options::overwrite_existing, failed);
  return status_of(failed, "cannot copy", from);
}

}  // namespace

Result<std::string> folder_name(const std::string& destination) {
  std::string name = destination;
  while (name.size() > 1 && name.ends_with('/')) {
    name.pop_back();
  }
  const std::string last = fs::path(name).filename().string();
  if (last.empty() || last == "." || last == ".." || name.find('\0') != std::string::npos) {
    return Error{.kind = ErrorKind::invalid,
                 .message = "the destination is no name of a new folder",
                 .advice = "name the folder that the store is to be",
                 .place = {.source = destination, .stage = "build"}};
  }
  // What is built beside a link, and takes its place, would leave the folder behind it.
  std::error_code failed;
  if (fs::is_symlink(fs::symlink_status(name, failed))) {
    const fs::path behind = fs::canonical(name, failed);
    if (failed) {
      return Error{.kind = ErrorKind::invalid,
                   .message = "the destination is a link to what is not there",
                   .advice = "delete the link, or make the folder that it names",
                   .place = {.source = destination, .stage = "build"}};
    }
    return behind.string();
  }
  return name;
}

Status refuse_inside(const SampleTable& source, const std::string& destination) {
  std::error_code failed;
  const Place first = source.size() > 0 ? source.place(0, 0) : Place();
  const std::string& folder = first.source;
  // Samples with an offset lie in tars or in a store: those are found by name, whatever lies beside them.
  if (first.offset || folder.empty() || !fs::is_directory(folder, failed)) {
    return {};
  }
  const fs::path outer = fs::weakly_canonical(folder, failed);
  const fs::path inner = failed ? fs::path() : fs::weakly_canonical(destination, failed);
  if (failed || std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first != outer.end()) {
    return {};
  }
  return Error{.kind = ErrorKind::invalid,
               .message = "the destination lies inside the source '" + folder +
                          "', which could not be read any more: a new folder in it would count as a class",
               .advice = "name a destination outside of it",
               .place = {.source = destination, .stage = "build"}};
}

Result<BuildingFolder> BuildingFolder::open(const std::string& destination) {
  std::error_code failed;
  fs::create_directories(parent_of(destination), failed);
  PENSTOCK_TRY(status_of(failed, "cannot make the folder", parent_of(destination)));
  const std::string path = destination + ".building";
  PENSTOCK_TRY(refuse_foreign(path));
  PENSTOCK_TRY(refuse_foreign_in_store(destination));
  PENSTOCK_ASSIGN(FolderLock lock, FolderLock::take(path));
  return BuildingFolder(destination, path, std::move(lock));
}

std::optional<StoreManifest> BuildingFolder::finished() const {
  auto files = StoreFiles::open({path_, path_});
  return files.ok() ? std::optional((*files)->manifest()) : std::nullopt;
}

Status BuildingFolder::clear() {
  const auto written = [](const std::string& name) {
    return name != kLockName && is_name_in_building(name, true);
  };
  for (const fs::path& path : entries(path_, true, written)) {
    std::error_code failed;
    fs::remove(path, failed);
    PENSTOCK_TRY(status_of(failed, "cannot delete", path.string()));
  }
  return {};
}

Status BuildingFolder::discard() {
  PENSTOCK_TRY(clear());
  PENSTOCK_TRY(lock_.remove_file());
  std::error_code ignored;  // not empty: not ours; a next build says so
  fs::remove(path_, ignored);
  return {};
}

Status BuildingFolder::begin_with(const StoreFiles& store) {
  const std::string& from = store.folder().path;
  for (std::size_t i = 0; i < store.manifest().shards.size(); ++i) {
    PENSTOCK_TRY(copy_or_link(store.shard_path(i), file(store_shard_name(i)), true));
  }
  if (store.manifest().tables) {
    PENSTOCK_TRY(copy_or_link(from + "/" + kStoreTablesName, file(kStoreTablesName), true));
  }
  PENSTOCK_TRY(copy_or_link(from + "/" + kStoreIndexName, file(kStoreIndexName), false));
  return copy_or_link(from + "/" + kStoreKeysName, file(kStoreKeysName), false);
}

Status BuildingFolder::write_manifest(const StoreManifest& manifest) {
  const std::string text = manifest.text();
  PENSTOCK_ASSIGN(DiskFile out, DiskFile::open(file(kNewManifestName), 0));
  PENSTOCK_TRY(out.append({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}));
  PENSTOCK_TRY(out.sync());
  PENSTOCK_TRY(out.close());
  std::error_code failed;
  fs::rename(file(kNewManifestName), file(kStoreManifestName), failed);
  PENSTOCK_TRY(status_of(failed, "cannot rename", file(kNewManifestName)));
  return sync_folder(path_);
}

Status BuildingFolder::publish(bool exchange) {
  if (exchange) {
    PENSTOCK_TRY(refuse_foreign_in_store(destination_));  // the build may have taken hours
  }
  std::error_code failed;
  for (const char* const name : {kJournalName, kNewManifestName}) {
    fs::remove(file(name), failed);
    PENSTOCK_TRY(status_of(failed, "cannot delete", file(name)));
  }
  PENSTOCK_TRY(sync_folder(path_));
  // The lock moves along with its folder: whoever looks for it meanwhile finds it held, or nothing to do.
  if (exchange) {
    PENSTOCK_ASSIGN(FolderLock old, FolderLock::take(destination_));
    PENSTOCK_TRY(exchange_folders(path_, destination_));
    // The old store; what cannot be deleted now is cleared by the next build.
    const auto is_old = [](const std::string& name) { return name != kLockName && is_name_in_store(name); };
    for (const fs::path& path : entries(path_, true, is_old)) {
      fs::remove(path, failed);
    }
    fs::remove(file(kLockName), failed);
    fs::remove(path_, failed);
  } else {
    PENSTOCK_TRY(rename_folder(path_, destination_));
  }
  fs::remove(destination_ + "/" + kLockName, failed);
  PENSTOCK_TRY(status_of(failed, "cannot delete", destination_ + "/" + kLockName));
  return sync_folder(parent_of(destination_));
}

void remove_left_lock(const std::string& destination) {
  std::error_code unknown;
  if (fs::exists(destination + "/" + kLockName, unknown)) {
    if (Result<FolderLock> lock = FolderLock::take(destination); lock.ok()) {
      fs::remove(destination + "/" + kLockName, unknown);  // or the next build does
    }
  }
}

}  // namespace penstock
