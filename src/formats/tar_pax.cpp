#include "formats/tar_pax.hpp"

#include "formats/text.hpp"

namespace penstock::inline v0 {

std::optional<PaxRecord> PaxRecords::next() noexcept {
  const auto fail = [this](std::string_view why) {
    fault_ = why;
    rest_ = {};
    return std::nullopt;
  };
  // Some writers fill the rest of the data with NUL bytes.
  if (rest_.empty() || rest_[0] == '\0') {
    return std::nullopt;
  }
  const std::size_t space = rest_.find(' ');
  if (space == std::string_view::npos || space > 20) {
    return fail("a record does not start with its length");
  }
  const auto length = parse_decimal(rest_.substr(0, space));
  if (!length) {
    return fail("a record's length is not a number");
  }
  if (*length > rest_.size() || *length < space + 2) {
    return fail("a record's length does not fit into the header");
  }
  std::string_view record = rest_.substr(space + 1, static_cast<std::size_t>(*length) - space - 1);
  if (!record.ends_with('\n')) {
    return fail("a record does not end with a newline");
  }
  record.remove_suffix(1);
  const std::size_t equals = record.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return fail("a record has no key");
  }
  rest_.remove_prefix(static_cast<std::size_t>(*length));
  return PaxRecord{record.substr(0, equals), record.substr(equals + 1)};
}

}  // namespace penstock::inline v0
