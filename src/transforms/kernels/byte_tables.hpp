#pragma once
// What maps a byte to a byte, whatever its neighbours: any table, and what several of Pillow's operations
// are. Results are equal on every CPU target. Pure functions; any thread may call. `out` has the size and
// channels of `in` and may be the same memory.

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "core/cpu.hpp"
#include "transforms/kernels/pixel_rows.hpp"

namespace penstock::inline v0 {

using ByteTable = std::array<std::uint8_t, 256>;

/// Pillow's blend of two bytes: `from` at 0, `to` at 1, beyond that further on, cut off at 0 and 255.
std::uint8_t blend(std::uint8_t from, std::uint8_t to, float factor);

ByteTable identity_table();
/// Brightness is the blend from 0, contrast that from the mean of the gray values.
ByteTable blend_table(std::uint8_t from, float factor);
/// Values of `threshold` and above are inverted.
ByteTable solarize_table(double threshold);
/// The upper `bits` of 8 stay, 0 of them give black.
ByteTable posterize_table(int bits);
ByteTable invert_table();
/// The smallest value used becomes 0, the largest 255.
ByteTable autocontrast_table(std::uint8_t smallest, std::uint8_t largest);
/// Levels used about equally often.
ByteTable equalize_table(const std::array<std::uint32_t, 256>& histogram);
/// (value / 255)^gamma * gain, cut off at 255.
ByteTable gamma_table(double gamma, double gain);
/// One after the other as one.
ByteTable joined(const ByteTable& first, const ByteTable& then);

/// The same table for every channel.
void apply_table(const ConstPixelRows& in, const PixelRows& out, const ByteTable& table);

/// A table for each channel.
void apply_tables(const ConstPixelRows& in, const PixelRows& out, std::span<const ByteTable> tables);

/// A table that is (value & mask) ^ (value < threshold ? below : above): that of posterize, invert, solarize
/// and what is made of them.
struct MaskedTable {
  std::uint8_t mask = 255;
  std::uint8_t threshold = 255;
  std::uint8_t below = 0;
  std::uint8_t above = 0;
};
/// Nothing for other tables.
std::optional<MaskedTable> masked_table(const ByteTable& table);

/// What the bytes of an image become, in the form that is fastest. Made once for many rows.
class ByteMap {
 public:
  /// Changes nothing.
  ByteMap();
  /// One table for all channels, or one for each.
  explicit ByteMap(std::span<const ByteTable> tables);

  void apply(const ConstPixelRows& in, const PixelRows& out) const;

 private:
  std::array<ByteTable, 4> tables_;
  std::size_t count_ = 1;  // of the tables
  std::optional<MaskedTable> masked_;
};

/// The target for which the kernels that run were compiled, for tests.
CpuTarget tables_target();

}  // namespace penstock::inline v0
