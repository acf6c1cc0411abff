#pragma once
// Where draws come from: every number that is reserved for someone, in one place.

#include <cstdint>
#include <string_view>

namespace penstock::inline v0 {

/// A well mixed 64-bit hash of two words (bijective in `b` for fixed `a`).
constexpr std::uint64_t mix64(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t z = b + 0x9E3779B97F4A7C15ull * (a + 1);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

// The `op` of draws; operations of a list count up from 0.

/// What orders samples: the shuffle, samplers, windows of lengths.
inline constexpr std::uint32_t kShuffleOp = 0xFFFFFFFF;
inline constexpr std::uint32_t kSamplerOp = 0xFFFE0000u;
inline constexpr std::uint32_t kLengthOp = 0xFFFB0000u;
/// What shuffles within windows and shards: kWindowOp is of the first pass, the second has the next number.
inline constexpr std::uint32_t kWindowOp = 0xFFFD0000u;
inline constexpr std::uint32_t kCutOp = 0xFFFD0002u;
inline constexpr std::uint32_t kShardsOp = 0xFFFC0000u;
/// The sample that takes the row of a bad one.
inline constexpr std::uint32_t kReplaceOp = 0xFFFF0000u;
/// The first operation on whole batches; the following ones count up from there. `sample` of their key is the
/// place of the batch's first row.
inline constexpr std::uint32_t kBatchOps = 0xFFFA0000u;
/// What the rows of a batch have in common where an operation draws for each of them; the operation's own
/// number is added. `sample` of their key as for kBatchOps.
inline constexpr std::uint32_t kCommonOps = 0xFFF90000u;

/// Which draws of a sample an operation has.
struct DrawAddress {
  std::uint64_t room = 0;  ///< 0: the only list; else of a view, a field or a key
  std::uint32_t op = 0;    ///< its number in the list

  bool operator==(const DrawAddress&) const = default;
};

namespace detail {

constexpr std::uint64_t hash_name(std::uint64_t start, std::string_view name) noexcept {
  std::uint64_t hash = mix64(start, name.size());
  for (const char c : name) {
    hash = mix64(hash, static_cast<unsigned char>(c));
  }
  return hash == 0 ? 1 : hash;
}

}  // namespace detail

/// The room of a view, or of a field with a list of its own beside others; `number` counts views of one name.
constexpr std::uint64_t view_room(std::string_view view, std::uint64_t number = 0) noexcept {
  return detail::hash_name(mix64(0x76696577, number), view);
}

/// Where operations with the parameter `key` draw, in whatever view and place they stand.
constexpr DrawAddress key_address(std::string_view key) noexcept {
  return {.room = detail::hash_name(0x6B6579, key), .op = 0};
}

/// RandomKey::part of a numbered part of a sample: 0 for the first one of a sample of the first table, which
/// is all that there is unless a row plan says otherwise.
constexpr std::uint64_t part_address(std::uint32_t table, std::uint32_t part) noexcept {
  const std::uint64_t numbers = std::uint64_t{table} << 32 | part;
  const std::uint64_t mixed = mix64(0x70617274, numbers);
  return numbers == 0 ? 0 : mixed == 0 ? 1 : mixed;
}

}  // namespace penstock::inline v0
