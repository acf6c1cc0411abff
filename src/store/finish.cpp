#include "store/finish.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/crc32c.hpp"
#include "formats/fingerprint.hpp"
#include "formats/store_format.hpp"
#include "io/mapped_file.hpp"

namespace penstock {
namespace {

/// Over the rows and keys as they were written.
std::string fingerprint_of(ByteSpan index, ByteSpan keys, const std::vector<FieldInfo>& fields) {
  std::vector<std::size_t> order(fields.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return fields[a].name < fields[b].name; });
  Fingerprint hash;
  std::uint64_t key_begin = 0;
  for (ByteSpan rows = index.subspan(sizeof(StoreIndexHeader)); !rows.empty();
       rows = rows.subspan(store_row_size(fields.size()))) {
    std::uint64_t key_end = 0;
    std::memcpy(&key_end, rows.data(), sizeof key_end);
    hash.add_sample({reinterpret_cast<const char*>(keys.data()) + key_begin,
                     static_cast<std::size_t>(key_end - key_begin)},
                    fields.size());
    key_begin = key_end;
    for (const std::size_t field : order) {
      FieldRecord record;
      std::memcpy(&record, rows.data() + sizeof key_end + field * sizeof record, sizeof record);
      hash.add_field(fields[field].name, record.original_size());
    }
  }
  return hash.finish();
}

}  // namespace

Status complete_manifest(const std::string& folder, const Checkpoint& state, StoreManifest& manifest) {
  PENSTOCK_ASSIGN(const auto index, MappedFile::open(folder + "/" + kStoreIndexName, Access::sequential));
  PENSTOCK_ASSIGN(const auto keys, MappedFile::open(folder + "/" + kStoreKeysName, Access::sequential));
  manifest.samples = state.samples;
  manifest.skipped = state.skipped;
  manifest.kept_because = state.kept_because;
  manifest.index = {index->size(), crc32c(index->bytes())};
  manifest.keys = state.keys;
  manifest.shards = state.shards;
  manifest.fingerprint = fingerprint_of(index->bytes(), keys->bytes(), manifest.fields);
  if (const auto tables = MappedFile::open(folder + "/" + kStoreTablesName); tables.ok()) {
    manifest.tables = StoreFile{(*tables)->size(), crc32c((*tables)->bytes())};
  }
  return {};
}

Result<Checkpoint> state_of(const StoreFiles& store) {
  const StoreManifest& manifest = store.manifest();
  const ByteSpan rows = store.index().subspan(sizeof(StoreIndexHeader));
  if (crc32c(store.index()) != manifest.index.checksum || crc32c(store.keys()) != manifest.keys.checksum) {
    return Error{.kind = ErrorKind::corrupt,
                 .message = "the index or the keys of the store are damaged",
                 .advice = "build the store anew",
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

}  // namespace penstock
