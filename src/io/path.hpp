#pragma once
// Names of files: their parts, and what they stand for when something is about to be written there.

#include <string>

#include "penstock/result.hpp"

namespace penstock::inline v0 {

/// With one slash between the two.
std::string join_path(const std::string& folder, const std::string& name);
/// What stands after the last slash.
std::string last_name(const std::string& path);
/// Without ".", ".." and double slashes. A URL stays as it is.
std::string normal_path(const std::string& path);

/// Whether there is anything of this name; a link that leads nowhere counts too.
bool is_taken(const std::string& path);
/// What a link leads to, or the path itself if it is none. `not_found` if it leads nowhere.
Result<std::string> behind_link(const std::string& path);
/// Whether `inner` is the folder `outer` or lies below it, links followed. `inner` need not exist.
bool lies_inside(const std::string& inner, const std::string& outer);

}  // namespace penstock::inline v0
