#include "transforms/image/fill_edit.hpp"

namespace penstock::inline v0 {
namespace {

// Its own numbers: left, top, width and height.
Rect box_of(const std::array<double, 8>& numbers) {
  const auto whole = [&](std::size_t i) { return static_cast<int>(numbers[i]); };
  return {whole(0), whole(1), whole(2), whole(3)};
}

void fill_bytes(const PixelsEdit& edit, const ConstPixelRows&, const PixelRows& out, Scratch&) {
  fill_box(out, box_of(edit.numbers), fill_of(edit.numbers));
}

void fill_floats(const FloatEdit& edit, const FloatRows& image) {
  fill_box(image, box_of(edit.numbers), edit.numbers);
}

}  // namespace

PixelBytes fill_of(const std::array<double, 8>& numbers) {
  PixelBytes fill{};
  for (std::size_t c = 0; c < fill.size(); ++c) {
    fill[c] = static_cast<std::uint8_t>(numbers[c + 4]);
  }
  return fill;
}

void fill_box(const FloatRows& image, const Rect& box, const std::array<double, 8>& numbers) {
  for (int y = box.y; y < box.y + box.height; ++y) {
    for (int x = box.x; x < box.x + box.width; ++x) {
      for (int c = 0; c < image.channels; ++c) {
        image.at(x, y, c) = static_cast<float>(numbers[static_cast<std::size_t>(std::min(c, 3)) + 4]);
      }
    }
  }
}

void push_fill_edit(const ImageSpec& in, const char* name, const FillRuns& runs,
                    const std::array<double, 4>& own, const std::vector<double>& values, ImageEdits& edits) {
  std::array<double, 8> numbers{own[0], own[1], own[2], own[3]};
  for (std::size_t c = 0; c < 4; ++c) {
    numbers[c + 4] = values[std::min(c, values.size() - 1)];
  }
  if (in.is_float()) {
    edits.push_back(FloatEdit{.name = name, .run = runs.floats, .numbers = numbers});
  } else {
    edits.push_back(PixelsEdit{.name = name, .run = runs.bytes, .in_place = true, .numbers = numbers});
  }
}

void push_fill(const ImageSpec& in, const Rect& box, const std::vector<double>& values, ImageEdits& edits) {
  push_fill_edit(in, "erase", {&fill_bytes, &fill_floats},
                 {static_cast<double>(box.x), static_cast<double>(box.y), static_cast<double>(box.width),
                  static_cast<double>(box.height)},
                 values, edits);
}

Result<ImageSpec> describe_erased(std::string_view operation, std::string_view parameter,
                                  const std::vector<double>& values, const ImageSpec& in) {
  if (in.type == ElementType::uint16 || in.is_rounded()) {
    return same_if_bytes(operation, in);
  }
  if (values.size() > 4) {
    return invalid_parameter(operation, parameter,
                             fmt::format("must have at most 4 numbers, got {}", values.size()),
                             "pass one number");
  }
  if (!values.empty()) {
    PENSTOCK_TRY(check_channels(operation, parameter, values.size(), in));
  }
  for (const double value : values) {
    if (in.type == ElementType::uint8 && !(value >= 0 && value <= 255)) {
      return invalid_parameter(operation, parameter,
                               fmt::format("must be between 0 and 255 for 8-bit images, got {}", value), "");
    }
  }
  ImageSpec out = in;
  out.values_done = in.is_float();
  return out;
}

Status check_fill(std::string_view operation, std::string_view parameter, const std::vector<double>& values) {
  for (const double value : values) {
    if (!std::isfinite(value)) {
      return invalid_parameter(operation, parameter, fmt::format("must be finite, got {}", value), "");
    }
  }
  return {};
}

}  // namespace penstock::inline v0
