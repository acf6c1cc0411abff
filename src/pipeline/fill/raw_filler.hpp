#pragma once
// The stored bytes of a batch, in one buffer: decode = false.

#include "pipeline/fill/filler.hpp"

namespace penstock::inline v0 {

/// Has no column: it fills the storage's RawBytes. Its runs are whole batches.
FillPlanPtr plan_raw(std::size_t field);

}  // namespace penstock::inline v0
