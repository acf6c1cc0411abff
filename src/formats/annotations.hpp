#pragma once
// Boxes, key points and labels inside a json field, as arrays.

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/field_reading.hpp"
#include "penstock/result.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0 {

/// What reading needs besides.
struct AnnotationMemory {
  std::vector<double> list;             ///< the numbers of one list
  std::vector<std::string_view> names;  ///< of the members so far of all open objects
  std::deque<std::string> unescaped;    ///< those of them that are written with escapes
};

/// What a json field holds at the paths of a spec. Kept from sample to sample for its memory.
struct Annotations {
  std::vector<float> numbers;  ///< boxes: left, top, right, bottom of each; key points: x, y of each
  std::vector<std::int64_t> labels;
  std::size_t count = 0;  ///< boxes or key points
  /// Key points that belong together: those of each value that `*` of the path leads to; without one, those
  /// of each element of the list.
  std::vector<std::uint32_t> groups;
  AnnotationMemory memory;
};

/// Numbers of a box, or of a key point.
constexpr std::size_t numbers_each(AnnotationKind kind) noexcept {
  return kind == AnnotationKind::boxes ? 4 : 2;
}

/// `invalid` if a path is not one: names, places in lists and `*` (every element of a list), joined by dots.
Status check_annotations(const AnnotationSpec& spec);

/// `corrupt`, naming the path, where the text is not JSON, a path leads nowhere or to something else.
Status read_annotations(ByteSpan json, const AnnotationSpec& spec, Annotations& out);

}  // namespace penstock::inline v0
