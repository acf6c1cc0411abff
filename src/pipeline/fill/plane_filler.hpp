#pragma once
// Writes what moves together: an image and what lies in its plane.

#include "pipeline/fill/plane_plan.hpp"

namespace penstock::inline v0 {

/// The plan outlives it.
std::unique_ptr<Filler> make_plane_filler(const PlanePlan& plan, const FillerTools& tools,
                                          std::size_t first_column);

}  // namespace penstock::inline v0
