#include "pipeline/cache/cache_orphans.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace penstock::inline v0 {
namespace {

constexpr std::string_view kLock = ".lock";
constexpr std::string_view kBuilding = ".building";
constexpr std::chrono::nanoseconds kForgotten = std::chrono::hours(14 * 24);
// Version 0.1 named stores with 8 digits, and had a folder for each lock.
constexpr std::size_t kDigits = 16;
constexpr std::size_t kOldDigits = 8;

/// How many hex digits a name <name>-<digits>.store<ending> has, as CachedStore names them; 0 for others.
std::size_t digits_of(const std::string& name, std::string_view ending) {
  const std::string tail = ".store" + std::string(ending);
  const std::size_t dash = name.rfind('-');
  if (!name.ends_with(tail) || dash == std::string::npos || dash == 0 ||
      name.size() < dash + 1 + tail.size()) {
    return 0;
  }
  const std::string_view digits =
      std::string_view(name).substr(dash + 1, name.size() - tail.size() - dash - 1);
  const bool known = digits.size() == kDigits || digits.size() == kOldDigits;
  return known && digits.find_first_not_of("0123456789abcdef") == std::string_view::npos ? digits.size() : 0;
}

bool is_forgotten(const Folder& folder, const std::string& building) {
  const Result<Folder> opened = folder.open_folder(building);
  const auto state = opened ? opened->state() : Result<Entry>(opened.error());
  const auto names = opened ? opened->names() : Result<std::vector<std::string>>(opened.error());
  if (!state || !names) {
    return false;
  }
  std::int64_t newest = state->state.modified;
  for (const std::string& name : *names) {
    const auto found = opened->find(name);
    if (!found) {
      return false;
    }
    newest = std::max(newest, *found ? (*found)->state.modified : 0);
  }
  const std::chrono::nanoseconds now = std::chrono::system_clock::now().time_since_epoch();
  return newest < (now - kForgotten).count();
}

void remove_if_forgotten(const Folder& folder, const std::string& building) {
  if (is_forgotten(folder, building)) {
    (void)folder.remove_all(building);
  }
}

/// The lock is held while the build is looked at, so that nobody begins to use it.
void remove_if_orphan(const Folder& folder, const std::string& store) {
  const std::string lock_name = store + std::string(kLock);
  const std::string building = store + std::string(kBuilding);
  if (digits_of(store, "") == kOldDigits) {
    if (const auto locked = folder.lock_folder(lock_name)) {
      remove_if_forgotten(folder, building);
      (void)locked->folder.remove(kLockName);
      (void)folder.remove_folder(lock_name);  // stays if another process waits there
    }
  } else if (const auto lock = folder.lock(lock_name)) {
    remove_if_forgotten(folder, building);
    (void)folder.remove(lock_name);
  }
}

}  // namespace

void remove_cache_orphans(const Folder& folder) {
  const auto names = folder.names();
  if (!names) {
    return;
  }
  std::set<std::string> stores;
  for (const std::string& name : *names) {
    for (const std::string_view ending : {kLock, kBuilding}) {
      if (digits_of(name, ending) > 0 && folder.check(name)) {
        stores.insert(name.substr(0, name.size() - ending.size()));
      }
    }
  }
  for (const std::string& store : stores) {
    remove_if_orphan(folder, store);
  }
}

}  // namespace penstock::inline v0
