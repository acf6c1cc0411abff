#pragma once
// Columns of images that are read in another mode than RGB, and of masks.

#include "penstock/field_reading.hpp"
#include "pipeline/fill/filler.hpp"

namespace penstock::inline v0 {

/// Rows are [C, H, W] or [H, W, C], of masks [H, W]; of one shape where the table knows that all images have
/// one size and the mode says how many channels. Mode `unchanged`: whether values have 8 or 16 bits is what
/// the first sample has, and images that differ are errors.
Result<FillPlanPtr> plan_mode_images(const SampleTable& table, const FieldInfo& field, std::size_t number,
                                     ImageMode mode, MemoryFormat format, const LoaderOptions& options);

}  // namespace penstock::inline v0
