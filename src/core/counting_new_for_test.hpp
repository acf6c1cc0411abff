#pragma once

#include <atomic>
#include <cstdint>

namespace penstock::inline v0 {

/// Calls of operator new in this program.
extern std::atomic<std::uint64_t> allocations;

/// While this lives, threads other than the one that made it get no memory from operator new. One at a time.
class NoMemoryElsewhere {
 public:
  NoMemoryElsewhere();
  NoMemoryElsewhere(const NoMemoryElsewhere&) = delete;
  NoMemoryElsewhere& operator=(const NoMemoryElsewhere&) = delete;
  ~NoMemoryElsewhere();
};

}  // namespace penstock::inline v0
