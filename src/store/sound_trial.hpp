#pragma once
// What the pipeline of a sound build can do on this machine, without files.

#include <cstdint>

#include "penstock/sound_build.hpp"

namespace penstock {

/// The pipeline of a build with `files` made-up files in memory in place of the source, and nothing written.
Result<SoundBuildReport> test_sound_pipeline(std::uint64_t files, const SoundBuildSettings& settings = {});

}  // namespace penstock
