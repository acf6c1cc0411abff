#pragma once
// The sounds of a data set that is no folder of files: tars, stores, anything that Dataset opens.

#include "formats/sample_table.hpp"
#include "store/sound_files.hpp"

namespace penstock {

/// One entry per sample, in their order. Labels by the pattern on the keys, else from the field `label`, else
/// from folders in the keys. A table without a field of sound is `invalid`, as are keys without a label; a
/// sample whose label cannot be read is listed in `unlabelled`. The table must outlive the result.
/// `description` is what the user called it.
Result<SoundFiles> sounds_of(const SampleTable& table, const std::string& description,
                             const std::string& pattern);

}  // namespace penstock
