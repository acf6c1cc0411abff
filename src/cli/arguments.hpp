#pragma once
// What options of several verbs mean.

#include <optional>

namespace penstock::cli {

/// Numbers that were not given are 0 in what CLI11 fills.
inline std::optional<int> given(int value) { return value > 0 ? std::optional(value) : std::nullopt; }

}  // namespace penstock::cli
