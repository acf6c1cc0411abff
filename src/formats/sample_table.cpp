#include "formats/sample_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

namespace penstock::inline v0 {

namespace {

/// Of arrays whose first extent alone differs from sample to sample: bytes of what the others span. Nothing
/// if others differ as well.
std::optional<std::uint64_t> bytes_of_each(const ArraySpec& array) noexcept {
  if (array.shape.empty() || array.shape.front() != kAnyExtent) {
    return {};
  }
  std::uint64_t bytes = size_of(array.type);
  for (std::size_t i = 1; i < array.shape.size(); ++i) {
    if (array.shape[i] == kAnyExtent || __builtin_mul_overflow(bytes, array.shape[i], &bytes)) {
      return {};
    }
  }
  return bytes;
}

bool is_length_of(std::uint64_t bytes, const ArraySpec& array) {
  if (array.fixed()) {
    return bytes == array.bytes();
  }
  const std::optional<std::uint64_t> each = bytes_of_each(array);
  return each && (*each == 0 ? bytes == 0 : bytes % *each == 0);
}

}  // namespace

Status FieldSpec::check_length(std::uint64_t bytes) const {
  const bool right = encoding == Encoding::values   ? !array || is_length_of(bytes, *array)
                     : encoding == Encoding::number ? bytes == size_of(number_type)
                                                    : true;
  if (right) {
    return {};
  }
  const ArraySpec expected =
      encoding == Encoding::values ? *array : ArraySpec{.type = number_type, .shape = {}};
  return Error{.kind = ErrorKind::corrupt,
               .message = fmt::format("the stored field is damaged: {} bytes where {} are expected", bytes,
                                      expected.to_string()),
               .place = {.stage = "read"}};
}

Extents FieldSpec::shape_of_length(std::uint64_t bytes) const noexcept {
  if (!array) {
    return {};
  }
  std::array<std::size_t, kMaxDimensions> extents{};
  const std::size_t count = std::min(array->shape.size(), extents.size());
  std::copy_n(array->shape.begin(), count, extents.begin());
  if (const auto each = bytes_of_each(*array)) {
    extents.front() = *each == 0 ? 0 : static_cast<std::size_t>(bytes / *each);
  }
  return Extents(std::span<const std::size_t>(extents.data(), count));
}

std::vector<FieldReading> readings_of(const SampleTable& table, const FieldReadings& given) {
  std::vector<FieldReading> readings;
  for (std::size_t field = 0; field < table.fields().size(); ++field) {
    const auto found = given.find(table.fields()[field].name);
    readings.push_back(found != given.end() ? found->second : table.spec(field).reading);
  }
  return readings;
}

Result<Location> SampleTable::locate(std::uint64_t sample, std::size_t field) const {
  return Error{.kind = ErrorKind::unsupported,
               .message = "the samples of this table are not stored in objects",
               .place = place(sample, field)};
}

Result<PackedBlock> SampleTable::locate_block(std::uint64_t id) const {
  return Error{.kind = ErrorKind::invalid,
               .message = fmt::format("there is no block {}", id),
               .place = {.stage = "read"}};
}

Result<Bytes> SampleTable::unpack(std::uint64_t id, const Bytes&) const {
  PENSTOCK_TRY(locate_block(id));
  return Error{.kind = ErrorKind::unsupported,
               .message = "the samples of this table are not stored in blocks",
               .place = {.stage = "read"}};
}

NamedPath SampleTable::object(std::uint64_t) const { return {}; }

Result<StoredValue> SampleTable::finish(std::uint64_t, std::size_t, Bytes bytes) const {
  return StoredValue{.bytes = std::move(bytes)};
}

}  // namespace penstock::inline v0
