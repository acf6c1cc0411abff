#pragma once

#include <atomic>
#include <cstdint>

namespace penstock {

/// Calls of operator new in this program.
extern std::atomic<std::uint64_t> allocations;

}  // namespace penstock
