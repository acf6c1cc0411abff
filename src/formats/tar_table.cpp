#include "formats/tar_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>

#include "core/parallel_for.hpp"
#include "core/usable_cores.hpp"
#include "formats/array_headers.hpp"
#include "formats/field_value.hpp"
#include "formats/fingerprint.hpp"
#include "formats/index_cache.hpp"
#include "formats/table_base.hpp"
#include "formats/tar_fields.hpp"
#include "formats/tar_index.hpp"
#include "formats/tar_index_build.hpp"
#include "formats/tar_index_earlier.hpp"
#include "formats/text.hpp"
#include "io/file_identity.hpp"
#include "io/path.hpp"

namespace penstock::inline v0 {
namespace {

class TarTable final : public TableBase {
 public:
  TarTable(std::vector<SourcePtr> shards, std::vector<NamedPath> names, TarIndex index, TarFields chosen,
           bool default_fields, std::vector<std::string> remarks, std::string identity)
      : TableBase(std::move(chosen.fields), {}, std::move(remarks)),
        shards_(std::move(shards)),
        shard_names_(std::move(names)),
        index_(std::move(index)),
        extensions_(std::move(chosen.extensions)),
        default_fields_(default_fields),
        identity_(std::move(identity)) {
    constexpr std::size_t kMaxWarnings = 100;  // build_tar_index() writes a few
    std::string_view lines = index_.text(index_.header().warnings);
    for (std::size_t end = lines.find('\n'); end != std::string_view::npos && warnings_.size() < kMaxWarnings;
         end = lines.find('\n')) {
      warnings_.emplace_back(lines.substr(0, end));
      lines.remove_prefix(end + 1);
    }
    if (!chosen.left_out.empty()) {
      warnings_.push_back(std::move(chosen.left_out));
    }
  }

  /// Looks at the first array of each field that has some: their type. Whether all have its shape the index
  /// knows.
  Status find_arrays() {
    for (std::size_t field = 0; field < fields().size(); ++field) {
      if (fields()[field].kind == FieldKind::array) {
        PENSTOCK_ASSIGN(ArraySpec array, first_array(field));
        if (!of_one_shape(field)) {
          array.shape.assign(array.shape.size(), kAnyExtent);
        }
        set_array(field, std::move(array));
      }
    }
    return {};
  }

  std::uint64_t size() const noexcept override { return index_.size(); }
  std::string key(std::uint64_t sample) const override { return std::string(index_.key(sample)); }
  std::string identity() const override { return identity_; }

  Result<Location> locate(std::uint64_t sample, std::size_t field) const override {
    const auto found = index_.sample(sample);
    if (field >= extensions_.size()) {
      return Error{.kind = ErrorKind::invalid,
                   .message = fmt::format("there is no field {}", field),
                   .advice = {},
                   .place = place(sample, field)};
    }
    if (!found || found->shard >= shards_.size()) {
      PENSTOCK_TRY(check_lookups(sample));
      return fail(sample, field,
                  sample < size() ? "its record in the index is damaged" : "there is no such sample");
    }
    const MemberRecord* const record = member_of(*found, field);
    const MemberRecord member = record != nullptr ? *record : MemberRecord();
    if (Status intact = index_.check(sample, found->members); !intact.ok()) {
      return at_index(std::move(intact).error(), sample);
    }
    if (record == nullptr) {
      return fail(sample, field,
                  fmt::format("the sample has no field '{}'", printable(fields()[field].name)));
    }
    return Location(Extent{.source = found->shard, .offset = member.offset(), .size = member.size()});
  }

  NamedPath object(std::uint64_t source) const override { return shard_names_[source]; }

  Status check_lookups(std::uint64_t sample) const override {
    Status intact = index_.check(sample);
    return intact.ok() ? std::move(intact) : at_index(std::move(intact).error(), sample);
  }

  std::uint64_t stored_size(std::uint64_t sample, std::size_t field) const override {
    const MemberRecord* const member = member_of(sample, field);
    return member != nullptr ? member->size() : 0;
  }

  ImageSize image_size(std::uint64_t sample, std::size_t field) const override {
    const bool is_image = field < fields().size() && fields()[field].kind == FieldKind::image;
    const MemberRecord* const member = is_image ? member_of(sample, field) : nullptr;
    return member != nullptr ? ImageSize{member->width, member->height} : ImageSize{};
  }

