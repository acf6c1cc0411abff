#pragma once
// Brace patterns: "train-{000000..000146}.tar".

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/result.hpp"

namespace penstock::inline v0 {

/// Most names that one pattern may stand for.
inline constexpr std::size_t kMaxExpansion = 1'000'000;

/// As bash: {a,b} lists, {0..9}, {000..146} (padded to the longer end), {0..10..2}, {a..e}, descending,
/// nested; the left-most varies slowest; braces with neither comma nor range stay as they are; a backslash
/// takes the next character literally. Unbalanced braces and more than kMaxExpansion names are `invalid`.
Result<std::vector<std::string>> expand_braces(std::string_view pattern);

}  // namespace penstock::inline v0
