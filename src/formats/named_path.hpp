#pragma once
// A file or folder, and the words by which the user named it.

#include <string>

#include "io/storage.hpp"

namespace penstock::inline v0 {

struct NamedPath {
  std::string path;
  std::string named;  ///< path, glob or pattern
  StoragePtr storage = local_storage();

  bool operator==(const NamedPath&) const = default;
};

}  // namespace penstock::inline v0
