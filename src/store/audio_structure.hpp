#pragma once
// What is in the file of an audio build besides its rows: docs/formats/audio_hdf5.md, "How it is written".

#include <string>

#include "io/folder.hpp"
#include "store/hdf5_file.hpp"

namespace penstock::inline v0 {

inline constexpr const char* kAudioTrialName = "trial.h5";

/// Makes a file with these contents in a folder of ours, and tells where rows lie in it.
Result<AudioFilePlaces> create_audio_file_in(const Folder& folder, const std::string& name,
                                             const AudioFileContents& contents);

/// Where rows lie in such a file, found by making one, which is deleted.
Result<AudioFilePlaces> audio_file_places(const Folder& folder, const AudioFileContents& contents);

/// The file was made with room for the rows of `all`, and holds those of `left`, which it is to end up with.
/// Writes everything else, as the library does it to a file of its own in `folder`, which is
/// deleted. Doing it again, after a kill at any moment, gives the same bytes.
Status write_audio_structure(DiskFile& file, const Folder& folder, const AudioFileContents& all,
                             const AudioFileContents& left);

}  // namespace penstock::inline v0
