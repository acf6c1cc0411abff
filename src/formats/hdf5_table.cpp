#include "formats/hdf5_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "formats/field_value.hpp"
#include "formats/fingerprint.hpp"
#include "formats/hdf5_sets.hpp"
#include "formats/table_base.hpp"
#include "formats/text.hpp"
#include "io/file_identity.hpp"
#include "io/source.hpp"

namespace penstock::inline v0 {
namespace {

constexpr std::uint64_t kNumberSize = 8;
/// Of classes and splits, which are held in memory.
constexpr std::uint64_t kMaxNames = 1'000'000;

/// A field of the table, and where its values are.
struct Hdf5Field {
  FieldSpec spec;
  Hdf5Set set;
  /// Text: what a number in `set` stands for. There may be many, and a field may be chosen twice.
  std::shared_ptr<const std::vector<std::string>> names = {};
};

/// Of whole numbers, which in arrays are not of all types.
Scalar number_type(const Hdf5Type& type) noexcept {
  const Scalar other = type.bytes == 2 ? Scalar::uint16 : type.bytes == 4 ? Scalar::uint32 : Scalar::uint64;
  return type.scalar().value_or(other);
}

std::string_view text_in(ByteSpan padded) noexcept {
  const std::string_view text(reinterpret_cast<const char*>(padded.data()), padded.size());
  return text.substr(0, text.find_last_not_of('\0') + 1);
}

/// "bool, uint8, ...": the types of arrays in batches.
std::string names_of_scalars() {
  std::string names;
  for (const Hdf5Type::Kind kind : {Hdf5Type::Kind::boolean, Hdf5Type::Kind::unsigned_whole,
                                    Hdf5Type::Kind::signed_whole, Hdf5Type::Kind::real}) {
    for (const std::uint64_t bytes : {1, 2, 4, 8}) {
      const Hdf5Type type{.kind = kind, .bytes = bytes};
      if (type.scalar()) {
        names += (names.empty() ? "" : ", ") + type.name();
      }
    }
  }
  return names;
}

class Hdf5Table final : public TableBase {
 public:
  /// Addresses count from byte `start` of the file.
  Hdf5Table(NamedPath path, SourcePtr file, std::uint64_t start, std::optional<Hdf5Set> keys,
            std::vector<std::string> classes, std::vector<Hdf5Field> contents)
      : TableBase(specs_of(contents), std::move(classes), {}),
        path_(std::move(path)),
        file_(std::move(file)),
        start_(start),
        keys_(std::move(keys)),
        contents_(std::move(contents)) {}

  std::uint64_t size() const noexcept override { return contents_.front().set.rows; }

  std::string key(std::uint64_t sample) const override {
    if (sample >= size()) {
      return {};
    }
    if (!keys_) {
      return std::to_string(sample);
    }
    const auto key = bytes_of(*keys_, sample);
    return key ? std::string(text_in(*key)) : std::string();
  }

  Result<Location> locate(std::uint64_t sample, std::size_t field) const override {
    PENSTOCK_TRY(check_numbers(sample, field, path_.named));
    return Location(extent_of(sample, field));
  }

  NamedPath object(std::uint64_t) const override { return path_; }

  Status check_lookups(std::uint64_t sample) const override {
    if (!keys_ || sample >= size()) {
      return {};
    }
    PENSTOCK_ASSIGN(const Bytes key, bytes_of(*keys_, sample));
    return key.intact();
  }

  std::uint64_t stored_size(std::uint64_t sample, std::size_t field) const override {
    if (sample >= size() || field >= contents_.size()) {
      return 0;
    }
    if (contents_[field].spec.kind == FieldKind::array) {
      return contents_[field].set.row_bytes;
    }
    const auto value = read(sample, field);
    return value.ok() && !value->number ? value->bytes.size() : kNumberSize;
  }

  ImageSize image_size(std::uint64_t, std::size_t) const override { return {}; }

  Place place(std::uint64_t sample, std::size_t field) const override {
    Place place{.source = path_.named,
                .shard = path_.path,
                .offset = {},
                .key = key(sample),
                .index = sample,
                .stage = "read"};
    if (sample < size() && field < contents_.size()) {
      place.offset = start_ + contents_[field].set.place_of(sample);
    }
    return place;
  }

  std::string identity() const override {
    return SourceIdentity().add(path_.storage->absolute(path_.path), file_->identity()).finish();
  }

  std::string fingerprint() const override {
    return fingerprint_of(
        size(), fields(), [this](std::uint64_t sample) { return key(sample); },
        [this](std::uint64_t sample, std::size_t field) {
          return std::optional<std::uint64_t>(stored_size(sample, field));
        });
  }

 private:
  static std::vector<FieldSpec> specs_of(const std::vector<Hdf5Field>& contents) {
    std::vector<FieldSpec> specs;
    for (const Hdf5Field& field : contents) {
      specs.push_back(field.spec);
    }
    return specs;
  }
  Result<const Source*> open_source(std::uint64_t) const override { return file_.get(); }

  std::optional<Extent> expected_at(std::uint64_t sample, std::size_t field) const override {
    return sample < size() && field < contents_.size() ? std::optional(extent_of(sample, field))
                                                       : std::nullopt;
  }

