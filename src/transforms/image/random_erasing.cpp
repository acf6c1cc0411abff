// RandomErasing: a rectangle of random area, shape and place gets one value or noise; torchvision's rule.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "transforms/drawn_stream.hpp"
#include "transforms/image/size_rules.hpp"
#include "transforms/operation_info.hpp"
#include "transforms/python_round.hpp"

namespace penstock::inline v0 {
namespace {

struct ErasingParameters {
  double p = 0.5;
  std::array<double, 2> scale = {0.02, 0.33};
  std::array<double, 2> ratio = {0.3, 3.3};
  NumbersOrRandom value = {.random = false, .numbers = {0.0}};

  template <class V>
  void fields(V&& v) {
    v("p", p, "probability of erasing");
    v("scale", scale, "min and max area of the rectangle, as a share of the image's");
    v("ratio", ratio, "min and max height / width of the rectangle");
    v("value", value,
      "what its pixels become: one number, one for each channel, or 'random' for normal noise, which for "
      "8-bit "
      "images is uniform");
  }
};

struct DrawnErasing {
  bool apply = false;
  DrawnBox box;
  DrawnStream noise;

  template <class V>
  void fields(V&& v) {
    v("apply", apply);
    box.fields(v);
    noise.fields(v);
  }
};

void erase_bytes(const PixelsEdit& edit, const ConstPixelRows&, const PixelRows& out, Scratch&) {
  const auto& drawn = *static_cast<const DrawnErasing*>(edit.drawn);
  const Rect box = drawn.box.box();
  if (edit.numbers[0] == 0) {
    std::array<std::uint8_t, 4> fill{};
    for (std::size_t c = 0; c < fill.size(); ++c) {
      fill[c] = static_cast<std::uint8_t>(edit.numbers[c + 1]);
    }
    fill_box(out, box, fill);
    return;
  }
  Draws draws = drawn.noise.draws();
  const auto channels = static_cast<std::size_t>(out.channels);
  for (int y = box.y; y < box.y + box.height; ++y) {
    std::uint8_t* row = out.row(y) + static_cast<std::size_t>(box.x) * channels;
    for (std::size_t i = 0; i < static_cast<std::size_t>(box.width) * channels; ++i) {
      row[i] = static_cast<std::uint8_t>(draws.next32() >> 24);
    }
  }
}

/// Two independent normal numbers of two uniform ones (Box and Muller).
std::pair<float, float> two_normal(Draws& draws) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - draws.uniform()));
  const double angle = 2.0 * std::numbers::pi * draws.uniform();
  return {static_cast<float>(radius * std::cos(angle)), static_cast<float>(radius * std::sin(angle))};
}

void erase_floats(const FloatEdit& edit, const FloatRows& image) {
  const auto& drawn = *static_cast<const DrawnErasing*>(edit.drawn);
  const Rect box = drawn.box.box();
  Draws draws = drawn.noise.draws();
  float spare = 0;
  bool has_spare = false;
  const auto normal = [&] {
    has_spare = !has_spare;
    if (!has_spare) {
      return spare;
    }
    const auto [first, second] = two_normal(draws);
    spare = second;
    return first;
  };
  for (int y = box.y; y < box.y + box.height; ++y) {
    for (int x = box.x; x < box.x + box.width; ++x) {
      for (int c = 0; c < image.channels; ++c) {
        image.at(x, y, c) = edit.numbers[0] != 0
                                ? normal()
                                : static_cast<float>(edit.numbers[static_cast<std::size_t>(c) + 1]);
      }
    }
  }
}

class RandomErasing final : public ImageOperation<RandomErasing, ErasingParameters, DrawnErasing> {
 public:
  static constexpr const char* kName = "RandomErasing";
  static constexpr const char* kSummary = "Erases a rectangle of random area, shape and place.";
  using ImageOperation::ImageOperation;

