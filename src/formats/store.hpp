#pragma once
// A store as a table of samples. To the byte: docs/formats/store.md.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/format.hpp"
#include "formats/named_path.hpp"
#include "formats/sample_table.hpp"
#include "formats/store_format.hpp"
#include "formats/store_manifest.hpp"
#include "io/folder.hpp"
#include "io/source.hpp"

namespace penstock::inline v0 {

/// Whether a folder is a store: by its manifest or its index, whole or damaged.
bool is_store(const NamedPath& folder);

class CheckedFields;

/// The files of a store, opened. Immutable after opening; any thread. Rows are checked when they are used.
class StoreFiles {
 public:
  /// Opens and compares headers and sizes; looks at no row.
  static Result<std::unique_ptr<StoreFiles>> open(const NamedPath& folder);
  /// The same of a folder that is open and stays that one, whatever its name, `folder`, stands for later.
  static Result<std::unique_ptr<StoreFiles>> open_in(std::shared_ptr<const Folder> opened,
                                                     const NamedPath& folder);
  ~StoreFiles();

  const NamedPath& folder() const noexcept { return folder_; }
  const StoreManifest& manifest() const noexcept { return manifest_; }
  std::uint64_t size() const noexcept { return manifest_.samples; }
  ByteSpan index() const noexcept { return index_.bytes; }
  ByteSpan keys() const noexcept { return keys_.bytes; }
  /// Empty without repacked images.
  Bytes tables() const noexcept { return tables_.bytes.lend(0, tables_.bytes.size()); }
  /// For messages: as the user named it.
  std::string shard_path(std::uint64_t shard) const;

  /// Empty if the row is damaged, or names more than kMaxKeyBytes.
  std::string_view key(std::uint64_t sample) const noexcept;
  /// `corrupt` if keys lie over each other. Looks at every row.
  Status check_keys() const;
  /// Bytes::intact() of all that index and keys hold of a sample that exists; `corrupt` if it has no key.
  Status check_lookups(std::uint64_t sample) const;
  /// The records of a sample that exists, in the order of the manifest's fields.
  std::span<const FieldRecord> records(std::uint64_t sample) const noexcept;
  /// One of them, known to be intact.
  Result<FieldRecord> record(std::uint64_t sample, std::size_t field) const;
  /// The stored bytes, as they are, if check_place() agrees.
  Result<Bytes> stored(std::uint64_t sample, const FieldRecord& record) const;
  /// `corrupt` with the place if the record points outside of its shard, or to one that the rows beside it
  /// are not in. Looks at the index alone.
  Status check_place(std::uint64_t sample, const FieldRecord& record) const;
  /// Compares the stored bytes of a field that exists with their checksum: those of a mapping when they are
  /// first asked for, held ones always. `record` is the field's.
  Status check_bytes(std::uint64_t sample, std::size_t field, const FieldRecord& record,
                     const Bytes& bytes) const;
  /// Of all files, as they were when they were mapped.
  std::string identity() const;
  /// The shard, opened at its first use; `corrupt` if its rows place more in it than it could hold.
  Result<const Source*> shard(std::uint64_t number) const;

 private:
  /// One that is held whole: of a mapped file nothing is read before it is looked at.
  struct WholeFile {
    SourcePtr source;
    Bytes bytes;
  };
  struct ShardRows;
  struct Shards;
  static Result<std::unique_ptr<StoreFiles>> open_once(const NamedPath& folder,
                                                       std::shared_ptr<const Folder> opened);
  StoreFiles(NamedPath folder, std::shared_ptr<const Folder> opened);
  struct KeyRange;
  Bytes row(std::uint64_t sample) const noexcept;
  KeyRange key_range(std::uint64_t sample) const noexcept;
  std::uint64_t key_end(std::uint64_t sample) const noexcept;
  Status check_files() const;
  Result<const ShardRows*> rows_of_shard(std::uint64_t number) const;
  ShardRows find_rows(std::uint64_t number) const;
  Result<SourcePtr> open_shard(std::uint64_t number) const;
  std::string path_of(const char* name) const;
  Result<SourcePtr> open_as_it_is(const char* name) const;
  Result<SourcePtr> open_file(const char* name) const;
  Result<WholeFile> open_whole(const char* name) const;
  Result<StoreManifest> read_manifest() const;
  Error damaged(const char* file, std::string what) const;

  NamedPath folder_;
  std::shared_ptr<const Folder> opened_;  ///< none: files are opened by their names
  std::string opened_folder_;  ///< absolute: shards are mapped when the process may have changed its folder
  StoreManifest manifest_;
  WholeFile index_;
  WholeFile keys_;
  WholeFile tables_;  ///< empty without
  std::unique_ptr<Shards> shards_;
  std::unique_ptr<CheckedFields> checked_;
};

extern const Format kStoreFormat;

/// A choice names a field of the store, or an extension that stands for it in tar shards.
Result<std::unique_ptr<SampleTable>> open_store(const NamedPath& folder, const OpenOptions& options);
std::unique_ptr<SampleTable> store_table(std::shared_ptr<const StoreFiles> files);

}  // namespace penstock::inline v0
