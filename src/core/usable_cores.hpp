#pragma once

namespace penstock::inline v0 {

/// Cores this process may use: its affinity mask, cut by the CPU quota of its control group. At least 1.
unsigned usable_cores();

}  // namespace penstock::inline v0
