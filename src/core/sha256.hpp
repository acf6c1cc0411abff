#pragma once
// SHA-256 (FIPS 180-4), for fingerprints of data sets; not hardened against side channels.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace penstock::inline v0 {

/// Hashes bytes as they come. Not thread-safe: one owner.
class Sha256 {
 public:
  using Digest = std::array<std::uint8_t, 32>;

  Sha256& update(std::span<const std::uint8_t> bytes) noexcept;
  Sha256& update(std::string_view text) noexcept;
  /// The digest of all bytes so far; ready for a new message afterwards.
  Digest finish() noexcept;

 private:
  void compress(const std::uint8_t* block) noexcept;

  static constexpr std::array<std::uint32_t, 8> kStart = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                                          0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint32_t, 8> state_ = kStart;
  std::array<std::uint8_t, 64> pending_{};
  std::uint64_t length_ = 0;  // bytes
};

/// Lower-case hexadecimal digits.
std::string to_hex(const Sha256::Digest& digest);
/// The first 16 digits of the hash of a text: enough to tell things apart, short enough to show.
std::string short_hash(std::string_view text);

}  // namespace penstock::inline v0
