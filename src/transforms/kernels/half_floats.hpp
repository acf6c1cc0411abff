#pragma once
// From float32 to float16. Results are equal on every CPU target. Pure functions; any thread may call.

#include <cstddef>
#include <cstdint>

#include "core/cpu.hpp"

namespace penstock::inline v0 {

/// out[i] = half_of(in[i]).
void to_half(const float* in, std::size_t count, std::uint16_t* out);

/// The target for which the kernel that runs was compiled, for tests.
CpuTarget half_target();

}  // namespace penstock::inline v0
