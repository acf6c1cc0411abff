#pragma once
// --max-errors, as several verbs take it.

#include <cstdint>
#include <optional>
#include <string>

namespace penstock::cli {

/// How many, or a share of the samples.
struct Tolerance {
  std::optional<std::uint64_t> count;
  std::optional<double> share;
};

/// All of the text as a number of digits alone, with a point in a share; nothing for anything else.
std::optional<Tolerance> tolerance_of(const std::string& text);

/// What is wrong with the text; empty if nothing.
std::string check_max_errors(const std::string& text);

}  // namespace penstock::cli
