#include "transforms/image/patch_masks.hpp"

namespace penstock::inline v0 {

std::size_t PatchGrid::set(std::span<std::uint8_t> mask, const Rect& box, std::uint8_t value) const noexcept {
  std::size_t changed = 0;
  for (int y = box.y; y < box.y + box.height; ++y) {
    for (std::uint8_t& patch : std::span(row(mask, y) + box.x, static_cast<std::size_t>(box.width))) {
      changed += patch != value ? 1 : 0;
      patch = value;
    }
  }
  return changed;
}

std::size_t PatchGrid::count_zeros(std::span<std::uint8_t> mask, const Rect& box) const noexcept {
  std::size_t zeros = 0;
  for (int y = box.y; y < box.y + box.height; ++y) {
    const std::uint8_t* const first = row(mask, y) + box.x;
    zeros += static_cast<std::size_t>(std::count(first, first + box.width, std::uint8_t{0}));
  }
  return zeros;
}

Status check_boxes(std::string_view operation, const char* name, const std::vector<int>& numbers,
                   const PatchGrid& grid) {
  if (numbers.size() % 4 != 0) {
    return detail::wrong_drawn(operation, name, "must have four numbers for each block");
  }
  for (std::size_t i = 0; i < box_count(numbers); ++i) {
    const Rect box = box_at(numbers, i);
    if (box.x < 0 || box.y < 0 || box.width < 1 || box.height < 1 || box.width > grid.width - box.x ||
        box.height > grid.height - box.y) {
      return detail::wrong_drawn(
          operation, name,
          fmt::format("must have blocks of a grid of {} x {} patches", grid.height, grid.width));
    }
  }
  return {};
}

Status check_grid(std::string_view operation, const transforms::Size& grid) {
  constexpr int kMaxSide = 256;
  const PatchGrid given(grid);
  if (std::min(given.height, given.width) < 1 || std::max(given.height, given.width) > kMaxSide) {
    return invalid_parameter(operation, "grid",
                             fmt::format("must be between 1 and {} patches, got {}", kMaxSide,
                                         repr(ParamCodec<transforms::Size>::to_value(grid))),
                             "");
  }
  return {};
}

Status check_field(std::string_view operation, const char* parameter, const std::string& name) {
  if (name.empty()) {
    return invalid_parameter(operation, parameter, "must be a name, got ''", "");
  }
  return {};
}

Status check_range_within(std::string_view operation, const char* parameter,
                          const std::array<double, 2>& pair, double least, double most) {
  if (!(pair[0] >= least) || !(pair[0] <= pair[1]) || !(pair[1] <= most)) {
    return invalid_parameter(operation, parameter,
                             fmt::format("must be two numbers between {} and {}, the smaller one first, got "
                                         "({}, {})",
                                         least, most, pair[0], pair[1]),
                             "");
  }
  return {};
}

Result<ImageSpec> spec_with_patches(std::string_view operation, const PatchGrid& grid, const ImageSpec& in) {
  if (in.fixed_size() && (in.size.width % grid.width != 0 || in.size.height % grid.height != 0)) {
    return invalid_parameter(operation, "grid",
                             fmt::format("must divide the image of {} x {} (height x width), got {} x {}",
                                         in.size.height, in.size.width, grid.height, grid.width),
                             "put it behind what gives images their size");
  }
  return ImageSpec(in);
}

}  // namespace penstock::inline v0
