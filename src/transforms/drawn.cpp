#include "transforms/drawn.hpp"

#include <fmt/format.h>

namespace penstock::inline v0::detail {

Error wrong_drawn(std::string_view operation, std::string_view name, std::string_view problem) {
  return Error{ErrorKind::invalid,
               fmt::format("params of {}: {} {}", operation, name, problem),
               "pass a row of batch.params",
               {}};
}

Error unknown_drawn(std::string_view operation, std::string_view name) {
  return Error{ErrorKind::invalid,
               fmt::format("params of {}: unknown name {}", operation, name),
               "pass a row of batch.params",
               {}};
}

}  // namespace penstock::inline v0::detail
