#pragma once
// Columns of audio: waves or features, float32, with the frames of each row before padding.

#include "pipeline/fill/filler.hpp"
#include "transforms/transform.hpp"

namespace penstock::inline v0 {

/// Looks at the first samples of the table: rows that end up otherwise are errors, whichever batch they fall
/// into.
Result<FillPlanPtr> plan_audio(const SampleTable& table, const FieldInfo& field, std::size_t number,
                               const FieldList& list);

}  // namespace penstock::inline v0
