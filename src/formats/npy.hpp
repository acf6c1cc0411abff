#pragma once
// Arrays as numpy.save writes them. To the byte: docs/formats/npy.md.

#include <cstdint>

#include "penstock/array_spec.hpp"
#include "penstock/result.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0 {

/// Longer headers are refused.
inline constexpr std::uint64_t kMaxNpyHeader = 65535;
/// So many bytes hold every header that is accepted.
inline constexpr std::uint64_t kNpyStart = 12 + kMaxNpyHeader;

/// What the header of a file says. A plain value.
struct NpyHeader {
  ArraySpec array;
  bool fortran = false;     ///< the first dimension is the fastest
  std::uint64_t begin = 0;  ///< of the elements

  bool operator==(const NpyHeader&) const = default;
};

/// `start`: the first bytes of a file of `size` bytes, at least kNpyStart of them if it has so many.
/// `corrupt` unless the file ends with its last element; `unsupported` for elements that batches do not have:
/// Python objects, structures, text, complex and big-endian numbers.
Result<NpyHeader> read_npy_header(ByteSpan start, std::uint64_t size);

/// Writes the elements of a file, whose header this is, in C order.
void copy_npy(const NpyHeader& header, ByteSpan file, std::uint8_t* out) noexcept;

}  // namespace penstock::inline v0
