#pragma once
// Boxes, key points and labels inside a json field, as arrays.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "formats/json_reader.hpp"
#include "formats/text_syntax.hpp"
#include "penstock/field_reading.hpp"
#include "penstock/result.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0 {

/// What reading needs besides.
struct AnnotationMemory {
  JsonReader reader{{}, kFieldJson};
  std::string name;  ///< of a member, without its escapes
  std::string utf8;  ///< a document that is stored in UTF-16 or UTF-32
};

/// What a json field holds at the paths of a spec. Kept from sample to sample for its memory.
struct Annotations {
  std::vector<float> numbers;        ///< boxes: left, top, right, bottom of each; key points: x, y of each
  std::vector<std::int64_t> labels;  ///< of boxes; of key points their visibility
  std::size_t count = 0;             ///< boxes or key points
  /// Key points that belong together: those of each value that `*` of the path leads to; without one, those
  /// of each element of the list.
  std::vector<std::uint32_t> groups;
  AnnotationMemory memory;
};

/// Numbers of a box, or of a key point.
constexpr std::size_t numbers_each(AnnotationKind kind) noexcept {
  return kind == AnnotationKind::boxes ? 4 : 2;
}

/// The four numbers of a box as left, top, right and bottom; in float32, as torchvision converts them.
void to_corners(BoxFormat format, float* box);

/// `invalid` if a path is not one: names, places in lists and `*` (every element of a list), joined by dots.
Status check_annotations(const AnnotationSpec& spec);

/// `corrupt` where the text is no JSON that a field of kind json may hold, or, naming the path, where that
/// leads nowhere or to something else. A list of numbers is one box, or one key point of two numbers, or
/// COCO's key points, of which each has three: x, y and visibility.
Status read_annotations(ByteSpan json, const AnnotationSpec& spec, Annotations& out);

}  // namespace penstock::inline v0
