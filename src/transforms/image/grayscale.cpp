// Grayscale: images of one channel, or of three that are the same; Pillow's L.

#include <fmt/format.h>

#include "transforms/image/color_edits.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct GrayscaleParameters {
  int num_output_channels = 1;

  template <class V>
  void fields(V&& v) {
    v("num_output_channels", num_output_channels, "1, or 3 that are the same");
  }
};

void to_other_channels(const PixelsEdit&, const ConstPixelRows& in, const PixelRows& out, Scratch& scratch) {
  if (in.channels == 1) {
    spread_gray(in, out);
  } else if (out.channels == 1) {
    to_gray(in, out);
  } else {
    const PixelRows gray{scratch.reserve(static_cast<std::size_t>(in.size.width)),
                         static_cast<std::size_t>(in.size.width),
                         {in.size.width, 1},
                         1};
    for (int y = 0; y < in.size.height; ++y) {
      to_gray({in.row(y), in.stride, gray.size, in.channels}, gray);
      spread_gray(gray, {out.row(y), out.stride, gray.size, out.channels});
    }
  }
}

class Grayscale final : public ImageOperation<Grayscale, GrayscaleParameters> {
 public:
  static constexpr const char* kName = "Grayscale";
  static constexpr const char* kSummary =
      "Takes the colour out of images, and transparency: one channel, or three that are the same.";
  using ImageOperation::ImageOperation;

  Status check() const override {
    if (p_.num_output_channels != 1 && p_.num_output_channels != 3) {
      return wrong("num_output_channels", fmt::format("must be 1 or 3, got {}", p_.num_output_channels), "");
    }
    return {};
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    PENSTOCK_ASSIGN(ImageSpec out, same_if_bytes(kName, in));
    out.channels = p_.num_output_channels;
    return out;
  }

  Status plan(const ImageSpec& in, const NoDraw&, ImageEdits& edits) const {
    if (in.channels == 3 && p_.num_output_channels == 3) {
      edits.push_back(gray_edit());
    } else if (in.channels != p_.num_output_channels) {
      edits.push_back(
          PixelsEdit{.name = "gray", .run = &to_other_channels, .channels = p_.num_output_channels});
    }
    return {};
  }
};

}  // namespace

OperationInfo grayscale_operation() { return operation_info<Grayscale>(); }

}  // namespace penstock::inline v0
