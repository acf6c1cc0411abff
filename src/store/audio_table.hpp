#pragma once
// The recordings of a data set that is not a folder of files: tars, stores, anything that Dataset opens.

#include "formats/sample_table.hpp"
#include "store/audio_files.hpp"

namespace penstock::inline v0 {

/// One entry per sample, in their order. Labels by the pattern on the keys, else from the field `label`, else
/// from folders in the keys. A table without a field of audio is `invalid`, as are keys without a label; a
/// sample whose label cannot be read is listed in `unlabelled`. The table must outlive the result.
/// `description` is what the user called it.
Result<AudioFiles> recordings_of(const SampleTable& table, const std::string& description,
                                 const std::string& pattern);

}  // namespace penstock::inline v0
