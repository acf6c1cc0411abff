#pragma once
// Columns of images, or of what users' stages make of them.

#include "pipeline/fill/filler.hpp"
#include "pipeline/foreign/foreign_chain.hpp"

namespace penstock::inline v0 {

/// `layout`: in which images are read. `invalid` where operations cannot follow each other. Rows have one
/// shape where the operations give all images one size, or the table knows that all have one.
Result<FillPlanPtr> plan_images(const SampleTable& table, const FieldInfo& field, std::size_t number,
                                PixelLayout layout, const FieldList& list, MemoryFormat format,
                                const LoaderOptions& options);

}  // namespace penstock::inline v0
