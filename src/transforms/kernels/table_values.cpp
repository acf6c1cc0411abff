// What the tables hold: Pillow's arithmetic.

#include <algorithm>
#include <cmath>

#include "transforms/kernels/byte_tables.hpp"

namespace penstock::inline v0 {

std::uint8_t blend(std::uint8_t from, std::uint8_t to, float factor) {
  const float moved = factor * static_cast<float>(to - from);
  const float sum = static_cast<float>(from) + moved;
  return sum <= 0.0F ? 0 : sum >= 255.0F ? 255 : static_cast<std::uint8_t>(sum);
}

ByteTable identity_table() {
  ByteTable table;
  for (std::size_t i = 0; i < table.size(); ++i) {
    table[i] = static_cast<std::uint8_t>(i);
  }
  return table;
}

ByteTable blend_table(std::uint8_t from, float factor) {
  ByteTable table = identity_table();
  for (std::uint8_t& value : table) {
    value = blend(from, value, factor);
  }
  return table;
}

ByteTable solarize_table(double threshold) {
  ByteTable table = identity_table();
  for (std::uint8_t& value : table) {
    value = value < threshold ? value : static_cast<std::uint8_t>(255 - value);
  }
  return table;
}

ByteTable posterize_table(int bits) {
  ByteTable table = identity_table();
  for (std::uint8_t& value : table) {
    value &= static_cast<std::uint8_t>(~((1 << (8 - bits)) - 1));
  }
  return table;
}

ByteTable invert_table() { return solarize_table(0.0); }

ByteTable autocontrast_table(std::uint8_t smallest, std::uint8_t largest) {
  ByteTable table = identity_table();
  if (largest <= smallest) {
    return table;
  }
  const double scale = 255.0 / (largest - smallest);
  const double offset = -smallest * scale;
  for (std::uint8_t& value : table) {
    const double scaled = value * scale;
    value = static_cast<std::uint8_t>(std::clamp(static_cast<int>(scaled + offset), 0, 255));
  }
  return table;
}

ByteTable equalize_table(const std::array<std::uint32_t, 256>& histogram) {
  std::uint64_t pixels = 0, last = 0;
  int used = 0;
  for (const std::uint32_t count : histogram) {
    pixels += count;
    used += count != 0 ? 1 : 0;
    last = count != 0 ? count : last;
  }
  const std::uint64_t step = (pixels - last) / 255;
  ByteTable table = identity_table();
  if (used < 2 || step == 0) {
    return table;
  }
  std::uint64_t sum = step / 2;
  for (std::size_t i = 0; i < table.size(); ++i) {
    table[i] = static_cast<std::uint8_t>(std::min<std::uint64_t>(sum / step, 255));
    sum += histogram[i];
  }
  return table;
}

ByteTable gamma_table(double gamma, double gain) {
  ByteTable table = identity_table();
  for (std::uint8_t& value : table) {
    const double scaled = 255.999 * gain * std::pow(value / 255.0, gamma);
    value = static_cast<std::uint8_t>(std::min(scaled, 255.0));
  }
  return table;
}

ByteTable joined(const ByteTable& first, const ByteTable& then) {
  ByteTable table = first;
  for (std::uint8_t& value : table) {
    value = then[value];
  }
  return table;
}

std::optional<MaskedTable> masked_table(const ByteTable& table) {
  for (int bits = 8; bits >= 0; --bits) {
    MaskedTable form;
    form.mask = static_cast<std::uint8_t>(0xFF00 >> bits);
    form.below = table[0];
    form.above = table[255] ^ form.mask;
    std::size_t value = 0;
    while (value < 255 && (table[value] ^ (value & form.mask)) == form.below) {
      ++value;
    }
    form.threshold = static_cast<std::uint8_t>(value);
    while (value < 255 && (table[value] ^ (value & form.mask)) == form.above) {
      ++value;
    }
    if (value == 255) {
      return form;
    }
  }
  return {};
}

}  // namespace penstock::inline v0
