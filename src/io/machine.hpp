#pragma once
// What the machine says of itself.

#include <cstdint>
#include <string>

namespace penstock::inline v0 {

/// Changes whenever the machine starts: what was written before and not flushed may be lost. Empty if
/// unknown.
std::string boot_name();

/// Memory that this process may still take: of the machine, and of its control group.
std::uint64_t free_memory();

}  // namespace penstock::inline v0
