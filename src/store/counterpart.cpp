#include "store/counterpart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "formats/text.hpp"

namespace penstock::inline v0 {
namespace {

constexpr std::uint64_t kNowhere = Counterpart::kNowhere;

std::vector<std::uint64_t> columns_of(const std::vector<FieldInfo>& fields, const SampleTable& source) {
  std::vector<std::uint64_t> columns;
  for (const FieldInfo& field : fields) {
    const auto found = std::find(source.fields().begin(), source.fields().end(), field);
    columns.push_back(found == source.fields().end()
                          ? kNowhere
                          : static_cast<std::uint64_t>(found - source.fields().begin()));
  }
  return columns;
}

bool all_found(const std::vector<std::uint64_t>& numbers) {
  return std::find(numbers.begin(), numbers.end(), kNowhere) == numbers.end();
}

/// What the source has under names that the store does not know.
void note_lacking(const std::vector<FieldInfo>& fields, Counterpart& source) {
  std::string lacking;
  for (const FieldInfo& theirs : source.table->fields()) {
    if (std::none_of(fields.begin(), fields.end(),
                     [&theirs](const FieldInfo& ours) { return ours.name == theirs.name; })) {
      lacking += fmt::format("{}'{}'", lacking.empty() ? "" : ", ", printable(theirs.name));
    }
  }
  if (!lacking.empty()) {
    source.notes.push_back("fields of the source that the store does not have under these names: " + lacking);
  }
}

Result<Counterpart> open_source(const std::vector<FieldInfo>& fields, const VerifySettings& settings) {
  Counterpart source;
  source.table = settings.table;
  if (!source.table) {
    PENSTOCK_ASSIGN(source.table, open_samples(settings.sources, {settings.fields}));
  }
  source.columns = columns_of(fields, *source.table);
  note_lacking(fields, source);
  if (all_found(source.columns) || settings.table || !settings.fields.empty()) {
    return source;
  }
  // Fields that not all samples have are there only when they are asked for.
  FieldChoice by_name;
  for (const FieldInfo& field : fields) {
    by_name.emplace_back(field.name, field.name);
  }
  if (auto chosen = open_samples(settings.sources, {by_name});
      chosen.ok() && all_found(columns_of(fields, **chosen))) {
    source.table = std::move(*chosen);
    source.columns = columns_of(fields, *source.table);
  }
  return source;
}

void check_fields(const std::vector<FieldInfo>& fields, Counterpart& source) {
  const auto missing = std::count(source.columns.begin(), source.columns.end(), kNowhere);
  if (missing == static_cast<std::ptrdiff_t>(fields.size())) {
    source.problems.emplace_back("the source has none of the store's fields");
    return;
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (source.columns[i] == kNowhere) {
      source.notes.push_back(fmt::format(
          "field '{0}' was not compared: the source has none of this name and kind; name the file that it "
          "was made from (--field {0}=EXTENSION, and the other fields)",
          printable(fields[i].name)));
    }
  }
}

/// Pairs samples of one key, in order, so that a store without some of them can be compared.
class RowsByKey {
 public:
  explicit RowsByKey(const SampleTable& source) : next_(source.size(), kNowhere) {
    for (std::uint64_t row = source.size(); row-- > 0;) {
      const auto [entry, is_new] = keys_.try_emplace(source.key(row), Rows{.first = row, .left = row});
      if (!is_new) {
        next_[row] = std::exchange(entry->second.first, row);
        entry->second.left = row;
      }
    }
  }

  /// The row of the next sample with this key. `again`: from the first on, when there are no more.
  std::uint64_t take(const std::string& key, bool again) {
    const auto entry = keys_.find(key);
    if (entry == keys_.end()) {
      return kNowhere;
    }
    Rows& rows = entry->second;
    if (rows.left == kNowhere) {
      if (!again) {
        return Counterpart::kUsedUp;
      }
      rows.left = rows.first;
    }
    return std::exchange(rows.left, next_[rows.left]);
  }

 private:
  struct Rows {
    std::uint64_t first;
    std::uint64_t left;  ///< the next one to take
  };
  std::unordered_map<std::string, Rows> keys_;
  std::vector<std::uint64_t> next_;  ///< row of the same key
};

void match_samples(const StoreFiles& files, Counterpart& source) {
  const std::uint64_t skipped = files.manifest().skipped;
  const std::uint64_t samples = source.table->size();
  if (samples == files.size() && skipped == 0) {
    return;
  }
  // What was appended may have been there before.
  const bool joined = files.manifest().sources.size() > 1;
  RowsByKey by_key(*source.table);
  std::vector<bool> found(samples, false);
  std::uint64_t foreign = 0;
  for (std::uint64_t sample = 0; sample < files.size(); ++sample) {
    const std::uint64_t row = by_key.take(std::string(files.key(sample)), joined);
    source.rows.push_back(row);
    if (row < samples) {
      found[row] = true;
    }
    foreign += row == kNowhere ? 1 : 0;
  }
  if (joined && foreign > 0) {
    source.notes.push_back(fmt::format("the store was built from {} sources: pass all of them to compare",
                                       files.manifest().sources.size()));
  }
  source.not_in_store = static_cast<std::uint64_t>(std::count(found.begin(), found.end(), false));
  std::string missing = fmt::format(
      "{} of the {} samples of the source are not in the store, and {} were left out when it was built",
      source.not_in_store, samples, skipped);
  if (source.not_in_store > skipped) {
    source.problems.push_back(std::move(missing));
  } else if (source.not_in_store > 0) {
    source.notes.push_back(std::move(missing));
  }
}

}  // namespace

Result<Counterpart> open_counterpart(const StoreFiles& files, const VerifySettings& settings) {
  const std::vector<FieldInfo>& fields = files.manifest().fields;
  PENSTOCK_ASSIGN(Counterpart source, open_source(fields, settings));
  PENSTOCK_TRY(source.table->check_keys());
  check_fields(fields, source);
  match_samples(files, source);
  return source;
}

}  // namespace penstock::inline v0
