// RandomPerspective: the corners of the image move inwards; torchvision's draws, Pillow's pixels.

#include "transforms/image/geometry_rules.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct PerspectiveParameters {
  double distortion_scale = 0.5;
  double p = 0.5;
  transforms::Interpolation interpolation = transforms::Interpolation::bilinear;
  std::vector<int> fill = {0};
  transforms::MaskFill mask_fill = {};

  template <class V>
  void fields(V&& v) {
    v("distortion_scale", distortion_scale, "how far corners may move towards the middle, from 0 to 1");
    v("p", p, "probability of doing it");
    v("interpolation", interpolation, "nearest, bilinear or bicubic");
    v("fill", fill, "value of the pixels that come from outside, one number or one per channel");
    v("mask_fill", mask_fill, transforms::kMaskFillDoc);
  }
};

struct DrawnCorners {
  std::vector<int> endpoints;  ///< x and y of the corners, clockwise from the upper left one; none: unchanged

  template <class V>
  void fields(V&& v) {
    v("endpoints", endpoints);
  }
};

/// Solves a system of 8 equations in place, the right sides in the last column; false if it has no solution.
bool solve(std::array<std::array<double, 9>, 8>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::size_t best = i;
    for (std::size_t k = i + 1; k < rows.size(); ++k) {
      best = std::abs(rows[k][i]) > std::abs(rows[best][i]) ? k : best;
    }
    std::swap(rows[i], rows[best]);
    if (std::abs(rows[i][i]) < 1e-9) {
      return false;
    }
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const double factor = k == i ? 0 : rows[k][i] / rows[i][i];
      for (std::size_t c = i; c < 9 && factor != 0; ++c) {
        rows[k][c] -= factor * rows[i][c];
      }
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i][8] /= rows[i][i];
  }
  return true;
}

/// From the drawn corners to the image's; as float32 values, as torchvision has them.
std::optional<std::array<double, 8>> perspective_of(ImageSize image, const std::vector<int>& to) {
  const double right = image.width - 1;
  const double bottom = image.height - 1;
  const double from[] = {0, 0, right, 0, right, bottom, 0, bottom};
  std::array<std::array<double, 9>, 8> rows{};
  for (std::size_t i = 0; i < 4; ++i) {
    const double x = to[2 * i];
    const double y = to[2 * i + 1];
    const double u = from[2 * i];
    const double v = from[2 * i + 1];
    rows[2 * i] = {x, y, 1, 0, 0, 0, -u * x, -u * y, u};
    rows[2 * i + 1] = {0, 0, 0, x, y, 1, -v * x, -v * y, v};
  }
  if (!solve(rows)) {
    return {};
  }
  std::array<double, 8> found{};
  for (std::size_t i = 0; i < 8; ++i) {
    found[i] = std::abs(rows[i][8]) < 1e-14 ? 0.0 : static_cast<double>(static_cast<float>(rows[i][8]));
  }
  return found;
}

class RandomPerspective final
    : public ImageOperation<RandomPerspective, PerspectiveParameters, DrawnCorners> {
 public:
  static constexpr const char* kName = "RandomPerspective";
  static constexpr const char* kSummary = "Shows the image from a random direction; its size stays the same.";
  static constexpr bool kMovesPixels = true;
  using ImageOperation::ImageOperation;

  Status check() const override {
    if (!(p_.distortion_scale >= 0) || !(p_.distortion_scale <= 1)) {
      return wrong("distortion_scale", fmt::format("must be between 0 and 1, got {}", p_.distortion_scale),
                   "");
    }
    PENSTOCK_TRY(check_chance(p_.p));
    PENSTOCK_TRY(check_warp_filter(kName, p_.interpolation));
    return check_fill(kName, p_.fill, p_.mask_fill);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    PENSTOCK_TRY(check_warp_type(kName, in, p_.interpolation));
    PENSTOCK_TRY(check_fill(kName, p_.fill, in));
    return moved_spec(kName, in, in.size);
  }

  Status draw(const ImageSlots& in, Draws& draws, DrawnCorners& drawn) const {
    drawn.endpoints.clear();
    if (!draws.chance(p_.p)) {
      return {};
    }
    const auto [width, height] = in.image.size;
    const int across = static_cast<int>(p_.distortion_scale * (width / 2)) + 1;
    const int down = static_cast<int>(p_.distortion_scale * (height / 2)) + 1;
    const auto add = [&](bool right, bool bottom) {
      const int x = static_cast<int>(draws.below(static_cast<std::uint64_t>(across)));
      const int y = static_cast<int>(draws.below(static_cast<std::uint64_t>(down)));
      drawn.endpoints.push_back(right ? width - across + x : x);
      drawn.endpoints.push_back(bottom ? height - down + y : y);
    };
    add(false, false);
    add(true, false);
    add(true, true);
    add(false, true);
    return {};
  }

  Status plan(const ImageSpec& in, const DrawnCorners& drawn, ImageEdits& edits) const {
    if (drawn.endpoints.empty()) {
      return {};
    }
    if (drawn.endpoints.size() != 8) {
      return detail::wrong_drawn(kName, "endpoints", "must have 8 numbers, or none");
    }
    // Without a solution (an image one pixel wide or high) there is nothing to show.
    if (const auto m = perspective_of(in.size, drawn.endpoints)) {
      const auto [a, b, c, d, e, f, g, h] = *m;
      Warp warp{{a, b, c, d, e, f}, p_.interpolation, fill_pixel(p_.fill, in), {}};
      warp.perspective = {g, h};
      edits.push_back(WarpEdit{in.size, warp});
    }
    return {};
  }
};

}  // namespace

OperationInfo random_perspective_operation() { return operation_info<RandomPerspective>(); }

}  // namespace penstock::inline v0
