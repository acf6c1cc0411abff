#pragma once
// The samples of an HDF5 file as `penstock audio build` writes it, or h5py with the same names: see
// docs/formats/audio_hdf5.md.

#include <memory>

#include "formats/format.hpp"
#include "formats/named_path.hpp"
#include "formats/sample_table.hpp"

namespace penstock::inline v0 {

extern const Format kHdf5Format;

/// Opens the file; rows are read in place, without the HDF5 library. Fields: `waveform` and `mel` (array),
/// `label` (int), `split` (text), those of them that the file has.
Result<std::unique_ptr<SampleTable>> open_hdf5_table(const NamedPath& path, const OpenOptions& options);

}  // namespace penstock::inline v0
