// RandomBackgroundBlend: what is transparent shows a background; slipstream's operation.

#include "transforms/drawn_stream.hpp"
#include "transforms/image/backgrounds.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

enum class FadeMode : std::uint8_t { none, circular, cosine };

}  // namespace

/// No fade is None.
template <>
struct ParamCodec<FadeMode> {
  static constexpr std::array<std::string_view, 3> kNames = {"", "circular", "cosine"};
  static constexpr std::string_view kType = "Literal['circular', 'cosine'] | None";
  static ParamValue to_value(FadeMode mode) {
    return mode == FadeMode::none ? ParamValue() : std::string(kNames[static_cast<std::size_t>(mode)]);
  }
  static bool from_value(const ParamValue& value, FadeMode& out) {
    const auto* const text = std::get_if<std::string>(&value);
    out = text == nullptr ? FadeMode::none : *text == kNames[1] ? FadeMode::circular : FadeMode::cosine;
    return text == nullptr ? std::holds_alternative<std::monostate>(value)
                           : *text == kNames[static_cast<std::size_t>(out)];
  }
  static bool missing(FadeMode) { return false; }
};

namespace {

struct BlendParameters {
  Background background = Background::zeros;
  std::vector<int> fill = {0};
  std::vector<double> alpha_range = {2.0};
  FadeMode fade_mode = FadeMode::none;
  std::optional<std::array<double, 2>> fade_radius;
  std::optional<double> inset;
  double p_fade = 1.0;
  double p_background = 1.0;

  template <class V>
  void fields(V&& v) {
    v("background", background, kBackgroundDoc);
    v("fill", fill, kBackgroundFillDoc);
    v("alpha_range", alpha_range, kAlphaDoc);
    v("fade_mode", fade_mode,
      "how the part of the image that can be seen at all fades: circular (fade_radius) or cosine (inset)");
    v("fade_radius", fade_radius, kFadeRadiusDoc);
    v("inset", inset,
      "of fade_mode='cosine': pixels from an edge to where all of it is seen, or up to 1 a share of the "
      "shorter side");
    v("p_fade", p_fade, "probability of fading, where fade_mode is given");
    v("p_background", p_background, "probability of the background; without it there are zeros");
  }
};

struct DrawnBackground : DrawnStream {
  bool fade = false;
  bool has_background = true;
  double alpha = 2;

