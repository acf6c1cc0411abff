#pragma once
// What tables depend on: measured on an image as it is after the tables before.

#include "core/scratch.hpp"
#include "transforms/image_edits.hpp"
#include "transforms/kernels/pixel_rows.hpp"

namespace penstock::inline v0 {

/// Measures one image at a time. Values are counted once, however many tables ask: what a table makes of them
/// is known without another look at the image.
class ImageMeasure {
 public:
  /// The next image. Its memory must stay as it is while it is measured.
  void begin(const ConstPixelRows& image);
  /// Fills that part of `statistics` which is needed, for the image with its values through `tables`.
  void measure(const ByteTables& tables, TableEdit::Needs needs, Scratch& scratch,
               ImageStatistics& statistics);

 private:
  void count();

  ConstPixelRows image_;
  ValueCounts counts_{};
  bool counted_ = false;
};

}  // namespace penstock::inline v0
