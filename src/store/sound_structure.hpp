#pragma once
// What is in the file of a sound build besides its rows: docs/formats/sound_hdf5.md, "How it is written".

#include <string>

#include "audio/hdf5_file.hpp"
#include "store/disk_file.hpp"

namespace penstock {

/// Where rows lie in a file with these contents, found by making one at `trial`, which is deleted.
Result<SoundFilePlaces> sound_file_places(const std::string& trial, const SoundFileContents& contents);

/// The file was made with room for the rows of `all`, and holds those of `left`, which it is to end up with.
/// Writes everything else, as the library does it to a file of its own at `trial`, which is
/// deleted. Doing it again, after a kill at any moment, gives the same bytes.
Status write_sound_structure(DiskFile& file, const std::string& trial, const SoundFileContents& all,
                             const SoundFileContents& left);

}  // namespace penstock
