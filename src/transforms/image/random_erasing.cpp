// RandomErasing: rectangles of random area, shape and place get a value or noise; torchvision's rule, and
// timm's modes.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "transforms/drawn_stream.hpp"
#include "transforms/image/fill_edit.hpp"
#include "transforms/operation_info.hpp"
#include "transforms/python_round.hpp"

namespace penstock::inline v0 {

enum class ErasingMode : std::uint8_t { constant, rand, pixel };

template <>
struct EnumNames<ErasingMode> {
  static constexpr std::array<std::string_view, 3> kNames = {"const", "rand", "pixel"};
  static constexpr std::string_view kType = "Literal['const', 'rand', 'pixel']";
};

namespace {

struct ErasingParameters {
  double p = 0.5;
  std::array<double, 2> scale = {0.02, 0.33};
  std::array<double, 2> ratio = {0.3, 3.3};
  NumbersOrRandom value = {.random = false, .numbers = {0.0}};
  ErasingMode mode = ErasingMode::constant;
  int min_count = 1;
  std::optional<int> max_count;

  template <class V>
  void fields(V&& v) {
    v("p", p, "probability of erasing");
    v("scale", scale, "min and max area of the rectangles together, as a share of the image's");
    v("ratio", ratio, "min and max height / width of a rectangle");
    v("value", value,
      "what its pixels become: one number, one for each channel, or 'random' for normal noise, which for "
      "8-bit "
      "images is uniform");
    v("mode", mode, "timm's: 'const' is value, 'rand' one random colour for each rectangle, 'pixel' noise");
    v("min_count", min_count, "rectangles, at least");
    v("max_count", max_count, "rectangles, at most; None is min_count");
  }
};

struct DrawnErasing {
  bool apply = false;
  DrawnBox box;
  std::vector<int> more;  ///< top, left, height and width of each further rectangle
  DrawnStream noise;

  template <class V>
  void fields(V&& v) {
    v("apply", apply);
    box.fields(v);
    v("more", more);
    noise.fields(v);
  }

  /// Calls each(box) in the order in which they were drawn.
  template <class Each>
  void for_each_box(Each each) const {
    each(box.box());
    for (std::size_t i = 0; i + 3 < more.size(); i += 4) {
      each(Rect{more[i + 1], more[i], more[i + 3], more[i + 2]});
    }
  }
};

// Noise for every pixel, or for each rectangle: numbers[0] says which.

void noise_in_bytes(const PixelsEdit& edit, const ConstPixelRows&, const PixelRows& out, Scratch&) {
  const auto& drawn = *static_cast<const DrawnErasing*>(edit.drawn);
  Draws draws = drawn.noise.draws();
  const auto channels = static_cast<std::size_t>(out.channels);
  const auto next = [&] { return static_cast<std::uint8_t>(draws.next32() >> 24); };
  drawn.for_each_box([&](const Rect& box) {
    if (edit.numbers[0] != 0) {
      PixelBytes color{};
      std::generate_n(color.begin(), channels, next);
      fill_box(out, box, color);
      return;
    }
    for (int y = box.y; y < box.y + box.height; ++y) {
      std::uint8_t* row = out.row(y) + static_cast<std::size_t>(box.x) * channels;
      std::generate_n(row, static_cast<std::size_t>(box.width) * channels, next);
    }
  });
}

/// Normal numbers, two of two uniform ones (Box and Muller).
class NormalNumbers {
 public:
  explicit NormalNumbers(Draws draws) : draws_(draws) {}

  float next() {
    has_spare_ = !has_spare_;
    if (!has_spare_) {
      return spare_;
    }
    const double radius = std::sqrt(-2.0 * std::log(1.0 - draws_.uniform()));
    const double angle = 2.0 * std::numbers::pi * draws_.uniform();
    spare_ = static_cast<float>(radius * std::sin(angle));
    return static_cast<float>(radius * std::cos(angle));
  }

