#include "formats/hdf5_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "formats/fingerprint.hpp"
#include "formats/hdf5_sets.hpp"
#include "formats/tar_fields.hpp"
#include "formats/text.hpp"
#include "io/file_identity.hpp"
#include "io/mapped_file.hpp"

namespace penstock::inline v0 {
namespace {

constexpr std::uint64_t kNumberSize = 8;
/// Of classes and splits, which are held in memory.
constexpr std::uint64_t kMaxNames = 1'000'000;

/// A field of the table, and where its values are.
struct Hdf5Field {
  FieldInfo info;
  Hdf5Set set;
  std::vector<std::string> names = {};  ///< text: what a number in `set` stands for
};

/// Little-endian, sign and all.
std::int64_t number_in(ByteSpan bytes, bool has_sign) noexcept {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bits |= std::uint64_t{bytes[i]} << (8 * i);
  }
  const std::size_t unused = 64 - 8 * bytes.size();
  return has_sign ? static_cast<std::int64_t>(bits << unused) >> unused : static_cast<std::int64_t>(bits);
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

class Hdf5Table final : public SampleTable {
 public:
  /// Addresses count from byte `start` of the file.
  Hdf5Table(NamedPath path, std::unique_ptr<MappedFile> file, std::uint64_t start,
            std::optional<Hdf5Set> keys, std::vector<std::string> classes, std::vector<Hdf5Field> contents)
      : path_(std::move(path)),
        file_(std::move(file)),
        start_(start),
        keys_(std::move(keys)),
        classes_(std::move(classes)),
        contents_(std::move(contents)) {
    for (const Hdf5Field& field : contents_) {
      fields_.push_back(field.info);
    }
  }

  std::uint64_t size() const noexcept override { return contents_.front().set.rows; }
  const std::vector<FieldInfo>& fields() const noexcept override { return fields_; }
  const std::vector<std::string>& classes() const noexcept override { return classes_; }
  const std::vector<std::string>& warnings() const noexcept override { return warnings_; }

  std::string key(std::uint64_t sample) const override {
    if (sample >= size()) {
      return {};
    }
    return keys_ ? std::string(text_in(bytes_of(*keys_, sample))) : std::to_string(sample);
  }

  Result<StoredValue> read(std::uint64_t sample, std::size_t field, Scratch&) const override {
    if (sample >= size() || field >= contents_.size()) {
      return Error{.kind = ErrorKind::invalid,
                   .message = fmt::format("there is no sample {} with a field {}", sample, field),
                   .advice = {},
                   .place = {.source = path_.named, .stage = "read"}};
    }
    const Hdf5Field& content = contents_[field];
    const Bytes bytes = bytes_of(content.set, sample);
    if (content.info.kind == FieldKind::array) {
      return StoredValue{.bytes = bytes};
    }
    const bool has_sign = content.set.type.kind == Hdf5Type::Kind::signed_whole;
    const std::int64_t number = number_in(bytes, has_sign);
    PENSTOCK_TRY(bytes.intact());
    if (!has_sign && number < 0) {
      return Error{.kind = ErrorKind::corrupt,
                   .message = fmt::format("number {} is too large", static_cast<std::uint64_t>(number)),
                   .advice = {},
                   .place = place(sample, field)};
    }
    const std::vector<std::string>& names = content.names;
    if (!names.empty() && (number < 0 || static_cast<std::uint64_t>(number) >= names.size())) {
      return Error{.kind = ErrorKind::corrupt,
                   .message = fmt::format("number {}, but there are {} names", number, names.size()),
                   .advice = {},
                   .place = place(sample, field)};
    }
    if (content.info.kind == FieldKind::integer) {
      return StoredValue{.bytes = {}, .number = number, .is_number = true};
    }
    const std::string& name = names[static_cast<std::size_t>(number)];
    return StoredValue{.bytes = {reinterpret_cast<const std::uint8_t*>(name.data()), name.size()}};
  }

  Status check_lookups(std::uint64_t sample) const override {
    return keys_ && sample < size() ? bytes_of(*keys_, sample).intact() : Status();
  }

  void will_read(std::uint64_t sample, std::size_t field) const override {
    if (sample < size() && field < contents_.size()) {
      const Hdf5Set& set = contents_[field].set;
      file_->advise(Access::will_need, start_ + set.place_of(sample), set.row_bytes);
    }
  }

  std::uint64_t stored_size(std::uint64_t sample, std::size_t field) const override {
    if (sample >= size() || field >= contents_.size()) {
      return 0;
    }
    if (contents_[field].info.kind == FieldKind::array) {
      return contents_[field].set.row_bytes;
    }
    Scratch unused;
    const auto value = read(sample, field, unused);
    return value.ok() && !value->is_number ? value->bytes.size() : kNumberSize;
  }

  ImageSize image_size(std::uint64_t, std::size_t) const override { return {}; }

