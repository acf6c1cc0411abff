#include "formats/tar_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string_view>

#include "core/parallel_for.hpp"
#include "core/usable_cores.hpp"
#include "formats/fingerprint.hpp"
#include "formats/index_cache.hpp"
#include "formats/tar_fields.hpp"
#include "formats/tar_index.hpp"
#include "formats/tar_index_build.hpp"
#include "formats/text.hpp"
#include "io/file_identity.hpp"
#include "io/mapped_file.hpp"
#include "io/memory_source.hpp"

namespace penstock::inline v0 {
namespace {

/// The bytes of an index, in memory or mapped, with their view.
struct OpenIndex {
  std::unique_ptr<Source> bytes;
  TarIndex index;
};

class TarTable final : public SampleTable {
 public:
  TarTable(std::vector<std::unique_ptr<Source>> shards, std::vector<std::string> named, OpenIndex index,
           TarFields chosen, bool default_fields, std::vector<std::string> remarks, std::string identity)
      : shards_(std::move(shards)),
        named_(std::move(named)),
        bytes_(std::move(index.bytes)),
        index_(index.index),
        fields_(std::move(chosen.fields)),
        extensions_(std::move(chosen.extensions)),
        default_fields_(default_fields),
        warnings_(std::move(remarks)),
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

  std::uint64_t size() const noexcept override { return index_.size(); }
  const std::vector<FieldInfo>& fields() const noexcept override { return fields_; }
  const std::vector<std::string>& classes() const noexcept override { return classes_; }
  std::string key(std::uint64_t sample) const override { return std::string(index_.key(sample)); }
  const std::vector<std::string>& warnings() const noexcept override { return warnings_; }
  std::string identity() const override { return identity_; }

  Result<StoredValue> read(std::uint64_t sample, std::size_t field, Scratch& scratch) const override {
    const auto found = index_.sample(sample);
    if (field >= fields_.size()) {
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
      return fail(sample, field, fmt::format("the sample has no field '{}'", printable(fields_[field].name)));
    }
    auto bytes = shards_[found->shard]->read(member.offset(), member.size(), scratch);
    if (!bytes.ok()) {
      Error error = std::move(bytes).error();
      error.place = place(sample, field);
      return error;
    }
    return StoredValue{.bytes = *bytes};
  }

  void will_read(std::uint64_t sample, std::size_t field) const override {
    const auto found = index_.sample(sample);
    const MemberRecord* const member = found ? member_of(*found, field) : nullptr;
    if (member != nullptr && found->shard < shards_.size()) {
      shards_[found->shard]->advise(Access::will_need, member->offset(), member->size());
    }
  }

  Status check_lookups(std::uint64_t sample) const override {
    Status intact = index_.check(sample);
    return intact.ok() ? std::move(intact) : at_index(std::move(intact).error(), sample);
  }

  std::uint64_t stored_size(std::uint64_t sample, std::size_t field) const override {
    const MemberRecord* const member = member_of(sample, field);
    return member != nullptr ? member->size() : 0;
  }

  ImageSize image_size(std::uint64_t sample, std::size_t field) const override {
    const MemberRecord* const member = member_of(sample, field);
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
      place.source = named_[found->shard];
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
        size(), fields_, [this](std::uint64_t sample) { return index_.key(sample); },
        [this](std::uint64_t sample, std::size_t field) {
          const MemberRecord* const member = member_of(sample, field);
          return member != nullptr ? std::optional<std::uint64_t>(member->size()) : std::nullopt;
        });
  }

 private:
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