  /// A number that stands for a name must be that of one.
  Result<StoredValue> make_value(std::uint64_t sample, std::size_t field, Bytes bytes) const override {
    PENSTOCK_ASSIGN(StoredValue value, TableBase::make_value(sample, field, std::move(bytes)));
    const Hdf5Field& content = contents_[field];
    if (!value.number || !content.names || content.names->empty()) {
      return value;
    }
    PENSTOCK_ASSIGN(const std::int64_t number, integer_of(value));
    if (number < 0 || static_cast<std::uint64_t>(number) >= content.names->size()) {
      return Error{.kind = ErrorKind::corrupt,
                   .message = fmt::format("number {}, but there are {} names", number, content.names->size()),
                   .advice = {},
                   .place = place(sample, field)};
    }
    if (content.spec.kind == FieldKind::integer) {
      return value;
    }
    const std::string& name = (*content.names)[static_cast<std::size_t>(number)];
    return StoredValue{.bytes = Bytes(reinterpret_cast<const std::uint8_t*>(name.data()), name.size())};
  }

  Extent extent_of(std::uint64_t sample, std::size_t field) const noexcept {
    const Hdf5Set& set = contents_[field].set;
    return {.source = 0, .offset = start_ + set.place_of(sample), .size = set.row_bytes};
  }

  /// In the file: find_hdf5_set() has seen to that.
  Result<Bytes> bytes_of(const Hdf5Set& set, std::uint64_t row) const {
    return file_->read(start_ + set.place_of(row), set.row_bytes);
  }

  NamedPath path_;
  SourcePtr file_;
  std::uint64_t start_ = 0;
  std::optional<Hdf5Set> keys_;
  std::vector<Hdf5Field> contents_;
};

/// What a file of recordings holds, by the names of its data sets.
class RowContents {
 public:
  static Result<RowContents> of(const Source& file, std::uint64_t start) {
    RowContents contents(Hdf5Bytes(file, start));
    PENSTOCK_ASSIGN(contents.group_, hdf5_root_group(contents.file_));
    return contents;
  }

  /// Nothing if there is none of that name.
  Result<std::optional<Hdf5Set>> find(const std::string& name) const {
    PENSTOCK_ASSIGN(const std::optional<std::uint64_t> header, find_hdf5_object(group_, name));
    if (!header) {
      return std::optional<Hdf5Set>();
    }
    PENSTOCK_ASSIGN(Hdf5Set set, find_hdf5_set(file_, name, *header));
    return std::optional<Hdf5Set>(std::move(set));
  }

  Result<std::optional<Hdf5Set>> find_text(const std::string& name) const {
    PENSTOCK_ASSIGN(std::optional<Hdf5Set> set, find(name));
    if (set && (!set->type.is_text() || !set->row_shape.empty())) {
      return hdf5_unsupported(
          fmt::format("the data set {} holds {}, which is not a list of strings", name, set->type.name()));
    }
    return set;
  }

  /// Of the data set `name`, in order; empty if there is none.
  Result<std::vector<std::string>> texts(const std::string& name) const {
    PENSTOCK_ASSIGN(const std::optional<Hdf5Set> set, find_text(name));
    if (set && set->rows > kMaxNames) {
      return hdf5_unsupported(
          fmt::format("{} has {} names, more than the {} that are accepted", name, set->rows, kMaxNames));
    }
    std::vector<std::string> texts;
    for (std::uint64_t row = 0; set && row < set->rows; ++row) {
      PENSTOCK_ASSIGN(const ByteSpan bytes, file_.at(set->place_of(row), set->row_bytes));
      texts.emplace_back(text_in(bytes));
    }
    return texts;
  }

  /// Whole numbers, one for each row, each the number of one of `names`.
  Result<std::optional<Hdf5Field>> find_numbers(const std::string& data_set, FieldInfo info,
                                                std::vector<std::string> names) const {
    PENSTOCK_ASSIGN(std::optional<Hdf5Set> set, find(data_set));
    if (!set) {
      return std::optional<Hdf5Field>();
    }
    if (!set->type.is_whole() || !set->row_shape.empty()) {
      return hdf5_unsupported(fmt::format("the data set {} holds {}{}, which is not a list of integers",
                                          data_set, set->type.name(),
                                          set->row_shape.empty() ? "" : " in rows of several"));
    }
    return std::optional<Hdf5Field>(
        Hdf5Field{.spec = FieldSpec::of_number(std::move(info), number_type(set->type)),
                  .set = std::move(*set),
                  .names = std::make_shared<const std::vector<std::string>>(std::move(names))});
  }

