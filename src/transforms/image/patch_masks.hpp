#pragma once
// What operations that make masks of patches share: a grid, blocks of it, and fields of them.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "transforms/image/size_rules.hpp"
#include "transforms/param_codec.hpp"
#include "transforms/transform.hpp"

namespace penstock::inline v0 {

template <>
struct ParamCodec<std::string> {
  static constexpr std::string_view kType = "str";
  static ParamValue to_value(const std::string& text) { return text; }
  static bool from_value(const ParamValue& value, std::string& out) {
    const auto* const text = std::get_if<std::string>(&value);
    out = text != nullptr ? *text : "";
    return text != nullptr;
  }
  static bool missing(const std::string& text) { return text.empty(); }
};

inline constexpr const char* kGridDoc =
    "patches in a column and in a row of the image, which is a multiple of them: one number or (rows, "
    "columns); 14 for images of 224 and patches of 16";

/// Patches of an image; the unit of its sizes and boxes is one patch.
struct PatchGrid : ImageSize {
  explicit PatchGrid(const transforms::Size& given) noexcept : ImageSize(square_or_pair(given)) {}

  std::size_t patches() const noexcept {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  }
  std::vector<std::size_t> shape() const {
    return {static_cast<std::size_t>(height), static_cast<std::size_t>(width)};
  }
  std::uint8_t* row(std::span<std::uint8_t> mask, int y) const noexcept {
    return mask.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(width);
  }
  /// Sets every patch of a box; how many of them had not that value.
  std::size_t set(std::span<std::uint8_t> mask, const Rect& box, std::uint8_t value) const noexcept;
  /// Patches of a box that are 0.
  std::size_t count_zeros(std::span<std::uint8_t> mask, const Rect& box) const noexcept;
};

/// Whether what the rows of a batch have in common is known already. Kept beside what is drawn; no value.
class KnownBatch {
 public:
  /// True once for each batch.
  bool is_new(const ImageSlots& in) {
    const Draws::State batch = in.common_draws(0).state();
    if (batch == batch_ && in.batch.rows == rows_) {
      return false;
    }
    batch_ = batch;
    rows_ = in.batch.rows;
    return true;
  }

 private:
  Draws::State batch_;
  std::uint64_t rows_ = 0;
};

/// Boxes as they are drawn and kept: top, left, height and width of each.
inline void append_box(std::vector<int>& numbers, const Rect& box) {
  numbers.insert(numbers.end(), {box.y, box.x, box.height, box.width});
}
inline std::size_t box_count(const std::vector<int>& numbers) noexcept { return numbers.size() / 4; }
inline Rect box_at(const std::vector<int>& numbers, std::size_t i) noexcept {
  return {numbers[4 * i + 1], numbers[4 * i], numbers[4 * i + 3], numbers[4 * i + 2]};
}

/// `invalid` unless these are boxes of the grid.
Status check_boxes(std::string_view operation, const char* name, const std::vector<int>& numbers,
                   const PatchGrid& grid);
/// `invalid` unless there can be such a grid.
Status check_grid(std::string_view operation, const transforms::Size& grid);
/// `invalid` unless there can be a field of that name.
Status check_field(std::string_view operation, const char* parameter, const std::string& name);
/// `invalid` unless both are numbers within [least, most], the smaller one first.
Status check_range_within(std::string_view operation, const char* parameter,
                          const std::array<double, 2>& pair, double least, double most);
/// What comes out when `in` goes in, which is the same; `invalid` where the patches have no whole sizes.
Result<ImageSpec> spec_with_patches(std::string_view operation, const PatchGrid& grid, const ImageSpec& in);

}  // namespace penstock::inline v0
