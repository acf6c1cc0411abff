#include "store/finish.hpp"

#include <cstring>
#include <optional>
#include <string_view>

#include "core/crc32c.hpp"
#include "formats/fingerprint.hpp"
#include "formats/store_format.hpp"
#include "io/storage.hpp"

namespace penstock::inline v0 {
namespace {

/// Over the rows and keys as they were written.
std::string fingerprint_of_rows(ByteSpan index, ByteSpan keys, const std::vector<FieldInfo>& fields) {
  const auto row = [&](std::uint64_t sample) {
    return index.data() + sizeof(StoreIndexHeader) + sample * store_row_size(fields.size());
  };
  const auto key_end = [&](std::uint64_t sample) {
    std::uint64_t end = 0;
    std::memcpy(&end, row(sample), sizeof end);
    return end;
  };
  return fingerprint_of((index.size() - sizeof(StoreIndexHeader)) / store_row_size(fields.size()), fields,
                        [&](std::uint64_t sample) {
                          const std::uint64_t begin = sample == 0 ? 0 : key_end(sample - 1);
                          return std::string_view(reinterpret_cast<const char*>(keys.data()) + begin,
                                                  static_cast<std::size_t>(key_end(sample) - begin));
                        },
                        [&](std::uint64_t sample, std::size_t field) {
                          FieldRecord record;
                          std::memcpy(&record, row(sample) + sizeof(std::uint64_t) + field * sizeof record,
                                      sizeof record);
                          return std::optional<std::uint64_t>(record.original_size());
                        });
}

}  // namespace

Status complete_manifest(const std::string& folder, const Checkpoint& state, StoreManifest& manifest) {
  PENSTOCK_ASSIGN(const Bytes index, local_storage()->read(folder + "/" + kStoreIndexName));
  PENSTOCK_ASSIGN(const Bytes keys, local_storage()->read(folder + "/" + kStoreKeysName));
  manifest.samples = state.samples;
  manifest.skipped = state.skipped;
  manifest.kept_because = state.kept_because;
  manifest.index = {index.size(), crc32c(index)};
  manifest.keys = state.keys;
  manifest.shards = state.shards;
  manifest.fingerprint = fingerprint_of_rows(index, keys, manifest.fields);
  if (const auto tables = local_storage()->read(folder + "/" + kStoreTablesName); tables.ok()) {
    manifest.tables = StoreFile{tables->size(), crc32c(*tables)};
  }
  return {};
}

Result<Checkpoint> state_of(const StoreFiles& store) {
  const StoreManifest& manifest = store.manifest();
  const ByteSpan rows = store.index().subspan(sizeof(StoreIndexHeader));
  if (crc32c(store.index()) != manifest.index.checksum || crc32c(store.keys()) != manifest.keys.checksum) {
    return Error{.kind = ErrorKind::corrupt,
                 .message = "the index or the keys of the store are damaged",
                 .advice = "rebuild the store",
                 .place = {.source = store.folder().named, .shard = store.folder().path, .stage = "build"}};
  }
  return Checkpoint{.done = 0,
                    .samples = manifest.samples,
                    .skipped = manifest.skipped,
                    .shards = manifest.shards,
                    .open_shard = {},
                    .rows = {rows.size(), crc32c(rows)},
                    .keys = manifest.keys,
                    .kept_because = manifest.kept_because};
}

}  // namespace penstock::inline v0
