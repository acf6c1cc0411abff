// GridMask: squares in the cells of a grid that lies somewhere over the image.

#include <fmt/format.h>

#include "transforms/image/fill_edit.hpp"
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
                   fmt::format("must be two whole numbers of 2 to {}, the smaller one first", kMaxUnit), "");
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
      return detail::wrong_drawn(kName, "unit", "must be a whole number, larger than top and left");
    }
    const int side = static_cast<int>(drawn.unit * p_.ratio);
    for (int y = drawn.top - drawn.unit; drawn.apply && y < in.size.height; y += drawn.unit) {
      for (int x = drawn.left - drawn.unit; x < in.size.width; x += drawn.unit) {
        const Rect box = within(in.size, x, y, side);
        if (box.width > 0 && box.height > 0) {
          push_fill(in, box, p_.fill, edits);
        }
      }
    }
    return {};
  }

 private:
  static Rect within(ImageSize image, int x, int y, int side) {
    const int left = std::max(x, 0), top = std::max(y, 0);
    return {left, top, std::min(x + side, image.width) - left, std::min(y + side, image.height) - top};
  }
};

}  // namespace

OperationInfo grid_mask_operation() { return operation_info<GridMask>(); }

}  // namespace penstock::inline v0
