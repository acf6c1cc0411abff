#pragma once
// What killed processes leave in a folder of caches.

#include <string>

namespace penstock {

/// Deletes locks that nobody holds, and builds that nobody has gone on with for two weeks: the next loader of
/// their source would have. What is in use, or is no cache of ours, stays. Failures are left to the next
/// start.
void remove_cache_orphans(const std::string& folder);

}  // namespace penstock
