#include "formats/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "formats/fingerprint.hpp"
#include "formats/tar_fields.hpp"
#include "formats/text.hpp"
#include "formats/webdataset.hpp"
#include "io/file_identity.hpp"

namespace penstock::inline v0 {
namespace {

class StoreTable final : public SampleTable {
 public:
  /// `columns`: for each field of the table, the number of the store's field.
  StoreTable(std::shared_ptr<const StoreFiles> files, std::vector<FieldInfo> fields,
             std::vector<std::size_t> columns, bool default_fields)
      : files_(std::move(files)),
        fields_(std::move(fields)),
        columns_(std::move(columns)),
        default_fields_(default_fields) {
    for (const std::size_t column : columns_) {
      const StoreManifest& manifest = files_->manifest();
      const auto array = manifest.arrays.find(manifest.fields[column].name);
      arrays_.push_back(array != manifest.arrays.end() ? array->second : ArraySpec());
    }
    if (const std::uint64_t skipped = files_->manifest().skipped; skipped > 0) {
      warnings_.push_back(fmt::format("{}: {} bad samples were left out when the store was built",
                                      printable_path(files_->folder().path), skipped));
    }
  }

  std::uint64_t size() const noexcept override { return files_->size(); }
  const std::vector<FieldInfo>& fields() const noexcept override { return fields_; }
  const std::vector<std::string>& classes() const noexcept override { return files_->manifest().classes; }
  const std::vector<std::string>& warnings() const noexcept override { return warnings_; }
  std::string key(std::uint64_t sample) const override { return std::string(files_->key(sample)); }

  Result<StoredValue> read(std::uint64_t sample, std::size_t field, Scratch&) const override {
    if (sample >= size() || field >= columns_.size()) {
      return Error{.kind = ErrorKind::invalid,
                   .message = fmt::format("there is no sample {} with a field {}", sample, field),
                   .advice = {},
                   .place = {.source = files_->folder().named, .stage = "read"}};
    }
    PENSTOCK_ASSIGN(const FieldRecord record, files_->record(sample, columns_[field]));
    auto bytes = files_->checked(sample, columns_[field], record);
    if (!bytes.ok()) {
      Error error = std::move(bytes).error();
      error.place = place(sample, field);
      return error;
    }
    if (fields_[field].kind == FieldKind::array &&
        (record.codec != RecordCodec::original || bytes->size() != arrays_[field].bytes())) {
      return damaged(
          sample, field,
          fmt::format("{} bytes where {} are expected", bytes->size(), arrays_[field].to_string()));
    }
    switch (record.codec) {
      case RecordCodec::original:
        return StoredValue{.bytes = *bytes};
      case RecordCodec::repacked:
        PENSTOCK_TRY(files_->tables().intact());
        return StoredValue{.bytes = *bytes, .codec = StoredCodec::repacked, .tables = files_->tables()};
      case RecordCodec::pixels:
        return StoredValue{.bytes = *bytes, .codec = StoredCodec::pixels};
      case RecordCodec::number: {
        StoredValue value{.bytes = {}, .is_number = true};
        if (bytes->size() != sizeof value.number) {
          return damaged(sample, field, fmt::format("a number of {} bytes", bytes->size()));
        }
        std::memcpy(&value.number, bytes->data(), sizeof value.number);
        PENSTOCK_TRY(bytes->intact());
        return value;
      }
    }
    return damaged(sample, field, fmt::format("unknown codec {}", static_cast<int>(record.codec)));
  }

  Status check_keys() const override { return files_->check_keys(); }
  Status check_lookups(std::uint64_t sample) const override {
    return sample < size() ? files_->check_lookups(sample) : Status();
  }

  void will_read(std::uint64_t sample, std::size_t field) const override {
    const FieldRecord* const record = record_of(sample, field);
    if (record == nullptr) {
      return;
    }
    if (const auto shard = files_->shard(record->shard()); shard.ok()) {
      (*shard)->advise(Access::will_need, record->offset(), record->stored_size());
    }
  }

  std::uint64_t stored_size(std::uint64_t sample, std::size_t field) const override {
    const FieldRecord* const record = record_of(sample, field);
    return record != nullptr ? record->original_size() : 0;
  }

  ImageSize image_size(std::uint64_t sample, std::size_t field) const override {
    const FieldRecord* const record = record_of(sample, field);
    return record != nullptr ? ImageSize{record->width, record->height} : ImageSize{};
  }

