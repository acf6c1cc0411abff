#include "transforms/transform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/must_be.hpp"
#include "transforms/catalog.hpp"

namespace penstock::inline v0 {
namespace {

std::string number(double value) {
  std::string text = fmt::format("{}", value);  // shortest text that reads back as the same value
  const bool plain = text.find_first_not_of("-0123456789") == std::string::npos;
  return plain ? text + ".0" : text;
}

struct Writer {
  std::string operator()(std::monostate) const { return "None"; }
  std::string operator()(bool value) const { return value ? "True" : "False"; }
  std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const { return number(value); }
  std::string operator()(const std::string& value) const { return "'" + value + "'"; }
  std::string operator()(const HeldOperations& held) const {
    std::string text;
    for (const TransformPtr& operation : held.list) {
      text += (text.empty() ? "" : ", ") + repr(*operation);
    }
    return "[" + text + "]";
  }
  std::string operator()(const HeldDrawn& held) const {
    return fmt::format("what {} operations drew", held.list.size());
  }
  template <class Number>
  std::string operator()(const std::vector<Number>& list) const {
    std::string text;
    for (const Number value : list) {
      text += (text.empty() ? "" : ", ") + (*this)(value);
    }
    return "(" + text + (list.size() == 1 ? ",)" : ")");
  }
};

}  // namespace

std::string repr(const ParamValue& value) { return std::visit(Writer{}, value); }

std::string repr(const Transform& transform) {
  std::string text;
  for (const auto& [name, value] : transform.params()) {
    // States know lists by this text, also those that were saved before masks had a fill.
    if (name == "mask_fill" && value == ParamValue(std::int64_t{0})) {
      continue;
    }
    text += (text.empty() ? "" : ", ") + name + "=" + repr(value);
  }
  return std::string(transform.name()) + "(" + text + ")";
}

bool HeldOperations::operator==(const HeldOperations& other) const {
  return std::equal(list.begin(), list.end(), other.list.begin(), other.list.end(),
                    [](const TransformPtr& a, const TransformPtr& b) { return *a == *b; });
}

bool HeldDrawn::operator==(const HeldDrawn& other) const { return list == other.list; }

bool operator==(const Transform& a, const Transform& b) {
  return a.name() == b.name() && a.params() == b.params();
}

std::string in_words(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kWords = {
      {{"bool", "True or False"},
       {"int", "an integer"},
       {"float", "a number"},
       {"str", "a string"},
       {"Sequence[int]", "a sequence of integers"},
       {"Sequence[float]", "a sequence of numbers"},
       {"Sequence[Transform]", "a sequence of operations"},
       {"Sequence[dict[str, Any]]", "a sequence of {'op': name, ...}"}}};
  constexpr std::string_view kLiteral = "Literal[";
  std::vector<std::string> parts;
  const auto split = [](std::string_view text, std::string_view at, const auto& take) {
    for (std::size_t end = text.find(at); end != text.npos; end = text.find(at)) {
      take(text.substr(0, end));
      text.remove_prefix(end + at.size());
    }
    take(text);
  };
  split(type, " | ", [&](std::string_view part) {
    if (part.starts_with(kLiteral)) {
      split(part.substr(kLiteral.size(), part.size() - kLiteral.size() - 1), ", ",
            [&](std::string_view choice) { parts.emplace_back(choice); });
      return;
    }
    const auto* const found =
        std::find_if(kWords.begin(), kWords.end(), [part](const auto& word) { return word.first == part; });
    parts.emplace_back(found == kWords.end() ? part : found->second);
  });
  return one_of(parts);
}

Params params_of(const Transform& transform) { return transform.params(); }

Error invalid_parameter(std::string_view operation, std::string_view parameter, std::string message,
                        std::string advice) {
  return Error{
      ErrorKind::invalid, fmt::format("{}: {} {}", operation, parameter, message), std::move(advice), {}};
}

Error geometry_after_values(std::string_view operation) {
  return Error{ErrorKind::invalid,
               fmt::format("{} cannot follow ToFloat or Normalize", operation),
               "put it before them: geometry works on 8-bit pixels, as with Pillow",
               {}};
}

Result<ImageSpec> rounded_spec(std::string_view operation, const ImageSpec& in, ElementType type) {
  if (in.is_rounded()) {
    return Error{ErrorKind::invalid,
                 fmt::format("{} got an image whose values have been rounded already", operation),
                 "keep one of ToFloat16, ToBfloat16 and ToUint8, behind all that changes values",
                 {}};
  }
  ImageSpec out = in;
  out.type = type;
  out.values_done = true;
  return out;
}

Status check_channels(std::string_view operation, std::string_view parameter, std::size_t numbers,
                      const ImageSpec& in) {
  if (numbers == 1 || numbers == static_cast<std::size_t>(in.channels)) {
    return {};
  }
  if (in.channels == 1) {
    return invalid_parameter(operation, parameter,
                             fmt::format("has {} numbers, the image one channel", numbers),
                             "pass one number");
  }
  return invalid_parameter(operation, parameter,
                           fmt::format("has {} numbers, the image {} channels", numbers, in.channels),
                           fmt::format("pass one number or {}", in.channels));
}

Result<ImageSpec> same_if_bytes(std::string_view operation, const ImageSpec& in) {
  if (in.type == ElementType::uint8 && !in.is_float()) {
    return ImageSpec(in);
  }
  return Error{ErrorKind::invalid,
               in.is_float()
                   ? fmt::format("{} works on 8-bit images", operation)
                   : fmt::format("{} works on 8-bit images, not on those of mode \"I;16\"", operation),
               in.is_float() ? "put it before ToFloat and Normalize" : "read the images with mode=\"L\"",
               {}};
}

Status check_chance(std::string_view operation, double p) {
  if (!(p >= 0) || !(p <= 1)) {
    return invalid_parameter(operation, "p", fmt::format("must be between 0 and 1, got {}", p), "");
  }
  return {};
}

const std::string& Transform::key() const noexcept {
  static const std::string none;
  return none;
}

DrawnPtr Transform::make_drawn() const { return std::make_unique<DrawnOf<NoDraw>>(); }

bool is_of_pixels(const ImageEdit& edit) noexcept {
  return !std::holds_alternative<FloatEdit>(edit) && !std::holds_alternative<AnnotationEdit>(edit);
}

bool is_geometry(const ImageEdit& edit) noexcept {
  return is_of_pixels(edit) && !std::holds_alternative<TableEdit>(edit) &&
         !std::holds_alternative<PixelsEdit>(edit);
}

void set_mask_fill(std::span<ImageEdit> edits, int fill) noexcept {
  for (ImageEdit& edit : edits) {
    if (auto* pad = std::get_if<PadEdit>(&edit)) {
      pad->mask_fill = fill;
    } else if (auto* warp = std::get_if<WarpEdit>(&edit)) {
      warp->mask_fill = fill;
    } else if (auto* field = std::get_if<FieldEdit>(&edit)) {
      field->mask_fill = fill;
    }
  }
}

ImageSize size_after(ImageSize image, const ImageEdit& edit) noexcept {
  if (const auto* crop = std::get_if<CropEdit>(&edit)) {
    return {crop->box.width, crop->box.height};
  }
  if (const auto* pad = std::get_if<PadEdit>(&edit)) {
    return {image.width + pad->left + pad->right, image.height + pad->top + pad->bottom};
  }
  if (const auto* resize = std::get_if<ResizeEdit>(&edit)) {
    return resize->size;
  }
  if (const auto* moved = std::get_if<MoveEdit>(&edit)) {
    return swaps_sides(moved->move) ? ImageSize{image.height, image.width} : image;
  }
  if (const auto* warp = std::get_if<WarpEdit>(&edit)) {
    return warp->size;
  }
  return image;
}

}  // namespace penstock::inline v0
