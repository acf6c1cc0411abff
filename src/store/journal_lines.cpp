#include "store/journal_lines.hpp"

#include <fmt/format.h>

#include <charconv>

#include "core/crc32c.hpp"

namespace penstock::inline v0 {
namespace {

ByteSpan as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace

std::optional<std::string_view> journal_text(std::string_view line) {
  constexpr std::size_t kBefore = 9;
  std::uint32_t checksum = 0;
  if (line.size() < kBefore || line[kBefore - 1] != ' ') {
    return {};
  }
  const auto [end, failure] = std::from_chars(line.data(), line.data() + kBefore - 1, checksum, 16);
  const std::string_view text = line.substr(kBefore);
  if (failure != std::errc() || end != line.data() + kBefore - 1 || crc32c(as_bytes(text)) != checksum) {
    return {};
  }
  return text;
}

Status append_journal_line(DiskFile& file, const std::string& json) {
  const std::string line = fmt::format("{:08x} {}\n", crc32c(as_bytes(json)), json);
  return file.append(as_bytes(line));
}

}  // namespace penstock::inline v0
