#include "store/building_folder.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <system_error>

#include "formats/store_format.hpp"
#include "io/path.hpp"
#include "io/storage.hpp"

namespace penstock::inline v0 {
namespace {

constexpr const char* kNewManifestName = "manifest.json.new";

std::string building_name(const std::string& name) { return name + ".building"; }

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

/// Names in a folder that are, or are not, ours; a folder is not, whatever its name.
template <class IsOurs>
Result<std::vector<std::string>> entries(const Folder& folder, bool ours, IsOurs&& is_ours) {
  PENSTOCK_ASSIGN(std::vector<std::string> names, folder.names());
  std::vector<std::string> chosen;
  for (std::string& name : names) {
    PENSTOCK_ASSIGN(const std::optional<Entry> found, folder.find(name));
    const bool is_file = found && found->type != Entry::Type::folder;
    if (found && (is_file && is_ours(name)) == ours) {
      chosen.push_back(std::move(name));
    }
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

/// As a message has them: "'a', 'b' and 3 more".
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMaxNamed = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMaxNamed); ++i) {
    text += (i == 0 ? "'" : ", '") + names[i] + "'";
  }
  if (names.size() > kMaxNamed) {
    text += " and " + std::to_string(names.size() - kMaxNamed) + " more";
  }
  return text;
}

/// A folder of that name with anything else in it is somebody's, and must not be cleared.
Status refuse_foreign(const Folder& parent, const std::string& name) {
  PENSTOCK_ASSIGN(const std::optional<Entry> found, parent.find(name));
  if (!found) {
    return {};
  }
  std::string problem;
  if (found->type != Entry::Type::folder) {
    PENSTOCK_TRY(parent.check(name));  // says better what helps against a link, or what others put there
    problem = "is not a folder";
  } else {
    const Result<Folder> folder = parent.open_folder(name);
    if (!folder && folder.error().kind == ErrorKind::not_found) {
      return {};  // another build was finished a moment ago
    }
    PENSTOCK_TRY(folder ? Status() : Status(folder.error()));
    PENSTOCK_ASSIGN(const std::optional<Entry> lock, folder->find(kLockName));
    PENSTOCK_ASSIGN(const auto foreign, entries(*folder, false, [&](const std::string& inner) {
                      return is_name_in_building(inner, lock.has_value());
                    }));
    if (foreign.empty()) {
      return {};
    }
    problem = "holds " + listed(foreign) + ", which penstock did not make";
  }
  const std::string path = parent.path_of(name);
  return Error{.kind = ErrorKind::invalid,
               .message = "the folder to build in " + problem,
               .advice = "move '" + path + "' away, or choose another destination",
               .place = {.source = path, .stage = "build"}};
}

/// A store that is replaced is deleted, which must not take anything else along.
Status refuse_foreign_in_store(const Folder& parent, const std::string& name) {
  PENSTOCK_ASSIGN(const std::optional<Entry> found, parent.find(name));
  if (!found) {
    return {};
  }
  PENSTOCK_ASSIGN(const Folder folder, parent.open_folder(name, Whose::anybodys));
  PENSTOCK_ASSIGN(const auto foreign, entries(folder, false, is_name_in_store));
  if (foreign.empty()) {
    return {};
  }
  return Error{
      .kind = ErrorKind::invalid,
      .message = "the store holds " + listed(foreign) +
                 ", which penstock did not make and would be lost when the new store takes its place",
      .advice = "move that out of '" + folder.path() + "', and start again",
      .place = {.source = folder.path(), .stage = "build"}};
}

}  // namespace

Result<std::string> folder_name(const std::string& destination) {
  std::string name = destination;
  while (name.size() > 1 && name.ends_with('/')) {
    name.pop_back();
  }
  const std::string last = last_name(name);
  if (last.empty() || last == "." || last == ".." || name.find('\0') != std::string::npos) {
    return Error{.kind = ErrorKind::invalid,
                 .message = "the destination is not a valid name for a new folder",
                 .advice = "pass the folder of the new store",
                 .place = {.source = destination, .stage = "build"}};
  }
  // What is built beside a link, and takes its place, would leave the folder behind it.
  auto behind = behind_link(name);
  if (!behind.ok()) {
    return Error{.kind = ErrorKind::invalid,
                 .message = "the destination is a dangling link",
                 .advice = "delete the link, or create the folder that it points to",
                 .place = {.source = destination, .stage = "build"}};
  }
  return behind;
}

Status refuse_inside(const SampleTable& source, const std::string& destination) {
  const Place first = source.size() > 0 ? source.place(0, 0) : Place();
  const std::string& folder = first.source;
  // Samples with an offset lie in tars or in a store: those are found by name, whatever lies beside them.
  const auto state = local_storage()->stat(folder);
  if (first.offset || !state.ok() || !state->is_folder() || !lies_inside(destination, folder)) {
    return {};
  }
  return Error{.kind = ErrorKind::invalid,
               .message = "the destination is inside the source '" + folder +
                          "', which could then no longer be read: a new folder in it would count as a class",
               .advice = "choose a destination outside of it",
               .place = {.source = destination, .stage = "build"}};
}

Result<BuildingFolder> BuildingFolder::open(const std::string& destination, std::optional<Folder> parent) {
  const auto [above, name] = split_path(destination);
  const std::string building = building_name(name);
  if (!parent) {
    const std::string advice =
        "choose another destination, or let the owner of '" + building + "' move it away";
    PENSTOCK_ASSIGN(parent, Folder::make(above, 0777, {.permissions = kAsTheUmaskSays, .advice = advice}));
  }
  PENSTOCK_TRY(refuse_foreign(*parent, building));
  PENSTOCK_TRY(refuse_foreign_in_store(*parent, name));
  PENSTOCK_ASSIGN(Folder::Locked locked, parent->lock_folder(building));
  return BuildingFolder(std::move(*parent), name, std::move(locked));
}