  Place place(std::uint64_t sample, std::size_t field) const override {
    Place place{
        .source = {}, .shard = {}, .offset = {}, .key = key(sample), .index = sample, .stage = "read"};
    if (!index_.check(sample).ok()) {
      place.key.clear();
      return place;
    }
    if (const auto found = index_.sample(sample); found && found->shard < shards_.size()) {
      place.source = shard_names_[found->shard].named;
      place.shard = shards_[found->shard]->name();
      if (const MemberRecord* const member = member_of(*found, field)) {
        place.offset = member->offset();
      }
    }
    return place;
  }

  std::vector<std::uint64_t> shard_starts() const override {
    return find_shard_starts(size(), shards_.size(), [this](std::uint64_t sample) {
      const auto found = index_.sample(sample);
      return found ? found->shard : 0;
    });
  }

  std::string fingerprint() const override {
    if (default_fields_) {
      return std::string(index_.fingerprint());
    }
    return fingerprint_of(
        size(), fields(), [this](std::uint64_t sample) { return index_.key(sample); },
        [this](std::uint64_t sample, std::size_t field) {
          const MemberRecord* const member = member_of(sample, field);
          return member != nullptr ? std::optional<std::uint64_t>(member->size()) : std::nullopt;
        });
  }

 private:
  /// Of the first sample whose array can be read.
  Result<ArraySpec> first_array(std::size_t field) const {
    constexpr std::uint64_t kTried = 16;
    std::optional<Error> first;
    for (std::uint64_t sample = 0; sample < std::min(kTried, size()); ++sample) {
      auto array = array_of(sample, field);
      if (array.ok()) {
        return array;
      }
      if (!first) {
        first = at_sample(std::move(array).error(), *this, sample, field);
      }
    }
    return first ? Result<ArraySpec>(std::move(*first))
                 : Result<ArraySpec>(ArraySpec{.type = Scalar::uint8, .shape = {kAnyExtent}});
  }

  /// By the header alone.
  Result<ArraySpec> array_of(std::uint64_t sample, std::size_t field) const {
    PENSTOCK_ASSIGN(const Location where, locate(sample, field));
    const Extent& extent = std::get<Extent>(where);
    return array_by_header(
        extent.size, [&](std::uint64_t size) { return shards_[extent.source]->read(extent.offset, size); });
  }

  /// By the index: those that cannot be read are errors of their samples.
  bool of_one_shape(std::size_t field) const noexcept {
    std::uint32_t first = 0;
    for (std::uint64_t sample = 0; sample < size(); ++sample) {
      const MemberRecord* const member = member_of(sample, field);
      const std::uint32_t array = member != nullptr ? member->array() : 0;
      if (first != 0 && array != 0 && array != first) {
        return false;
      }
      first = first != 0 ? first : array;
    }
    return true;
  }

  Result<const Source*> open_source(std::uint64_t source) const override { return shards_[source].get(); }

  std::optional<Extent> expected_at(std::uint64_t sample, std::size_t field) const override {
    const auto found = index_.sample(sample);
    const MemberRecord* const member =
        found && found->shard < shards_.size() ? member_of(*found, field) : nullptr;
    return member != nullptr
               ? std::optional(
                     Extent{.source = found->shard, .offset = member->offset(), .size = member->size()})
               : std::nullopt;
  }

  const MemberRecord* member_of(const TarIndex::Sample& sample, std::size_t field) const noexcept {
    if (field >= extensions_.size()) {
      return nullptr;
    }
    for (const MemberRecord& member : sample.members) {
      for (const std::uint16_t extension : extensions_[field]) {
        if (member.extension == extension) {
          return &member;
        }
      }
    }
    return nullptr;
  }
  const MemberRecord* member_of(std::uint64_t sample, std::size_t field) const noexcept {
    const auto found = index_.sample(sample);
    return found ? member_of(*found, field) : nullptr;
  }

  /// Of the index's file, whose name tells users nothing.
  static Error at_index(Error error, std::uint64_t sample) {
    error.message = "the index of the tar shards: " + error.message;
    error.advice = "reopen the data set; this rebuilds the index";
    error.place.index = sample;
    error.systemic = true;
    return error;
  }

  Error fail(std::uint64_t sample, std::size_t field, std::string message) const {
    return {.kind = sample < size() ? ErrorKind::corrupt : ErrorKind::invalid,
            .message = std::move(message),
            .advice = {},
            .place = place(sample, field)};
  }

