#include "transforms/drawn.hpp"

#include <fmt/format.h>

namespace penstock::inline v0::detail {

Error wrong_drawn(std::string_view operation, std::string_view name, std::string_view problem,
                  std::string_view type) {
  return Error{ErrorKind::invalid,
               fmt::format("params of {}: {} {}", operation, name, problem),
               fmt::format("give {}, as batch.params has it", type),
               {}};
}

Error unknown_drawn(std::string_view operation, std::string_view name) {
  return Error{ErrorKind::invalid,
               fmt::format("params of {}: there is no {}", operation, name),
               "give what batch.params has for this operation",
               {}};
}

}  // namespace penstock::inline v0::detail
