#pragma once
// From what a user names (paths, globs, brace patterns, lists of them) to files and folders.

#include <string>
#include <vector>

#include "formats/named_path.hpp"
#include "penstock/result.hpp"

namespace penstock::inline v0 {

/// In the order given; what a glob finds is sorted. A name that exists as it is, is taken as it is.
/// Otherwise: `a::b` are two names, ${NAME} is the environment variable WDS_NAME, braces are expanded, `~` is
/// the home folder, globs are matched. What does not exist is `not_found`, what cannot be looked at
/// `io`; commands (pipe:) and URLs whose scheme has no storage are `unsupported`.
Result<std::vector<NamedPath>> resolve_sources(const std::vector<std::string>& sources,
                                               const Storages& storages = Storages::standard());

}  // namespace penstock::inline v0
