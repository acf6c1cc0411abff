// A data set as WebDataset tars with its original bytes.

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/printable.hpp"
#include "formats/field_value.hpp"
#include "formats/original_file.hpp"
#include "formats/sample_table.hpp"
#include "formats/webdataset.hpp"
#include "io/path.hpp"
#include "penstock/store.hpp"
#include "store/build_options.hpp"
#include "store/building_folder.hpp"
#include "store/tar_naming.hpp"
#include "store/tar_writer.hpp"

namespace penstock::inline v0 {
namespace {

/// A name that readers of tar shards split into `key` and `extension` again.
std::optional<std::string> member_name(const std::string& key, const std::string& extension) {
  std::string name = key + "." + extension;
  const auto split = split_member_name(name);
  if (!split || split->key != key || split->extension != extension || !companion_of(name).empty()) {
    return {};
  }
  return name;
}

std::string without_dots(std::string key) {
  const std::size_t slash = key.rfind('/');
  std::replace(key.begin() + static_cast<std::ptrdiff_t>(slash == std::string::npos ? 0 : slash + 1),
               key.end(), '.', '_');
  return key;
}

class Conversion {
 public:
  Conversion(const SampleTable& table, const Folder& folder, const ConvertSettings& settings)
      : table_(table), folder_(folder), settings_(settings), naming_(table.fields()) {}

  Result<ConvertReport> run() {
    for (std::uint64_t sample = 0; sample < table_.size(); ++sample) {
      PENSTOCK_TRY(add(sample));
      if (settings_.progress && !settings_.progress(sample + 1, table_.size())) {
        return Error{.kind = ErrorKind::cancelled, .message = "the conversion was cancelled"};
      }
    }
    if (tar_) {
      PENSTOCK_TRY(tar_->finish());
    }
    report_.warnings = table_.warnings();
    for (std::string& line : naming_.renamed()) {
      report_.warnings.push_back(std::move(line));
    }
    return std::move(report_);
  }

 private:
  Status add(std::uint64_t sample) {
    PENSTOCK_ASSIGN(const std::string own_key, table_.checked_key(sample));
    std::string key = without_dots(own_key);
    if (key == last_key_) {
      key += fmt::format("_{}", sample);  // two samples of one key would be taken for one
    }
    report_.renamed += key != own_key ? 1 : 0;
    std::uint64_t room = 0;
    for (std::size_t field = 0; field < table_.fields().size(); ++field) {
      room += TarWriter::room_for(table_.stored_size(sample, field));
    }
    if (tar_ && tar_->size() + room > settings_.shard_bytes) {
      PENSTOCK_TRY(tar_->finish());
      tar_.reset();
    }
    if (!tar_) {
      report_.shards.push_back(fmt::format("shard-{:06}.tar", report_.shards.size()));
      PENSTOCK_ASSIGN(TarWriter tar, TarWriter::create(folder_, report_.shards.back()));
      tar_.emplace(std::move(tar));
    }
    std::vector<std::string> extensions;
    for (std::size_t field = 0; field < table_.fields().size(); ++field) {
      PENSTOCK_ASSIGN(std::string extension, add_field(sample, field, key));
      extensions.push_back(std::move(extension));
    }
    naming_.note(std::move(extensions));
    last_key_ = std::move(key);
    ++report_.samples;
    return {};
  }

  /// Returns the extension that the field was given.
  Result<std::string> add_field(std::uint64_t sample, std::size_t field, const std::string& key) {
    PENSTOCK_ASSIGN(const StoredValue stored, table_.read(sample, field));
    auto file = original_.of(stored);
    if (!file.ok()) {
      Error error = std::move(file).error();
      error.place = table_.place(sample, field);
      return error;
    }
    const FieldInfo& info = table_.fields()[field];
    std::string extension = naming_.extension(field, *file);
    const auto name = member_name(key, extension);
    if (!name) {
      return Error{
          .kind = ErrorKind::unsupported,
          .message = fmt::format("tar shards have no name for field '{}' of this key", printable(info.name)),
          .advice = {},
          .place = table_.place(sample, field)};
    }
    report_.bytes += file->size();
    if (Status added = tar_->add(*name, *file); !added.ok()) {
      Error error = std::move(added).error();
      return error.kind == ErrorKind::unsupported ? at_sample(std::move(error), table_, sample, field)
                                                  : error;
    }
    if (Status intact = stored.intact(); !intact.ok()) {  // a member cannot be written twice: no use_value()
      return at_sample(std::move(intact).error(), table_, sample, field);
    }
    return extension;
  }

  const SampleTable& table_;
  const Folder& folder_;
  const ConvertSettings& settings_;
  TarNaming naming_;
  std::optional<TarWriter> tar_;
  OriginalFile original_;
  std::string last_key_;
  ConvertReport report_;
};

}  // namespace

Result<ConvertReport> convert_store(const std::string& path, const std::string& destination,
                                    const ConvertSettings& settings) {
  PENSTOCK_TRY(check_shard_bytes(settings.shard_bytes, "convert"));
  PENSTOCK_ASSIGN(const std::unique_ptr<SampleTable> table, open_samples({path}, {}));
  PENSTOCK_ASSIGN(const std::string folder, folder_name(destination));
  PENSTOCK_TRY(refuse_inside(*table, folder));
  if (is_taken(folder)) {
    return Error{.kind = ErrorKind::invalid,
                 .message = "the destination exists",
                 .advice = "choose a folder that does not exist yet",
                 .place = {.source = destination, .stage = "convert"}};
  }
  PENSTOCK_ASSIGN(BuildingFolder building, BuildingFolder::open(folder));
  PENSTOCK_TRY(building.clear());
  Result<ConvertReport> converted = Conversion(*table, building.folder(), settings).run();
  if (!converted.ok()) {
    // A conversion cannot continue where it stopped: what it wrote is of no use.
    PENSTOCK_TRY(building.discard());
    return std::move(converted).error();
  }
  ConvertReport report = std::move(converted).value();
  PENSTOCK_TRY(building.publish(false, report.shards.empty() ? kLockName : report.shards.front()));
  for (std::string& shard : report.shards) {
    shard = folder + "/" + shard;
  }
  return report;
}

}  // namespace penstock::inline v0
