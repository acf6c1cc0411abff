#include "pipeline/fill/filler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "pipeline/memory_table_for_test.hpp"
#include "pipeline/order/row_plans_for_test.hpp"
#include "pipeline/plan/plan.hpp"
#include "pipeline/run/row_worker.hpp"

namespace penstock::inline v0 {
namespace {

using testing::HasSubstr;

constexpr std::size_t kLabel = 0;  // fields of a MemoryTable without images
constexpr std::size_t kText = 1;

/// Two columns, made of two fields and of all parts of a row: the sum of the labels, and the texts in a row.
class SumAndTexts final : public FillPlan {
 public:
  const std::vector<ColumnPlan>& columns() const noexcept override { return columns_; }
  std::span<const std::size_t> fields() const noexcept override { return fields_; }
  std::unique_ptr<Filler> make_filler(const FillerTools& tools, std::size_t first_column) const override;
  bool takes_several_parts() const noexcept override { return true; }
  std::string rows_in_words(std::size_t column) const override { return columns_[column].spec.to_string(); }
  std::string work_in_words() const override { return "add\njoin\n"; }

 private:
  std::vector<ColumnPlan> columns_ = {
      {.info = {"sum", FieldKind::integer}, .spec = {.type = Scalar::int64, .shape = {}}},
      {.info = {"texts", FieldKind::text}, .spec = {.type = Scalar::uint8, .shape = {kAnyExtent}}}};
  std::vector<std::size_t> fields_ = {kLabel, kText};
};

class SumAndTextsFiller final : public Filler {
 public:
  using Filler::Filler;
  Status fill(const RowTask& task) override {
    std::int64_t sum = 0;
    std::string texts;
    for (const RowPart& part : task.parts) {
      PENSTOCK_TRY(read(part, kLabel, WorkStage::assemble, [&](const StoredValue& label) {
        return read(part, kText, WorkStage::assemble, [&](const StoredValue& text) -> Status {
          PENSTOCK_ASSIGN(const std::int64_t number, integer_of(label));
          sum += number;
          texts.append(reinterpret_cast<const char*>(text.bytes.data()), text.bytes.size());
          return texts.ends_with(" 6") ? Status(Error{.kind = ErrorKind::corrupt, .message = "six"})
                                       : Status();
        });
      }));
    }
    std::memcpy(room(task, 0, {}), &sum, sizeof sum);
    std::memcpy(room(task, 1, {texts.size()}), texts.data(), texts.size());
    return {};
  }
};

std::unique_ptr<Filler> SumAndTexts::make_filler(const FillerTools& tools, std::size_t first_column) const {
  return std::make_unique<SumAndTextsFiller>(tools, first_column);
}

EpochOrder in_order(RowPlanPtr plan) {
  return EpochOrder(OrderRule::make(Sampler{}, false, std::move(plan), 0).value(), 0);
}

EpochOrder pairs(std::uint64_t samples) { return in_order(std::make_shared<const PackedRows>(samples, 2)); }

/// A batch filled by one worker.
struct Filled {
  Filled(const Plan& plan, const SampleTable& table, const EpochOrder& order, std::size_t rows) {
    storage.rows = rows;
    storage.fixed = pool.acquire(plan.fixed_bytes(rows));
    plan.lay_out(storage, rows);
    storage.row_replaced.assign(rows, 0);
    const LoaderOptions options{.seed = 0};
    RowWorker(plan, table, options, pool, counters)
        .fill({.storage = &storage,
               .order = &order,
               .first_place = 0,
               .first = 0,
               .count = static_cast<std::uint32_t>(rows)});
  }
  std::string text(std::size_t column, std::size_t row) const {
    const ByteSpan bytes = storage.columns[column].bytes_of(row);
    return {bytes.begin(), bytes.end()};
  }

