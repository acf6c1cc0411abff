// GridMask: squares in the cells of a grid that lies somewhere over the image.

#include <fmt/format.h>

#include <algorithm>

#include "transforms/image/fill_edit.hpp"
#include "transforms/kernels/warp.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct GridParameters {
  std::array<double, 2> unit_size = {96, 224};
  double ratio = 0.5;
  std::vector<double> fill = {0.0};
  double p = 0.5;

  template <class V>
  void fields(V&& v) {
    v("unit_size", unit_size, "min and max side of a cell of the grid, in whole pixels");
    v("ratio", ratio, "side of the square that is filled in each cell, as a share of the cell's");
    v("fill", fill, "what its pixels become: one number, or one for each channel");
    v("p", p, "probability of its being done");
  }
};

struct DrawnGrid {
  bool apply = false;
  int unit = 0;
  int top = 0;  ///< where cells begin
  int left = 0;

  template <class V>
  void fields(V&& v) {
    v("apply", apply);
    v("unit", unit);
    v("top", top);
    v("left", left);
  }
};

constexpr int kMaxUnit = 65536;

// Numbers of the edit: unit, top and left of the grid, side of its squares, then what four channels become.

/// Calls use(box) for the part of every square that lies inside the image.
template <class Use>
void for_each_square(const std::array<double, 8>& numbers, ImageSize image, Use&& use) {
  const auto whole = [&](std::size_t i) { return static_cast<int>(numbers[i]); };
  const int unit = whole(0), side = whole(3);
  for (int y = whole(1) - unit; y < image.height; y += unit) {
    const int top = std::max(y, 0), bottom = std::min(y + side, image.height);
    for (int x = whole(2) - unit; x < image.width; x += unit) {
      const int left = std::max(x, 0), right = std::min(x + side, image.width);
      if (left < right && top < bottom) {
        use(Rect{left, top, right - left, bottom - top});
      }
    }
  }
}

void fill_squares(const PixelsEdit& edit, const ConstPixelRows&, const PixelRows& out, Scratch&) {
  const PixelBytes fill = fill_of(edit.numbers);
  for_each_square(edit.numbers, out.size, [&](const Rect& box) { fill_box(out, box, fill); });
}

void fill_squares(const FloatEdit& edit, const FloatRows& image) {
  for_each_square(edit.numbers, image.size, [&](const Rect& box) { fill_box(image, box, edit.numbers); });
}

class GridMask final : public ImageOperation<GridMask, GridParameters, DrawnGrid> {
 public:
  static constexpr const char* kName = "GridMask";
  static constexpr const char* kSummary =
      "Fills squares in the cells of a grid of random size and place, with a given probability.";
  using ImageOperation::ImageOperation;

  Status check() const override {
    const auto [low, high] = p_.unit_size;
    if (!(low >= 2) || !(low <= high) || !(high <= kMaxUnit) || low != static_cast<int>(low) ||
        high != static_cast<int>(high)) {
      return wrong("unit_size",
                   fmt::format("must be two integers between 2 and {}, the smaller one first", kMaxUnit), "");
    }
    if (!(p_.ratio >= 0) || !(p_.ratio <= 1)) {
      return wrong("ratio", fmt::format("must be between 0 and 1, got {}", p_.ratio), "");
    }
    PENSTOCK_TRY(check_fill(kName, "fill", p_.fill));
    return check_chance(p_.p);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    return describe_erased(kName, "fill", p_.fill, in);
  }

  Status draw(const ImageSlots&, Draws& draws, DrawnGrid& drawn) const {
    const auto below = [&](int bound) {
      return static_cast<int>(draws.below(static_cast<std::uint64_t>(bound)));
    };
    const int low = static_cast<int>(p_.unit_size[0]);
    drawn.apply = draws.chance(p_.p);
    drawn.unit = low + below(static_cast<int>(p_.unit_size[1]) - low + 1);
    drawn.top = below(drawn.unit);
    drawn.left = below(drawn.unit);
    return {};
  }

  Status plan(const ImageSpec& in, const DrawnGrid& drawn, ImageEdits& edits) const {
    if (drawn.unit < 2 || drawn.unit > kMaxUnit || drawn.top < 0 || drawn.top >= drawn.unit ||
        drawn.left < 0 || drawn.left >= drawn.unit) {
      return detail::wrong_drawn(kName, "unit", "must be an integer larger than top and left");
    }
    if (drawn.apply) {
      const int side = static_cast<int>(drawn.unit * p_.ratio);
      push_fill_edit(in, "mask a grid", {&fill_squares, &fill_squares},
                     {static_cast<double>(drawn.unit), static_cast<double>(drawn.top),
                      static_cast<double>(drawn.left), static_cast<double>(side)},
                     p_.fill, edits);
    }
    return {};
  }
};

}  // namespace

OperationInfo grid_mask_operation() { return operation_info<GridMask>(); }

}  // namespace penstock::inline v0