  ArraySpec array(std::size_t field) const override {
    if (field >= contents_.size() || contents_[field].info.kind != FieldKind::array) {
      return {};
    }
    const Hdf5Set& set = contents_[field].set;
    return {.type = *set.type.scalar(), .shape = set.row_shape};
  }

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
    return SourceIdentity().add(absolute_path(path_.path), file_->state()).finish();
  }

  std::string fingerprint() const override {
    return fingerprint_of(
        size(), fields_, [this](std::uint64_t sample) { return key(sample); },
        [this](std::uint64_t sample, std::size_t field) {
          return std::optional<std::uint64_t>(stored_size(sample, field));
        });
  }

 private:
  /// In the file: find_hdf5_set() has seen to that.
  Bytes bytes_of(const Hdf5Set& set, std::uint64_t row) const noexcept {
    return file_->bytes().part(start_ + set.place_of(row), set.row_bytes);
  }

  NamedPath path_;
  std::unique_ptr<MappedFile> file_;
  std::uint64_t start_ = 0;
  std::optional<Hdf5Set> keys_;
  std::vector<std::string> classes_;
  std::vector<Hdf5Field> contents_;
  std::vector<FieldInfo> fields_;
  std::vector<std::string> warnings_;
};

/// What a file of recordings holds, by the names of its data sets.
class RowContents {
 public:
  static Result<RowContents> of(ByteSpan file) {
    RowContents contents(Hdf5Bytes{file});
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
        Hdf5Field{.info = std::move(info), .set = std::move(*set), .names = std::move(names)});
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
        fields.push_back({.info = {name, FieldKind::array}, .set = std::move(*set)});
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
        return hdf5_damage(fmt::format("{} has {} rows and {} has {}", fields.front().info.name,
                                       fields.front().set.rows, field.info.name, field.set.rows),
                           0);
      }
    }
    return fields;
  }

 private:
  explicit RowContents(Hdf5Bytes file) : file_(file) {}

  Hdf5Bytes file_;
  Hdf5Group group_;
};

Result<std::vector<Hdf5Field>> choose(std::vector<Hdf5Field> all, const FieldChoice& choice) {
  if (choice.empty()) {
    return all;
  }
  std::vector<Hdf5Field> chosen;
  std::string names;
  for (const Hdf5Field& field : all) {
    names += (names.empty() ? "" : ", ") + field.info.name;
  }
  for (const auto& [name, wanted] : choice) {
    const auto found = std::find_if(all.begin(), all.end(), [&wanted = wanted](const Hdf5Field& field) {
      return field.info.name == wanted;
    });
    if (found == all.end()) {
      return Error{.kind = ErrorKind::invalid,
                   .message = fmt::format("the HDF5 file has no field '{}'", printable(wanted)),
                   .advice = "available: " + names,
                   .place = {.stage = "open"}};
    }
    chosen.push_back(*found);
    chosen.back().info.name = name;
  }
  return chosen;
}

Result<std::unique_ptr<SampleTable>> make_table(const NamedPath& path, std::unique_ptr<MappedFile> file,
                                                std::uint64_t start, const FieldChoice& choice) {
  PENSTOCK_ASSIGN(const RowContents contents,
                  RowContents::of(ByteSpan(file->bytes()).subspan(static_cast<std::size_t>(start))));
  PENSTOCK_ASSIGN(std::vector<std::string> classes, contents.texts("label_names"));
  PENSTOCK_ASSIGN(std::optional<Hdf5Set> keys, contents.find_text("keys"));
  PENSTOCK_ASSIGN(std::vector<Hdf5Field> fields, contents.fields(classes));
  if (keys && keys->rows != fields.front().set.rows) {
    return hdf5_damage(fmt::format("it has {} rows and {} keys", fields.front().set.rows, keys->rows), 0);
  }
  PENSTOCK_ASSIGN(fields, choose(std::move(fields), choice));
  if (Status whole = file->check(); !whole) {
    return std::move(whole).error();
  }
  return std::unique_ptr<SampleTable>(std::make_unique<Hdf5Table>(
      path, std::move(file), start, std::move(keys), std::move(classes), std::move(fields)));
}

}  // namespace

bool is_hdf5_file(const std::string& path) {
  const auto file = MappedFile::open(path);
  return file.ok() && find_hdf5_start((*file)->bytes()).has_value();
}

Result<std::unique_ptr<SampleTable>> open_hdf5_table(const NamedPath& path, const FieldChoice& choice) {
  PENSTOCK_TRY(check_field_choice(choice));
  auto file = MappedFile::open(path.path);
  if (!file.ok()) {
    Error error = std::move(file).error();
    error.place.source = path.named;
    return error;
  }
  const std::uint64_t start = find_hdf5_start((*file)->bytes()).value_or(0);
  auto table = make_table(path, std::move(file).value(), start, choice);
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
