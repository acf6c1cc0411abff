#include "core/must_be.hpp"

#include <fmt/format.h>

namespace penstock::inline v0 {

Error must_be(std::string_view name, std::string_view expected, std::string_view given, std::string stage) {
  return {.kind = ErrorKind::invalid,
          .message = fmt::format("{} must be {}, got {}", name, expected, given),
          .advice = {},
          .place = {.stage = std::move(stage)}};
}

std::string one_of(std::span<const std::string> choices) {
  std::string text;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == choices.size() ? " or " : ", ") + choices[i];
  }
  return text;
}

}  // namespace penstock::inline v0
