#pragma once
// Columns of images, or of what users' stages make of them.

#include "pipeline/fill/filler.hpp"
#include "pipeline/foreign/foreign_chain.hpp"

namespace penstock::inline v0 {

/// `invalid` where operations cannot follow each other, or images of different sizes would be floats.
Result<FillPlanPtr> plan_images(const FieldInfo& field, std::size_t number,
                                const std::vector<TransformPtr>& operations, MemoryFormat format);

}  // namespace penstock::inline v0