  template <class V>
  void fields(V&& v) {
    v("fade", fade);
    v("has_background", has_background);
    v("alpha", alpha);
    DrawnStream::fields(v);
  }
};

/// The rectangle around all that is not transparent; empty where all is.
Rect visible_part(const ConstPixelRows& in) {
  int left = in.size.width, top = in.size.height, right = 0, bottom = 0;
  for (int y = 0; y < in.size.height; ++y) {
    for (int x = 0; x < in.size.width; ++x) {
      if (in.row(y)[std::ptrdiff_t{x} * 4 + 3] != 0) {
        left = std::min(left, x);
        right = std::max(right, x + 1);
        top = std::min(top, y);
        bottom = y + 1;
      }
    }
  }
  return right > left ? Rect{left, top, right - left, bottom - top} : Rect{};
}

Fade fade_of(const PixelsEdit& edit, const DrawnBackground& drawn, ImageSize image) {
  if (!drawn.fade) {
    return {};
  }
  return static_cast<FadeMode>(edit.numbers[0]) == FadeMode::circular
             ? Fade::circle(image, edit.numbers[1], edit.numbers[2])
             : Fade::edges(image, edit.numbers[1]);
}

void blend_with_background(const PixelsEdit& edit, const ConstPixelRows& in, const PixelRows& out,
                           Scratch& scratch) {
  const auto& drawn = *static_cast<const DrawnBackground*>(edit.drawn);
  const Rect part = drawn.fade ? visible_part(in) : Rect{};
  const Fade fade = fade_of(edit, drawn, {part.width, part.height});
  const auto blend = [&](int channel, auto background) {
    for (int y = 0; y < in.size.height; ++y) {
      for (int x = 0; x < in.size.width; ++x) {
        const std::uint8_t* const pixel = in.row(y) + std::ptrdiff_t{x} * 4;
        const float opacity = static_cast<float>(pixel[3]) / 255.0F;
        const float share = pixel[3] == 0 ? 0 : opacity * fade.at(x - part.x, y - part.y);
        out.row(y)[std::ptrdiff_t{x} * 3 + channel] = blend_bytes(share, pixel[channel], background(x, y));
      }
    }
  };
  Draws draws = drawn.draws();
  std::optional<PowerLawNoise> noise;
  if (drawn.has_background && edit.numbers[3] != 0) {
    noise.emplace(in.size, drawn.alpha, scratch);
  }
  for (int channel = 0; channel < 3; ++channel) {
    if (noise) {
      noise->next(draws);
      blend(channel, [&](int x, int y) { return noise->at(x, y); });
    } else {
      const double fill = drawn.has_background ? edit.numbers[4 + static_cast<std::size_t>(channel)] : 0;
      blend(channel, [fill](int, int) { return static_cast<std::uint8_t>(fill); });
    }
  }
}

class RandomBackgroundBlend final
    : public ImageOperation<RandomBackgroundBlend, BlendParameters, DrawnBackground> {
 public:
  static constexpr const char* kName = "RandomBackgroundBlend";
  static constexpr const char* kSummary =
      "Puts RGBA images before a background that is seen where they are transparent; they are RGB then.";
  using ImageOperation::ImageOperation;

  Status check() const override {
    PENSTOCK_TRY(check_fill(kName, p_.fill));
    PENSTOCK_TRY(check_one_or_two(kName, "alpha_range", p_.alpha_range, 0, 10));
    PENSTOCK_TRY(check_fade_radius(kName, p_.fade_radius));
    if (p_.fade_mode == FadeMode::circular && !p_.fade_radius) {
      return wrong("fade_radius", "is required for fade_mode='circular'", "");
    }
    if (p_.fade_mode == FadeMode::cosine && !(p_.inset.value_or(-1) >= 0 && *p_.inset <= 65536)) {
      return wrong("inset", "must be a number from 0 to 65536 for fade_mode='cosine'", "");
    }
    PENSTOCK_TRY(check_probability(kName, "p_fade", p_.p_fade));
    return check_probability(kName, "p_background", p_.p_background);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    PENSTOCK_ASSIGN(ImageSpec out, same_if_bytes(kName, in));
    if (in.channels != 4) {
      return Error{ErrorKind::invalid,
                   fmt::format("{} works on images of 4 channels, got {}", kName, in.channels),
                   "read them with mode=\"RGBA\"",
                   {}};
    }
    out.channels = 3;
    PENSTOCK_TRY(check_fill(kName, p_.fill, out));
    return out;
  }

  Status draw(const ImageSlots&, Draws& draws, DrawnBackground& drawn) const {
    drawn.fade = p_.fade_mode != FadeMode::none && draws.chance(p_.p_fade);
    drawn.has_background = draws.chance(p_.p_background);
    drawn.alpha = uniform_float(draws, p_.alpha_range);
    drawn.set(draws);
    return {};
  }

  Status plan(const ImageSpec& in, const DrawnBackground& drawn, ImageEdits& edits) const {
    PENSTOCK_TRY(check_exponent(kName, drawn.alpha));
    if (drawn.fade && p_.fade_mode == FadeMode::none) {
      return detail::wrong_drawn(kName, "fade", "must be False, there is no fade_mode");
    }
    const bool noise = p_.background == Background::power_law;
    if (noise && std::max(in.size.width, in.size.height) > kMaxNoiseSide) {
      return Error{ErrorKind::invalid,
                   fmt::format("{}: an image of {} x {} pixels is too large for background='power_law'",
                               kName, in.size.width, in.size.height),
                   "resize first: its sides may have 4096 pixels",
                   {}};
    }
    const bool circular = p_.fade_mode == FadeMode::circular;
    const std::array<double, 2> radii = p_.fade_radius.value_or(std::array<double, 2>{});
    const PixelBytes fill = p_.background == Background::constant ? fill_pixel(p_.fill, in) : PixelBytes{};
    edits.push_back(
        PixelsEdit{.name = "background",
                   .run = blend_with_background,
                   .numbers = {static_cast<double>(p_.fade_mode), circular ? radii[0] : p_.inset.value_or(0),
                               radii[1], noise ? 1.0 : 0.0, static_cast<double>(fill[0]),
                               static_cast<double>(fill[1]), static_cast<double>(fill[2])},
                   .drawn = &drawn,
                   .channels = 3});
    return {};
  }
};

}  // namespace

OperationInfo random_background_blend_operation() { return operation_info<RandomBackgroundBlend>(); }

}  // namespace penstock::inline v0
