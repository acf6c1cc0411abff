#include "transforms/coordinates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace penstock::inline v0 {
namespace {

/// x of the result is m[0] * x + m[1] * y + m[2], y alike with the next three, both divided by what the last
/// three give.
struct Forward : std::array<double, 9> {
  Forward(double a, double b, double c, double d, double e, double f, double g = 0, double h = 0,
          double i = 1)
      : array{a, b, c, d, e, f, g, h, i} {}
};

/// The opposite of a warp.
Forward inverse(const Warp& warp) {
  const AffineMatrix& m = warp.matrix;
  const auto [p, q] = warp.perspective.value_or(std::array<double, 2>{});
  const double determinant = m[0] * m[4] - m[1] * m[3];
  const auto part = [determinant](double minor) { return minor / determinant; };
  return {part(m[4] - m[5] * q),     part(m[2] * q - m[1]),     part(m[1] * m[5] - m[2] * m[4]),
          part(m[5] * p - m[3]),     part(m[0] - m[2] * p),     part(m[2] * m[3] - m[0] * m[5]),
          part(m[3] * q - m[4] * p), part(m[1] * p - m[0] * q), 1};
}

/// Where continuous coordinates go; none for edits that do not move pixels.
Forward forward(const ImageEdit& edit, ImageSize image) {
  const double w = image.width;
  const double h = image.height;
  if (const auto* crop = std::get_if<CropEdit>(&edit)) {
    return {1, 0, -static_cast<double>(crop->box.x), 0, 1, -static_cast<double>(crop->box.y)};
  }
  if (const auto* pad = std::get_if<PadEdit>(&edit)) {
    return {1, 0, static_cast<double>(pad->left), 0, 1, static_cast<double>(pad->top)};
  }
  if (const auto* resize = std::get_if<ResizeEdit>(&edit)) {
    return {resize->size.width / w, 0, 0, 0, resize->size.height / h, 0};
  }
  if (const auto* flip = std::get_if<FlipEdit>(&edit)) {
    return flip->down ? Forward{1, 0, 0, 0, -1, h} : Forward{-1, 0, w, 0, 1, 0};
  }
  if (const auto* moved = std::get_if<MoveEdit>(&edit)) {
    switch (moved->move) {
      case Move::mirror:
        return {-1, 0, w, 0, 1, 0};
      case Move::flip:
        return {1, 0, 0, 0, -1, h};
      case Move::turn_90:
        return {0, 1, 0, -1, 0, w};
      case Move::turn_180:
        return {-1, 0, w, 0, -1, h};
      case Move::turn_270:
        return {0, -1, h, 1, 0, 0};
      case Move::transpose:
        return {0, 1, 0, 1, 0, 0};
      case Move::transverse:
        return {0, -1, h, -1, 0, w};
    }
  }
  if (const auto* warp = std::get_if<WarpEdit>(&edit)) {
    return inverse(warp->warp);
  }
  return {1, 0, 0, 0, 1, 0};
}

struct Where {
  double x = 0;
  double y = 0;
};

/// Where an edit moves points of an image to, or corners of boxes.
class Mover {
 public:
  Mover(const ImageEdit& edit, ImageSize image, bool corners)
      : field_(std::get_if<FieldEdit>(&edit)), image_(image), corners_(corners), map_(forward(edit, image)) {
    if (const auto* flip = std::get_if<FlipEdit>(&edit); flip != nullptr && !corners) {
      map_[flip->down ? 5 : 2] -= 1;
    }
  }

  Where operator()(double x, double y) const {
    if (field_ != nullptr) {
      const auto [to_x, to_y] = field_->move_point(*field_, image_, x, y, corners_);
      return {to_x, to_y};
    }
    const double divisor = map_[6] * x + map_[7] * y + map_[8];
    return {(map_[0] * x + map_[1] * y + map_[2]) / divisor, (map_[3] * x + map_[4] * y + map_[5]) / divisor};
  }

 private:
  const FieldEdit* field_;
  ImageSize image_;
  bool corners_;
  Forward map_;
};

bool cuts_off(const ImageEdit& edit) {
  return std::holds_alternative<CropEdit>(edit) || std::holds_alternative<WarpEdit>(edit) ||
         std::holds_alternative<FieldEdit>(edit);
}

void run_on_items(const ImageEdit& edit, AnnotationKind kind, ImageSize image, const AnnotationItems& items) {
  if (const auto* own = std::get_if<AnnotationEdit>(&edit); own != nullptr && own->of == kind) {
    own->run(*own, image, items);
  }
}

}  // namespace

