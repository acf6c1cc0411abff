#pragma once
// What an interrupted audio build has done: docs/formats/audio_hdf5.md, "How it is written".

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/folder.hpp"

namespace penstock::inline v0 {

inline constexpr const char* kAudioJournalName = "journal";

/// A file that is left out.
struct BadRecording {
  std::uint64_t file = 0;
  ErrorKind kind = ErrorKind::corrupt;
  std::string message;
  std::string advice;
  std::string stage;

  bool operator==(const BadRecording&) const = default;
};

/// How far a build is.
struct AudioProgress {
  std::uint64_t files = 0;
  std::uint64_t rows = 0;
  std::vector<BadRecording> bad;

  bool operator==(const AudioProgress&) const = default;
};

/// Appends a line per batch. One thread.
class AudioJournal {
 public:
  static Result<AudioJournal> begin(const Folder& folder, const std::string& build);
  /// One that is there and belongs to this build, with what it says; nothing if there is none. What a kill
  /// left of a line is cut off.
  struct Found;
  static Result<std::optional<Found>> resume(const Folder& folder, const std::string& build);

  /// Bad files of this batch alone.
  Status add(std::uint64_t files, std::uint64_t rows, const std::vector<BadRecording>& bad);

 private:
  explicit AudioJournal(DiskFile file) : file_(std::move(file)) {}

  DiskFile file_;
};

struct AudioJournal::Found {
  AudioJournal journal;
  AudioProgress progress;
};

}  // namespace penstock::inline v0
