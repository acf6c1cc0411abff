#pragma once
// What tables depend on: measured on an image as it is after the tables before.

#include "core/scratch.hpp"
#include "transforms/image_edits.hpp"
#include "transforms/kernels/pixel_rows.hpp"

namespace penstock::inline v0 {

/// Fills that part of `statistics` which is needed.
void measure_image(const ConstPixelRows& image, const ByteTables& tables, TableEdit::Needs needs,
                   Scratch& scratch, ImageStatistics& statistics);

}  // namespace penstock::inline v0
