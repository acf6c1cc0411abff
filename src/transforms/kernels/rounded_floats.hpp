#pragma once
// From float32 to the types that lists of operations can end in. Results are equal on every CPU target. Pure
// functions; any thread may call.

#include <cstddef>
#include <cstdint>

#include "core/cpu.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0 {

/// torchvision's ToDtype(uint8, scale=True); what is below 0 or no number becomes 0, what is above 1 becomes
/// 255.
inline std::uint8_t byte_of(float value) {
  const float scaled = value * 255.999F;
  return scaled > 0.0F ? static_cast<std::uint8_t>(scaled < 255.0F ? scaled : 255.0F) : std::uint8_t{0};
}

/// Writes half_of(), bfloat_of() or byte_of() of each to `out`, which has elements of `type`.
void round_floats(const float* in, std::size_t count, ElementType type, void* out);

/// The target for which the kernels that run were compiled, for tests.
CpuTarget rounding_target();

}  // namespace penstock::inline v0
