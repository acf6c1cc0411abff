#pragma once
// Columns of images, or of what users' stages make of them.

#include "pipeline/fill/filler.hpp"
#include "pipeline/foreign/foreign_chain.hpp"

namespace penstock::inline v0 {

/// `invalid` where operations cannot follow each other. Rows have one shape where the operations give all
/// images one size, or the table knows that all have one.
Result<FillPlanPtr> plan_images(const SampleTable& table, const FieldInfo& field, std::size_t number,
                                const FieldList& list, MemoryFormat format, const LoaderOptions& options);

}  // namespace penstock::inline v0
