#pragma once
// A storage in memory, for tests: no file system is touched.

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/sha256.hpp"
#include "io/memory_source.hpp"
#include "io/storage.hpp"

namespace penstock::inline v0 {

/// Objects by name, as servers have them: folders are what names have in common before a slash. What is put
/// under the name of another replaces it; those who have opened that keep reading it. Tags are hashes of
/// contents. Any thread.
class MemoryStorage final : public Storage {
 public:
  void put(const std::string& path, std::vector<std::uint8_t> bytes) {
    const std::lock_guard lock(mutex_);
    std::string tag = to_hex(Sha256().update(ByteSpan(bytes)).finish());
    objects_[path] = {Bytes::own(std::move(bytes)), std::move(tag)};
  }
  void put(const std::string& path, std::string_view text) {
    put(path, std::vector<std::uint8_t>(text.begin(), text.end()));
  }
  void remove(const std::string& path) {
    const std::lock_guard lock(mutex_);
    objects_.erase(path);
  }

  Result<std::vector<ListedObject>> list(const std::string& folder) const override {
    const std::lock_guard lock(mutex_);
    std::map<std::string, bool> names;
    const std::string prefix = folder.empty() || folder.ends_with('/') ? folder : folder + "/";
    for (auto at = objects_.lower_bound(prefix); at != objects_.end() && at->first.starts_with(prefix);
         ++at) {
      const std::string rest = at->first.substr(prefix.size());
      const std::size_t slash = rest.find('/');
      names[rest.substr(0, slash)] |= slash != std::string::npos;
    }
    if (names.empty()) {
      return missing("cannot list the folder", folder);
    }
    std::vector<ListedObject> entries;
    for (const auto& [name, is_folder] : names) {
      entries.push_back({.name = name, .is_folder = is_folder});
    }
    return entries;
  }

  Result<ObjectState> stat(const char* path) const override {
    const std::lock_guard lock(mutex_);
    if (const auto found = objects_.find(path); found != objects_.end()) {
      ObjectState state{.type = ObjectState::Type::file};
      state.identity.size = found->second.bytes.size();
      state.identity.tag = found->second.tag;
      return state;
    }
    const std::string prefix = std::string(path) + "/";
    const auto below = objects_.lower_bound(prefix);
    const bool is_folder = below != objects_.end() && below->first.starts_with(prefix);
    return ObjectState{.type = is_folder ? ObjectState::Type::folder : ObjectState::Type::missing};
  }

  Result<SourcePtr> open(const std::string& path, Access) const override {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(path);
    if (found == objects_.end()) {
      return missing("cannot open the file", path);
    }
    return SourcePtr(std::make_shared<MemorySource>(path, found->second.bytes, found->second.tag));
  }

  Result<Bytes> read(const char* path) const override {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(path);
    if (found == objects_.end()) {
      return missing("cannot open the file", path);
    }
    return found->second.bytes;
  }

  Result<Bytes> read_start(const char* path, std::uint64_t size) const override {
    PENSTOCK_ASSIGN(const Bytes bytes, read(path));
    return bytes.part(0, std::min<std::uint64_t>(size, bytes.size()));
  }

  std::optional<Bytes> read_without_waiting(const std::string& path) const override {
    auto bytes = Storage::read(path);
    return bytes ? std::optional<Bytes>(std::move(*bytes)) : std::nullopt;
  }
  void announce(const std::string&) const noexcept override {}
  std::string absolute(const std::string& path) const override { return path; }

 private:
  struct Object {
    Bytes bytes;
    std::string tag;
  };

  static Error missing(const char* what, const std::string& path) {
    return {.kind = ErrorKind::not_found,
            .message = std::string(what) + ": there is none",
            .place = {.shard = path, .stage = "open"}};
  }

  mutable std::mutex mutex_;
  std::map<std::string, Object> objects_;
};

}  // namespace penstock::inline v0
