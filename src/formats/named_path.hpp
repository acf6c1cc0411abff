#pragma once
// A file or folder, and the words by which the user named it.

#include <string>
#include <utility>

#include "io/storage.hpp"

namespace penstock::inline v0 {

struct NamedPath {
  std::string path;
  std::string named;  ///< path, glob or pattern
  StoragePtr storage = local_storage();

  bool operator==(const NamedPath&) const = default;
};

/// What a user named by a path or URL, in its storage. Storages::find().
inline Result<NamedPath> find_named(const std::string& name,
                                    const Storages& storages = Storages::standard()) {
  auto found = storages.find(name);
  if (!found.ok()) {
    Error error = std::move(found).error();
    error.place.source = name;
    return error;
  }
  return NamedPath{std::move(found->path), name, std::move(found->storage)};
}

}  // namespace penstock::inline v0
