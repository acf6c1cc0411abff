#include "codecs/huffman_lookup.hpp"

#include <algorithm>
#include <cstring>

namespace penstock::inline v0::detail {
namespace {

constexpr std::uint64_t kNoneFits = 0xFF0000;
constexpr unsigned kNonePasses = 127;
constexpr std::uint64_t kTwoEnd = 1u << 24;

constexpr std::uint32_t entry_of(unsigned code_length, unsigned symbol) {
  const unsigned run = symbol >> 4;
  const unsigned value_length = symbol & 15;
  const bool ends_block = value_length == 0 && run != 15;
  return (code_length + value_length) | (value_length << 8) | ((ends_block ? 0 : run + 1) << 16);
}

/// Codes at the start of the looked-up bits, with their values' bits.
struct Group {
  unsigned length;
  unsigned passed;
  bool ends;
};

}  // namespace

void HuffmanLookup::build(const std::uint8_t* counts, const std::uint8_t* symbols, bool groups) {
  int total = 0;
  for (int length = 1; length <= 16; ++length) {
    total += counts[length];
  }
  const auto used = static_cast<std::size_t>(std::min(total, 256));
  if (std::memcmp(counts_.data() + 1, counts + 1, 16) != 0 ||
      std::memcmp(symbols_.data(), symbols, used) != 0) {
    std::memcpy(counts_.data() + 1, counts + 1, 16);
    std::memcpy(symbols_.data(), symbols, used);
    build_one();
    groups_are_built_ = false;
  }
  if (groups && !groups_are_built_) {
    build_groups();
    groups_are_built_ = true;
  }
}

void HuffmanLookup::build_one() {
  std::uint32_t* filled = one_.data();
  std::uint32_t* const end = filled + kSize;
  int code = 0;
  int index = 0;
  for (unsigned length = 1; length <= 16; ++length) {
    first_code_[length] = code;
    first_symbol_[length] = index;
    for (int i = 0; i < counts_[length] && index < 256; ++i, ++index) {
      if (length <= kLookBits) {
        const std::uint32_t entry = entry_of(length, symbols_[static_cast<std::size_t>(index)]);
        filled =
            std::fill_n(filled, std::min(std::ptrdiff_t{1} << (kLookBits - length), end - filled), entry);
      }
    }
    code = (code + counts_[length]) << 1;
  }
  std::fill(filled, end, 0u);
}

void HuffmanLookup::build_groups() {
  for (std::size_t index = 0; index < kSize;) {
    const std::uint32_t entry = one_[index];
    if (entry == 0) {
      two_[index] = kNoneFits;
      several_[index] = kNonePasses << 8;
      ++index;
      continue;
    }
    build_groups_after(index, entry);
    index += kSize >> (length_of(entry) - value_length_of(entry));
  }
}

/// Fills in all places that begin with the code of `entry`, the first of which is `first`. What follows a
/// value does not depend on the value, so it is worked out once for all of them.
void HuffmanLookup::build_groups_after(std::size_t first, std::uint32_t entry) {
  const unsigned value_length = value_length_of(entry);
  const unsigned length = length_of(entry);
  const unsigned passed = passed_by(entry);
  const bool ends = passed == 0;
  if (length > kLookBits) {  // the value does not fit
    const std::size_t count = kSize >> (length - value_length);
    std::fill_n(two_.begin() + static_cast<std::ptrdiff_t>(first), count, kNoneFits);
    std::fill_n(several_.begin() + static_cast<std::ptrdiff_t>(first), count,
                static_cast<std::uint16_t>(length | (passed << 8)));
    return;
  }
  const std::uint64_t place = ends ? 1 : passed;
  const std::uint64_t alone = length | (place << 8) | (place << 16) | (ends ? kTwoEnd : 0);
  const std::size_t rest_size = kSize >> length;
  for (std::size_t rest = 0; rest < rest_size; ++rest) {
    std::uint64_t two = alone;
    bool repeats_value = true;  // a single value is written twice
    Group group{length, passed, ends};
    for (unsigned codes = 1; !group.ends && group.length < kLookBits && group.passed < 64; ++codes) {
      const std::uint32_t next = one_[(rest << group.length) & (kSize - 1)];
      if (next == 0 || group.length + length_of(next) - value_length_of(next) > kLookBits) {
        break;
      }
      const std::uint64_t window = static_cast<std::uint64_t>(rest) << (64 - kLookBits + group.length);
      group.length += length_of(next);
      group.passed += passed_by(next);
      group.ends = passed_by(next) == 0;
      if (codes == 1 && group.length <= kLookBits) {
        if (group.ends) {
          two = (two & ~std::uint64_t{0xFF}) | group.length | kTwoEnd;
        } else {
          const auto value =
              static_cast<std::uint16_t>(value_length_of(next) == 0 ? 0 : value_in(window, next));
          two = group.length | (place << 8) | (std::uint64_t{group.passed} << 16) |
                (std::uint64_t{value} << 48);
          repeats_value = false;
        }
      }
    }
    const auto several =
        static_cast<std::uint16_t>(group.length | (group.passed << 8) | (group.ends ? kEndsBlock : 0));
    const std::uint64_t spread =
        repeats_value ? (std::uint64_t{1} << 32) + (std::uint64_t{1} << 48) : std::uint64_t{1} << 32;
    for (unsigned bits = 0; bits < 1u << value_length; ++bits) {
      const std::size_t index = first + bits * rest_size + rest;
      const std::uint64_t window = static_cast<std::uint64_t>(index) << (64 - kLookBits);
      const auto value = static_cast<std::uint16_t>(value_length == 0 ? 0 : value_in(window, entry));
      two_[index] = two + value * spread;
      several_[index] = several;
    }
  }
}

std::uint32_t HuffmanLookup::find_long(std::uint64_t bits) const noexcept {
  for (unsigned length = 1; length <= 16; ++length) {
    const auto offset = static_cast<std::int32_t>(bits >> (64 - length)) - first_code_[length];
    if (offset >= 0 && offset < counts_[length]) {
      return entry_of(length, symbols_[static_cast<std::size_t>(first_symbol_[length] + offset)]);
    }
  }
  return 0;
}

}  // namespace penstock::inline v0::detail
