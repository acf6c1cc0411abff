// Stores whose records are fetched for every read, as from a server.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "formats/sample_table.hpp"
#include "io/faulty_storage_for_test.hpp"
#include "io/memory_storage_for_test.hpp"
#include "io/temporary_folder_for_test.hpp"

namespace penstock::inline v0 {
namespace {

TEST(store_fetched, records_are_compared_with_their_checksum_each_time) {
  const std::string folder = PENSTOCK_SOURCE_DIR "/tests/conformance/formats/store";
  const auto memory = std::make_shared<MemoryStorage>();
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    memory->put("s/" + entry.path().filename().string(), read_text(entry.path().string()));
  }
  // The header of the shard, and the field once as it is.
  const auto storage = std::make_shared<FaultyStorage>(
      memory,
      std::vector<Fault>{{.kind = Fault::Kind::alter, .object = "shard-000000.bin", .after = 2, .times = 1}});
  Storages storages = Storages::standard();
  storages.set("faulty", storage);
  const auto table = open_samples({"faulty:s"}, {}, storages);
  ASSERT_TRUE(table.ok()) << table.error().to_string();
  const auto first = (*table)->read(0, 0);
  ASSERT_TRUE(first.ok()) << first.error().to_string();
  EXPECT_TRUE(first->bytes.is_held());
  const auto altered = (*table)->read(0, 0);
  ASSERT_FALSE(altered.ok()) << "other bytes than before were handed out";
  EXPECT_EQ(altered.error().kind, ErrorKind::corrupt);
  EXPECT_EQ(altered.error().place.index, 0u);
  EXPECT_TRUE((*table)->read(0, 0).ok()) << "and the next time they are right again";
}

}  // namespace
}  // namespace penstock::inline v0
