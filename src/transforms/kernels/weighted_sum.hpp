#pragma once
// Images mixed to one. Results are equal on every CPU target. Pure functions; any thread may call.

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/cpu.hpp"

namespace penstock::inline v0 {

/// out[i] is the sum of weights[k] * rows[k][i], each product and each sum rounded to float32, from the first
/// on; then cut off at 0 and 255 and behind the point. There is at least one row; `out` is other memory.
void weighted_sum(std::span<const std::uint8_t* const> rows, std::span<const float> weights,
                  std::size_t count, std::uint8_t* out);

/// The target for which the kernel that runs was compiled, for tests.
CpuTarget weighted_sum_target();

}  // namespace penstock::inline v0
