#pragma once
// Which list of operations is for which field, and what moves together.

#include <optional>
#include <string>
#include <vector>

#include "penstock/dataset.hpp"
#include "penstock/loader.hpp"
#include "penstock/options.hpp"
#include "penstock/result.hpp"
#include "pipeline/fill/plane_plan.hpp"

namespace penstock::inline v0 {

/// Whether lists for several fields draw apart, by their field's name.
bool draws_by_field(const FieldTransforms& transforms);

/// The image that lists for the sample, views and operations on batches are of: the field called `image`, or
/// the only one, masks aside. None if there is no image, or several of other names.
std::optional<std::size_t> sample_image(const Dataset& dataset);
/// The labels that are mixed with it: the field of integers called `label`, or the only one.
std::optional<std::size_t> sample_label(const Dataset& dataset);

/// The lists as they were given, those for the sample as a whole under the name of the field that they are
/// for: sample_image(), or the first of audio where there are no images. `invalid` for two lists of one
/// field, and where the sample has several images and none is called `image`.
Result<FieldTransforms> lists_by_field(const Dataset& dataset, const FieldTransforms& transforms);

/// Which fields move together: those in the plane of the image, if it has views, or a list that is for the
/// sample. `lists`: by field.
std::optional<PlaneFields> plane_of(const Dataset& dataset, const FieldTransforms& transforms,
                                    const std::vector<View>& views);

/// `invalid` where views have names that batches have already, or the data set no image.
Status check_views(const std::vector<View>& views, const Dataset& dataset, const FieldTransforms& lists,
                   const LoaderOptions& options);

/// What a user should know of lists that move one thing and leave another that belongs to it.
std::vector<Loader::Problem> list_problems(const Dataset& dataset, const FieldTransforms& transforms);

}  // namespace penstock::inline v0
