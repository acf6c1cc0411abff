#include "core/must_be.hpp"

#include <fmt/format.h>

namespace penstock::inline v0 {

Error must_be(std::string_view name, std::string_view expected, std::string_view given, std::string stage) {
  return {.kind = ErrorKind::invalid,
          .message = fmt::format("{} must be {}, got {}", name, expected, given),
          .advice = {},
          .place = {.stage = std::move(stage)}};
}

}  // namespace penstock::inline v0
