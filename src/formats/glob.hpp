#pragma once
// File names by pattern.

#include <string>
#include <string_view>
#include <vector>

#include "io/storage.hpp"
#include "penstock/result.hpp"

namespace penstock::inline v0 {

/// Whether the text holds one of * ? [
bool has_glob(std::string_view pattern) noexcept;

/// What exists and matches, sorted by bytes. * ? [...] match within one path component and not a leading dot;
/// a component ** stands for any number of folders (links to folders are not followed, hidden ones not
/// entered). A folder that the pattern leads into and that cannot be read is `io`: what it holds would be
/// missing unseen.
Result<std::vector<std::string>> glob_paths(const Storage& storage, std::string_view pattern);

}  // namespace penstock::inline v0
