#pragma once
// A file or folder, and the words by which the user named it.

#include <string>

namespace penstock::inline v0 {

struct NamedPath {
  std::string path;
  std::string named;  ///< path, glob or pattern

  bool operator==(const NamedPath&) const = default;
};

}  // namespace penstock::inline v0
