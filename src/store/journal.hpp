#pragma once
// What an interrupted build has done. The format: docs/formats/store.md, "How it is written".

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/store_manifest.hpp"
#include "io/folder.hpp"

namespace penstock::inline v0 {

inline constexpr const char* kJournalName = "journal";

/// How far a build is. A plain value.
struct Checkpoint {
  std::uint64_t done = 0;     ///< samples of the source
  std::uint64_t samples = 0;  ///< in the store
  std::uint64_t skipped = 0;
  std::vector<StoreFile> shards;  ///< finished
  StoreFile open_shard;           ///< size 0: none is open
  StoreFile rows;                 ///< of the index, after its header
  StoreFile keys;
  std::vector<std::string> kept_because;

  bool operator==(const Checkpoint&) const = default;
};

/// What a journal file holds: as many whole lines as there are.
struct JournalContents {
  std::string build;                    ///< which build it belongs to
  std::vector<Checkpoint> checkpoints;  ///< the last ones, oldest first
  std::vector<std::uint64_t> ends;      ///< in the file, of each checkpoint's line
};

/// Nothing if there is no journal, or its first line is damaged.
std::optional<JournalContents> read_journal(const std::string& path);

/// Appends lines. One thread.
class Journal {
 public:
  /// A new one.
  static Result<Journal> begin(const Folder& folder, const std::string& build);
  /// One that is there, cut to `size` bytes.
  static Result<Journal> resume(const Folder& folder, std::uint64_t size);

  /// Finished shards are written once; `known_shards` of them are in the journal already.
  Status add(const Checkpoint& checkpoint, std::size_t known_shards);
  Status sync() { return file_.sync(); }

 private:
  explicit Journal(DiskFile file) : file_(std::move(file)) {}

  DiskFile file_;
};

}  // namespace penstock::inline v0