 private:
  Draws draws_;
  float spare_ = 0;
  bool has_spare_ = false;
};

void noise_in_floats(const FloatEdit& edit, const FloatRows& image) {
  const auto& drawn = *static_cast<const DrawnErasing*>(edit.drawn);
  NormalNumbers normal(drawn.noise.draws());
  const bool one_color = edit.numbers[0] != 0;
  drawn.for_each_box([&](const Rect& box) {
    std::vector<float> color(one_color ? static_cast<std::size_t>(image.channels) : 0);
    std::generate(color.begin(), color.end(), [&] { return normal.next(); });
    for (int y = box.y; y < box.y + box.height; ++y) {
      for (int x = box.x; x < box.x + box.width; ++x) {
        for (int c = 0; c < image.channels; ++c) {
          image.at(x, y, c) = one_color ? color[static_cast<std::size_t>(c)] : normal.next();
        }
      }
    }
  });
}

class RandomErasing final : public ImageOperation<RandomErasing, ErasingParameters, DrawnErasing> {
 public:
  static constexpr const char* kName = "RandomErasing";
  static constexpr const char* kSummary = "Erases a rectangle of random area, shape and place, or several.";
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
    if (p_.min_count < 1 || max_count() < p_.min_count || max_count() > kMaxErased) {
      return wrong(p_.min_count < 1 || !p_.max_count ? "min_count" : "max_count",
                   fmt::format("must be between {} and {}, got {}", p_.max_count ? p_.min_count : 1,
                               kMaxErased, p_.min_count < 1 ? p_.min_count : max_count()),
                   "");
    }
    if (p_.mode != ErasingMode::constant && p_.value != ErasingParameters().value) {
      return wrong("value", "must be left out with mode 'rand' or 'pixel'", "");
    }
    return check_fill(kName, "value", p_.value.numbers);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    return describe_erased(kName, "value", is_noise() ? std::vector<double>() : p_.value.numbers, in);
  }

  Status draw(const ImageSlots& in, Draws& draws, DrawnErasing& drawn) const {
    drawn.apply = draws.chance(p_.p);
    drawn.box = {};
    drawn.more.clear();
    if (drawn.apply) {
      const int range = max_count() - p_.min_count;
      const int count =
          range == 0 ? p_.min_count
                     : p_.min_count + static_cast<int>(draws.below(static_cast<std::uint64_t>(range) + 1));
      drawn.apply = false;
      for (int i = 0; i < count; ++i) {
        DrawnBox box;
        if (!choose(in.image.size, count, draws, box) || (count > 1 && (box.width == 0 || box.height == 0))) {
          continue;
        }
        if (drawn.apply) {
          drawn.more.insert(drawn.more.end(), {box.top, box.left, box.height, box.width});
        } else {
          drawn.box = box;
        }
        drawn.apply = true;
      }
    }
    drawn.noise.set(draws);
    return {};
  }

  Status plan(const ImageSpec& in, const DrawnErasing& drawn, ImageEdits& edits) const {
    if (!drawn.apply || drawn.box.width == 0 || drawn.box.height == 0) {
      return {};
    }
    Status status;
    drawn.for_each_box([&](const Rect& box) {
      if (status.ok()) {
        status = check_inside(kName, box, in.size);
      }
      if (status.ok() && !is_noise()) {
        push_fill(in, box, p_.value.numbers, edits);
      }
    });
    PENSTOCK_TRY(std::move(status));
    const std::array<double, 8> numbers{p_.mode == ErasingMode::rand ? 1.0 : 0.0};
    if (is_noise() && in.is_float()) {
      edits.push_back(
          FloatEdit{.name = "erase", .run = &noise_in_floats, .numbers = numbers, .drawn = &drawn});
    } else if (is_noise()) {
      edits.push_back(PixelsEdit{
          .name = "erase", .run = &noise_in_bytes, .in_place = true, .numbers = numbers, .drawn = &drawn});
    }
    return {};
  }

 private:
  static constexpr int kMaxErased = 1000;

  int max_count() const { return p_.max_count.value_or(p_.min_count); }
  bool is_noise() const { return p_.value.random || p_.mode != ErasingMode::constant; }

  bool choose(ImageSize image, int count, Draws& draws, DrawnBox& box) const {
    const double area = static_cast<double>(image.width) * image.height / count;
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
