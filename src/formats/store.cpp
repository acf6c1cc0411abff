#include "formats/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "formats/field_value.hpp"
#include "formats/fingerprint.hpp"
#include "formats/table_base.hpp"
#include "formats/text.hpp"
#include "formats/webdataset.hpp"
#include "io/file_identity.hpp"

namespace penstock::inline v0 {
namespace {

class StoreTable final : public TableBase {
 public:
  /// `columns`: for each field of the table, the number of the store's field.
  StoreTable(std::shared_ptr<const StoreFiles> files, std::vector<FieldSpec> specs,
             std::vector<std::size_t> columns, bool default_fields)
      : TableBase(std::move(specs), files->manifest().classes, warnings_of(*files)),
        files_(std::move(files)),
        columns_(std::move(columns)),
        default_fields_(default_fields) {}

  std::uint64_t size() const noexcept override { return files_->size(); }
  std::string key(std::uint64_t sample) const override { return std::string(files_->key(sample)); }

  Result<Location> locate(std::uint64_t sample, std::size_t field) const override {
    PENSTOCK_TRY(check_numbers(sample, field, files_->folder().named));
    PENSTOCK_ASSIGN(const FieldRecord record, files_->record(sample, columns_[field]));
    if (Status right = files_->check_place(sample, record); !right.ok()) {
      Error error = std::move(right).error();
      error.place = place(sample, field);
      return error;
    }
    return Location(
        Extent{.source = record.shard(), .offset = record.offset(), .size = record.stored_size()});
  }

  NamedPath object(std::uint64_t source) const override {
    return {files_->shard_path(source), files_->folder().named, files_->folder().storage};
  }

  Result<StoredValue> make_value(std::uint64_t sample, std::size_t field, Bytes bytes) const override {
    PENSTOCK_ASSIGN(const FieldRecord record, files_->record(sample, columns_[field]));
    if (Status right = files_->check_bytes(sample, columns_[field], record, bytes); !right.ok()) {
      Error error = std::move(right).error();
      error.place = place(sample, field);
      return error;
    }
    if (fields()[field].kind == FieldKind::array && record.codec != RecordCodec::original) {
      return damaged(sample, field, fmt::format("an array in codec {}", static_cast<int>(record.codec)));
    }
    switch (record.codec) {
      case RecordCodec::original:
        return StoredValue{.bytes = std::move(bytes)};
      case RecordCodec::repacked:
        PENSTOCK_TRY(files_->tables().intact());
        return StoredValue{
            .bytes = std::move(bytes), .codec = StoredCodec::repacked, .tables = files_->tables()};
      case RecordCodec::pixels:
        return StoredValue{.bytes = std::move(bytes), .codec = StoredCodec::pixels};
      case RecordCodec::number: {
        const Scalar type = fields()[field].kind == FieldKind::real ? Scalar::float64 : Scalar::int64;
        if (bytes.size() != size_of(type)) {
          return damaged(sample, field, fmt::format("a number of {} bytes", bytes.size()));
        }
        PENSTOCK_ASSIGN(const Number number, number_in(bytes, type));
        PENSTOCK_TRY(bytes.intact());
        return StoredValue{.bytes = {}, .number = number};
      }
    }
    return damaged(sample, field, fmt::format("unknown codec {}", static_cast<int>(record.codec)));
  }

  Status check_keys() const override { return files_->check_keys(); }
  Status check_lookups(std::uint64_t sample) const override {
    return sample < size() ? files_->check_lookups(sample) : Status();
  }

  std::uint64_t stored_size(std::uint64_t sample, std::size_t field) const override {
    const FieldRecord* const record = record_of(sample, field);
    return record != nullptr ? record->original_size() : 0;
  }

  ImageSize image_size(std::uint64_t sample, std::size_t field) const override {
    const FieldRecord* const record = record_of(sample, field);
    return record != nullptr ? ImageSize{record->width, record->height} : ImageSize{};
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
        size(), fields(), [this](std::uint64_t sample) { return files_->key(sample); },
        [this](std::uint64_t sample, std::size_t field) {
          return std::optional<std::uint64_t>(stored_size(sample, field));
        });
  }

 private:
  static std::vector<std::string> warnings_of(const StoreFiles& files) {
    const std::uint64_t skipped = files.manifest().skipped;
    return skipped == 0 ? std::vector<std::string>()
                        : std::vector{fmt::format("{}: {} bad samples were left out when the store was built",
                                                  printable_path(files.folder().path), skipped)};
  }

