#pragma once
// Boxes and points that lie in an image, moved as its pixels are. Pure functions; any thread may call.

#include <algorithm>
#include <span>
#include <vector>

#include "transforms/image_edits.hpp"

namespace penstock::inline v0 {

/// Boxes in an image of this size. Those of crops and warps are cut off at the edges of the result.
void move_boxes(std::span<const ImageEdit> edits, ImageSize image, const AnnotationItems& boxes);

/// Boxes of corners in another format, in float32 as torchvision converts them.
void to_format(BoxFormat format, std::span<float> boxes) noexcept;

/// Moves key points as move_boxes() does boxes. Mirrored points are those of pixels' centres: x becomes width
/// - 1 - x (y alike), as in torchvision. They may leave the image.
void move_points(std::span<const ImageEdit> edits, ImageSize image, const AnnotationItems& points);

/// Marks items of two kinds that belong to each other, as many of each: both are dropped where either was.
void drop_together(std::span<std::uint8_t> kept, std::span<std::uint8_t> others_kept) noexcept;

/// Takes out what was not kept: `each` values an item.
template <class T>
void drop_items(std::vector<T>& values, std::span<const std::uint8_t> kept, std::size_t each) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i] != 0) {
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(i * each), each,
                  values.begin() + static_cast<std::ptrdiff_t>(end));
      end += each;
    }
  }
  values.resize(end);
}
/// The same for key points, of which items have as many as `sizes` says: `each` values a point.
template <class T>
void drop_points(std::vector<T>& points, std::span<const std::uint8_t> kept,
                 std::span<const std::uint32_t> sizes, std::size_t each = 2) {
  std::size_t begin = 0;
  std::size_t end = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const std::size_t values = each * sizes[i];
    if (kept[i] != 0) {
      std::copy_n(points.begin() + static_cast<std::ptrdiff_t>(begin), values,
                  points.begin() + static_cast<std::ptrdiff_t>(end));
      end += values;
    }
    begin += values;
  }
  points.resize(end);
}

/// What masks of values of this type go through instead: only what moves pixels, by the nearest one, and
/// their own fill. `invalid` where that is no value of this type.
Status mask_edits(const ImageEdits& edits, ElementType type, ImageEdits& masks);

}  // namespace penstock::inline v0
