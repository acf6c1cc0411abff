#pragma once
// What an array is: the type of its elements and its extents.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/sample.hpp"

namespace penstock::inline v0 {

/// Type of an array's elements, as numpy has them, but for bfloat16, which torch has. That has uint16, uint32
/// and uint64 from 2.3 on.
enum class Scalar : std::uint8_t {
  boolean,
  uint8,
  int8,
  int16,
  int32,
  int64,
  float16,
  float32,
  float64,
  uint16,
  uint32,
  uint64,
  bfloat16  ///< of batches alone: nothing is stored in it
};
/// Those that numpy has: all but the last.
inline constexpr std::size_t kScalarTypes = 12;

/// numpy's name: "bool", "uint8", ...
const char* name_of(Scalar type) noexcept;
/// Of numpy's types.
std::optional<Scalar> scalar_named(std::string_view name) noexcept;
std::size_t size_of(Scalar type) noexcept;
/// The same type of an image's elements.
Scalar scalar_of(ElementType type) noexcept;

/// Dimensions that an array may have.
inline constexpr std::size_t kMaxDimensions = 8;
/// An extent that is not the same for all arrays of a spec.
inline constexpr std::size_t kAnyExtent = ~std::size_t{0};

/// What arrays are. C-contiguous, the last dimension fastest.
struct ArraySpec {
  Scalar type = Scalar::uint8;
  std::vector<std::size_t> shape{};  ///< kAnyExtent where arrays differ

  /// Whether all arrays have the same shape.
  bool fixed() const noexcept;
  /// Bytes of the elements, where the shape is fixed; the largest number if they are more than memory can
  /// hold.
  std::size_t bytes() const noexcept;
  /// Whether an array of `other`, which is fixed, is one of these.
  bool covers(const ArraySpec& other) const noexcept;
  /// "uint8 (64, 48, 3)", "uint8 (any, any, 3)".
  std::string to_string() const;
  bool operator==(const ArraySpec&) const = default;
};

/// The shape of one array, without memory of its own beside it.
class Extents {
 public:
  Extents() = default;
  Extents(std::initializer_list<std::size_t> extents) : Extents(std::span(extents.begin(), extents.size())) {}
  /// At most kMaxDimensions.
  explicit Extents(std::span<const std::size_t> extents) noexcept : size_(extents.size()) {
    for (std::size_t i = 0; i < size_; ++i) {
      extents_[i] = extents[i];
    }
  }

  std::size_t size() const noexcept { return size_; }
  std::size_t operator[](std::size_t dimension) const noexcept { return extents_[dimension]; }
  std::size_t back() const noexcept { return extents_[size_ - 1]; }
  const std::size_t* begin() const noexcept { return extents_.data(); }
  const std::size_t* end() const noexcept { return extents_.data() + size_; }
  /// Elements of an array of this shape, which exists.
  std::size_t elements() const noexcept {
    std::size_t count = 1;
    for (const std::size_t extent : *this) {
      count *= extent;
    }
    return count;
  }
  bool operator==(const Extents& other) const noexcept {
    return size_ == other.size_ && std::equal(begin(), end(), other.begin());
  }

 private:
  std::size_t size_ = 0;
  std::array<std::size_t, kMaxDimensions> extents_;  // the first size_ of them count
};

}  // namespace penstock::inline v0
