#pragma once
// Values fetched by where a table locates them, as a stage goes that fetches ahead of the workers.

#include <gtest/gtest.h>

#include <vector>

#include "formats/sample_table.hpp"
#include "io/temporary_folder_for_test.hpp"

namespace penstock::inline v0 {

/// In memory that is no mapping.
inline std::vector<std::uint8_t> fetched(const SampleTable& table, const Extent& extent) {
  const NamedPath object = table.object(extent.source);
  const SourcePtr source = object.storage->open(object.path).value();
  const std::uint64_t size = extent.size == Extent::kWhole ? source->size() : extent.size;
  const Bytes bytes = source->read(extent.offset, size).value();
  return {bytes.begin(), bytes.end()};
}

/// The bytes at any place but that of a number, which has none.
inline std::vector<std::uint8_t> fetched(const SampleTable& table, const Location& where) {
  if (const auto* const extent = std::get_if<Extent>(&where)) {
    return fetched(table, *extent);
  }
  if (const auto* const block = std::get_if<Block>(&where)) {
    const PackedBlock packed = table.locate_block(block->id).value();
    const Bytes whole = table.unpack(block->id, Bytes::own(fetched(table, packed.packed))).value();
    const Bytes part = whole.part(block->offset, block->size);
    return {part.begin(), part.end()};
  }
  const auto& bytes = std::get<Bytes>(where);
  return {bytes.begin(), bytes.end()};
}

/// Expects of every value that fetching and finishing gives what reading gives. Gives the number of those
/// that have bytes.
inline std::size_t expect_fetched_as_read(const SampleTable& table) {
  std::size_t values = 0;
  for (std::uint64_t sample = 0; sample < table.size(); ++sample) {
    for (std::size_t field = 0; field < table.fields().size(); ++field) {
      SCOPED_TRACE(testing::Message() << "sample " << sample << ", field " << field);
      const Location where = table.locate(sample, field).value();
      const StoredValue read = table.read(sample, field).value();
      if (const auto* const number = std::get_if<Number>(&where)) {
        EXPECT_EQ(read.number, *number);
        continue;
      }
      const auto finished = table.finish(sample, field, Bytes::own(fetched(table, where)));
      if (!finished.ok()) {
        ADD_FAILURE() << finished.error().to_string();
        continue;
      }
      EXPECT_TRUE(as_text(finished->bytes) == as_text(read.bytes));
      EXPECT_TRUE(as_text(finished->tables) == as_text(read.tables));
      EXPECT_EQ(finished->codec, read.codec);
      EXPECT_EQ(finished->number, read.number);
      EXPECT_EQ(finished->pixels, read.pixels);
      ++values;
    }
  }
  return values;
}

}  // namespace penstock::inline v0
