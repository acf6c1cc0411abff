#include "pipeline/order/length_windows.hpp"

#include <algorithm>
#include <utility>

namespace penstock::inline v0 {

Result<LengthRule> LengthRule::make(const LoaderOptions& options, const RowPlan& plan,
                                    std::span<const RowTable> tables) {
  LengthRule rule;
  if (!options.length_window) {
    return rule;
  }
  const std::vector<FieldInfo>& fields = tables.front().table->fields();
  const auto audio = std::find_if(fields.begin(), fields.end(),
                                  [](const FieldInfo& field) { return field.kind == FieldKind::audio; });
  if (audio == fields.end()) {
    return Error{.kind = ErrorKind::invalid,
                 .message = "length_window requires a field of kind audio",
                 .advice = "omit it: only recordings are padded",
                 .place = {.stage = "options"}};
  }
  rule.window = *options.length_window;
  rule.sizes.resize(static_cast<std::size_t>(plan.rows()));
  RowParts parts;
  for (std::size_t row = 0; row < rule.sizes.size(); ++row) {
    plan.parts(*options.seed, 0, row, parts);
    for (const RowPart& part : parts) {
      rule.sizes[row] += tables[part.table].table->stored_size(
          part.sample, static_cast<std::size_t>(audio - fields.begin()));
    }
  }
  return rule;
}

LengthWindows::LengthWindows(std::uint64_t places, std::uint64_t window)
    : places_(places),
      window_(window),
      order_(std::make_unique_for_overwrite<std::uint64_t[]>(static_cast<std::size_t>(places))),
      sorted_(std::make_unique<std::once_flag[]>(static_cast<std::size_t>((places + window - 1) / window))) {}

void LengthWindows::sort(std::uint64_t first, std::uint64_t count, const LengthRule& rule,
                         bool falls) const noexcept {
  std::uint64_t* const begin = order_.get() + first;
  // Rows of one length are told apart by their numbers: the order depends on nothing else.
  std::sort(begin, begin + count, [&rule](std::uint64_t a, std::uint64_t b) {
    return std::pair(rule.sizes[a], a) < std::pair(rule.sizes[b], b);
  });
  if (falls) {
    std::reverse(begin, begin + count);
  }
}

}  // namespace penstock::inline v0
