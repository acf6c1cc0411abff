#pragma once
// What an interrupted sound build has done: docs/formats/sound_hdf5.md, "How it is written".

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/folder.hpp"

namespace penstock {

inline constexpr const char* kSoundJournalName = "journal";

/// A file that is left out.
struct BadSound {
  std::uint64_t file = 0;
  ErrorKind kind = ErrorKind::corrupt;
  std::string message;
  std::string advice;
  std::string stage;

  bool operator==(const BadSound&) const = default;
};

/// How far a build is.
struct SoundProgress {
  std::uint64_t files = 0;
  std::uint64_t rows = 0;
  std::vector<BadSound> bad;

  bool operator==(const SoundProgress&) const = default;
};

/// Appends a line per batch. One thread.
class SoundJournal {
 public:
  static Result<SoundJournal> begin(const Folder& folder, const std::string& build);
  /// One that is there and belongs to this build, with what it says; nothing if there is none. What a kill
  /// left of a line is cut off.
  struct Found;
  static Result<std::optional<Found>> go_on(const Folder& folder, const std::string& build);

  /// Bad files of this batch alone.
  Status add(std::uint64_t files, std::uint64_t rows, const std::vector<BadSound>& bad);

 private:
  explicit SoundJournal(DiskFile file) : file_(std::move(file)) {}

  DiskFile file_;
};

struct SoundJournal::Found {
  SoundJournal journal;
  SoundProgress progress;
};

}  // namespace penstock
