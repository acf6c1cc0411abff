#pragma once
// What a data set is made of: fields, their kinds, and the size of an image.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace penstock::inline v0 {

using ByteSpan = std::span<const std::uint8_t>;

enum class FieldKind : std::uint8_t { image, bytes, text, json, integer, real, array, audio };

/// As users see it: "image", "bytes", "text", "json", "int", "float", "array", "audio".
const char* name_of(FieldKind kind) noexcept;

struct FieldInfo {
  std::string name;  ///< as users see it
  FieldKind kind = FieldKind::bytes;

  bool operator==(const FieldInfo&) const = default;
};

/// Type of a batch's image elements.
enum class ElementType : std::uint8_t { uint8, float32, uint16, float16, bfloat16 };

constexpr std::size_t size_of(ElementType type) noexcept {
  return type == ElementType::uint8 ? 1 : type == ElementType::float32 ? 4 : 2;
}

/// Order of a batch's image elements: [B, 3, H, W] or [B, H, W, 3] in memory.
enum class MemoryFormat : std::uint8_t {
  channels_first,
  channels_last,
  automatic  ///< only in options: as the consumer is known to prefer, else channels_first
};

/// How the operations of a list become passes over pixels.
enum class Fuse : std::uint8_t {
  off,    ///< a pass for each, as Pillow would run them: slow, the same pixels as exact
  exact,  ///< as few passes as give the same pixels
  fast    ///< fewer, where neighbouring warps become one: pixels differ a little
};

struct ImageSize {
  int width = 0;
  int height = 0;

  bool operator==(const ImageSize&) const = default;
};

/// A rectangle of pixels, `x` to the right, `y` down.
struct Rect {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;

  bool operator==(const Rect&) const = default;
};

}  // namespace penstock::inline v0
