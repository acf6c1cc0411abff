// RandomEmbed: the image on a canvas of a given size; slipstream's operation.

#include "transforms/drawn_stream.hpp"
#include "transforms/image/backgrounds.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct EmbedParameters {
  transforms::Size canvas_size;
  std::vector<double> x_range = {0.5};
  std::vector<double> y_range = {0.5};
  Background background = Background::zeros;
  std::vector<int> fill = {0};
  std::vector<double> alpha_range = {2.0};
  std::optional<std::array<double, 2>> fade_radius;
  double p_fade = 1.0;
  transforms::MaskFill mask_fill = {};

  template <class V>
  void fields(V&& v) {
    v("canvas_size", canvas_size,
      "side of a square, or (height, width); of a larger image the part at that place is kept");
    v("x_range", x_range, "where the image lies: 0 left, 0.5 middle, 1 right; or (min, max)");
    v("y_range", y_range, "0 top, 0.5 middle, 1 bottom; or (min, max)");
    v("background", background, kBackgroundDoc);
    v("fill", fill, kBackgroundFillDoc);
    v("alpha_range", alpha_range, kAlphaDoc);
    v("fade_radius", fade_radius, kFadeRadiusDoc);
    v("p_fade", p_fade, "probability of fading, where fade_radius is given");
    v("mask_fill", mask_fill, transforms::kMaskFillDoc);
  }
};

struct DrawnEmbedding : DrawnStream {
  int left = 0;
  int top = 0;
  double alpha = 2;
  bool fade = false;

  template <class V>
  void fields(V&& v) {
    v("left", left);
    v("top", top);
    v("alpha", alpha);
    v("fade", fade);
    DrawnStream::fields(v);
  }
};

/// The image lies on the canvas, at the place that was drawn.
class Embedding {
 public:
  Embedding(const PixelsEdit& edit, ImageSize canvas)
      : drawn_(*static_cast<const DrawnEmbedding*>(edit.drawn)) {
    const ImageSize image{static_cast<int>(edit.numbers[0]), static_cast<int>(edit.numbers[1])};
    right_ = std::min(drawn_.left + image.width, canvas.width);
    bottom_ = std::min(drawn_.top + image.height, canvas.height);
    if (drawn_.fade) {
      fade_ = Fade::circle(image, edit.numbers[2], edit.numbers[3]);
    }
  }

  /// How much of the image is seen there; 0 beside it.
  float share(int x, int y) const {
    const bool inside = x >= drawn_.left && x < right_ && y >= drawn_.top && y < bottom_;
    return inside ? fade_.at(x - drawn_.left, y - drawn_.top) : 0;
  }

 private:
  const DrawnEmbedding& drawn_;
  int right_ = 0;
  int bottom_ = 0;
  Fade fade_;
};

/// background(x, y) is the value of a channel there.
template <class Behind>
void put_behind(const Embedding& image, const PixelRows& out, int channel, Behind background) {
  for (int y = 0; y < out.size.height; ++y) {
    for (int x = 0; x < out.size.width; ++x) {
      if (const float share = image.share(x, y); share < 1) {
        std::uint8_t& value = out.row(y)[std::ptrdiff_t{x} * out.channels + channel];
        value = blend_bytes(share, value, background(x, y));
      }
    }
  }
}

void put_before_noise(const PixelsEdit& edit, const ConstPixelRows&, const PixelRows& out, Scratch& scratch) {
  const auto& drawn = *static_cast<const DrawnEmbedding*>(edit.drawn);
  const Embedding image(edit, out.size);
  Draws draws = drawn.draws();
  PowerLawNoise noise(out.size, drawn.alpha, scratch);
  for (int channel = 0; channel < std::min(out.channels, 3); ++channel) {
    noise.next(draws);
    put_behind(image, out, channel, [&](int x, int y) { return noise.at(x, y); });
  }
  if (out.channels == 4) {
    put_behind(image, out, 3, [](int, int) -> std::uint8_t { return 255; });
  }
}

void put_before_fill(const PixelsEdit& edit, const ConstPixelRows&, const PixelRows& out, Scratch&) {
  const Embedding image(edit, out.size);
  for (int channel = 0; channel < out.channels; ++channel) {
    const auto fill = static_cast<std::uint8_t>(edit.numbers[4 + static_cast<std::size_t>(channel)]);
    put_behind(image, out, channel, [fill](int, int) { return fill; });
  }
}

