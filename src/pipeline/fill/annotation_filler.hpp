#pragma once
// Columns of boxes, key points and labels that stand in json fields.

#include "penstock/field_reading.hpp"
#include "pipeline/fill/filler.hpp"

namespace penstock::inline v0 {

/// Rows are float32 [N, 4] or [N, 2], N differing; a second column has labels or visibility, int64 [N], if
/// the spec asks for them.
FillPlanPtr plan_annotations(const FieldInfo& field, std::size_t number, const AnnotationSpec& spec);

}  // namespace penstock::inline v0
