#pragma once
// Rows of different shapes as one array: each followed by zeros up to the largest.

#include <cstddef>
#include <vector>

#include "penstock/batch.hpp"

namespace penstock::inline v0 {

/// [rows, largest extents of any of the first `rows` rows]. For a column whose rows have memory of their own.
std::vector<std::size_t> padded_shape(const Column& column, std::size_t rows);

/// Writes the rows to `out`, which has room for an array of that shape.
void pad_rows(const Column& column, const std::vector<std::size_t>& shape, void* out);

}  // namespace penstock::inline v0
