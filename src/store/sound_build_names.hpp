#pragma once
// Which build of a sound file is which.

#include <string>

#include "store/sound_files.hpp"

namespace penstock {

/// What tells builds apart: `contents` the bytes of the file, `files` also whether the source is as it was.
struct SoundBuildNames {
  std::string contents;
  std::string files;
};

/// `configuration`: the settings on which the bytes depend.
SoundBuildNames sound_build_names(const SoundFiles& files, const std::string& configuration);

}  // namespace penstock
