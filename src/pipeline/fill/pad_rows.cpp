#include "pipeline/fill/pad_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

namespace penstock::inline v0 {
namespace {

/// Copies an array of `extents` into the corner of one of `room`, the rest of which becomes zeros. Both are
/// moved after what was written and read.
void pad(std::span<const std::size_t> extents, std::span<const std::size_t> room, std::size_t element,
         const std::uint8_t*& in, std::uint8_t*& out) {
  if (extents.size() == 1) {
    std::memcpy(out, in, extents[0] * element);
    std::memset(out + extents[0] * element, 0, (room[0] - extents[0]) * element);
    in += extents[0] * element;
    out += room[0] * element;
    return;
  }
  for (std::size_t i = 0; i < extents[0]; ++i) {
    pad(extents.subspan(1), room.subspan(1), element, in, out);
  }
  std::size_t rest = (room[0] - extents[0]) * element;
  for (const std::size_t extent : room.subspan(1)) {
    rest *= extent;
  }
  std::memset(out, 0, rest);
  out += rest;
}

}  // namespace

std::vector<std::size_t> padded_shape(const Column& column, std::size_t rows) {
  std::vector<std::size_t> shape = {rows};
  for (std::size_t i = 0; i < column.spec.shape.size(); ++i) {
    std::size_t extent = column.spec.shape[i] == kAnyExtent ? 0 : column.spec.shape[i];
    for (std::size_t row = 0; row < rows; ++row) {
      extent = std::max(extent, column.rows[row].shape[i]);
    }
    shape.push_back(extent);
  }
  return shape;
}

void pad_rows(const Column& column, const std::vector<std::size_t>& shape, void* out) {
  auto* to = static_cast<std::uint8_t*>(out);
  for (std::size_t row = 0; row < shape[0]; ++row) {
    const ArrayRow& array = column.rows[row];
    const std::uint8_t* from = array.data;
    pad({array.shape.begin(), array.shape.size()}, std::span(shape).subspan(1), size_of(column.spec.type),
        from, to);
  }
}

}  // namespace penstock::inline v0
