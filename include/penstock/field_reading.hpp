#pragma once
// How a field is read, where its kind leaves a choice: modes of images, arrays inside json. Plain values.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace penstock::inline v0 {

/// How the pixels of an image field are read.
enum class ImageMode : std::uint8_t {
  rgb,        ///< Pillow's convert("RGB")
  gray,       ///< convert("L")
  gray_16,    ///< convert("I;16")
  rgba,       ///< convert("RGBA")
  unchanged,  ///< 1, 3 or 4 channels of 8 bits, or one of 16, as the file has them
  mask,       ///< the values that the file stores, places in a palette or gray levels, in 8 bits
  wide_mask   ///< the same in up to 16 bits
};

constexpr bool is_mask(ImageMode mode) noexcept {
  return mode == ImageMode::mask || mode == ImageMode::wide_mask;
}

enum class AnnotationKind : std::uint8_t { boxes, keypoints };

/// The numbers of a box in a json field: its corners, a corner and its size, or its centre and its size.
enum class BoxFormat : std::uint8_t { xyxy, xywh, cxcywh };

/// Where in a json field boxes or key points stand. Paths are names, places in lists and `*` (every element),
/// joined by dots.
struct AnnotationSpec {
  AnnotationKind kind = AnnotationKind::boxes;
  std::string path{};
  BoxFormat format = BoxFormat::xyxy;
  std::string labels{};     ///< path to a whole number for each box; empty: none
  bool visibility = false;  ///< of key points: their third number is asked for

  /// What the array of whole numbers beside them is called, behind the field's name; empty: there is none.
  std::string beside() const { return !labels.empty() ? "_labels" : visibility ? "_visibility" : ""; }
  bool operator==(const AnnotationSpec&) const = default;
};

/// How a field is read, where its kind leaves a choice.
struct FieldReading {
  ImageMode mode = ImageMode::rgb;              ///< of images
  std::optional<AnnotationSpec> annotations{};  ///< of json: arrays instead of text

  bool operator==(const FieldReading&) const = default;
};

/// By the name of a field.
using FieldReadings = std::map<std::string, FieldReading>;

}  // namespace penstock::inline v0
