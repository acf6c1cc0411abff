#pragma once
// Where the rows of an HDF5 file's data sets lie, so that they are read in place, by any number of threads
// and without the HDF5 library.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "formats/hdf5_objects.hpp"
#include "formats/hdf5_types.hpp"

namespace penstock::inline v0 {

/// A data set; its rows are what the first axis counts. A plain value.
struct Hdf5Set {
  std::uint64_t rows = 0;
  std::vector<std::size_t> row_shape;
  Hdf5Type type;
  std::uint64_t row_bytes = 0;
  std::uint64_t chunk_rows = 0;       ///< rows that lie one after the other
  std::vector<std::uint64_t> chunks;  ///< where each run of `chunk_rows` begins

  /// Within the file: find_hdf5_set() has seen to that.
  std::uint64_t place_of(std::uint64_t row) const noexcept {
    return chunks[static_cast<std::size_t>(row / chunk_rows)] + row % chunk_rows * row_bytes;
  }
};

/// `header` is that of the data set. `unsupported` what cannot be read in place (compressed, cut along
/// another axis than the first, text of any length, never written), with advice.
Result<Hdf5Set> find_hdf5_set(const Hdf5Bytes& file, const std::string& name, std::uint64_t header);

/// What the index of a data set's chunks is found by.
struct Hdf5Chunks {
  enum class Index : std::uint8_t { single = 1, implicit = 2, fixed_array = 3, old_tree = 255 };
  Index index = Index::single;
  std::uint64_t address = kHdf5Nowhere;  ///< of the index, or of the chunk itself
  std::uint64_t count = 0;
  std::size_t rank = 0;          ///< of the data set
  std::uint64_t chunk_rows = 0;  ///< in each
};

/// Where each chunk lies; the caller sees to it that they lie within the file. Not for Index::implicit.
Result<std::vector<std::uint64_t>> find_hdf5_chunks(const Hdf5Bytes& file, const Hdf5Chunks& chunks);

}  // namespace penstock::inline v0
