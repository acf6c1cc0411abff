// RandomEmbed: the image on a canvas of a given size; slipstream's operation.

#include "transforms/drawn_stream.hpp"
#include "transforms/image/geometry_rules.hpp"
#include "transforms/kernels/power_law.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

enum class Background : std::uint8_t { zeros, constant, power_law };

}  // namespace

template <>
struct EnumNames<Background> {
  static constexpr std::array<std::string_view, 3> kNames = {"zeros", "constant", "power_law"};
  static constexpr std::string_view kType = "Literal['zeros', 'constant', 'power_law']";
};

namespace {

struct EmbedParameters {
  transforms::Size canvas_size;
  std::vector<double> x_range = {0.5};
  std::vector<double> y_range = {0.5};
  Background background = Background::zeros;
  std::vector<int> fill = {0};
  std::vector<double> alpha_range = {2.0};

  template <class V>
  void fields(V&& v) {
    v("canvas_size", canvas_size,
      "side of a square, or (height, width); of a larger image the part at that place is kept");
    v("x_range", x_range, "where the image lies: 0 left, 0.5 middle, 1 right; or (min, max)");
    v("y_range", y_range, "0 top, 0.5 middle, 1 bottom; or (min, max)");
    v("background", background,
      "zeros, constant (fill), or power_law: noise whose power falls with frequency");
    v("fill", fill, "of background='constant': one number or one per channel");
    v("alpha_range", alpha_range, "of background='power_law': power is 1 / f^alpha; or (min, max)");
  }
};

struct DrawnEmbedding : DrawnStream {
  int left = 0;
  int top = 0;
  double alpha = 2;

  template <class V>
  void fields(V&& v) {
    v("left", left);
    v("top", top);
    v("alpha", alpha);
    DrawnStream::fields(v);
  }
};

void run_background(const PixelsEdit& edit, const ConstPixelRows&, const PixelRows& out, Scratch& scratch) {
  const auto number = [&](std::size_t i) { return static_cast<int>(edit.numbers[i]); };
  const Rect image{number(0), number(1), number(2), number(3)};
  Draws draws = static_cast<const DrawnEmbedding*>(edit.drawn)->draws();
  fill_power_law(out, image, edit.numbers[4], draws, scratch);
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
    if (p_.background == Background::power_law && std::max(canvas.width, canvas.height) > 4096) {
      return wrong("canvas_size", "must be at most 4096 pixels with background='power_law'", "");
    }
    return check_fill(kName, p_.fill);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    if (p_.background == Background::power_law && in.type == ElementType::uint16) {
      return wrong("background", "must be zeros or constant for images of 16 bits", "");
    }
    const ImageSize canvas = square_or_pair(p_.canvas_size);
    return moved_spec(kName, in, canvas);
  }

  Status draw(const ImageSlots& in, Draws& draws, DrawnEmbedding& drawn) const {
    const ImageSize canvas = square_or_pair(p_.canvas_size);
    drawn.left = static_cast<int>(uniform_float(draws, p_.x_range) * (canvas.width - in.image.size.width));
    drawn.top = static_cast<int>(uniform_float(draws, p_.y_range) * (canvas.height - in.image.size.height));
    drawn.alpha = uniform_float(draws, p_.alpha_range);
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
    if (!(drawn.alpha >= 0) || !(drawn.alpha <= 10)) {
      return detail::wrong_drawn(kName, "alpha", "must be between 0 and 10");
    }
    if (shown.width < in.size.width || shown.height < in.size.height) {
      edits.push_back(CropEdit{shown});
    }
    if (place.width == canvas.width && place.height == canvas.height) {
      return {};
    }
    edits.push_back(
        PadEdit{place.x, place.y, canvas.width - place.x - place.width,
                canvas.height - place.y - place.height, transforms::PaddingMode::constant,
                p_.background == Background::constant ? fill_bytes(p_.fill) : std::array<std::uint8_t, 4>{}});
    if (p_.background == Background::power_law) {
      edits.push_back(PixelsEdit{
          .name = "background",
          .run = run_background,
          .in_place = true,
          .numbers = {static_cast<double>(place.x), static_cast<double>(place.y),
                      static_cast<double>(place.width), static_cast<double>(place.height), drawn.alpha},
          .drawn = &drawn});
    }
    return {};
  }
};

}  // namespace

OperationInfo random_embed_operation() { return operation_info<RandomEmbed>(); }

}  // namespace penstock::inline v0
