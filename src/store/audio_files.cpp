#include "store/audio_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "codecs/audio_catalog.hpp"
#include "formats/folder_scan.hpp"
#include "formats/sample_table.hpp"
#include "formats/text.hpp"
#include "io/storage.hpp"

namespace penstock::inline v0 {
namespace {

constexpr std::array<std::string_view, 8> kSplits = {"train",      "training", "val",  "valid",
                                                     "validation", "dev",      "test", "eval"};
constexpr std::string_view kLabel = "{label}";
constexpr std::string_view kSplit = "{split}";

bool contains(const auto& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

Error wrong_files(std::string message, std::string advice, const std::string& folder) {
  return {.kind = ErrorKind::invalid,
          .message = std::move(message),
          .advice = std::move(advice),
          .place = {.source = folder, .stage = "scan"}};
}

std::vector<std::string_view> folders_of(std::string_view key) {
  std::vector<std::string_view> folders;
  for (std::size_t slash = key.find('/'); slash != std::string_view::npos; slash = key.find('/')) {
    folders.push_back(key.substr(0, slash));
    key.remove_prefix(slash + 1);
  }
  return folders;
}

Result<std::vector<PatternMatch>> by_folders(const std::string& root, const std::vector<std::string>& keys) {
  const bool in_splits = std::all_of(keys.begin(), keys.end(), [](const std::string& key) {
    const auto folders = folders_of(key);
    return folders.size() > 1 && contains(kSplits, lower_case(folders[0]));
  });
  std::vector<PatternMatch> found;
  for (const std::string& key : keys) {
    const auto folders = folders_of(key);
    if (folders.empty()) {
      return wrong_files(fmt::format("{} is not in a folder that could be its label", printable(key)),
                         "put files into one folder per label, or describe where labels are in their names "
                         "with label_pattern, such as '{label}_*'",
                         root);
    }
    found.push_back(in_splits
                        ? PatternMatch{.label = std::string(folders[1]), .split = std::string(folders[0])}
                        : PatternMatch{.label = std::string(folders[0]), .split = {}});
  }
  return found;
}

Result<std::vector<PatternMatch>> by_pattern(const std::string& root, const std::vector<std::string>& keys,
                                             const std::string& pattern) {
  if (pattern.find(kLabel) == std::string::npos) {
    return wrong_files(fmt::format("label_pattern must contain {{label}}, got '{}'", pattern),
                       "use one such as '{label}_*' or '{split}/{label}/*'", root);
  }
  std::vector<PatternMatch> found;
  for (const std::string& key : keys) {
    const bool whole = pattern.find('/') != std::string::npos;
    auto match = match_label(pattern, whole ? key : key.substr(key.rfind('/') + 1));
    if (!match) {
      return wrong_files(fmt::format("{} does not match label_pattern '{}'", printable(key), pattern),
                         "change the pattern, or take the file out of the folder", root);
    }
    found.push_back(std::move(*match));
  }
  return found;
}

/// Names, sorted, with their numbers.
template <class Number>
std::vector<std::string> number(const std::vector<std::string>& values, std::vector<Number>& numbers) {
  std::map<std::string_view, Number> places;
  for (const std::string& value : values) {
    places.emplace(value, 0);
  }
  std::vector<std::string> names;
  for (auto& [name, place] : places) {
    place = static_cast<Number>(names.size());
    names.emplace_back(name);
  }
  for (const std::string& value : values) {
    numbers.push_back(places[value]);
  }
  return names;
}

}  // namespace

std::optional<PatternMatch> match_label(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) {
    return text.empty() ? std::optional(PatternMatch{}) : std::nullopt;
  }
  const bool is_label = pattern.starts_with(kLabel);
  const bool is_split = pattern.starts_with(kSplit);
  if (!is_label && !is_split && pattern[0] != '*') {
    return !text.empty() && text[0] == pattern[0] ? match_label(pattern.substr(1), text.substr(1))
                                                  : std::nullopt;
  }
  const std::string_view rest = pattern.substr(is_label ? kLabel.size() : is_split ? kSplit.size() : 1);
  const std::size_t limit = std::min(text.find('/'), text.size());
  for (std::size_t size = is_label || is_split ? 1 : 0; size <= limit; ++size) {
    if (auto match = match_label(rest, text.substr(size))) {
      if (is_label || is_split) {
        (is_label ? match->label : match->split) = text.substr(0, size);
      }
      return match;
    }
  }
  return {};
}

Place AudioFiles::place(std::uint64_t i) const {
  Place place = table != nullptr ? table->place(i, field) : Place{.shard = path(i)};
  place.source = folder;
  place.key = keys[static_cast<std::size_t>(i)];
  place.index = i;
  return place;
}

Status label_by_names(AudioFiles& files, const std::string& pattern) {
  PENSTOCK_ASSIGN(
      const std::vector<PatternMatch> matches,
      pattern.empty() ? by_folders(files.folder, files.keys) : by_pattern(files.folder, files.keys, pattern));
  std::vector<std::string> labels;
  std::vector<std::string> splits;
  for (const PatternMatch& match : matches) {
    labels.push_back(match.label);
    splits.push_back(match.split);
  }
  files.label_names = number(labels, files.labels);
  if (splits.front().empty()) {
    return {};
  }
  std::vector<std::int32_t> numbers;
  files.split_names = number(splits, numbers);
  if (files.split_names.size() > 256) {
    return wrong_files(fmt::format("there must be at most 256 splits, got {}", files.split_names.size()), "",
                       files.folder);
  }
  files.splits.assign(numbers.begin(), numbers.end());
  return {};
}

Result<AudioFiles> find_audio_files(const std::string& folder, const std::string& pattern) {
  AudioFiles files;
  PENSTOCK_ASSIGN(const NamedPath named, find_named(folder));
  files.storage = named.storage;
  files.folder = named.storage->absolute(named.path);
  PENSTOCK_ASSIGN(FoundFiles found, find_files(*files.storage, files.folder, true));
  files.keys = std::move(found.recordings.paths);
  std::sort(files.keys.begin(), files.keys.end());
  if (found.recordings.undecodable > 0) {
    files.warnings.push_back(
        fmt::format("{} recordings are left out because their format is not supported (first: {})",
                    found.recordings.undecodable, printable(found.recordings.first_undecodable)));
  }
  if (files.keys.empty()) {
    return wrong_files(fmt::format("there is no audio file ({}) in this folder",
                                   in_words(audio_catalog().readable_extensions())),
                       "check the path", folder);
  }
  PENSTOCK_TRY(label_by_names(files, pattern));
  return files;
}

}  // namespace penstock::inline v0
