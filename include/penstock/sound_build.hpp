#pragma once
// The old names of audio_build.hpp, for one more minor version: docs/design/stability.md.

#include "penstock/audio_build.hpp"

namespace penstock::inline v0 {

using SoundBuildProgress [[deprecated("renamed to AudioBuildProgress")]] = AudioBuildProgress;
using SoundCompute [[deprecated("renamed to AudioCompute")]] = AudioCompute;
using SoundBuildSettings [[deprecated("renamed to AudioBuildSettings")]] = AudioBuildSettings;
using SoundStageSeconds [[deprecated("renamed to AudioStageSeconds")]] = AudioStageSeconds;
using SoundBuildReport [[deprecated("renamed to AudioBuildReport")]] = AudioBuildReport;

[[deprecated("renamed to build_audio")]] inline Result<AudioBuildReport> build_sound(
    const std::string& source, const std::string& destination, const AudioBuildSettings& settings = {}) {
  return build_audio(source, destination, settings);
}

}  // namespace penstock::inline v0
