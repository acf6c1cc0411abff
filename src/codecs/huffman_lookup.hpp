#pragma once
// Huffman tables of JPEG files as lookups by the next bits of the stream.

#include <array>
#include <cstddef>
#include <cstdint>

namespace penstock::inline v0::detail {

/// A Huffman table of the file turned into lookups by the next kLookBits bits of the stream.
class HuffmanLookup {
 public:
  static constexpr int kLookBits = 10;
  static constexpr std::size_t kSize = std::size_t{1} << kLookBits;
  static constexpr std::uint16_t kEndsBlock = 0x8000;  ///< in several()

  /// `counts[l]` codes of length l (1 to 16), their symbols in order; the lengths must form a prefix code.
  /// `groups`: two() and several() too, which only AC tables need. Does nothing if all of it is there
  /// already.
  void build(const std::uint8_t* counts, const std::uint8_t* symbols, bool groups);

  /// One code and the bits of the value after it. Low 6 bits: length of both; bits 8-11: length of the value;
  /// bits 16-20: coefficients passed, the value's included (0 for end of block). 0: the code is longer than
  /// kLookBits.
  const std::uint32_t* one() const noexcept { return one_.data(); }

  /// Up to two codes with their values, all within kLookBits. Byte 0: length; byte 1 and 2: coefficients
  /// passed up to and with the first and the second value; byte 3: 1 if end of block is the last code; then
  /// the values, 16 bits each. What has no value writes zeros. Byte 2 is 255 if not even one fits.
  const std::uint64_t* two() const noexcept { return two_.data(); }

  /// As many codes as begin and end within kLookBits, their last value's bits apart. Bits 0-5: length with
  /// values; 8-14: coefficients passed, 127 if no code fits; 15: set if end of block is the last code.
  const std::uint16_t* several() const noexcept { return several_.data(); }

  /// An entry as in one() for the code at the top of `bits`, of any length; 0 if there is no such code.
  std::uint32_t find_long(std::uint64_t bits) const noexcept;

 private:
  void build_one();
  void build_groups();
  void build_groups_after(std::size_t first, std::uint32_t entry);

  std::array<std::uint32_t, kSize> one_{};
  std::array<std::uint64_t, kSize> two_{};
  std::array<std::uint16_t, kSize> several_{};
  std::array<std::uint8_t, 17> counts_{};
  std::array<std::uint8_t, 256> symbols_{};
  std::array<std::int32_t, 17> first_code_{};
  std::array<std::int32_t, 17> first_symbol_{};
  bool groups_are_built_ = false;
};

// Fields of an entry of HuffmanLookup::one().
constexpr unsigned length_of(std::uint32_t entry) { return entry & 63; }
constexpr unsigned value_length_of(std::uint32_t entry) { return (entry >> 8) & 15; }
constexpr unsigned passed_by(std::uint32_t entry) { return entry >> 16; }

/// The value whose bits follow the code at the top of `window`, as the standard's EXTEND procedure.
/// The entry must have a value.
constexpr int value_in(std::uint64_t window, std::uint32_t entry) {
  const unsigned length = value_length_of(entry);
  const auto bits = static_cast<std::int32_t>((window >> (64 - length_of(entry))) & ((1u << length) - 1));
  const std::int32_t is_negative = (bits >> (length - 1)) - 1;  // all ones if the first bit is 0
  return bits + (is_negative & (1 - (1 << length)));
}

}  // namespace penstock::inline v0::detail
