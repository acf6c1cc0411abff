#include "pipeline/order/row_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "pipeline/memory_table_for_test.hpp"
#include "pipeline/order/epoch_order.hpp"
#include "pipeline/order/row_plans_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// In shards, of recordings of different lengths.
class Recordings final : public MemoryTable {
 public:
  Recordings(std::uint64_t size, std::vector<std::uint64_t> starts)
      : MemoryTable(size), starts_(std::move(starts)) {}
  const std::vector<FieldInfo>& fields() const noexcept override { return audio_; }
  std::uint64_t stored_size(std::uint64_t sample, std::size_t) const override { return 100 + sample; }
  std::vector<std::uint64_t> shard_starts() const override { return starts_; }

 private:
  std::vector<FieldInfo> audio_ = {{"audio", FieldKind::audio}};
  std::vector<std::uint64_t> starts_;
};

std::shared_ptr<const JoinedTable> joined(std::vector<std::shared_ptr<const SampleTable>> tables) {
  return JoinedTable::make(std::move(tables)).value();
}

TEST(row_plan, a_shard_of_rows_begins_where_their_samples_begin_one) {
  const Recordings table(10, {0, 4, 9});
  const std::vector<RowTable> tables = row_tables(table);
  EXPECT_THAT(sample_per_row(10)->shard_starts(0, tables), ElementsAre(0, 4, 9));
  EXPECT_THAT(ClipRows(10, 3).shard_starts(0, tables), ElementsAre(0, 12, 27));
  EXPECT_THAT(PackedRows(10, 3).shard_starts(0, tables), ElementsAre(0, 2, 3)) << "rows of 3, 6 and 9 first";
  const auto both = joined({std::make_shared<Recordings>(4, std::vector<std::uint64_t>{0, 2}),
                            std::make_shared<Recordings>(2, std::vector<std::uint64_t>{0})});
  EXPECT_THAT(MixedRows(4, 2).shard_starts(0, both->tables()), ElementsAre(0, 2, 3, 5));
  EXPECT_THAT(ClipRows(4, 3).shard_starts(0, row_tables(MemoryTable(4))), IsEmpty());
}

TEST(row_plan, a_row_is_as_long_as_its_parts) {
  const Recordings table(5, {});
  LoaderOptions options{.seed = 0, .length_window = 4};
  const auto sizes = [&](const RowPlan& plan) {
    return LengthRule::make(options, plan, row_tables(table)).value().sizes;
  };
  EXPECT_THAT(sizes(*sample_per_row(5)), ElementsAre(100, 101, 102, 103, 104));
  EXPECT_THAT(sizes(PackedRows(5, 2)), ElementsAre(201, 205, 104));
  const ShuffledPacking shuffled(5, 2);
  const std::vector<std::uint64_t> of_seed_0 = sizes(shuffled);
  options.seed = 1;
  EXPECT_NE(sizes(shuffled), of_seed_0);
}

TEST(row_plan, samplers_number_rows) {
  const auto rule =
      OrderRule::make(Sampler::of_indices({5, 0}), false, std::make_shared<const ClipRows>(2, 3), 0).value();
  RowParts parts;
  EpochOrder(rule, 0).parts_at(0, parts);
  EXPECT_THAT(parts, ElementsAre(RowPart{.sample = 1, .table = 0, .part = 2}));
  EXPECT_EQ(rule->describe_sampler().substr(0, 12), "chosen ones ");
  EXPECT_THAT(rule->describe_sampler(), testing::EndsWith(", 2 an epoch, 6 rows: 3 clips of each sample"));
  EXPECT_FALSE(
      OrderRule::make(Sampler::of_indices({6}), false, std::make_shared<const ClipRows>(2, 3), 0).ok());
}

TEST(joined_table, numbers_the_samples_of_all_tables_through) {
  const auto first = std::make_shared<Recordings>(4, std::vector<std::uint64_t>{0, 2});
  const auto empty = std::make_shared<Recordings>(0, std::vector<std::uint64_t>{});
  const auto last = std::make_shared<Recordings>(3, std::vector<std::uint64_t>{0});
  const auto all = joined({first, empty, last});
  EXPECT_EQ(all->size(), 7u);
  EXPECT_EQ(all->key(3), "key3");
  EXPECT_EQ(all->key(4), "key0");
  EXPECT_EQ(all->stored_size(6, 0), 102u);
  EXPECT_THAT(all->shard_starts(), ElementsAre(0, 2, 4));
  EXPECT_EQ(all->fingerprint().size(), 32u);
  EXPECT_NE(all->fingerprint(), joined({first, last})->fingerprint());
  EXPECT_EQ(all->identity(), "") << "samples without files";
}

}  // namespace
}  // namespace penstock::inline v0
