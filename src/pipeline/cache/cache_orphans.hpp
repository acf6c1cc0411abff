#pragma once
// What killed processes leave in a folder of caches.

#include "io/folder.hpp"

namespace penstock::inline v0 {

/// Deletes locks that nobody holds, and builds that nobody has continued with for two weeks: the next loader
/// of their source would have. What is in use, is not a cache of ours, or is not trusted by the folder's
/// rules stays. Failures are left to the next start.
void remove_cache_orphans(const Folder& folder);

}  // namespace penstock::inline v0
