#include "core/out_of_memory.hpp"

#include <fmt/format.h>

namespace penstock::inline v0 {

std::string as_size(std::uint64_t bytes) {
  constexpr std::array kUnits = {"bytes", "kB", "MB", "GB", "TB", "PB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1000 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} {}", bytes, kUnits[0]) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

OutOfMemory::OutOfMemory(std::string_view purpose, std::uint64_t bytes, std::string_view advice) {
  fmt::format_to_n(words_.data(), words_.size() - 1, "not enough memory for {}, {}{}{}", purpose,
                   as_size(bytes), advice.empty() ? "" : "; ", advice);
}

}  // namespace penstock::inline v0
