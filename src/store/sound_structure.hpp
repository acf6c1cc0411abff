#pragma once
// What is in the file of a sound build besides its rows: docs/formats/sound_hdf5.md, "How it is written".

#include <string>

#include "io/folder.hpp"
#include "store/hdf5_file.hpp"

namespace penstock {

inline constexpr const char* kSoundTrialName = "trial.h5";

/// Makes a file with these contents in a folder of ours, and tells where rows lie in it.
Result<SoundFilePlaces> create_sound_file_in(const Folder& folder, const std::string& name,
                                             const SoundFileContents& contents);

/// Where rows lie in such a file, found by making one, which is deleted.
Result<SoundFilePlaces> sound_file_places(const Folder& folder, const SoundFileContents& contents);

/// The file was made with room for the rows of `all`, and holds those of `left`, which it is to end up with.
/// Writes everything else, as the library does it to a file of its own in `folder`, which is
/// deleted. Doing it again, after a kill at any moment, gives the same bytes.
Status write_sound_structure(DiskFile& file, const Folder& folder, const SoundFileContents& all,
                             const SoundFileContents& left);

}  // namespace penstock