class RandomEmbed final : public ImageOperation<RandomEmbed, EmbedParameters, DrawnEmbedding> {
 public:
  static constexpr const char* kName = "RandomEmbed";
  static constexpr const char* kSummary = "Puts the image at a random place of a canvas of a given size.";
  static constexpr bool kMovesPixels = true;
  using ImageOperation::ImageOperation;

  Status check() const override {
    PENSTOCK_TRY(check_size(kName, p_.canvas_size));
    PENSTOCK_TRY(check_one_or_two(kName, "x_range", p_.x_range, 0, 1));
    PENSTOCK_TRY(check_one_or_two(kName, "y_range", p_.y_range, 0, 1));
    PENSTOCK_TRY(check_one_or_two(kName, "alpha_range", p_.alpha_range, 0, 10));
    const ImageSize canvas = square_or_pair(p_.canvas_size);
    if (p_.background == Background::power_law && std::max(canvas.width, canvas.height) > kMaxNoiseSide) {
      return wrong("canvas_size", "must be at most 4096 pixels with background='power_law'", "");
    }
    PENSTOCK_TRY(check_fade_radius(kName, p_.fade_radius));
    PENSTOCK_TRY(check_probability(kName, "p_fade", p_.p_fade));
    return check_fill(kName, p_.fill, p_.mask_fill);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    if (p_.background == Background::power_law && in.type == ElementType::uint16) {
      return wrong("background", "must be zeros or constant for images of 16 bits", "");
    }
    if (p_.fade_radius && in.type == ElementType::uint16) {
      return wrong("fade_radius", "must be None for images of 16 bits", "");
    }
    PENSTOCK_TRY(check_fill(kName, p_.fill, in));
    const ImageSize canvas = square_or_pair(p_.canvas_size);
    return moved_spec(kName, in, canvas);
  }

  Status draw(const ImageSlots& in, Draws& draws, DrawnEmbedding& drawn) const {
    const ImageSize canvas = square_or_pair(p_.canvas_size);
    drawn.left = static_cast<int>(uniform_float(draws, p_.x_range) * (canvas.width - in.image.size.width));
    drawn.top = static_cast<int>(uniform_float(draws, p_.y_range) * (canvas.height - in.image.size.height));
    drawn.alpha = uniform_float(draws, p_.alpha_range);
    drawn.fade = p_.fade_radius && draws.chance(p_.p_fade);
    drawn.set(draws);
    return {};
  }

  Status plan(const ImageSpec& in, const DrawnEmbedding& drawn, ImageEdits& edits) const {
    const ImageSize canvas = square_or_pair(p_.canvas_size);
    // What of the image is on the canvas, and where.
    const Rect shown{std::max(-drawn.left, 0), std::max(-drawn.top, 0), std::min(in.size.width, canvas.width),
                     std::min(in.size.height, canvas.height)};
    const Rect place{std::max(drawn.left, 0), std::max(drawn.top, 0), shown.width, shown.height};
    PENSTOCK_TRY(check_inside(kName, shown, in.size));
    PENSTOCK_TRY(check_inside(kName, place, canvas));
    PENSTOCK_TRY(check_exponent(kName, drawn.alpha));
    if (drawn.fade && !p_.fade_radius) {
      return detail::wrong_drawn(kName, "fade", "must be False, there is no fade_radius");
    }
    if (shown.width < in.size.width || shown.height < in.size.height) {
      edits.push_back(CropEdit{shown});
    }
    const PixelBytes fill = p_.background == Background::constant ? fill_pixel(p_.fill, in) : PixelBytes{};
    const bool covers = place.width == canvas.width && place.height == canvas.height;
    if (!covers) {
      edits.push_back(PadEdit{place.x, place.y, canvas.width - place.x - place.width,
                              canvas.height - place.y - place.height, transforms::PaddingMode::constant,
                              fill});
    }
    const bool noise = p_.background == Background::power_law && (!covers || drawn.fade);
    if (noise || drawn.fade) {
      const std::array<double, 2> radii = p_.fade_radius.value_or(std::array<double, 2>{});
      edits.push_back(PixelsEdit{
          .name = noise ? "background" : "fade",
          .run = noise ? put_before_noise : put_before_fill,
          .in_place = true,
          .numbers = {static_cast<double>(in.size.width), static_cast<double>(in.size.height), radii[0],
                      radii[1], static_cast<double>(fill[0]), static_cast<double>(fill[1]),
                      static_cast<double>(fill[2]), static_cast<double>(fill[3])},
          .drawn = &drawn});
    }
    return {};
  }
};

}  // namespace

OperationInfo random_embed_operation() { return operation_info<RandomEmbed>(); }

}  // namespace penstock::inline v0
