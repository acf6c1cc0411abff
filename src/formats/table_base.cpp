#include "formats/table_base.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "formats/field_value.hpp"
#include "formats/text.hpp"
#include "io/range.hpp"

namespace penstock::inline v0 {
namespace {

std::uint64_t end_of(const Extent& extent) noexcept {
  return extent.offset + std::min(extent.size, ~extent.offset);  // of any numbers
}

/// What lies between them is cheaper fetched than left out.
bool are_near(const Extent& a, const Extent& b) noexcept {
  constexpr std::uint64_t kNear = 4096;
  const std::uint64_t first_end = std::min(end_of(a), end_of(b));
  const std::uint64_t last_begin = std::max(a.offset, b.offset);
  return a.source == b.source && (last_begin <= first_end || last_begin - first_end <= kNear);
}

Extent around(const Extent& a, const Extent& b) noexcept {
  const std::uint64_t begin = std::min(a.offset, b.offset);
  return {.source = a.source, .offset = begin, .size = std::max(end_of(a), end_of(b)) - begin};
}

}  // namespace

Status check_field_choice(const FieldChoice& choice) {
  std::set<std::string_view> names;
  for (const auto& [name, wanted] : choice) {
    if (name.empty() || !names.insert(name).second) {
      return Error{.kind = ErrorKind::invalid,
                   .message = name.empty() ? "a chosen field has no name"
                                           : fmt::format("the field '{}' is chosen twice", printable(name)),
                   .advice = "fields={name: extension} requires a different name for each field",
                   .place = {.stage = "open"}};
    }
  }
  return {};
}

Result<std::vector<ChosenField>> choose_fields(const std::vector<FieldSpec>& all, const FieldChoice& choice,
                                               const std::string& owner, const std::string& source,
                                               const std::function<std::string(const std::string&)>& alias) {
  PENSTOCK_TRY(check_field_choice(choice));
  std::vector<ChosenField> chosen;
  const auto find = [&all](const std::string& name) {
    return std::find_if(all.begin(), all.end(),
                        [&name](const FieldSpec& field) { return field.name == name; });
  };
  for (std::size_t number = 0; choice.empty() && number < all.size(); ++number) {
    chosen.push_back({all[number], number});
  }
  for (const auto& [name, wanted] : choice) {
    auto found = find(wanted);
    if (found == all.end() && alias) {
      found = find(alias(wanted));
    }
    if (found == all.end()) {
      std::string names;
      for (const FieldSpec& field : all) {
        names += (names.empty() ? "" : ", ") + printable(field.name);
      }
      return Error{.kind = ErrorKind::invalid,
                   .message = fmt::format("{} has no field '{}'", owner, printable(wanted)),
                   .advice = "available: " + names,
                   .place = {.source = source, .stage = "open"}};
    }
    chosen.push_back({*found, static_cast<std::size_t>(found - all.begin())});
    chosen.back().spec.name = name;
    chosen.back().spec.chosen_by = wanted;
  }
  return chosen;
}

TableBase::TableBase(std::vector<FieldSpec> specs, std::vector<std::string> classes,
                     std::vector<std::string> warnings)
    : warnings_(std::move(warnings)), specs_(std::move(specs)), classes_(std::move(classes)) {
  fields_.assign(specs_.begin(), specs_.end());
}

Status TableBase::check_numbers(std::uint64_t sample, std::size_t field, const std::string& source) const {
  if (sample < size() && field < specs_.size()) {
    return {};
  }
  return Error{.kind = ErrorKind::invalid,
               .message = fmt::format("there is no sample {} with a field {}", sample, field),
               .place = {.source = source, .stage = "read"}};
}

Result<Bytes> TableBase::fetch(const Extent& extent) const {
  return Error{.kind = ErrorKind::invalid,
               .message = fmt::format("there is no object {}", extent.source),
               .place = {.stage = "read"}};
}

Result<Bytes> TableBase::unpack_block(std::uint64_t id, const Bytes&, std::uint64_t) const {
  return Error{.kind = ErrorKind::invalid,
               .message = fmt::format("there is no block {}", id),
               .place = {.stage = "read"}};
}

Result<Bytes> TableBase::unpack(std::uint64_t id, const Bytes& packed) const {
  PENSTOCK_ASSIGN(const PackedBlock block, locate_block(id));
  auto unpacked = unpack_block(id, packed, block.max_size);
  PENSTOCK_TRY(packed.intact());
  if (unpacked.ok() && unpacked->size() > block.max_size) {
    return Error{.kind = ErrorKind::corrupt,
                 .message = fmt::format("block {} has {} bytes, expected at most {}", id, unpacked->size(),
                                        block.max_size),
                 .place = {.stage = "read"}};
  }
  return unpacked;
}

Result<Bytes> TableBase::bytes_in(const Extent& extent) const {
  PENSTOCK_ASSIGN(const Source* const source, open_source(extent.source));
  return source != nullptr ? source->read(extent.offset, extent.size) : fetch(extent);
}

Result<Bytes> TableBase::bytes_at(Location&& where) const {
  if (const auto* const extent = std::get_if<Extent>(&where)) {
    return bytes_in(*extent);
  }
  if (const auto* const part = std::get_if<Block>(&where)) {
    PENSTOCK_ASSIGN(const PackedBlock block, locate_block(part->id));
    PENSTOCK_ASSIGN(const Bytes packed, bytes_in(block.packed));
    PENSTOCK_ASSIGN(const Bytes whole, unpack(part->id, packed));
    if (!is_within(part->offset, part->size, whole.size())) {
      return Error{.kind = ErrorKind::corrupt,
                   .message = fmt::format("{} bytes wanted at {} of a block of {}", part->size, part->offset,
                                          whole.size()),
                   .place = {.stage = "read"}};
    }
    return whole.part(part->offset, part->size);
  }
  return std::get<Bytes>(std::move(where));
}

Result<StoredValue> TableBase::read(std::uint64_t sample, std::size_t field) const {
  PENSTOCK_ASSIGN(Location where, locate(sample, field));
  if (const auto* const number = std::get_if<Number>(&where)) {
    return StoredValue{.bytes = {}, .number = *number};
  }
  auto bytes = bytes_at(std::move(where));
  if (!bytes.ok()) {
    Error error = std::move(bytes).error();
    error.place = place(sample, field);
    return error;
  }
  return finish(sample, field, std::move(*bytes));
}

Result<StoredValue> TableBase::finish(std::uint64_t sample, std::size_t field, Bytes bytes) const {
  PENSTOCK_TRY(check_numbers(sample, field, {}));
  if (Status right = specs_[field].check_length(bytes.size()); !right.ok()) {
    Error error = std::move(right).error();
    error.place = place(sample, field);
    return error;
  }
  return make_value(sample, field, std::move(bytes));
}

Result<StoredValue> TableBase::make_value(std::uint64_t sample, std::size_t field, Bytes bytes) const {
  if (specs_[field].encoding != FieldSpec::Encoding::number) {
    return StoredValue{.bytes = std::move(bytes)};
  }
  auto number = number_in(bytes, specs_[field].number_type);
  PENSTOCK_TRY(bytes.intact());
  if (!number.ok()) {
    Error error = std::move(number).error();
    error.place = place(sample, field);
    return error;
  }
  return StoredValue{.bytes = {}, .number = *number};
}

void TableBase::will_read(std::uint64_t sample, std::span<const std::size_t> fields) const {
  std::optional<Extent> joined;
  for (const std::size_t field : fields) {
    const std::optional<Extent> extent = expected_at(sample, field);
    if (!extent) {
      continue;
    }
    if (joined && are_near(*joined, *extent)) {
      joined = around(*joined, *extent);
      continue;
    }
    if (joined) {
      fetch_ahead(*joined);
    }
    joined = extent;
  }
  if (joined) {
    fetch_ahead(*joined);
  }
}

void TableBase::fetch_ahead(const Extent& extent) const {
  const auto source = open_source(extent.source);
  if (source.ok() && *source != nullptr) {
    (*source)->advise(Access::will_need, extent.offset, extent.size);
  }
}

}  // namespace penstock::inline v0
