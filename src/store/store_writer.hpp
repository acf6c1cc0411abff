#pragma once
// Writes samples to shards, index and keys, with a checkpoint now and then.

#include <memory>
#include <string>
#include <vector>

#include "formats/store_manifest.hpp"
#include "io/folder.hpp"
#include "store/journal.hpp"
#include "store/sample_packer.hpp"

namespace penstock::inline v0 {

/// Whether the files in `folder` hold what a checkpoint says (they may hold more behind it).
bool holds(const std::string& folder, const Checkpoint& checkpoint);

/// One thread at a time. What was added since the last checkpoint is lost when the process ends.
class StoreWriter {
 public:
  /// Continues from `from`, which `folder` holds; what lies behind it is cut off. `known_shards` are in the
  /// journal. The folder must outlive the writer.
  static Result<StoreWriter> open(const Folder& folder, std::size_t fields, std::uint64_t shard_bytes,
                                  Journal journal, Checkpoint from, std::size_t known_shards);

  /// The next sample of the source.
  Status add(PackedSample sample);
  /// The next sample of the source is left out.
  Status skip();
  /// Closes everything: the files are on disk and the index has its header.
  Status finish();

  const Checkpoint& state() const noexcept { return state_; }
  std::uint64_t bytes_written() const noexcept { return bytes_written_; }
  /// Whether the last add() or skip() ended with a checkpoint.
  bool at_checkpoint() const noexcept { return at_checkpoint_; }

 private:
  /// A file with what is not yet written to it.
  struct Buffered {
    DiskFile file;
    std::vector<std::uint8_t> pending;

    std::uint64_t size() const noexcept { return file.size() + pending.size(); }
    Status flush();
    Status append(ByteSpan bytes, std::uint32_t& checksum);
  };

  StoreWriter(const Folder& folder, std::size_t fields, std::uint64_t shard_bytes, Journal journal,
              Checkpoint from, std::size_t known_shards);
  Status open_shard();
  Status close_shard();
  Status add_checkpoint();
  Status count_done();
  std::uint8_t reason_number(const std::string& reason);

  const Folder* folder_;
  std::size_t fields_;
  std::uint64_t shard_bytes_;
  Journal journal_;
  Checkpoint state_;
  std::size_t known_shards_;
  Buffered shard_;
  Buffered index_;
  Buffered keys_;
  std::uint64_t bytes_written_ = 0;
  bool at_checkpoint_ = false;
};

}  // namespace penstock::inline v0
