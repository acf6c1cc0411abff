#pragma once
// Columns of arrays as the source holds them, all of one shape.

#include "pipeline/fill/filler.hpp"

namespace penstock {

FillPlanPtr plan_arrays(const FieldInfo& field, std::size_t number, ArraySpec spec);

}  // namespace penstock
