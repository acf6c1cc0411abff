#pragma once
// Columns of text, JSON and bytes: uint8 rows of any length. The rows of a run share one piece of memory.

#include "pipeline/fill/filler.hpp"

namespace penstock::inline v0 {

FillPlanPtr plan_bytes(const FieldInfo& field, std::size_t number);

}  // namespace penstock::inline v0