  Status check() const override {
    PENSTOCK_TRY(check_chance(p_.p));
    if (!(p_.scale[0] >= 0) || !(p_.scale[0] <= p_.scale[1]) || !(p_.scale[1] <= 1)) {
      return wrong("scale",
                   fmt::format("must be two numbers of 0 to 1, the smaller one first, got ({}, {})",
                               p_.scale[0], p_.scale[1]),
                   "");
    }
    if (!(p_.ratio[0] > 0) || !(p_.ratio[0] <= p_.ratio[1]) || !std::isfinite(p_.ratio[1])) {
      return wrong("ratio",
                   fmt::format("must be two positive numbers, the smaller one first, got ({}, {})",
                               p_.ratio[0], p_.ratio[1]),
                   "");
    }
    for (const double value : p_.value.numbers) {
      if (!std::isfinite(value)) {
        return wrong("value", fmt::format("must be finite, got {}", value), "");
      }
    }
    return {};
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    if (in.type != ElementType::uint8 && in.type != ElementType::float32) {
      return same_if_bytes(kName, in);
    }
    const auto& values = p_.value.numbers;
    if (!p_.value.random && values.size() != 1 && values.size() != static_cast<std::size_t>(in.channels)) {
      return wrong("value", fmt::format("has {} numbers, the image {} channels", values.size(), in.channels),
                   fmt::format("pass 1 or {}", in.channels));
    }
    for (const double value : values) {
      if (in.type == ElementType::uint8 && !(value >= 0 && value <= 255)) {
        return wrong("value", fmt::format("must be between 0 and 255 for 8-bit images, got {}", value), "");
      }
    }
    ImageSpec out = in;
    out.values_done = in.is_float();
    return out;
  }

  Status draw(const ImageSlots& in, Draws& draws, DrawnErasing& drawn) const {
    drawn.apply = draws.chance(p_.p) && choose(in.image.size, draws, drawn.box);
    if (!drawn.apply) {
      drawn.box = {};
    }
    drawn.noise.set(draws);
    return {};
  }

  Status plan(const ImageSpec& in, const DrawnErasing& drawn, ImageEdits& edits) const {
    const Rect box = drawn.box.box();
    if (!drawn.apply || box.width == 0 || box.height == 0) {
      return {};
    }
    PENSTOCK_TRY(check_inside(kName, box, in.size));
    std::array<double, 8> numbers{p_.value.random ? 1.0 : 0.0};
    for (std::size_t c = 0; c < 4 && !p_.value.random; ++c) {
      numbers[c + 1] = p_.value.numbers[std::min(c, p_.value.numbers.size() - 1)];
    }
    if (in.is_float()) {
      edits.push_back(FloatEdit{.name = "erase", .run = &erase_floats, .numbers = numbers, .drawn = &drawn});
    } else {
      edits.push_back(PixelsEdit{
          .name = "erase", .run = &erase_bytes, .in_place = true, .numbers = numbers, .drawn = &drawn});
    }
    return {};
  }

 private:
  bool choose(ImageSize image, Draws& draws, DrawnBox& box) const {
    const double area = static_cast<double>(image.width) * image.height;
    for (int attempt = 0; attempt < 10; ++attempt) {
      const double target = area * draws.uniform(p_.scale[0], p_.scale[1]);
      const double shape = std::exp(draws.uniform(std::log(p_.ratio[0]), std::log(p_.ratio[1])));
      const double h = python_round(std::sqrt(target * shape));
      const double w = python_round(std::sqrt(target / shape));
      if (h < image.height && w < image.width) {
        const auto height = static_cast<int>(h);
        const auto width = static_cast<int>(w);
        const auto top = draws.below(static_cast<std::uint64_t>(image.height - height) + 1);
        const auto left = draws.below(static_cast<std::uint64_t>(image.width - width) + 1);
        box = {static_cast<int>(top), static_cast<int>(left), height, width};
        return true;
      }
    }
    return false;
  }
};

}  // namespace

OperationInfo random_erasing_operation() { return operation_info<RandomErasing>(); }

}  // namespace penstock::inline v0
