#pragma once
// Columns of views: several results of one image, which is decoded once.

#include <vector>

#include "pipeline/fill/filler.hpp"

namespace penstock::inline v0 {

/// A column for each view, those that are counted in one: [count, C, H, W]. `invalid` where operations cannot
/// follow each other, or counted views differ in size.
Result<FillPlanPtr> plan_views(std::size_t field, const std::vector<View>& views, MemoryFormat format);

}  // namespace penstock::inline v0
