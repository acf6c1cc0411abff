#include <bit>

#include "formats/store.hpp"
#include "penstock/store.hpp"

namespace penstock::inline v0 {
namespace {

const char* name_of(RecordCodec codec) noexcept {
  switch (codec) {
    case RecordCodec::original:
      return "original";
    case RecordCodec::repacked:
      return "repacked";
    case RecordCodec::pixels:
      return "pixels";
    case RecordCodec::number:
      return "number";
  }
  return "unknown";
}

}  // namespace

Result<StoreInfo> store_info(const std::string& path) {
  PENSTOCK_ASSIGN(const NamedPath folder, find_named(path));
  PENSTOCK_ASSIGN(const std::unique_ptr<StoreFiles> files, StoreFiles::open(folder));
  const StoreManifest& manifest = files->manifest();
  StoreInfo info{.version = kStoreVersion,
                 .written_by = manifest.written_by,
                 .fingerprint = manifest.fingerprint,
                 .samples = manifest.samples,
                 .skipped = manifest.skipped,
                 .fields = {},
                 .classes = manifest.classes,
                 .sources = {},
                 .image = manifest.settings.image,
                 .shards = manifest.shards.size(),
                 .total_bytes = manifest.index.size + manifest.keys.size + manifest.text().size() +
                                (manifest.tables ? manifest.tables->size : 0),
                 .kept_because = {},
                 .image_sizes = {}};
  for (const StoreFile& shard : manifest.shards) {
    info.total_bytes += shard.size;
  }
  for (const StoreSource& source : manifest.sources) {
    info.sources.push_back(source.description);
  }
  for (const FieldInfo& field : manifest.fields) {
    info.fields.push_back({field, {}});
  }
  for (std::uint64_t sample = 0; sample < manifest.samples; ++sample) {
    const auto records = files->records(sample);
    for (std::size_t field = 0; field < records.size(); ++field) {
      const FieldRecord& record = records[field];
      StoreInfo::Codec& codec = info.fields[field].codecs[name_of(record.codec)];
      ++codec.fields;
      codec.stored_bytes += record.stored_size();
      codec.original_bytes += record.original_size();
      if (record.reason > 0 && record.reason <= manifest.kept_because.size()) {
        ++info.kept_because[manifest.kept_because[record.reason - 1u]];
      }
      if (manifest.fields[field].kind == FieldKind::image) {
        const unsigned longer = std::max(record.width, record.height);
        ++info.image_sizes[longer == 0 ? 0 : std::bit_ceil(longer)];
      }
    }
  }
  return info;
}

}  // namespace penstock::inline v0
