#include "store/audio_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "formats/field_value.hpp"

namespace penstock::inline v0 {
namespace {

/// Every number up to the largest has a name, which readers list as classes; above this they have none.
constexpr std::int64_t kMaxNamed = 65'535;

std::optional<std::size_t> field_where(const SampleTable& table, auto fits) {
  const auto& fields = table.fields();
  const auto found = std::find_if(fields.begin(), fields.end(), fits);
  return found == fields.end() ? std::nullopt
                               : std::optional(static_cast<std::size_t>(found - fields.begin()));
}

Result<std::size_t> audio_field(const SampleTable& table, const std::string& description) {
  const auto named = field_where(
      table, [](const FieldInfo& info) { return info.kind == FieldKind::audio && info.name == "audio"; });
  const auto any =
      named ? named : field_where(table, [](const FieldInfo& info) { return info.kind == FieldKind::audio; });
  if (!any) {
    std::vector<std::string> names;
    for (const FieldInfo& info : table.fields()) {
      names.push_back(info.name);
    }
    return Error{.kind = ErrorKind::invalid,
                 .message = fmt::format("no field holds audio; there are: {}",
                                        names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))),
                 .advice = "name it where the data set is opened, such as fields={'audio': 'flac'}",
                 .place = {.source = description, .stage = "scan"}};
  }
  return *any;
}

Result<std::int64_t> number_at(const SampleTable& table, std::uint64_t sample, std::size_t field) {
  std::int64_t number = 0;
  PENSTOCK_TRY(use_value(table, sample, field, [&number](const StoredValue& value) -> Status {
    PENSTOCK_ASSIGN(number, integer_of(value));
    return {};
  }));
  const auto& classes = table.classes();
  const std::int64_t limit = classes.empty() ? std::numeric_limits<std::int64_t>::max()
                                             : static_cast<std::int64_t>(classes.size()) - 1;
  if (number < 0 || number > limit) {
    return Error{.kind = ErrorKind::corrupt,
                 .message = fmt::format("the label is {}; labels are {}", number,
                                        classes.empty() ? "0 or more" : fmt::format("0 to {}", limit)),
                 .advice = {},
                 .place = {.stage = "scan"}};
  }
  return number;
}

/// Numbers stay as they are.
void take_numbers(const SampleTable& table, std::size_t field, AudioFiles& files) {
  std::int64_t largest = 0;
  for (std::uint64_t i = 0; i < table.size(); ++i) {
    auto label = number_at(table, i, field);
    if (!label.ok()) {
      files.unlabelled.emplace(i, at_sample(std::move(label).error(), table, i, field));
    }
    files.labels.push_back(label.ok() ? *label : 0);
    largest = std::max(largest, files.labels.back());
  }
  files.label_names = table.classes();
  if (files.label_names.empty() && largest <= kMaxNamed) {
    for (std::int64_t number = 0; number <= largest; ++number) {
      files.label_names.push_back(std::to_string(number));
    }
  }
}

}  // namespace

Result<AudioFiles> recordings_of(const SampleTable& table, const std::string& description,
                                 const std::string& pattern) {
  AudioFiles files;
  files.folder = description;
  files.table = &table;
  files.warnings = table.warnings();
  PENSTOCK_ASSIGN(files.field, audio_field(table, description));
  if (table.size() == 0) {
    return Error{.kind = ErrorKind::invalid,
                 .message = "there are no samples",
                 .advice = "check the path",
                 .place = {.source = description, .stage = "scan"}};
  }
  PENSTOCK_TRY(table.check_keys());
  for (std::uint64_t i = 0; i < table.size(); ++i) {
    PENSTOCK_ASSIGN(std::string key, table.checked_key(i));
    files.keys.push_back(std::move(key));
  }
  const auto label = field_where(
      table, [](const FieldInfo& info) { return info.kind == FieldKind::integer && info.name == "label"; });
  if (pattern.empty() && label) {
    take_numbers(table, *label, files);
    return files;
  }
  PENSTOCK_TRY(label_by_names(files, pattern));
  return files;
}

}  // namespace penstock::inline v0
