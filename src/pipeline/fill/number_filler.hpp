#pragma once
// Columns of whole numbers: int64 without a dimension.

#include "pipeline/fill/filler.hpp"

namespace penstock::inline v0 {

FillPlanPtr plan_integers(const FieldInfo& field, std::size_t number);

}  // namespace penstock::inline v0
