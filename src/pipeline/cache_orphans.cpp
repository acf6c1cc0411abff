#include "pipeline/cache_orphans.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "store/disk_file.hpp"

namespace penstock {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLock = ".lock";
constexpr std::string_view kBuilding = ".building";
constexpr auto kForgotten = std::chrono::hours(14 * 24);

/// <name>-<8 hex digits>.store<ending>, as CachedStore names them.
bool is_ours(const std::string& name, std::string_view ending) {
  constexpr std::string_view kStore = ".store";
  constexpr std::size_t kDigits = 8;
  const std::size_t tail = kStore.size() + ending.size();
  if (name.size() < tail + kDigits + 2 || !name.ends_with(ending) ||
      name.compare(name.size() - tail, kStore.size(), kStore) != 0) {
    return false;
  }
  const std::string_view digits = std::string_view(name).substr(name.size() - tail - kDigits, kDigits);
  return name[name.size() - tail - kDigits - 1] == '-' &&
         digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_forgotten(const fs::path& building) {
  std::error_code failed;
  fs::file_time_type newest = fs::last_write_time(building, failed);
  for (fs::directory_iterator entry(building, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    newest = std::max(newest, entry->last_write_time(failed));
  }
  return !failed && newest < fs::file_time_type::clock::now() - kForgotten;
}

/// The lock is held while `path` is looked at, so that nobody begins to use it.
void remove_if_orphan(const fs::path& store) {
  const std::string lock_path = store.string() + std::string(kLock);
  Result<FolderLock> lock = FolderLock::take(lock_path);
  if (!lock) {
    return;
  }
  std::error_code ignored;
  const fs::path building = store.string() + std::string(kBuilding);
  if (fs::exists(building, ignored) && is_forgotten(building)) {
    fs::remove_all(building, ignored);
  }
  if (lock->remove_file()) {
    fs::remove(lock_path, ignored);  // stays if another process waits there
  }
}

}  // namespace

void remove_cache_orphans(const std::string& folder) {
  std::vector<fs::path> stores;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    for (const std::string_view ending : {kLock, kBuilding}) {
      if (is_ours(name, ending)) {
        stores.push_back(entry->path().parent_path() / name.substr(0, name.size() - ending.size()));
      }
    }
  }
  for (const fs::path& store : stores) {
    remove_if_orphan(store);
  }
}

}  // namespace penstock
