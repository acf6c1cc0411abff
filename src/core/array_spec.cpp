#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "penstock/array_spec.hpp"

namespace penstock::inline v0 {
namespace {

struct ScalarInfo {
  const char* name;
  std::size_t size;
};
// In the order of the enumerators.
constexpr std::array<ScalarInfo, kScalarTypes + 1> kScalars = {{{"bool", 1},
                                                                {"uint8", 1},
                                                                {"int8", 1},
                                                                {"int16", 2},
                                                                {"int32", 4},
                                                                {"int64", 8},
                                                                {"float16", 2},
                                                                {"float32", 4},
                                                                {"float64", 8},
                                                                {"uint16", 2},
                                                                {"uint32", 4},
                                                                {"uint64", 8},
                                                                {"bfloat16", 2}}};

}  // namespace

const char* name_of(Scalar type) noexcept { return kScalars[static_cast<std::size_t>(type)].name; }
std::size_t size_of(Scalar type) noexcept { return kScalars[static_cast<std::size_t>(type)].size; }

Scalar scalar_of(ElementType type) noexcept {
  constexpr std::array kTypes = {Scalar::uint8, Scalar::float32, Scalar::uint16, Scalar::float16,
                                 Scalar::bfloat16};
  return kTypes[static_cast<std::size_t>(type)];
}

std::optional<Scalar> scalar_named(std::string_view name) noexcept {
  for (std::size_t i = 0; i < kScalarTypes; ++i) {
    if (name == kScalars[i].name) {
      return static_cast<Scalar>(i);
    }
  }
  return std::nullopt;
}

bool ArraySpec::fixed() const noexcept {
  return std::find(shape.begin(), shape.end(), kAnyExtent) == shape.end();
}

bool ArraySpec::covers(const ArraySpec& other) const noexcept {
  return type == other.type &&
         std::equal(shape.begin(), shape.end(), other.shape.begin(), other.shape.end(),
                    [](std::size_t mine, std::size_t its) { return mine == kAnyExtent || mine == its; });
}

std::size_t ArraySpec::bytes() const noexcept {
  constexpr std::size_t kMax = std::numeric_limits<std::size_t>::max();
  std::size_t total = size_of(type);
  for (const std::size_t extent : shape) {
    if (extent == 0) {
      return 0;
    }
    total = total > kMax / extent ? kMax : total * extent;
  }
  return total;
}

std::string ArraySpec::to_string() const {
  std::string text;
  for (const std::size_t extent : shape) {
    text += (text.empty() ? "" : ", ") + (extent == kAnyExtent ? "any" : std::to_string(extent));
  }
  return std::string(name_of(type)) + " (" + text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace penstock::inline v0
