#pragma once
// Which vector instructions this CPU has and which of them the kernels use.
// The choice is made once per process; any thread may ask.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "penstock/result.hpp"

namespace penstock::inline v0 {

enum class CpuTarget : std::uint8_t { scalar, sse4, avx2, avx512, neon };

/// As in the enumerator, and as PENSTOCK_TARGET names it.
const char* name_of(CpuTarget target) noexcept;

/// What this CPU can run, best first; scalar is always the last. The widest is not always the best: see
/// docs/design/kernels.md.
std::vector<CpuTarget> available_cpu_targets();

/// The target that kernels use: the one that the environment variable PENSTOCK_TARGET names, else the best
/// available. `invalid` when the variable names something unknown or something this CPU lacks. To be called
/// before the first kernel runs: it makes the choice.
Result<CpuTarget> active_cpu_target();

/// Makes all kernels of the process use `target` from now on, or the usual choice again (nullopt). For tests;
/// no kernel may run meanwhile. `invalid` when this CPU lacks the target.
Status force_cpu_target_for_test(std::optional<CpuTarget> target);

namespace detail {
/// The choice for a value of PENSTOCK_TARGET (nullopt: not set).
Result<CpuTarget> choose_cpu_target(std::optional<std::string_view> wanted,
                                    const std::vector<CpuTarget>& available);
}  // namespace detail

}  // namespace penstock::inline v0
