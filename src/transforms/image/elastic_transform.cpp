// ElasticTransform: every pixel moves by smooth noise; torchvision's field and sampling, in float32.

#include "transforms/drawn_stream.hpp"
#include "transforms/image/geometry_rules.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

constexpr double kMaxElasticSigma = 64;

struct ElasticParameters {
  std::vector<double> alpha = {50.0};
  std::vector<double> sigma = {5.0};
  transforms::Interpolation interpolation = transforms::Interpolation::bilinear;
  std::vector<int> fill = {0};
  transforms::MaskFill mask_fill = {};

  template <class V>
  void fields(V&& v) {
    v("alpha", alpha, "how far pixels move, one number or one across and one down");
    v("sigma", sigma,
      "how smooth the field is, in pixels, one number or one across and one down; 0: not at all");
    v("interpolation", interpolation, "nearest or bilinear");
    v("fill", fill, "value of what comes from outside, one number or one per channel");
    v("mask_fill", mask_fill, transforms::kMaskFillDoc);
  }
};

/// Taps of the blur beside the middle one: torchvision's kernel of int(8 sigma + 1) taps, made odd.
int reach_of_sigma(double sigma) { return static_cast<int>(8 * sigma + 1) / 2; }

constexpr std::size_t kMaxTaps = static_cast<std::size_t>(4 * kMaxElasticSigma) + 2;
using ElasticTaps = std::array<float, kMaxTaps>;

struct ElasticBlur {
  /// Of the field across (0) or down (1): the size of its kernel follows from one sigma, its shape from both.
  ElasticBlur(const FieldEdit& edit, std::size_t axis) : reach(reach_of_sigma(edit.numbers[2 + axis])) {
    gaussian_taps(std::max(edit.numbers[2], 1e-3), reach, across.data());
    gaussian_taps(std::max(edit.numbers[3], 1e-3), reach, down.data());
  }
  std::span<const float> taps(const ElasticTaps& of) const {
    return {of.data(), static_cast<std::size_t>(reach) + 1};
  }

  int reach;
  ElasticTaps across{};
  ElasticTaps down{};
};

void make_elastic_field(const FieldEdit& edit, ImageSize image, const FieldPlanes& field, Scratch& scratch) {
  const auto count = static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
  fill_noise(edit.noise, count, field.columns, field.rows);
  float* const planes[] = {field.columns, field.rows};
  for (std::size_t axis = 0; axis < 2; ++axis) {
    if (edit.numbers[2 + axis] > 0) {
      const ElasticBlur blur(edit, axis);
      blur_plane(planes[axis], image, blur.taps(blur.across), blur.taps(blur.down), scratch);
    }
  }
  // torchvision's field goes from -1 to 1 over the image.
  const auto across = static_cast<float>(edit.numbers[0] / 2);
  const auto down = static_cast<float>(edit.numbers[1] / 2);
  std::size_t i = 0;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x, ++i) {
      field.columns[i] = static_cast<float>(x) + field.columns[i] * across;
      field.rows[i] = static_cast<float>(y) + field.rows[i] * down;
    }
  }
}

