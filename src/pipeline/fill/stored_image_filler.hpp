#pragma once
// Columns of masks, and of images as their files have them.

#include "penstock/field_reading.hpp"
#include "pipeline/fill/filler.hpp"

namespace penstock::inline v0 {

/// `mode`: mask or wide_mask, whose rows are [H, W], of one shape where the table knows that all images have
/// one size; or unchanged, whose rows are [C, H, W] or [H, W, C] with channels and a type of their own each.
/// `invalid` for operations, and for images that are to be padded.
Result<FillPlanPtr> plan_stored_images(const SampleTable& table, const FieldInfo& field, std::size_t number,
                                       ImageMode mode, const FieldList& list, MemoryFormat format,
                                       const LoaderOptions& options);

}  // namespace penstock::inline v0
