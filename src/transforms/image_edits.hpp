#pragma once
// The few things that happen to an image, of three kinds: geometry (moves pixels, and with them masks, boxes
// and points), tables (a byte becomes a byte, channel by channel) and pixels (whatever else makes an image of
// an image); and what happens to its boxes and points alone. Operations plan lists of them; plain values.

#include <array>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "core/scratch.hpp"
#include "penstock/field_reading.hpp"
#include "penstock/sample.hpp"
#include "penstock/transform.hpp"
#include "transforms/kernels/byte_tables.hpp"
#include "transforms/kernels/field.hpp"
#include "transforms/kernels/pixel_rows.hpp"
#include "transforms/kernels/warp.hpp"

namespace penstock::inline v0 {

// Geometry.

/// Keeps a rectangle that lies inside the image.
struct CropEdit {
  Rect box;
  bool centers_only = false;  ///< boxes whose centre is not inside become 0, 0, 0, 0
  bool operator==(const CropEdit&) const = default;
};

/// Whether the centre of a box (left, top, right, bottom) lies inside of `area`, not on its edge.
inline bool has_center_inside(const float* box, const Rect& area) noexcept {
  const float x = 0.5F * (box[0] + box[2]);
  const float y = 0.5F * (box[1] + box[3]);
  return x > static_cast<float>(area.x) && x < static_cast<float>(area.x + area.width) &&
         y > static_cast<float>(area.y) && y < static_cast<float>(area.y + area.height);
}

/// Adds pixels on the four sides (none of them negative).
struct PadEdit {
  int left = 0;
  int top = 0;
  int right = 0;
  int bottom = 0;
  transforms::PaddingMode mode = transforms::PaddingMode::constant;
  PixelBytes fill{};
  int mask_fill = 0;
  bool operator==(const PadEdit&) const = default;
};

/// Pillow's Image.resize.
struct ResizeEdit {
  ImageSize size;
  transforms::Interpolation filter = transforms::Interpolation::bilinear;
  bool operator==(const ResizeEdit&) const = default;
};

/// Mirrors left and right, or top and bottom.
struct FlipEdit {
  bool down = false;  ///< top and bottom
  bool operator==(const FlipEdit&) const = default;
};

/// Turns and mirrors.
struct MoveEdit {
  Move move = Move::flip;
  bool operator==(const MoveEdit&) const = default;
};

/// Pillow's Image.transform: every pixel of the result is looked up where the matrix says.
struct WarpEdit {
  ImageSize size;  ///< of the result
  Warp warp;
  int mask_fill = 0;
};

/// Every pixel of the result, which has the image's size, is looked up where a field says
/// (kernels/field.hpp).
struct FieldEdit {
  /// Writes where the pixels of an image of this size come from. `scratch` is for more than the planes.
  using Make = void (*)(const FieldEdit& edit, ImageSize image, const FieldPlanes& field, Scratch& scratch);
  /// Moves a point, or a corner of a box, as the pixels are.
  using MovePoint = std::array<double, 2> (*)(const FieldEdit& edit, ImageSize image, double x, double y,
                                              bool corner);

  const char* name = "";  ///< human-readable
  Make make = nullptr;
  MovePoint move_point = nullptr;
  FieldSampling sampling;
  std::array<double, 4> numbers{};
  Draws::State noise;
  int mask_fill = 0;
};

// Tables.

using ByteTables = std::array<ByteTable, 4>;  ///< one for each channel

/// How often each value occurs, for each channel.
using ValueCounts = std::array<std::array<std::uint32_t, 256>, 4>;

/// What a table may depend on: the image as it is before the edit.
struct ImageStatistics {
  ValueCounts histogram{};
  std::uint8_t gray_mean = 0;  ///< of L, as Pillow's enhancers round it
};

struct TableEdit {
  enum class Needs : std::uint8_t { nothing, histogram, gray_mean };
  /// Writes what the values of one channel become: the same for all, but where histograms are needed.
  using Make = ByteTable (*)(const TableEdit& edit, const ImageStatistics& image, std::size_t channel);

  const char* name = "";  ///< human-readable
  Make make = nullptr;
  Needs needs = Needs::nothing;
  std::array<double, 2> numbers{};
};

// Pixels.

struct PixelsEdit {
  /// Makes `out` of `in`, which have one size and are the same memory if `in_place`.
  using Run = void (*)(const PixelsEdit& edit, const ConstPixelRows& in, const PixelRows& out,
                       Scratch& scratch);

  const char* name = "";  ///< human-readable
  Run run = nullptr;
  bool in_place = false;
  std::array<double, 8> numbers{};
  const void* drawn = nullptr;  ///< what the operation drew, where that is more; lives as long as the edits
  int channels = 0;             ///< of the result, where they are others than the image's; not in place
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

struct FloatEdit {
  using Run = void (*)(const FloatEdit& edit, const FloatRows& image);
  /// Makes `out` of `in`, other memory of the same size and format.
  using Make = void (*)(const FloatEdit& edit, const FloatRows& in, const FloatRows& out, Scratch& scratch);

  const char* name = "";  ///< human-readable
  Run run = nullptr;      ///< in place; or make
  std::array<double, 8> numbers{};
  const void* drawn = nullptr;
  Make make = nullptr;
  int channels = 0;  ///< of what it makes
};

// Annotations.

/// The boxes of one field or its key points, in pixels of the image as it is then. Boxes are items of one,
/// key points of as many as belong together.
struct AnnotationItems {
  std::span<float> numbers;              ///< left, top, right and bottom of each box; x and y of each point
  std::span<const std::uint32_t> sizes;  ///< points of each item; of boxes: none
  std::span<std::uint8_t> kept;          ///< of each item: 0 where it has been dropped
};

struct AnnotationEdit {
  /// Moves items, or drops them, with their labels and what else belongs to them. Those that have been
  /// dropped are still there.
  using Run = void (*)(const AnnotationEdit& edit, ImageSize image, const AnnotationItems& items);

  const char* name = "";  ///< human-readable
  AnnotationKind of = AnnotationKind::boxes;
  Run run = nullptr;
  std::array<double, 4> numbers{};
  const void* drawn = nullptr;  ///< as PixelsEdit has it
};

using ImageEdit = std::variant<CropEdit, PadEdit, ResizeEdit, FlipEdit, MoveEdit, WarpEdit, FieldEdit,
                               TableEdit, PixelsEdit, FloatEdit, AnnotationEdit>;
using ImageEdits = std::vector<ImageEdit>;

/// Whether it changes pixels before they are floats: all but FloatEdit and AnnotationEdit.
bool is_of_pixels(const ImageEdit& edit) noexcept;
/// Whether it moves pixels.
bool is_geometry(const ImageEdit& edit) noexcept;
/// Says what masks hold where these edits fill.
void set_mask_fill(std::span<ImageEdit> edits, int fill) noexcept;
/// The size of the image after an edit.
ImageSize size_after(ImageSize image, const ImageEdit& edit) noexcept;

}  // namespace penstock::inline v0
