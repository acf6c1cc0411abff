#pragma once
// What the files of the plan share.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "penstock/result.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0 {

/// What the image of a sample and its labels are usually called; sample_image() and sample_label() find them.
inline constexpr const char* kViewedField = "image";
inline constexpr const char* kMixedLabels = "label";

constexpr bool is_number(FieldKind kind) noexcept {
  return kind == FieldKind::integer || kind == FieldKind::real;
}

/// Bytes of whole cache lines.
constexpr std::size_t round_up(std::size_t bytes) noexcept {
  constexpr std::size_t kLine = 64;
  return (bytes + kLine - 1) / kLine * kLine;
}

/// `invalid`, of what was asked of a loader.
inline Error invalid(std::string message, std::string advice) {
  return Error{.kind = ErrorKind::invalid,
               .message = std::move(message),
               .advice = std::move(advice),
               .place = {.stage = "plan"}};
}

inline std::string names_of(const std::vector<FieldInfo>& fields) {
  std::string names;
  for (const FieldInfo& field : fields) {
    names += (names.empty() ? "" : ", ") + field.name;
  }
  return names;
}

}  // namespace penstock::inline v0
