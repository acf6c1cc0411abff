#include "formats/index_cache.hpp"

#include <cstdlib>
#include <string_view>

#include "core/sha256.hpp"
#include "io/folder.hpp"

namespace penstock::inline v0 {
namespace {

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// A folder that we make is the user's alone; in one that others can read they can read what is in it.
FolderRules index_rules() {
  return {.permissions = {.folders = 0700, .files = 0644},
          .advice = "set PENSTOCK_CACHE_DIR to a folder of your own"};
}

}  // namespace

std::string cache_folder() {
  if (const std::string folder = environment("PENSTOCK_CACHE_DIR"); !folder.empty()) {
    return folder;
  }
  // The specification of XDG_CACHE_HOME asks to ignore relative paths.
  if (const std::string folder = environment("XDG_CACHE_HOME"); folder.starts_with('/')) {
    return folder + "/penstock";
  }
  const std::string home = environment("HOME");
  return home.empty() ? "" : home + "/.cache/penstock";
}

std::string index_cache_path(const std::vector<std::string>& shards) {
  const std::string folder = cache_folder();
  if (folder.empty()) {
    return "";
  }
  Sha256 hash;
  for (const std::string& shard : shards) {
    hash.update(shard).update(std::string_view("\0", 1));  // no path holds a NUL
  }
  return folder + "/tar-" + to_hex(hash.finish()).substr(0, 32) + ".index";
}

std::string refuse_index(const std::string& cache_path) {
  if (cache_path.empty()) {
    return {};
  }
  const auto [folder_path, name] = split_path(cache_path);
  const Result<Folder> folder = Folder::open(folder_path, index_rules());
  if (!folder) {
    return {};  // missing, or what cannot be read is not used anyway
  }
  Status trusted = folder->check();
  if (trusted) {
    trusted = folder->check(name);
  }
  return trusted ? std::string() : "the cached index is not used: " + trusted.error().to_string();
}

Status keep_index(const std::string& cache_path, ByteSpan index) {
  const auto [folder_path, name] = split_path(cache_path);
  PENSTOCK_ASSIGN(const Folder folder, Folder::make(folder_path, 0700, index_rules()));
  PENSTOCK_TRY(folder.check());
  return folder.replace_file(name, index);
}

std::optional<Bytes> read_kept(const std::string& cache_path) {
  if (cache_path.empty()) {
    return {};
  }
  const auto [folder_path, name] = split_path(cache_path);
  const Result<Folder> folder = Folder::open(folder_path, index_rules());
  if (!folder || !folder->check() || !folder->check(name)) {
    return {};
  }
  const auto file = folder->open_source(name);
  const auto bytes = file ? (*file)->read_all() : Result<Bytes>(file.error());
  return bytes ? std::optional(bytes->hold()) : std::nullopt;
}

std::optional<TarIndex> load_index(const std::string& cache_path, const std::vector<std::string>& shards,
                                   const std::vector<FileIdentity>& states) {
  const std::optional<Bytes> bytes = read_kept(cache_path);
  auto index = bytes ? TarIndex::view(*bytes) : std::nullopt;
  if (!index || index->shard_count() != shards.size()) {
    return {};
  }
  for (std::size_t s = 0; s < shards.size(); ++s) {
    if (index->shard_name(s) != name_of_shard(shards[s], states[s].tag) ||
        index->shard_state(s) != static_cast<const FileState&>(states[s])) {
      return {};
    }
  }
  return index;
}

bool could_change_unnoticed(const FileState& state, std::int64_t scanned) noexcept {
  constexpr std::int64_t kSecond = 1'000'000'000;
  // Linux stamps files with a clock that ticks every 1 to 10 ms; old file systems keep whole (even) seconds.
  const std::int64_t tick = state.changed % kSecond == 0 ? 2 * kSecond : kSecond / 50;
  return state.changed > scanned - tick;
}

}  // namespace penstock::inline v0
