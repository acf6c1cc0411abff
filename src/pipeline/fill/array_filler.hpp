#pragma once
// Columns of arrays as the source holds them.

#include "pipeline/fill/filler.hpp"

namespace penstock::inline v0 {

FillPlanPtr plan_arrays(FieldSpec spec, std::size_t number);

}  // namespace penstock::inline v0
