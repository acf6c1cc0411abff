// RGB: images of three channels, whatever they have.

#include "transforms/kernels/channels.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct RgbParameters {
  template <class V>
  void fields(V&&) {}
};

void to_rgb(const PixelsEdit&, const ConstPixelRows& in, const PixelRows& out, Scratch&) {
  if (in.channels == 1) {
    spread_gray(in, out);
    return;
  }
  for (int y = 0; y < in.size.height; ++y) {
    const std::uint8_t* from = in.row(y);
    std::uint8_t* to = out.row(y);
    for (int x = 0; x < in.size.width; ++x, from += 4, to += 3) {
      std::copy_n(from, 3, to);
    }
  }
}

class RGB final : public ImageOperation<RGB, RgbParameters> {
 public:
  static constexpr const char* kName = "RGB";
  static constexpr const char* kSummary =
      "Makes images of three channels: of gray ones by repeating it, of RGBA without its transparency.";
  using ImageOperation::ImageOperation;

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    PENSTOCK_ASSIGN(ImageSpec out, same_if_bytes(kName, in));
    out.channels = 3;
    return out;
  }

  Status plan(const ImageSpec& in, const NoDraw&, ImageEdits& edits) const {
    if (in.channels != 3) {
      edits.push_back(PixelsEdit{.name = "to RGB", .run = &to_rgb, .channels = 3});
    }
    return {};
  }
};

}  // namespace

OperationInfo rgb_operation() { return operation_info<RGB>(); }

}  // namespace penstock::inline v0
