#pragma once
// The audio files below a folder, with their labels.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/storage.hpp"
#include "penstock/result.hpp"

namespace penstock::inline v0 {
class SampleTable;
}

namespace penstock::inline v0 {

/// Files below a folder, sorted by key; or samples of a table, in its order. A plain value.
struct AudioFiles {
  std::string folder;                         ///< or what the user called the table
  StoragePtr storage = local_storage();       ///< of the folder
  std::vector<std::string> keys;              ///< paths below the folder, or of the samples
  std::vector<std::int64_t> labels;           ///< of each key
  std::vector<std::string> label_names;       ///< by number; none: labels are numbers of any size
  std::vector<std::uint8_t> splits;           ///< of each key; empty: there are none
  std::vector<std::string> split_names;       ///< sorted by bytes
  const SampleTable* table = nullptr;         ///< null: they are files
  std::size_t field = 0;                      ///< of the table: the recording
  std::map<std::uint64_t, Error> unlabelled;  ///< samples that are bad, whatever their recording
  std::vector<std::string> warnings;          ///< what the user should know, a line each

  /// Of a file or sample.
  std::string label_name(std::size_t i) const {
    return label_names.empty() ? std::to_string(labels[i]) : label_names[static_cast<std::size_t>(labels[i])];
  }
  /// Of a file.
  std::string path(std::uint64_t i) const { return folder + "/" + keys[static_cast<std::size_t>(i)]; }
  /// For errors.
  Place place(std::uint64_t i) const;
};

/// What a pattern finds in a text.
struct PatternMatch {
  std::string label;
  std::string split;
};

/// A pattern of label_pattern: {label}, {split}, * and plain text. Each takes as little as it can.
std::optional<PatternMatch> match_label(std::string_view pattern, std::string_view text);

/// Labels and splits from the keys: by AudioBuildSettings::label_pattern, or by folders if it is empty. Keys
/// that do not match, or are in no folder, are `invalid`.
Status label_by_names(AudioFiles& files, const std::string& pattern);

/// `pattern`: AudioBuildSettings::label_pattern. A folder without audio files, files without a label and
/// files that do not match are `invalid`.
Result<AudioFiles> find_audio_files(const std::string& folder, const std::string& pattern);

}  // namespace penstock::inline v0