  BufferPool pool;
  WorkerCounters counters;
  BatchStorage storage;
};

TEST(filler, fills_several_columns_of_a_row_made_of_several_parts) {
  const MemoryTable table(8);
  std::vector<FillPlanPtr> fills;
  fills.push_back(std::make_unique<SumAndTexts>());
  const Plan plan = Plan::of(std::move(fills), MemoryFormat::channels_first);
  const Filled filled(plan, table, pairs(8), 4);
  for (std::size_t row = 0; row < 3; ++row) {
    ASSERT_EQ(filled.storage.row_errors[row], nullptr);
    EXPECT_EQ(filled.storage.index[row], static_cast<std::int64_t>(2 * row)) << "the first part's sample";
    EXPECT_EQ(filled.storage.columns[0].integers()[row], static_cast<std::int64_t>(4 * row + 1));
    EXPECT_EQ(filled.text(1, row),
              "text of " + std::to_string(2 * row) + "text of " + std::to_string(2 * row + 1));
  }
  EXPECT_EQ(plan.describe(), "sum (int): int64 ()\ntexts (text): uint8 (any,)\n  add\n  join\n");
}

TEST(filler, an_error_inside_two_reads_names_the_inner_field_once) {
  const MemoryTable table(8);
  std::vector<FillPlanPtr> fills;
  fills.push_back(std::make_unique<SumAndTexts>());
  const Filled filled(Plan::of(std::move(fills), MemoryFormat::channels_first), table, pairs(8), 4);
  ASSERT_NE(filled.storage.row_errors[3], nullptr);
  const Error& error = *filled.storage.row_errors[3];
  EXPECT_EQ(error.message, "field 'text': six");
  EXPECT_EQ(error.place.index, 6u);
  EXPECT_EQ(error.place.key, "key6");
}

TEST(filler, time_belongs_to_the_stage_in_which_it_was_spent) {
  WorkerCounters counters;
  const auto spent = [&](WorkStage stage) { return counters.spent[static_cast<std::size_t>(stage)].get(); };
  const auto wait = [] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); };
  counters.enter(WorkStage::read, 1);
  wait();
  counters.enter(WorkStage::decode, 1);
  wait();
  counters.enter(WorkStage::transform, 1);
  counters.enter(WorkStage::idle, 0);
  wait();
  counters.enter(WorkStage::assemble, 2);
  EXPECT_GE(spent(WorkStage::read), 2'000'000u);
  EXPECT_GE(spent(WorkStage::decode), 2'000'000u);
  EXPECT_LT(spent(WorkStage::transform), spent(WorkStage::decode));
  EXPECT_EQ(spent(WorkStage::idle), 0u);
  EXPECT_EQ(spent(WorkStage::assemble), 0u);
}

/// Arrays that are not as long as they should be.
class ShortArrays final : public MemoryTable {
 public:
  ShortArrays() : MemoryTable(4) {}
  const std::vector<FieldInfo>& fields() const noexcept override { return fields_; }
  FieldSpec spec(std::size_t) const override {
    return FieldSpec::of_array("array", {.type = Scalar::int16, .shape = {3}});
  }
  Result<StoredValue> read(std::uint64_t sample, std::size_t) const override {
    return StoredValue{.bytes = ByteSpan(bytes_).first(sample == 2 ? 4 : 6)};
  }

 private:
  std::vector<FieldInfo> fields_ = {{"array", FieldKind::array}};
  std::vector<std::uint8_t> bytes_ = {1, 2, 3, 4, 5, 6};
};

TEST(filler, an_array_of_another_length_than_planned_is_corrupt) {
  const auto table = std::make_shared<ShortArrays>();
  const Plan plan = Plan::make(Dataset::of(table, "memory"), {}, {}, {}, {.plan = sample_per_row(4)}).value();
  const Filled filled(plan, *table, in_order(sample_per_row(4)), 4);
  EXPECT_EQ(filled.storage.row_errors[1], nullptr);
  EXPECT_EQ(filled.text(0, 1), std::string("\1\2\3\4\5\6"));
  ASSERT_NE(filled.storage.row_errors[2], nullptr);
  EXPECT_EQ(filled.storage.row_errors[2]->kind, ErrorKind::corrupt);
  EXPECT_THAT(filled.storage.row_errors[2]->message, HasSubstr("4 bytes where int16 (3,) are expected"));
}

}  // namespace
}  // namespace penstock::inline v0
