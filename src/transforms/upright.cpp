#include "transforms/upright.hpp"

#include <utility>

namespace penstock::inline v0 {

ImageSize UprightReader::begin(ImageSize stored, int orientation) noexcept {
  stored_ = stored;
  move_ = upright_move(orientation);
  return move_ && swaps_sides(*move_) ? ImageSize{stored.height, stored.width} : stored;
}

Rect UprightReader::stored_part(const Rect& box) const noexcept {
  const auto from_right = [this](int at, int length) { return stored_.width - at - length; };
  const auto from_bottom = [this](int at, int length) { return stored_.height - at - length; };
  switch (*move_) {
    case Move::mirror:
      return {from_right(box.x, box.width), box.y, box.width, box.height};
    case Move::flip:
      return {box.x, from_bottom(box.y, box.height), box.width, box.height};
    case Move::turn_180:
      return {from_right(box.x, box.width), from_bottom(box.y, box.height), box.width, box.height};
    case Move::turn_90:
      return {from_right(box.y, box.height), box.x, box.height, box.width};
    case Move::turn_270:
      return {box.y, from_bottom(box.x, box.width), box.height, box.width};
    case Move::transpose:
      return {box.y, box.x, box.height, box.width};
    case Move::transverse:
      return {from_right(box.y, box.height), from_bottom(box.x, box.width), box.height, box.width};
  }
  return box;
}

PixelView UprightReader::room_for(const Rect& part, const PixelView& like) {
  const std::size_t stride = static_cast<std::size_t>(part.width) * pixel_bytes(like.layout);
  return {.data = pixels_.reserve(stride * static_cast<std::size_t>(part.height)),
          .stride = stride,
          .width = part.width,
          .height = part.height,
          .layout = like.layout};
}

void UprightReader::turn(const Rect& part, const PixelView& out) {
  const std::size_t pixel = pixel_bytes(out.layout);  // two bytes of one channel move as two channels
  const int channels = static_cast<int>(pixel);
  move_pixels(
      {pixels_.data(), static_cast<std::size_t>(part.width) * pixel, {part.width, part.height}, channels},
      {out.data, out.stride, {out.width, out.height}, channels}, *move_);
}

}  // namespace penstock::inline v0