std::optional<StoreManifest> BuildingFolder::finished() const {
  auto files = StoreFiles::open({path(), path()});
  return files.ok() ? std::optional((*files)->manifest()) : std::nullopt;
}

Status BuildingFolder::clear() {
  const auto written = [](const std::string& name) {
    return name != kLockName && is_name_in_building(name, true);
  };
  PENSTOCK_ASSIGN(const auto names, entries(folder_, true, written));
  for (const std::string& name : names) {
    PENSTOCK_TRY(folder_.remove(name));
  }
  return {};
}

Status BuildingFolder::discard() {
  PENSTOCK_TRY(clear());
  PENSTOCK_TRY(folder_.remove(kLockName));
  (void)parent_.remove_folder(building_name(name_));  // not empty: not ours; a next build says so
  return {};
}

Status BuildingFolder::begin_with(const StoreFiles& store) {
  PENSTOCK_ASSIGN(const Folder from, parent_.open_folder(name_, Whose::anybodys));
  std::vector<std::string> unchanging;
  for (std::size_t i = 0; i < store.manifest().shards.size(); ++i) {
    unchanging.push_back(store_shard_name(i));
  }
  if (store.manifest().tables) {
    unchanging.emplace_back(kStoreTablesName);
  }
  for (const std::string& name : unchanging) {
    PENSTOCK_TRY(folder_.link_file(from, name) ? Status() : folder_.copy_file(from, name));
  }
  PENSTOCK_TRY(folder_.copy_file(from, kStoreIndexName));
  PENSTOCK_TRY(folder_.copy_file(from, kStoreKeysName));
  return folder_.sync();
}

Status BuildingFolder::write_manifest(const StoreManifest& manifest) {
  const std::string text = manifest.text();
  PENSTOCK_ASSIGN(DiskFile out, folder_.open_file(kNewManifestName, 0));
  PENSTOCK_TRY(out.append({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}));
  PENSTOCK_TRY(out.sync());
  PENSTOCK_TRY(out.close());
  PENSTOCK_TRY(folder_.replace(kNewManifestName, kStoreManifestName));
  return folder_.sync();
}

Status BuildingFolder::publish(bool exchange, const std::string& like) {
  if (exchange) {
    PENSTOCK_TRY(refuse_foreign_in_store(parent_, name_));  // the build may have taken hours
  }
  for (const char* const name : {kJournalName, kNewManifestName}) {
    PENSTOCK_TRY(folder_.remove(name));
  }
  PENSTOCK_TRY(folder_.share_as(like));
  PENSTOCK_TRY(folder_.sync());
  // The lock moves along with its folder: whoever looks for it meanwhile finds it held, or nothing to do.
  const std::string building = building_name(name_);
  if (exchange) {
    PENSTOCK_ASSIGN(const Folder old, parent_.open_folder(name_, Whose::anybodys));
    PENSTOCK_ASSIGN(const FileLock old_lock, old.lock(kLockName));
    PENSTOCK_TRY(parent_.exchange(building, name_));
    // Before a file of the old store goes: no power cut may bring back its name without its files.
    PENSTOCK_TRY(parent_.sync());
    const auto is_old = [](const std::string& name) { return name != kLockName && is_name_in_store(name); };
    if (const auto names = entries(old, true, is_old)) {
      for (const std::string& name : *names) {
        (void)old.remove(name);  // what cannot be deleted now is cleared by the next build
      }
    }
    (void)old.remove(kLockName);
    (void)parent_.remove_folder(building);
  } else {
    PENSTOCK_TRY(parent_.rename(building, parent_, name_));
  }
  PENSTOCK_TRY(folder_.remove(kLockName));
  return parent_.sync();
}

namespace {

void remove_left_lock(const std::string& destination) {
  const auto store = Folder::open(destination);
  const auto left = store ? store->find(kLockName) : Result<std::optional<Entry>>(std::optional<Entry>());
  if (left && *left) {
    if (const auto lock = store->lock(kLockName)) {
      (void)store->remove(kLockName);  // or the next build does
    }
  }
}

/// Whether the samples of a store are the first ones of another.
bool is_part_of(const StoreManifest& part, const StoreManifest& whole) {
  return part.sources.size() < whole.sources.size() &&
         std::equal(part.sources.begin(), part.sources.end(), whole.sources.begin());
}

/// With a journal it is a build to continue with; without one it is that only if it is finished.
void remove_old_store(const std::string& destination, const StoreManifest& manifest) {
  const auto [above, name] = split_path(destination);
  const auto parent = Folder::open(above);
  const auto left = parent ? parent->find(building_name(name)) : Result<std::optional<Entry>>(parent.error());
  if (!left || !*left) {
    return;
  }
  if (auto building = BuildingFolder::open(destination)) {
    const auto journal = building->folder().find(kJournalName);
    const auto finished = building->finished();
    if (journal && !*journal && (!finished || is_part_of(*finished, manifest))) {
      (void)building->discard();  // or the next build clears it
    }
  }
}

}  // namespace

void clean_up_after_kill(const std::string& destination, const StoreManifest& manifest) {
  remove_left_lock(destination);
  remove_old_store(destination, manifest);
}

}  // namespace penstock::inline v0
