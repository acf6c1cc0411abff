#pragma once
// What states say of a pipeline, so that one is not continued by another.

#include <string>
#include <vector>

#include "penstock/dataset.hpp"
#include "penstock/loader.hpp"
#include "penstock/options.hpp"

namespace penstock::inline v0 {

/// A hash of everything but the data that decides what a row holds. `by_field`: whether fields draw apart.
/// The lists are those of a plan that could be made.
std::string pipeline_fingerprint(const Dataset& dataset, const FieldTransforms& transforms,
                                 const std::vector<View>& views, const LoaderOptions& options, bool by_field);

}  // namespace penstock::inline v0
