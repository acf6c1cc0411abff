#include "formats/brace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <utility>

#include "formats/text.hpp"

namespace penstock::inline v0 {
namespace {

using Names = std::vector<std::string>;

constexpr int kMaxBraceDepth = 32;
constexpr std::size_t kMaxBytes = 256u << 20;

struct Range {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t step = 1;  // > 0
  std::size_t width = 0;  // pad with zeros; 0: no padding
  bool letters = false;

  /// Numbers after the first one.
  std::uint64_t steps() const noexcept {
    const std::uint64_t span = first < last
                                   ? static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first)
                                   : static_cast<std::uint64_t>(first) - static_cast<std::uint64_t>(last);
    return span / static_cast<std::uint64_t>(step);
  }
  std::string at(std::uint64_t number) const {
    const std::uint64_t away =
        number * static_cast<std::uint64_t>(step);  // unsigned: the ends may be far apart
    const auto start = static_cast<std::uint64_t>(first);
    const auto value = static_cast<std::int64_t>(first <= last ? start + away : start - away);
    if (letters) {
      return std::string(1, static_cast<char>(value));
    }
    return fmt::format("{:0{}}", value, width);
  }
};

bool has_leading_zero(std::string_view number) noexcept {
  number.remove_prefix(number.starts_with('-') || number.starts_with('+') ? 1 : 0);
  return number.size() > 1 && number[0] == '0';
}

/// "first..last" or "first..last..step"; nothing if the text is no range.
std::optional<Range> parse_range(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    return {};
  }
  const std::string_view first = text.substr(0, dots);
  std::string_view last = text.substr(dots + 2);
  Range range;
  if (const std::size_t more = last.find(".."); more != std::string_view::npos) {
    constexpr std::int64_t kMax = INT64_MAX;
    const auto step = parse_integer(last.substr(more + 2));
    if (!step || *step < -kMax) {
      return {};
    }
    range.step = std::max<std::int64_t>(*step < 0 ? -*step : *step, 1);
    last = last.substr(0, more);
  }
  const auto is_letter = [](std::string_view s) {
    return s.size() == 1 && std::isalpha(static_cast<unsigned char>(s[0]));
  };
  if (is_letter(first) && is_letter(last)) {
    range.letters = true;
    range.first = first[0];
    range.last = last[0];
    return range;
  }
  const auto low = parse_integer(first);
  const auto high = parse_integer(last);
  if (!low || !high) {
    return {};
  }
  range.first = *low;
  range.last = *high;
  if (has_leading_zero(first) || has_leading_zero(last)) {
    range.width = std::max(first.size(), last.size());
  }
  return range;
}

class Expander {
 public:
  explicit Expander(std::string_view pattern) : pattern_(pattern) {}

  Result<Names> run() { return sequence(pattern_, 0); }

 private:
  Error invalid(std::string message) const {
    return {.kind = ErrorKind::invalid,
            .message = std::move(message),
            .advice = "escape a brace that is part of the name as \\{ or \\}",
            .place = {.source = std::string(pattern_), .stage = "open"}};
  }

  /// Position of the brace that closes the one at `open`, and of the commas between on the top level.
  Result<std::pair<std::size_t, std::vector<std::size_t>>> matching(std::string_view text,
                                                                    std::size_t open) const {
    std::vector<std::size_t> commas;
    int depth = 0;
    for (std::size_t i = open; i < text.size(); ++i) {
      if (text[i] == '\\') {
        ++i;
      } else if (text[i] == '{') {
        ++depth;
      } else if (text[i] == '}' && --depth == 0) {
        return std::pair(i, std::move(commas));
      } else if (text[i] == ',' && depth == 1) {
        commas.push_back(i);
      }
    }
    return invalid("unmatched opening brace");
  }

  Result<Names> sequence(std::string_view text, int depth) const {
    if (depth > kMaxBraceDepth) {
      return invalid("braces are nested too deeply");
    }
    Names names{""};
    std::size_t at = 0;
    while (at < text.size()) {
      if (text[at] == '}') {
        return invalid("unmatched closing brace");
      }
      if (text[at] != '{') {
        if (text[at] == '\\' && at + 1 < text.size()) {
          ++at;
        }
        std::string literal(1, text[at++]);
        while (at < text.size() && text[at] != '{' && text[at] != '}' && text[at] != '\\') {
          literal += text[at++];
        }
        for (std::string& name : names) {
          name += literal;
        }
        continue;
      }
      PENSTOCK_ASSIGN(const auto group, matching(text, at));
      PENSTOCK_ASSIGN(const Names items, items_of(text, at, group, depth));
      PENSTOCK_ASSIGN(names, product(names, items));
      at = group.first + 1;
    }
    return names;
  }

  /// What the braces from `open` stand for.
  Result<Names> items_of(std::string_view text, std::size_t open,
                         const std::pair<std::size_t, std::vector<std::size_t>>& group, int depth) const {
    const auto& [close, commas] = group;
    const std::string_view inside = text.substr(open + 1, close - open - 1);
    if (commas.empty()) {
      if (const auto range = parse_range(inside)) {
        if (range->steps() >= kMaxExpansion) {
          return too_many();
        }
        Names items;
        for (std::uint64_t i = 0; i <= range->steps(); ++i) {
          items.push_back(range->at(i));
        }
        return items;
      }
      PENSTOCK_ASSIGN(Names items, sequence(inside, depth + 1));
      for (std::string& item : items) {
        item = "{" + item + "}";
      }
      return items;
    }
    Names items;
    std::size_t begin = open + 1;
    for (std::size_t i = 0; i <= commas.size(); ++i) {
      const std::size_t end = i < commas.size() ? commas[i] : close;
      PENSTOCK_ASSIGN(const Names part, sequence(text.substr(begin, end - begin), depth + 1));
      items.insert(items.end(), part.begin(), part.end());
      if (items.size() > kMaxExpansion) {
        return too_many();
      }
      begin = end + 1;
    }
    return items;
  }

  Result<Names> product(const Names& left, const Names& right) const {
    std::size_t bytes = 0;
    if (left.size() > kMaxExpansion / right.size()) {
      return too_many();
    }
    Names all;
    all.reserve(left.size() * right.size());
    for (const std::string& a : left) {
      for (const std::string& b : right) {
        bytes += a.size() + b.size();
        if (bytes > kMaxBytes) {
          return too_many();
        }
        all.push_back(a + b);
      }
    }
    return all;
  }

  Error too_many() const {
    return {.kind = ErrorKind::invalid,
            .message = fmt::format("the pattern expands to more than {} names", kMaxExpansion),
            .advice = "use a glob (*.tar), or open the set in parts",
            .place = {.source = std::string(pattern_), .stage = "open"}};
  }

  std::string_view pattern_;
};

}  // namespace

Result<std::vector<std::string>> expand_braces(std::string_view pattern) { return Expander(pattern).run(); }

}  // namespace penstock::inline v0
