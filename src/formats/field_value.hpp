#pragma once
// Stored fields that are no arrays: labels, text, JSON.

#include <cstdint>

#include "formats/npy.hpp"
#include "formats/sample_table.hpp"
#include "penstock/result.hpp"

namespace penstock::inline v0 {

/// The number in as many bytes as its type has. `corrupt` for an integer that does not fit into 64 bits with
/// a sign.
Result<Number> number_in(ByteSpan bytes, Scalar type);

/// The integer of a stored value: its number, or ASCII decimal with optional sign and surrounding white
/// space.
Result<std::int64_t> integer_of(const StoredValue& value);

/// The number of a stored value of kind float: its number, or as Python's float() reads it, without
/// underscores. Infinite only where that is written: a number that is too large is `corrupt`.
Result<double> real_of(const StoredValue& value);

/// The array of a stored value, of which `spec` is known: values as they lie, or an .npy file. A plain value.
struct StoredArray {
  NpyHeader header;  ///< of values: made up
  ByteSpan file;

  std::size_t bytes() const noexcept { return header.array.bytes(); }
  Extents shape() const noexcept { return Extents(header.array.shape); }
  /// Writes the elements in C order.
  void copy(void* out) const noexcept { copy_npy(header, file, static_cast<std::uint8_t*>(out)); }
};
/// `corrupt` if it is none, or not one of those that the spec tells.
Result<StoredArray> array_of(const FieldSpec& spec, const StoredValue& value);

/// `corrupt` for text and JSON that Python could not read.
Status check_syntax(FieldKind kind, ByteSpan bytes);

/// `corrupt` for a number, an array, text or JSON that no loader could deliver, as the spec says that it is
/// read; other kinds are not looked at.
Status check_value(const FieldSpec& spec, const StoredValue& value);

/// Completes an error with the sample and field it belongs to.
Error at_sample(Error error, const SampleTable& table, std::uint64_t sample, std::size_t field);

}  // namespace penstock::inline v0
