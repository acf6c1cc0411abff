#pragma once
// File names by pattern.

#include <string>
#include <string_view>
#include <vector>

namespace penstock {

/// Whether the text holds one of * ? [
bool has_glob(std::string_view pattern) noexcept;

/// What exists and matches, sorted by bytes. * ? [...] match within one path component and not a leading dot;
/// a component
/// ** stands for any number of folders (links to folders are not followed, hidden ones not entered).
/// Folders that cannot be read count as empty.
std::vector<std::string> glob_paths(std::string_view pattern);

}  // namespace penstock
