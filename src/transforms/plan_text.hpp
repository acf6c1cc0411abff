#pragma once
// What a compiled list will do, in words.

#include <span>
#include <string>

#include "transforms/transform.hpp"

namespace penstock::inline v0 {

/// One line for each pass over pixels. Which passes there are is found by trying the list on a few made-up
/// sizes, so an image smaller than those may need a pass more (padding).
std::string plan_text(std::span<const TransformPtr> operations, const ImageSpec& output, MemoryFormat format,
                      bool fuse);

}  // namespace penstock::inline v0
