#include "formats/fingerprint.hpp"

#include <array>

namespace penstock::inline v0 {

void Fingerprint::add_number(std::uint64_t number) {
  std::array<std::uint8_t, 8> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(number >> (8 * i));
  }
  hash_.update(bytes);
}

void Fingerprint::add_text(std::string_view text) {
  add_number(text.size());
  hash_.update(text);
}

void Fingerprint::add_sample(std::string_view key, std::uint64_t fields) {
  add_text(key);
  add_number(fields);
}

void Fingerprint::add_field(std::string_view name, std::uint64_t stored_size) {
  add_text(name);
  add_number(stored_size);
}

std::string Fingerprint::finish() { return to_hex(hash_.finish()).substr(0, 32); }

}  // namespace penstock::inline v0
