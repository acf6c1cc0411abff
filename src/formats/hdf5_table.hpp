#pragma once
// The samples of an HDF5 file as `penstock audio build` writes it, or h5py with the same names: see
// docs/formats/audio_hdf5.md.

#include <memory>

#include "formats/named_path.hpp"
#include "formats/sample_table.hpp"

namespace penstock::inline v0 {

/// Whether the file begins as HDF5 files do; false if it cannot be read.
bool is_hdf5_file(const std::string& path);

/// Maps the file; rows are read in place, without the HDF5 library. Fields: `waveform` and `mel` (array),
/// `label` (int), `split` (text), those of them that the file has.
Result<std::unique_ptr<SampleTable>> open_hdf5_table(const NamedPath& path, const FieldChoice& fields);

}  // namespace penstock::inline v0
