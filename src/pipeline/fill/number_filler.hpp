#pragma once
// Columns of numbers: int64 or float64 without a dimension.

#include "pipeline/fill/filler.hpp"

namespace penstock {

FillPlanPtr plan_numbers(const FieldInfo& field, std::size_t number);

}  // namespace penstock
