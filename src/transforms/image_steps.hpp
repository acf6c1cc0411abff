#pragma once
// The few things that happen to an image, of three kinds: geometry (moves pixels, and with them masks, boxes
// and points), tables (a byte becomes a byte, channel by channel) and pixels (whatever else makes an image of
// an image). Operations plan lists of them; plain values.

#include <array>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "core/scratch.hpp"
#include "penstock/sample.hpp"
#include "penstock/transform.hpp"
#include "transforms/kernels/byte_tables.hpp"
#include "transforms/kernels/pixel_rows.hpp"
#include "transforms/kernels/warp.hpp"

namespace penstock::inline v0 {

// Geometry.

/// Keeps a rectangle that lies inside the image.
struct CropStep {
  Rect box;
  bool operator==(const CropStep&) const = default;
};

/// Adds pixels on the four sides (none of them negative).
struct PadStep {
  int left = 0;
  int top = 0;
  int right = 0;
  int bottom = 0;
  transforms::PaddingMode mode = transforms::PaddingMode::constant;
  std::array<std::uint8_t, 4> fill{};
  bool operator==(const PadStep&) const = default;
};

/// Pillow's Image.resize.
struct ResizeStep {
  ImageSize size;
  transforms::Interpolation filter = transforms::Interpolation::bilinear;
  bool operator==(const ResizeStep&) const = default;
};

/// Mirrors left and right.
struct FlipStep {
  bool operator==(const FlipStep&) const = default;
};

/// Turns and mirrors.
struct MoveStep {
  Move move = Move::flip;
  bool operator==(const MoveStep&) const = default;
};

/// Pillow's Image.transform: every pixel of the result is looked up where the matrix says.
struct WarpStep {
  ImageSize size;  ///< of the result
  Warp warp;
};

// Tables.

using ByteTables = std::array<ByteTable, 4>;  ///< one for each channel

/// What a table may depend on: the image as it is before the step.
struct ImageStatistics {
  std::array<std::array<std::uint32_t, 256>, 4> histogram{};  ///< of each channel
  std::uint8_t gray_mean = 0;                                 ///< of L, as Pillow's enhancers round it
};

struct TableStep {
  enum class Needs : std::uint8_t { nothing, histogram, gray_mean };
  /// Writes what the values of one channel become.
  using Make = ByteTable (*)(const TableStep& step, const ImageStatistics& image, std::size_t channel);

  const char* name = "";  ///< human-readable
  Make make = nullptr;
  Needs needs = Needs::nothing;
  std::array<double, 2> numbers{};
};

// Pixels.

struct PixelsStep {
  /// Makes `out` of `in`, which have one size and are the same memory if `in_place`.
  using Run = void (*)(const PixelsStep& step, const ConstPixelRows& in, const PixelRows& out,
                       Scratch& scratch);

  const char* name = "";  ///< human-readable
  Run run = nullptr;
  bool in_place = false;
  std::array<double, 8> numbers{};
  const void* drawn = nullptr;  ///< what the operation drew, where that is more; lives as long as the steps
};

/// What happens to the floats of a finished row, [C, H, W] or [H, W, C].
struct FloatRows {
  float* data = nullptr;
  ImageSize size;
  int channels = 3;
  MemoryFormat format = MemoryFormat::channels_first;

  float& at(int x, int y, int channel) const {
    const auto w = static_cast<std::size_t>(size.width);
    const auto place = static_cast<std::size_t>(y) * w + static_cast<std::size_t>(x);
    const auto c = static_cast<std::size_t>(channel);
    return format == MemoryFormat::channels_first
               ? data[c * w * static_cast<std::size_t>(size.height) + place]
               : data[place * static_cast<std::size_t>(channels) + c];
  }
};

struct FloatStep {
  using Run = void (*)(const FloatStep& step, const FloatRows& image);

  const char* name = "";  ///< human-readable
  Run run = nullptr;
  std::array<double, 8> numbers{};
  const void* drawn = nullptr;
};

using ImageStep = std::variant<CropStep, PadStep, ResizeStep, FlipStep, MoveStep, WarpStep, TableStep,
                               PixelsStep, FloatStep>;
using ImageSteps = std::vector<ImageStep>;

/// Whether it moves pixels.
bool is_geometry(const ImageStep& step) noexcept;
/// The size of the image after a step.
ImageSize size_after(ImageSize image, const ImageStep& step) noexcept;

}  // namespace penstock::inline v0
