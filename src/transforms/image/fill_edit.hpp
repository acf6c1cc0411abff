#pragma once
// Boxes of one colour, for the operations that erase: on bytes, and on floats behind Normalize.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "transforms/image/size_rules.hpp"
#include "transforms/transform.hpp"

namespace penstock::inline v0 {

/// Appends an edit that gives the box one value for each channel; a list of one is for all.
void push_fill(const ImageSpec& in, const Rect& box, const std::vector<double>& values, ImageEdits& edits);

/// What comes out of an operation that erases: the same, floats done. `invalid` where values do not fit bytes
/// or channels.
Result<ImageSpec> describe_erased(std::string_view operation, std::string_view parameter,
                                  const std::vector<double>& values, const ImageSpec& in);
/// `invalid` unless they are finite.
Status check_fill(std::string_view operation, std::string_view parameter, const std::vector<double>& values);

}  // namespace penstock::inline v0