/// The field at one pixel, from its part of the noise: no image is blurred for a few points.
std::array<double, 2> elastic_shift(const FieldEdit& edit, ImageSize image, int x, int y) {
  const ElasticBlur blurs[] = {ElasticBlur(edit, 0), ElasticBlur(edit, 1)};
  const int reach = std::max(blurs[0].reach, blurs[1].reach);
  std::array<float, 2 * kMaxTaps> first;
  std::array<float, 2 * kMaxTaps> second;
  const auto count = static_cast<std::size_t>(2 * reach + 1);
  std::array<double, 2> shift{};
  for (int j = -reach; j <= reach; ++j) {
    Draws::State row = edit.noise;
    row.drawn += static_cast<std::uint32_t>(reflected(y + j, image.height) * image.width);
    if (x >= reach && x + reach < image.width) {
      row.drawn += static_cast<std::uint32_t>(x - reach);
      fill_noise(row, count, first.data(), second.data());
    } else {
      for (std::size_t i = 0; i < count; ++i) {
        Draws::State at = row;
        at.drawn += static_cast<std::uint32_t>(reflected(x - reach + static_cast<int>(i), image.width));
        fill_noise(at, 1, &first[i], &second[i]);
      }
    }
    for (std::size_t axis = 0; axis < 2; ++axis) {
      const ElasticBlur& blur = blurs[axis];
      const auto& noise = axis == 0 ? first : second;
      double sum = 0;
      for (int i = -blur.reach; i <= blur.reach && std::abs(j) <= blur.reach; ++i) {
        sum += static_cast<double>(noise[static_cast<std::size_t>(reach + i)]) *
               static_cast<double>(blur.across[static_cast<std::size_t>(std::abs(i))]);
      }
      shift[axis] += std::abs(j) > blur.reach
                         ? 0
                         : sum * static_cast<double>(blur.down[static_cast<std::size_t>(std::abs(j))]);
    }
  }
  return {shift[0] * edit.numbers[0] / 2, shift[1] * edit.numbers[1] / 2};
}

/// torchvision's approximation: the pixel, minus the field there.
std::array<double, 2> move_elastic_point(const FieldEdit& edit, ImageSize image, double x, double y,
                                         bool corner) {
  const auto pixel = [corner](double at, int length) {
    return static_cast<int>(std::clamp(corner ? std::ceil(at) : std::trunc(at), 0.0, length - 1.0));
  };
  const int column = pixel(x, image.width);
  const int row = pixel(y, image.height);
  const auto [across, down] = elastic_shift(edit, image, column, row);
  return {column - across, row - down};
}

class ElasticTransform final : public ImageOperation<ElasticTransform, ElasticParameters, DrawnStream> {
 public:
  static constexpr const char* kName = "ElasticTransform";
  static constexpr const char* kSummary =
      "Moves every pixel by a smooth random field. Values are torchvision's for the same noise, but for "
      "single ones that are off by 1.";
  static constexpr bool kMovesPixels = true;
  using ImageOperation::ImageOperation;

  Status check() const override {
    PENSTOCK_TRY(check_pair("alpha", p_.alpha, 1e6));
    PENSTOCK_TRY(check_pair("sigma", p_.sigma, kMaxElasticSigma));
    if (p_.interpolation != transforms::Interpolation::nearest &&
        p_.interpolation != transforms::Interpolation::bilinear) {
      return wrong("interpolation", "must be nearest or bilinear", "");
    }
    return check_fill(kName, p_.fill, p_.mask_fill);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    PENSTOCK_TRY(check_warp_type(kName, in, p_.interpolation));
    PENSTOCK_TRY(check_fill(kName, p_.fill, in));
    return moved_spec(kName, in, in.size);
  }

  Status draw(const ImageSlots&, Draws& draws, DrawnStream& drawn) const {
    drawn.set(draws);
    return {};
  }

  Status plan(const ImageSpec& in, const DrawnStream& drawn, ImageEdits& edits) const {
    edits.push_back(
        FieldEdit{.name = "elastic",
                  .make = make_elastic_field,
                  .move_point = move_elastic_point,
                  .sampling = {.nearest = p_.interpolation == transforms::Interpolation::nearest,
                               .fill = fill_pixel(p_.fill, in)},
                  .numbers = {p_.alpha.front(), p_.alpha.back(), p_.sigma.front(), p_.sigma.back()},
                  .noise = drawn.draws().state()});
    return {};
  }

 private:
  Status check_pair(const char* parameter, const std::vector<double>& numbers, double most) const {
    for (const double number : numbers) {
      if (numbers.size() > 2 || !(number >= 0) || !(number <= most)) {
        return wrong(parameter, fmt::format("must be one number or two, from 0 to {}", most), "");
      }
    }
    return {};
  }
};

}  // namespace

OperationInfo elastic_transform_operation() { return operation_info<ElasticTransform>(); }

}  // namespace penstock::inline v0