  Result<const Source*> open_source(std::uint64_t source) const override { return files_->shard(source); }

  std::optional<Extent> expected_at(std::uint64_t sample, std::size_t field) const override {
    const FieldRecord* const record = record_of(sample, field);
    return record != nullptr
               ? std::optional(Extent{
                     .source = record->shard(), .offset = record->offset(), .size = record->stored_size()})
               : std::nullopt;
  }

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
  std::vector<std::size_t> columns_;
  bool default_fields_;
};

/// Of all fields of a store.
std::vector<FieldSpec> specs_of(const StoreManifest& manifest) {
  std::vector<FieldSpec> specs;
  for (const FieldInfo& field : manifest.fields) {
    const auto array = manifest.arrays.find(field.name);
    if (array == manifest.arrays.end()) {
      specs.push_back(FieldSpec::of(field, FieldSpec::Encoding::record));
      const auto reading = manifest.readings.find(field.name);
      specs.back().reading = reading != manifest.readings.end() ? reading->second : FieldReading();
      continue;
    }
    specs.push_back(FieldSpec::of_array(field.name, array->second.spec));
    if (array->second.npy) {
      specs.back().encoding = FieldSpec::Encoding::npy;
    }
  }
  return specs;
}

Result<bool> recognise_store(const Candidate& candidate, bool /*among_many*/) {
  constexpr std::uint64_t kLooked = 4096;
  if (!candidate.is_folder()) {
    return false;
  }
  const auto text = [](const Bytes& bytes) {
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  PENSTOCK_ASSIGN(const Bytes manifest, candidate.first_bytes_of(kStoreManifestName, kLooked));
  if (StoreManifest::recognises(text(manifest))) {
    return true;
  }
  PENSTOCK_ASSIGN(const Bytes index, candidate.first_bytes_of(kStoreIndexName, kStoreMagic.size()));
  return text(index) == std::string_view(kStoreMagic.data(), kStoreMagic.size());
}

Result<std::unique_ptr<SampleTable>> open_one_store(const std::vector<NamedPath>& sources,
                                                    const OpenOptions& options) {
  return open_store(sources.front(), options);
}

}  // namespace

const Format kStoreFormat = {
    .name = "store",
    .recognise = recognise_store,
    .open = open_one_store,
    .alone = Format::Alone{.what = "a store",
                           .advice = "open a store on its own; penstock build --append joins sources"}};

bool is_store(const NamedPath& folder) {
  const auto recognised = recognise_store(Candidate(folder), false);
  return recognised.ok() && *recognised;
}

std::string StoreFiles::identity() const {
  SourceIdentity hash;
  hash.add(opened_folder_, {});
  hash.add(kStoreIndexName, index_.source->identity()).add(kStoreKeysName, keys_.source->identity());
  if (tables_.source) {
    hash.add(kStoreTablesName, tables_.source->identity());
  }
  for (std::size_t i = 0; i < manifest_.shards.size(); ++i) {
    const auto opened = shard(i);
    hash.add(store_shard_name(i), opened ? (*opened)->identity() : FileIdentity{});
  }
  return hash.finish();
}

std::unique_ptr<SampleTable> store_table(std::shared_ptr<const StoreFiles> files) {
  std::vector<FieldSpec> specs = specs_of(files->manifest());
  std::vector<std::size_t> columns(specs.size());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  return std::make_unique<StoreTable>(std::move(files), std::move(specs), std::move(columns), true);
}

Result<std::unique_ptr<SampleTable>> open_store(const NamedPath& folder, const OpenOptions& options) {
  const FieldChoice& choice = options.fields;
  PENSTOCK_TRY(check_field_choice(choice));
  PENSTOCK_ASSIGN(std::shared_ptr<const StoreFiles> files, StoreFiles::open(folder));
  PENSTOCK_ASSIGN(
      std::vector<ChosenField> chosen,
      choose_fields(specs_of(files->manifest()), choice, "the store", folder.named,
                    [](const std::string& wanted) { return default_field(lower_case(wanted)).name; }));
  std::vector<FieldSpec> specs;
  std::vector<std::size_t> columns;
  for (ChosenField& field : chosen) {
    specs.push_back(std::move(field.spec));
    columns.push_back(field.number);
  }
  return std::unique_ptr<SampleTable>(
      std::make_unique<StoreTable>(std::move(files), std::move(specs), std::move(columns), choice.empty()));
}

}  // namespace penstock::inline v0
