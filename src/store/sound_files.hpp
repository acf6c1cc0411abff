#pragma once
// The sound files below a folder, with their labels.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/result.hpp"

namespace penstock {

/// Sorted by key. A plain value.
struct SoundFiles {
  std::string folder;
  std::vector<std::string> keys;         ///< paths below the folder
  std::vector<std::int32_t> labels;      ///< of each key
  std::vector<std::string> label_names;  ///< sorted by bytes
  std::vector<std::uint8_t> splits;      ///< of each key; empty: there are none
  std::vector<std::string> split_names;  ///< sorted by bytes

  std::string path(std::uint64_t i) const { return folder + "/" + keys[static_cast<std::size_t>(i)]; }
};

/// What a pattern finds in a text.
struct PatternMatch {
  std::string label;
  std::string split;
};

/// A pattern of label_pattern: {label}, {split}, * and plain text. Each takes as little as it can.
std::optional<PatternMatch> match_label(std::string_view pattern, std::string_view text);

/// `pattern`: SoundBuildSettings::label_pattern. A folder without sound files, files without a label and
/// files that do not match are `invalid`.
Result<SoundFiles> find_sound_files(const std::string& folder, const std::string& pattern);

}  // namespace penstock
