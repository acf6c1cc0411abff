// ResizeShortCropLong: a square of the whole shorter side; slipstream's RandomResizeShortCropLong.

#include "transforms/image/geometry_rules.hpp"
#include "transforms/operation_info.hpp"
#include "transforms/python_round.hpp"

namespace penstock::inline v0 {
namespace {

struct ShortCropLongParameters {
  RequiredInts size;
  std::vector<double> x_range = {0.5};
  std::vector<double> y_range = {0.5};
  transforms::Interpolation interpolation = transforms::Interpolation::bilinear;

  template <class V>
  void fields(V&& v) {
    v("size", size, "side of the square, or (min, max) of which one is drawn, both included");
    v("x_range", x_range, "where a wide image is cut: 0 left, 0.5 middle, 1 right; or (min, max)");
    v("y_range", y_range, "where a high image is cut: 0 top, 0.5 middle, 1 bottom; or (min, max)");
    v("interpolation", interpolation, "Pillow's filter");
  }
};

struct DrawnSquare {
  int size = 0;
  double x = 0.5;
  double y = 0.5;

  template <class V>
  void fields(V&& v) {
    v("size", size);
    v("x", x);
    v("y", y);
  }
};

class ResizeShortCropLong final
    : public ImageOperation<ResizeShortCropLong, ShortCropLongParameters, DrawnSquare> {
 public:
  static constexpr const char* kName = "ResizeShortCropLong";
  static constexpr const char* kSummary =
      "Resizes the shorter side to a length and keeps a square, at a place along the longer side.";
  static constexpr bool kMovesPixels = true;
  using ImageOperation::ImageOperation;

  Status check() const override {
    const auto& size = p_.size.numbers;
    if (size.size() > 2 || size.front() < 1 || size.front() > size.back() || size.back() > 1 << 16) {
      return wrong("size", "must be between 1 and 65536 pixels, or (min, max) of such numbers", "");
    }
    PENSTOCK_TRY(check_one_or_two(kName, "x_range", p_.x_range, 0, 1));
    return check_one_or_two(kName, "y_range", p_.y_range, 0, 1);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    const auto& size = p_.size.numbers;
    return moved_spec(kName, in,
                      size.front() == size.back() ? ImageSize{size.front(), size.front()} : ImageSize{});
  }

  Status draw(const ImageSlots&, Draws& draws, DrawnSquare& drawn) const {
    const auto& size = p_.size.numbers;
    const auto choices = static_cast<std::uint64_t>(size.back() - size.front()) + 1;
    // The place comes first: views with one key and several sizes look at the same place.
    drawn.x = uniform_float(draws, p_.x_range);
    drawn.y = uniform_float(draws, p_.y_range);
    drawn.size = size.front() + static_cast<int>(draws.below(choices));
    return {};
  }

  Status plan(const ImageSpec& in, const DrawnSquare& drawn, ImageEdits& edits) const {
    if (!(drawn.x >= 0) || !(drawn.x <= 1) || !(drawn.y >= 0) || !(drawn.y <= 1)) {
      return detail::wrong_drawn(kName, "x and y", "must be between 0 and 1");
    }
    const ImageSize resized = shorter_side_to(in.size, drawn.size, {});
    PENSTOCK_TRY(check_result(kName, resized));
    edits.push_back(ResizeEdit{resized, p_.interpolation});
    const int x = static_cast<int>(python_round((resized.width - drawn.size) * drawn.x));
    const int y = static_cast<int>(python_round((resized.height - drawn.size) * drawn.y));
    edits.push_back(CropEdit{{x, y, drawn.size, drawn.size}});
    return {};
  }
};

}  // namespace

OperationInfo resize_short_crop_long_operation() { return operation_info<ResizeShortCropLong>(); }

}  // namespace penstock::inline v0
