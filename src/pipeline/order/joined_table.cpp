#include "pipeline/order/joined_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/sha256.hpp"

namespace penstock::inline v0 {
namespace {

Error do_not_join(std::string message) {
  return {.kind = ErrorKind::invalid,
          .message = std::move(message),
          .advice = "choose the same fields of all: Dataset(..., fields={...})",
          .place = {.stage = "open"}};
}

Status check_same_fields(const SampleTable& first, const SampleTable& other, std::size_t number) {
  if (first.fields().size() != other.fields().size()) {
    return do_not_join(fmt::format("data set 0 has {} fields, but data set {} has {}", first.fields().size(),
                                   number, other.fields().size()));
  }
  for (std::size_t field = 0; field < first.fields().size(); ++field) {
    if (first.spec(field) != other.spec(field)) {
      return do_not_join(fmt::format("field '{}' of data set 0 differs from field '{}' of data set {}",
                                     first.fields()[field].name, other.fields()[field].name, number));
    }
  }
  if (first.classes() != other.classes()) {
    return do_not_join(fmt::format("the classes of data sets 0 and {} differ", number));
  }
  return {};
}

}  // namespace

JoinedTable::JoinedTable(std::vector<std::shared_ptr<const SampleTable>> tables)
    : tables_(std::move(tables)) {
  for (const auto& table : tables_) {
    numbered_.push_back({.table = table.get(), .first = size_});
    size_ += table->size();
    warnings_.insert(warnings_.end(), table->warnings().begin(), table->warnings().end());
  }
}

Result<std::shared_ptr<const JoinedTable>> JoinedTable::make(
    std::vector<std::shared_ptr<const SampleTable>> tables) {
  for (std::size_t number = 1; number < tables.size(); ++number) {
    PENSTOCK_TRY(check_same_fields(*tables[0], *tables[number], number));
  }
  return std::shared_ptr<const JoinedTable>(new JoinedTable(std::move(tables)));
}

std::pair<const SampleTable&, std::uint64_t> JoinedTable::find(std::uint64_t sample) const noexcept {
  const auto after =
      std::upper_bound(numbered_.begin(), numbered_.end(), sample,
                       [](std::uint64_t number, const RowTable& table) { return number < table.first; });
  const RowTable& found = *std::prev(after);
  return {*found.table, sample - found.first};
}

std::string JoinedTable::key(std::uint64_t sample) const {
  const auto [table, number] = find(sample);
  return table.key(number);
}

Status JoinedTable::check_keys() const {
  for (const auto& table : tables_) {
    PENSTOCK_TRY(table->check_keys());
  }
  return {};
}

Status JoinedTable::check_lookups(std::uint64_t sample) const {
  const auto [table, number] = find(sample);
  return table.check_lookups(number);
}

Result<StoredValue> JoinedTable::read(std::uint64_t sample, std::size_t field) const {
  const auto [table, number] = find(sample);
  return table.read(number, field);
}

void JoinedTable::will_read(std::uint64_t sample, std::span<const std::size_t> fields) const {
  const auto [table, number] = find(sample);
  table.will_read(number, fields);
}

std::uint64_t JoinedTable::stored_size(std::uint64_t sample, std::size_t field) const {
  const auto [table, number] = find(sample);
  return table.stored_size(number, field);
}

ImageSize JoinedTable::image_size(std::uint64_t sample, std::size_t field) const {
  const auto [table, number] = find(sample);
  return table.image_size(number, field);
}

ImageSize JoinedTable::one_size(std::size_t field) const {
  const ImageSize size = front().one_size(field);
  const bool same = std::all_of(tables_.begin(), tables_.end(),
                                [&](const auto& table) { return table->one_size(field) == size; });
  return same ? size : ImageSize{};
}

Place JoinedTable::place(std::uint64_t sample, std::size_t field) const {
  const auto [table, number] = find(sample);
  return table.place(number, field);
}

std::vector<std::uint64_t> JoinedTable::shard_starts() const {
  std::vector<std::uint64_t> starts;
  for (const RowTable& part : numbered_) {
    std::vector<std::uint64_t> own = part.table->shard_starts();
    if (own.empty() && part.table->size() > 0) {
      return {};  // one without shards
    }
    std::transform(own.begin(), own.end(), std::back_inserter(starts),
                   [&part](std::uint64_t start) { return part.first + start; });
  }
  return starts;
}

std::string JoinedTable::fingerprint() const {
  return hash_of_all([](const SampleTable& table) { return table.fingerprint(); });
}

std::string JoinedTable::identity() const {
  const bool files = std::none_of(tables_.begin(), tables_.end(),
                                  [](const auto& table) { return table->identity().empty(); });
  return files ? hash_of_all([](const SampleTable& table) { return table.identity(); }) : "";
}

template <class What>
std::string JoinedTable::hash_of_all(What what) const {
  std::string all = "joined";
  for (const auto& table : tables_) {
    all += "\n" + what(*table);
  }
  return to_hex(Sha256().update(all).finish()).substr(0, 32);
}

std::vector<RowTable> row_tables(const SampleTable& table) {
  const auto* const joined = dynamic_cast<const JoinedTable*>(&table);
  return joined != nullptr ? joined->tables() : std::vector<RowTable>{{.table = &table, .first = 0}};
}

Result<Dataset> join(const std::vector<Dataset>& datasets) {
  std::vector<std::shared_ptr<const SampleTable>> tables;
  std::string description;
  for (const Dataset& dataset : datasets) {
    tables.push_back(dataset.table());
    description += (description.empty() ? "" : " and ") + dataset.description();
  }
  PENSTOCK_ASSIGN(auto joined, JoinedTable::make(std::move(tables)));
  DatasetOptions options{.fields = {}, .max_pixels = datasets.front().max_pixels()};
  for (std::size_t field = 0; field < joined->fields().size(); ++field) {
    const std::string& name = joined->fields()[field].name;
    for (const Dataset& dataset : datasets) {
      if (dataset.reading(field) != datasets.front().reading(field)) {
        return do_not_join(fmt::format("field '{}' must be read the same way in all data sets", name));
      }
    }
    options.readings.emplace(name, datasets.front().reading(field));
  }
  return Dataset::of(std::move(joined), std::move(description), options);
}

}  // namespace penstock::inline v0