  /// Every field that can be had, in the order in which they are given.
  Result<std::vector<Hdf5Field>> fields(const std::vector<std::string>& classes) const {
    std::vector<Hdf5Field> fields;
    for (const char* name : {"waveform", "mel"}) {
      PENSTOCK_ASSIGN(std::optional<Hdf5Set> set, find(name));
      if (set && !set->type.scalar()) {
        return hdf5_unsupported(fmt::format("the data set {} holds {}, but arrays must be of {}", name,
                                            set->type.name(), names_of_scalars()));
      }
      if (set) {
        ArraySpec array{.type = *set->type.scalar(), .shape = set->row_shape};
        fields.push_back({.spec = FieldSpec::of_array(name, std::move(array)), .set = std::move(*set)});
      }
    }
    if (fields.empty()) {
      return hdf5_unsupported("an HDF5 file without a data set waveform or mel");
    }
    PENSTOCK_ASSIGN(auto labels, find_numbers("labels", {"label", FieldKind::integer}, classes));
    PENSTOCK_ASSIGN(std::vector<std::string> split_names, texts("split_names"));
    const bool has_splits = !split_names.empty();
    PENSTOCK_ASSIGN(auto splits, find_numbers("splits", {"split", FieldKind::text}, std::move(split_names)));
    if (labels) {
      fields.push_back(std::move(*labels));
    }
    if (splits && has_splits) {
      fields.push_back(std::move(*splits));
    }
    for (const Hdf5Field& field : fields) {
      if (field.set.rows != fields.front().set.rows) {
        return hdf5_damage(fmt::format("{} has {} rows and {} has {}", fields.front().spec.name,
                                       fields.front().set.rows, field.spec.name, field.set.rows),
                           0);
      }
    }
    return fields;
  }

 private:
  explicit RowContents(Hdf5Bytes file) : file_(std::move(file)) {}

  Hdf5Bytes file_;
  Hdf5Group group_;
};

Result<std::vector<Hdf5Field>> choose(const std::vector<Hdf5Field>& all, const FieldChoice& choice) {
  std::vector<FieldSpec> specs;
  for (const Hdf5Field& field : all) {
    specs.push_back(field.spec);
  }
  PENSTOCK_ASSIGN(std::vector<ChosenField> wanted, choose_fields(specs, choice, "the HDF5 file", ""));
  std::vector<Hdf5Field> chosen;
  for (ChosenField& field : wanted) {
    chosen.push_back(all[field.number]);
    chosen.back().spec = std::move(field.spec);
  }
  return chosen;
}

Result<std::unique_ptr<SampleTable>> make_table(const NamedPath& path, SourcePtr file, std::uint64_t start,
                                                const FieldChoice& choice) {
  PENSTOCK_ASSIGN(const RowContents contents, RowContents::of(*file, start));
  PENSTOCK_ASSIGN(std::vector<std::string> classes, contents.texts("label_names"));
  PENSTOCK_ASSIGN(std::optional<Hdf5Set> keys, contents.find_text("keys"));
  PENSTOCK_ASSIGN(std::vector<Hdf5Field> fields, contents.fields(classes));
  if (keys && keys->rows != fields.front().set.rows) {
    return hdf5_damage(fmt::format("it has {} rows and {} keys", fields.front().set.rows, keys->rows), 0);
  }
  PENSTOCK_ASSIGN(fields, choose(fields, choice));
  if (Status whole = file->check(); !whole) {
    return std::move(whole).error();
  }
  return std::unique_ptr<SampleTable>(std::make_unique<Hdf5Table>(
      path, std::move(file), start, std::move(keys), std::move(classes), std::move(fields)));
}

/// Among thousands of shards, names are cheaper than a look into each.
Result<bool> recognise_hdf5(const Candidate& candidate, bool among_many) {
  const std::string lower = lower_case(candidate.path().path);
  const bool looked_into = !among_many || lower.ends_with(".h5") || lower.ends_with(".hdf5");
  if (candidate.is_folder() || !looked_into || candidate.file() == nullptr) {
    return false;
  }
  PENSTOCK_ASSIGN(const std::optional<std::uint64_t> start, find_hdf5_start(*candidate.file()));
  return start.has_value();
}

Result<std::unique_ptr<SampleTable>> open_one_hdf5(const std::vector<NamedPath>& sources,
                                                   const OpenOptions& options) {
  return open_hdf5_table(sources.front(), options);
}

}  // namespace

const Format kHdf5Format = {
    .name = "hdf5",
    .recognise = recognise_hdf5,
    .open = open_one_hdf5,
    .alone = Format::Alone{.what = "an HDF5 file",
                           .advice = "open an HDF5 file on its own; build one file of all recordings"}};

Result<std::unique_ptr<SampleTable>> open_hdf5_table(const NamedPath& path, const OpenOptions& options) {
  auto file = path.storage->open(path.path);
  if (!file.ok()) {
    Error error = std::move(file).error();
    error.place.source = path.named;
    return error;
  }
  std::uint64_t start = 0;
  const auto found = find_hdf5_start(**file);
  start = found.ok() ? found->value_or(0) : 0;
  auto table = found.ok() ? make_table(path, std::move(file).value(), start, options.fields)
                          : Result<std::unique_ptr<SampleTable>>(found.error());
  if (!table.ok()) {
    Error error = std::move(table).error();
    error.place.source = path.named;
    error.place.shard = path.path;
    if (error.place.offset) {
      *error.place.offset += start;
    }
    return error;
  }
  return table;
}

}  // namespace penstock::inline v0
