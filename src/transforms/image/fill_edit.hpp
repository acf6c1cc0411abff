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

/// How an edit fills bytes, and how floats. Its last four numbers are what the channels become.
struct FillRuns {
  PixelsEdit::Run bytes;
  FloatEdit::Run floats;
};

/// Appends an edit with four numbers of its own that gives pixels one value for each channel; a list of one
/// value is for all.
void push_fill_edit(const ImageSpec& in, const char* name, const FillRuns& runs,
                    const std::array<double, 4>& own, const std::vector<double>& values, ImageEdits& edits);
/// What bytes become.
PixelBytes fill_of(const std::array<double, 8>& numbers);
/// Gives every pixel of the box what floats become.
void fill_box(const FloatRows& image, const Rect& box, const std::array<double, 8>& numbers);

/// Appends an edit that fills a box.
void push_fill(const ImageSpec& in, const Rect& box, const std::vector<double>& values, ImageEdits& edits);

/// What comes out of an operation that erases: the same, floats done. `invalid` where values do not fit bytes
/// or channels.
Result<ImageSpec> describe_erased(std::string_view operation, std::string_view parameter,
                                  const std::vector<double>& values, const ImageSpec& in);
/// `invalid` unless they are finite.
Status check_fill(std::string_view operation, std::string_view parameter, const std::vector<double>& values);

}  // namespace penstock::inline v0
