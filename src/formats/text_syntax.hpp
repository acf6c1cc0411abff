#pragma once
// Whether stored text and JSON can be read by Python, without reading them: damage is found in the worker.

#include <cstddef>
#include <optional>
#include <string>

#include "penstock/sample.hpp"

namespace penstock::inline v0 {

/// Deeper JSON is refused: Python's reader is recursive.
inline constexpr int kMaxJsonDepth = 500;

/// Nothing if `bytes` are UTF-8, else what is wrong.
std::optional<std::string> text_problem(ByteSpan bytes);
/// Nothing if Python's json.loads takes `bytes`: JSON with NaN and Infinity, in UTF-8, UTF-16 or UTF-32.
std::optional<std::string> json_problem(ByteSpan bytes);

}  // namespace penstock::inline v0
