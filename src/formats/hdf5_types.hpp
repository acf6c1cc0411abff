#pragma once
// What the elements of an HDF5 data set are.

#include <cstdint>
#include <optional>
#include <string>

#include "formats/hdf5_bytes.hpp"
#include "penstock/array_spec.hpp"

namespace penstock::inline v0 {

/// Numbers are little-endian and use all of their bits. A plain value.
struct Hdf5Type {
  enum class Kind : std::uint8_t { text, boolean, signed_whole, unsigned_whole, real };
  Kind kind = Kind::text;
  std::uint64_t bytes = 0;  ///< of one element; text is padded with zeros

  bool is_text() const noexcept { return kind == Kind::text; }
  /// One number for each element; a boolean is 0 or 1.
  bool is_whole() const noexcept { return kind != Kind::text && kind != Kind::real; }
  /// The type of arrays of them; nothing for text, and for numbers that batches do not have (uint16).
  std::optional<Scalar> scalar() const noexcept;
  /// numpy's name for it.
  std::string name() const;
};

/// `message` is the datatype message of a data set of that name. `unsupported` with the name of the type if
/// it is none of the above.
Result<Hdf5Type> read_hdf5_type(ByteSpan message, const std::string& data_set);

}  // namespace penstock::inline v0
