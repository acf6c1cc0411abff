#pragma once
// What the pipeline of an audio build can do on this machine, without files.

#include <cstdint>

#include "penstock/audio_build.hpp"

namespace penstock::inline v0 {

/// The pipeline of a build with `files` made-up files in memory in place of the source, and nothing written.
Result<AudioBuildReport> test_audio_pipeline(std::uint64_t files, const AudioBuildSettings& settings = {});

}  // namespace penstock::inline v0
