#pragma once
// A loop over indices, spread over a few threads.

#include <cstddef>
#include <functional>

namespace penstock::inline v0 {

/// Calls body(i) exactly once for each i in [0, count), on at most `threads` threads of which the caller is
/// one (0 and 1: the caller alone, in order), and returns when all calls have ended. `body` must be safe to
/// call from several threads at once. The first exception it throws is rethrown here; indices not yet taken
/// by then are left out. Where the system refuses a thread, fewer do the work.
void parallel_for(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& body);

}  // namespace penstock::inline v0
