#pragma once
// Type and shape of the arrays in .npy files, for those who index them.

#include <cstdint>
#include <functional>

#include "io/bytes.hpp"
#include "penstock/array_spec.hpp"
#include "penstock/result.hpp"

namespace penstock::inline v0 {

/// What the header of a file of `size` bytes says, of which `first_bytes` gives as many as it is asked for.
Result<ArraySpec> array_by_header(std::uint64_t size,
                                  const std::function<Result<Bytes>(std::uint64_t size)>& first_bytes);

/// By which an index knows type and shape of an array; never 0. To the byte: docs/formats/tar_index.md.
std::uint32_t checksum_of(const ArraySpec& array);

}  // namespace penstock::inline v0