  std::vector<SourcePtr> shards_;
  std::vector<NamedPath> shard_names_;
  TarIndex index_;
  std::vector<std::vector<std::uint16_t>> extensions_;
  bool default_fields_;
  std::string identity_;  // of the shards as they were mapped
};

Result<TarIndex> index_in_memory(std::vector<std::uint8_t> bytes) {
  if (auto index = TarIndex::view(Bytes::own(std::move(bytes)))) {
    return std::move(*index);
  }
  return Error{
      .kind = ErrorKind::invalid, .message = "built an index that cannot be read", .advice = {}, .place = {}};
}

Result<std::unique_ptr<SampleTable>> make_table(std::vector<SourcePtr> shards, std::vector<NamedPath> names,
                                                TarIndex index, const FieldChoice& choice,
                                                std::vector<std::string> remarks, std::string identity) {
  auto fields = choose_tar_fields(index, choice);
  if (!fields.ok()) {
    Error error = std::move(fields).error();
    error.place.source = names.empty() ? "" : names.front().named;
    return error;
  }
  TarFields chosen = std::move(*fields);
  auto table =
      std::make_unique<TarTable>(std::move(shards), std::move(names), std::move(index), std::move(chosen),
                                 choice.empty(), std::move(remarks), std::move(identity));
  PENSTOCK_TRY(table->find_arrays());
  return std::unique_ptr<SampleTable>(std::move(table));
}

std::int64_t now() noexcept {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
}

/// Scans, keeps the index if possible, and uses the kept file so that the memory is given back.
Result<TarIndex> scan_and_keep(const std::vector<SourcePtr>& shards, const std::vector<std::string>& paths,
                               const std::vector<FileIdentity>& states, const std::string& cache_path) {
  const std::int64_t begun = now();
  PENSTOCK_ASSIGN(std::vector<ShardScan> scans, scan_shards(shards));
  PENSTOCK_ASSIGN(std::vector<std::uint8_t> bytes, build_tar_index(paths, states, std::move(scans)));
  const bool certain = std::none_of(states.begin(), states.end(), [begun](const FileIdentity& state) {
    return could_change_unnoticed(state, begun);
  });
  if (certain && !cache_path.empty() && keep_index(cache_path, bytes).ok()) {
    if (auto kept = load_index(cache_path, paths, states)) {
      return std::move(*kept);
    }
  }
  return index_in_memory(std::move(bytes));
}

}  // namespace

Result<std::unique_ptr<SampleTable>> open_tar_table(const std::vector<NamedPath>& shards,
                                                    const OpenOptions& options,
                                                    std::vector<std::string> remarks) {
  const std::size_t count = shards.size();
  std::vector<std::optional<Result<SourcePtr>>> opened(count);
  // Opening is a matter of waiting on network file systems, of nothing on local ones.
  parallel_for(count, count < 64 ? 1 : usable_cores(),
               [&](std::size_t i) { opened[i].emplace(shards[i].storage->open(shards[i].path)); });
  std::vector<SourcePtr> sources;
  std::vector<std::string> paths;
  std::vector<FileIdentity> states;
  SourceIdentity identity;
  for (std::size_t i = 0; i < count; ++i) {
    if (!opened[i]->ok()) {
      Error error = std::move(*opened[i]).error();
      error.place.source = shards[i].named;
      return error;
    }
    sources.push_back(std::move(*opened[i]).value());
    const FileIdentity& state = sources.back()->identity();
    states.push_back(state);
    paths.push_back(normal_path(shards[i].storage->absolute(shards[i].path)));
    identity.add(paths.back(), state);
  }
  std::string cache_path = index_cache_path(paths);
  if (std::string refused = refuse_index(cache_path); !refused.empty()) {
    remarks.push_back(std::move(refused));
    cache_path.clear();
  }
  auto kept = cache_path.empty() ? std::nullopt : load_index(cache_path, paths, states);
  if (kept && (!kept->is_of_earlier_version() || is_up_to_date(*kept, sources))) {
    return make_table(std::move(sources), shards, std::move(*kept), options.fields, std::move(remarks),
                      identity.finish());
  }
  auto index = scan_and_keep(sources, paths, states, cache_path);
  if (!index.ok()) {
    Error error = std::move(index).error();
    const auto shard = std::find_if(shards.begin(), shards.end(), [&error](const NamedPath& entry) {
      return entry.path == error.place.shard;
    });
    error.place.source = shard != shards.end() ? shard->named : "";
    return error;
  }
  return make_table(std::move(sources), shards, std::move(*index), options.fields, std::move(remarks),
                    identity.finish());
}

}  // namespace penstock::inline v0
