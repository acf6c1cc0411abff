#pragma once
// Columns of arrays as the source holds them, all of one shape.

#include "pipeline/fill/filler.hpp"

namespace penstock::inline v0 {

FillPlanPtr plan_arrays(const FieldInfo& field, std::size_t number, ArraySpec spec);

}  // namespace penstock::inline v0