void move_boxes(std::span<const ImageEdit> edits, ImageSize image, const AnnotationItems& items) {
  const std::span<float> boxes = items.numbers;
  for (const ImageEdit& edit : edits) {
    if (!is_geometry(edit)) {
      run_on_items(edit, AnnotationKind::boxes, image, items);
      continue;
    }
    const Mover map(edit, image, /*corners=*/true);
    const auto* const crop = std::get_if<CropEdit>(&edit);
    image = size_after(image, edit);
    const auto within = [&](double value, int length) {
      return static_cast<float>(cuts_off(edit) ? std::clamp(value, 0.0, static_cast<double>(length)) : value);
    };
    for (std::size_t i = 0; i + 4 <= boxes.size(); i += 4) {
      float* const box = boxes.data() + i;
      if (crop != nullptr && crop->centers_only && !has_center_inside(box, crop->box)) {
        std::fill_n(box, 4, 0.0F);
        continue;
      }
      const Where corners[] = {map(box[0], box[1]), map(box[2], box[1]), map(box[2], box[3]),
                               map(box[0], box[3])};
      const auto [left, right] = std::minmax({corners[0].x, corners[1].x, corners[2].x, corners[3].x});
      const auto [top, bottom] = std::minmax({corners[0].y, corners[1].y, corners[2].y, corners[3].y});
      box[0] = within(left, image.width);
      box[1] = within(top, image.height);
      box[2] = within(right, image.width);
      box[3] = within(bottom, image.height);
    }
  }
}

void to_format(BoxFormat format, std::span<float> boxes) noexcept {
  for (std::size_t i = 0; i + 4 <= boxes.size() && format != BoxFormat::xyxy; i += 4) {
    for (const std::size_t axis : {i, i + 1}) {
      boxes[axis + 2] -= boxes[axis];
      if (format == BoxFormat::cxcywh) {
        boxes[axis] = (boxes[axis] * 2 + boxes[axis + 2]) / 2;
      }
    }
  }
}

void move_points(std::span<const ImageEdit> edits, ImageSize image, const AnnotationItems& items) {
  const std::span<float> points = items.numbers;
  for (const ImageEdit& edit : edits) {
    if (!is_geometry(edit)) {
      run_on_items(edit, AnnotationKind::keypoints, image, items);
      continue;
    }
    const Mover map(edit, image, /*corners=*/false);
    image = size_after(image, edit);
    for (std::size_t i = 0; i + 2 <= points.size(); i += 2) {
      const Where moved = map(points[i], points[i + 1]);
      points[i] = static_cast<float>(moved.x);
      points[i + 1] = static_cast<float>(moved.y);
    }
  }
}

void drop_together(std::span<std::uint8_t> kept, std::span<std::uint8_t> others_kept) noexcept {
  for (std::size_t i = 0; i < kept.size(); ++i) {
    kept[i] &= others_kept[i];
    others_kept[i] = kept[i];
  }
}

Status mask_edits(const ImageEdits& edits, ElementType type, ImageEdits& masks) {
  masks.clear();
  int largest = 0;
  const auto pixel_of = [&](int value) {
    largest = std::max(largest, value);
    return PixelBytes{static_cast<std::uint8_t>(value & 0xFF), static_cast<std::uint8_t>(value >> 8)};
  };
  for (const ImageEdit& edit : edits) {
    if (!is_geometry(edit)) {
      continue;
    }
    masks.push_back(edit);
    if (auto* pad = std::get_if<PadEdit>(&masks.back())) {
      pad->fill = pixel_of(pad->mask_fill);
    } else if (auto* resize = std::get_if<ResizeEdit>(&masks.back())) {
      resize->filter = transforms::Interpolation::nearest;
    } else if (auto* warp = std::get_if<WarpEdit>(&masks.back())) {
      warp->warp.filter = transforms::Interpolation::nearest;
      warp->warp.fill = pixel_of(warp->mask_fill);
    } else if (auto* field = std::get_if<FieldEdit>(&masks.back())) {
      field->sampling = {.nearest = true, .fill = pixel_of(field->mask_fill)};
    }
  }
  if (type == ElementType::uint8 && largest > 255) {
    return Error{.kind = ErrorKind::invalid,
                 .message = fmt::format("mask_fill is {}, but the mask has 8 bits", largest),
                 .advice = "use a number up to 255",
                 .place = {.stage = "transform"}};
  }
  return {};
}

}  // namespace penstock::inline v0
