#pragma once
// What a compiled list will do, in words.

#include <string>

#include "transforms/operation_list.hpp"

namespace penstock::inline v0 {

/// One line for each pass over pixels. Which passes there are is found by trying the list on a few made-up
/// sizes, so an image smaller than those may need a pass more (padding). Operations that
/// pick from others are named, with a line of their own; those with a chance show it.
std::string plan_text(const OperationList<ImageTransform, ImageSpec>& list, MemoryFormat format, Fuse fuse);

}  // namespace penstock::inline v0