  std::vector<std::unique_ptr<Source>> shards_;
  std::vector<std::string> named_;
  std::unique_ptr<Source> bytes_;
  TarIndex index_;
  std::vector<FieldInfo> fields_;
  std::vector<std::vector<std::uint16_t>> extensions_;
  bool default_fields_;
  std::vector<std::string> classes_;
  std::vector<std::string> warnings_;
  std::string identity_;  // of the shards as they were mapped
};

Result<OpenIndex> index_in_memory(std::vector<std::uint8_t> bytes) {
  auto source = std::make_unique<MemorySource>("index", std::move(bytes));
  Scratch unused;
  PENSTOCK_ASSIGN(const Bytes view, source->read(0, source->size(), unused));
  const auto index = TarIndex::view(view);
  if (!index) {
    return Error{.kind = ErrorKind::invalid,
                 .message = "built an index that cannot be read",
                 .advice = {},
                 .place = {}};
  }
  return OpenIndex{std::move(source), *index};
}

Result<std::unique_ptr<SampleTable>> make_table(std::vector<std::unique_ptr<Source>> shards,
                                                std::vector<std::string> named, OpenIndex index,
                                                const FieldChoice& choice, std::vector<std::string> remarks,
                                                std::string identity) {
  auto fields = choose_tar_fields(index.index, choice);
  if (!fields.ok()) {
    Error error = std::move(fields).error();
    error.place.source = named.empty() ? "" : named.front();
    return error;
  }
  TarFields chosen = std::move(*fields);
  return std::unique_ptr<SampleTable>(
      std::make_unique<TarTable>(std::move(shards), std::move(named), std::move(index), std::move(chosen),
                                 choice.empty(), std::move(remarks), std::move(identity)));
}

std::vector<const Source*> pointers(const std::vector<std::unique_ptr<Source>>& sources) {
  std::vector<const Source*> raw;
  for (const auto& source : sources) {
    raw.push_back(source.get());
  }
  return raw;
}

std::int64_t now() noexcept {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
}

/// Scans, keeps the index if possible, and uses the kept file so that the memory is given back.
Result<OpenIndex> scan_and_keep(const std::vector<std::unique_ptr<Source>>& shards,
                                const std::vector<std::string>& paths, const std::vector<FileState>& states,
                                const std::string& cache_path) {
  const std::int64_t begun = now();
  PENSTOCK_ASSIGN(std::vector<ShardScan> scans, scan_shards(pointers(shards)));
  PENSTOCK_ASSIGN(std::vector<std::uint8_t> bytes, build_tar_index(paths, states, std::move(scans)));
  const bool certain = std::none_of(states.begin(), states.end(), [begun](const FileState& state) {
    return could_change_unnoticed(state, begun);
  });
  if (certain && !cache_path.empty() && keep_index(cache_path, bytes).ok()) {
    if (auto kept = load_index(cache_path, paths, states)) {
      const auto index = TarIndex::view(kept->bytes());
      return OpenIndex{std::move(kept), *index};
    }
  }
  return index_in_memory(std::move(bytes));
}

}  // namespace

Result<std::unique_ptr<SampleTable>> open_tar_table(const std::vector<NamedPath>& shards,
                                                    const FieldChoice& fields,
                                                    std::vector<std::string> remarks) {
  const std::size_t count = shards.size();
  std::vector<std::optional<Result<std::unique_ptr<MappedFile>>>> opened(count);
  // Opening is a matter of waiting on network file systems, of nothing on local ones.
  parallel_for(count, count < 64 ? 1 : usable_cores(),
               [&](std::size_t i) { opened[i].emplace(MappedFile::open(shards[i].path)); });
  std::vector<std::unique_ptr<Source>> sources;
  std::vector<std::string> named;
  std::vector<std::string> paths;
  std::vector<FileState> states;
  SourceIdentity identity;
  for (std::size_t i = 0; i < count; ++i) {
    if (!opened[i]->ok()) {
      Error error = std::move(*opened[i]).error();
      error.place.source = shards[i].named;
      return error;
    }
    const FileIdentity state = opened[i]->value()->state();
    states.push_back(state);
    sources.push_back(std::move(*opened[i]).value());
    named.push_back(shards[i].named);
    std::error_code failed;
    const auto absolute = std::filesystem::absolute(shards[i].path, failed);
    paths.push_back(failed ? shards[i].path : absolute.lexically_normal().string());
    identity.add(paths.back(), state);
  }
  std::string cache_path = index_cache_path(paths);
  if (std::string refused = refuse_index(cache_path); !refused.empty()) {
    remarks.push_back(std::move(refused));
    cache_path.clear();
  }
  if (auto kept = load_index(cache_path, paths, states)) {
    const auto index = TarIndex::view(kept->bytes());
    return make_table(std::move(sources), std::move(named), {std::move(kept), *index}, fields,
                      std::move(remarks), identity.finish());
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
  return make_table(std::move(sources), std::move(named), std::move(*index), fields, std::move(remarks),
                    identity.finish());
}

Result<std::unique_ptr<SampleTable>> open_tar_table(std::vector<std::unique_ptr<Source>> shards,
                                                    const FieldChoice& fields) {
  std::vector<std::string> names;
  std::vector<FileState> states;
  for (const auto& shard : shards) {
    names.push_back(shard->name());
    states.push_back({.size = shard->size()});
  }
  PENSTOCK_ASSIGN(std::vector<ShardScan> scans, scan_shards(pointers(shards)));
  PENSTOCK_ASSIGN(std::vector<std::uint8_t> bytes, build_tar_index(names, states, std::move(scans)));
  PENSTOCK_ASSIGN(OpenIndex index, index_in_memory(std::move(bytes)));
  return make_table(std::move(shards), std::move(names), std::move(index), fields, {}, {});
}

}  // namespace penstock::inline v0
