#pragma once
// The message about a value that a user gave and that cannot be used.

#include <span>
#include <string>
#include <string_view>

#include "penstock/result.hpp"

namespace penstock::inline v0 {

/// `invalid`: "batch_size must be a positive integer, got -1". `expected` follows "must be"; `given` is as
/// the user would write it.
Error must_be(std::string_view name, std::string_view expected, std::string_view given, std::string stage);

/// "a, b or c".
std::string one_of(std::span<const std::string> choices);

}  // namespace penstock::inline v0
