// GaussianNoise: normal noise on every value, made again from its address.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "transforms/drawn_stream.hpp"
#include "transforms/kernels/normal_noise.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct NoiseParameters {
  double mean = 0.0;
  double sigma = 0.1;
  bool clip = true;

  template <class V>
  void fields(V&& v) {
    v("mean", mean, "of the noise, on the scale of 0 to 1, also for 8-bit images");
    v("sigma", sigma, "standard deviation of the noise, on the same scale");
    v("clip", clip, "cut values off at 0 and 1, or 0 and 255; 8-bit values wrap around otherwise");
  }
};

constexpr double kMaxNoise = 1000;
constexpr int kNoiseChunk = 1024;  // values for which noise is made at a time

using NoiseChunk = std::array<float, kNoiseChunk + 64>;

std::uint32_t noise_blocks_of(std::size_t values) {
  return static_cast<std::uint32_t>((values + kNormalsPerBlock - 1) / kNormalsPerBlock);
}

/// Calls work(noise, first, count) for the values of a row, as they lie in rows of pixels.
template <class Work>
void for_each_noise_chunk(const Draws::State& start, int y, std::size_t values, Work work) {
  alignas(64) NoiseChunk noise;
  const std::uint32_t row = noise_blocks_of(values) * static_cast<std::uint32_t>(y);
  for (std::size_t first = 0; first < values; first += kNoiseChunk) {
    const std::size_t count = std::min<std::size_t>(kNoiseChunk, values - first);
    normal_noise(start, row + noise_blocks_of(first), count, noise.data());
    work(noise.data(), first, count);
  }
}

void noise_on_bytes(const PixelsEdit& edit, const ConstPixelRows& in, const PixelRows& out, Scratch&) {
  const ByteNoise how{.shift = static_cast<float>(edit.numbers[0] * 255),
                      .scale = static_cast<float>(edit.numbers[1] * 255),
                      .clip = edit.numbers[2] != 0};
  const Draws::State start = static_cast<const DrawnStream*>(edit.drawn)->draws().state();
  for (int y = 0; y < in.size.height; ++y) {
    for_each_noise_chunk(
        start, y, in.row_bytes(), [&](const float* noise, std::size_t first, std::size_t count) {
          add_noise(in.row(y) + first, count, in.channels == 4, noise, how, out.row(y) + first);
        });
  }
}

void noise_on_floats(const FloatEdit& edit, const FloatRows& image) {
  const auto mean = static_cast<float>(edit.numbers[0]);
  const auto sigma = static_cast<float>(edit.numbers[1]);
  const bool clip = edit.numbers[2] != 0;
  const Draws::State start = static_cast<const DrawnStream*>(edit.drawn)->draws().state();
  const auto channels = static_cast<std::size_t>(image.channels);
  const std::size_t values = static_cast<std::size_t>(image.size.width) * channels;
  for (int y = 0; y < image.size.height; ++y) {
    for_each_noise_chunk(start, y, values, [&](const float* noise, std::size_t first, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t place = first + i;
        const float more = noise[i] * sigma;
        float& value = image.at(static_cast<int>(place / channels), y, static_cast<int>(place % channels));
        value += mean + more;
        value = clip ? std::clamp(value, 0.0F, 1.0F) : value;
      }
    });
  }
}

class GaussianNoise final : public ImageOperation<GaussianNoise, NoiseParameters, DrawnStream> {
 public:
  static constexpr const char* kName = "GaussianNoise";
  static constexpr const char* kSummary =
      "Adds normal noise to every value of the image, but not to transparency.";
  using ImageOperation::ImageOperation;

  Status check() const override {
    if (!(std::abs(p_.mean) <= kMaxNoise)) {
      return wrong("mean", fmt::format("must be between -{0} and {0}, got {1}", kMaxNoise, p_.mean), "");
    }
    if (!(p_.sigma >= 0) || !(p_.sigma <= kMaxNoise)) {
      return wrong("sigma", fmt::format("must be between 0 and {}, got {}", kMaxNoise, p_.sigma), "");
    }
    return {};
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    if (in.type != ElementType::float32) {
      return same_if_bytes(kName, in);
    }
    ImageSpec out = in;
    out.values_done = true;
    return out;
  }

  Status draw(const ImageSlots&, Draws& draws, DrawnStream& drawn) const {
    drawn.set(draws);
    return {};
  }

  Status plan(const ImageSpec& in, const DrawnStream& drawn, ImageEdits& edits) const {
    const std::array<double, 8> numbers{p_.mean, p_.sigma, p_.clip ? 1.0 : 0.0};
    if (in.is_float()) {
      edits.push_back(
          FloatEdit{.name = "noise", .run = &noise_on_floats, .numbers = numbers, .drawn = &drawn});
    } else {
      edits.push_back(PixelsEdit{
          .name = "noise", .run = &noise_on_bytes, .in_place = true, .numbers = numbers, .drawn = &drawn});
    }
    return {};
  }
};

}  // namespace

OperationInfo gaussian_noise_operation() { return operation_info<GaussianNoise>(); }

}  // namespace penstock::inline v0
