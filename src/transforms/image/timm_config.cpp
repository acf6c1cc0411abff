#include "transforms/image/timm_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

namespace penstock::inline v0 {
namespace {

constexpr std::array<std::string_view, 3> kTimmSets = {"3a", "weights", "3aw"};

Error wrong_part(std::string_view text, std::string_view part, std::string problem, std::string advice = {}) {
  return Error{ErrorKind::invalid,
               fmt::format("config '{}': the part '{}' {}", text, part, std::move(problem)),
               std::move(advice),
               {}};
}

/// A whole number, or one with a fraction.
template <class Number>
bool read_number(std::string_view digits, Number& out) {
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  return error == std::errc() && end == digits.data() + digits.size();
}

/// One part after the first.
Status read_part(std::string_view text, std::string_view part, TimmConfig& config) {
  if (part.starts_with('t')) {
    const auto* const found = std::find(kTimmSets.begin(), kTimmSets.end(), part.substr(1));
    if (found == kTimmSets.end()) {
      return wrong_part(text, part, "names no set of operations", "use t3a, tweights or t3aw, or omit it");
    }
    config.set = static_cast<TimmSet>(found - kTimmSets.begin() + 1);
    return {};
  }
  const std::string_view key = part.substr(0, std::min(part.find_first_of("0123456789."), part.size()));
  const std::string_view digits = part.substr(key.size());
  const auto whole = [&](int& value, int min, int max) -> Status {
    if (!read_number(digits, value) || value < min || value > max) {
      return wrong_part(text, part, fmt::format("must be {} and an integer from {} to {}", key, min, max));
    }
    return {};
  };
  if (key == "m") {
    return whole(config.magnitude, 0, 100);
  }
  if (key == "n") {
    return whole(config.count, 0, 100);
  }
  if (key == "mmax") {
    return whole(config.max_magnitude, 1, 100);
  }
  if (key == "inc") {
    int increasing = 0;
    PENSTOCK_TRY(whole(increasing, 0, 1));
    config.increasing = increasing == 1;
    return {};
  }
  if (key == "p") {
    return read_number(digits, config.p) && config.p <= 1
               ? Status()
               : wrong_part(text, part, "must be p and a number from 0 to 1");
  }
  if (key == "mstd") {
    constexpr double kUniform = 100;
    if (!read_number(digits, config.deviation)) {
      return wrong_part(text, part, "must be mstd and a number",
                        "above 100 the magnitude is drawn evenly from 0 on");
    }
    config.uniform = config.deviation > kUniform;
    return {};
  }
  return wrong_part(text, part, "is unknown",
                    "use m, n, p, mstd, mmax and inc with a number, and t with a name");
}

}  // namespace

Result<TimmConfig> parse_timm_config(std::string_view text) {
  TimmConfig config;
  std::vector<std::string_view> keys;
  std::string_view left = text;
  for (bool first = true; first || !left.empty(); first = false) {
    const std::size_t end = std::min(left.find('-'), left.size());
    const std::string_view part = left.substr(0, end);
    left.remove_prefix(std::min(end + 1, left.size()));
    if (first) {
      if (part != "rand") {
        return wrong_part(text, part, "must be 'rand'",
                          "AutoAugment, AugMix and ThreeAugment are operations of their own");
      }
      continue;
    }
    PENSTOCK_TRY(read_part(text, part, config));
    const std::string_view key =
        part.starts_with('t') ? "t" : part.substr(0, part.find_first_of("0123456789."));
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) {
      return wrong_part(text, part, fmt::format("is the second one of {}", key), "pass each once");
    }
    keys.push_back(key);
  }
  if (text.ends_with('-')) {
    return wrong_part(text, "", "is empty", "omit the last -");
  }
  return config;
}

}  // namespace penstock::inline v0
