#pragma once
// Columns of numbers: int64 or float64 without a dimension, or one float for each class.

#include "pipeline/fill/filler.hpp"

namespace penstock::inline v0 {

FillPlanPtr plan_numbers(const FieldInfo& field, std::size_t number);
/// Classes: rows of float32, 1 at the place of the number and 0 elsewhere.
FillPlanPtr plan_one_hot(const FieldInfo& field, std::size_t number, int classes);

}  // namespace penstock::inline v0