  ArraySpec array(std::size_t field) const override {
    return field < arrays_.size() ? arrays_[field] : ArraySpec();
  }

  Place place(std::uint64_t sample, std::size_t field) const override {
    Place place{.source = files_->folder().named,
                .shard = {},
                .offset = {},
                .key = key(sample),
                .index = sample,
                .stage = "read"};
    if (const FieldRecord* const record = record_of(sample, field)) {
      place.shard = files_->shard_path(record->shard());
      place.offset = record->offset();
    }
    return place;
  }

  std::vector<std::uint64_t> shard_starts() const override {
    return find_shard_starts(size(), columns_.empty() ? 0 : files_->manifest().shards.size(),
                             [this](std::uint64_t sample) { return files_->records(sample)[0].shard(); });
  }

  std::string identity() const override { return files_->identity(); }

  std::string fingerprint() const override {
    if (default_fields_) {
      return files_->manifest().fingerprint;
    }
    return fingerprint_of(
        size(), fields_, [this](std::uint64_t sample) { return files_->key(sample); },
        [this](std::uint64_t sample, std::size_t field) {
          return std::optional<std::uint64_t>(stored_size(sample, field));
        });
  }

 private:
  const FieldRecord* record_of(std::uint64_t sample, std::size_t field) const noexcept {
    if (sample >= size() || field >= columns_.size()) {
      return nullptr;
    }
    return &files_->records(sample)[columns_[field]];
  }

  Error damaged(std::uint64_t sample, std::size_t field, std::string what) const {
    return {.kind = ErrorKind::corrupt,
            .message = fmt::format("the stored field is damaged: {}", what),
            .advice = {},
            .place = place(sample, field)};
  }

  std::shared_ptr<const StoreFiles> files_;
  std::vector<FieldInfo> fields_;
  std::vector<std::size_t> columns_;
  std::vector<ArraySpec> arrays_;  // one per field
  bool default_fields_;
  std::vector<std::string> warnings_;
};

}  // namespace

std::string StoreFiles::identity() const {
  SourceIdentity hash;
  hash.add(opened_folder_, {});
  hash.add(kStoreIndexName, index_->state()).add(kStoreKeysName, keys_->state());
  if (tables_) {
    hash.add(kStoreTablesName, tables_->state());
  }
  for (std::size_t i = 0; i < manifest_.shards.size(); ++i) {
    const auto mapped = shard(i);
    hash.add(store_shard_name(i), mapped ? (*mapped)->state() : FileIdentity{});
  }
  return hash.finish();
}

std::unique_ptr<SampleTable> store_table(std::shared_ptr<const StoreFiles> files) {
  std::vector<FieldInfo> fields = files->manifest().fields;
  std::vector<std::size_t> columns(fields.size());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  return std::make_unique<StoreTable>(std::move(files), std::move(fields), std::move(columns), true);
}

Result<std::unique_ptr<SampleTable>> open_store(const NamedPath& folder, const FieldChoice& choice) {
  PENSTOCK_TRY(check_field_choice(choice));
  PENSTOCK_ASSIGN(std::shared_ptr<const StoreFiles> files, StoreFiles::open(folder));
  if (choice.empty()) {
    return store_table(std::move(files));
  }
  const std::vector<FieldInfo>& all = files->manifest().fields;
  const auto find = [&all](const std::string& name) {
    return std::find_if(all.begin(), all.end(),
                        [&name](const FieldInfo& field) { return field.name == name; });
  };
  std::vector<FieldInfo> fields;
  std::vector<std::size_t> columns;
  for (const auto& [name, wanted] : choice) {
    auto found = find(wanted);
    if (found == all.end()) {
      found = find(default_field(lower_case(wanted)).name);
    }
    if (found == all.end()) {
      std::string names;
      for (const FieldInfo& field : all) {
        names += (names.empty() ? "" : ", ") + printable(field.name);
      }
      return Error{.kind = ErrorKind::invalid,
                   .message = fmt::format("the store has no field '{}'", printable(wanted)),
                   .advice = "available: " + names,
                   .place = {.source = folder.named, .stage = "open"}};
    }
    fields.push_back({name, found->kind});
    columns.push_back(static_cast<std::size_t>(found - all.begin()));
  }
  return std::unique_ptr<SampleTable>(
      std::make_unique<StoreTable>(std::move(files), std::move(fields), std::move(columns), false));
}

}  // namespace penstock::inline v0
