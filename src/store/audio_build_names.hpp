#pragma once
// Which build of an audio file is which.

#include <string>

#include "store/audio_files.hpp"

namespace penstock::inline v0 {

/// What tells builds apart: `contents` the bytes of the file, `files` also whether the source is as it was.
struct AudioBuildNames {
  std::string contents;
  std::string files;
};

/// `configuration`: the settings on which the bytes depend.
AudioBuildNames audio_build_names(const AudioFiles& files, const std::string& configuration);

}  // namespace penstock::inline v0
