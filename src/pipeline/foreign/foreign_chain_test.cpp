#include "pipeline/foreign/foreign_chain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>

#include "pipeline/loader_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using testing::HasSubstr;

using Bytes = std::vector<std::uint8_t>;

/// A stage that is a function of this program.
class TestStage final : public ForeignStage {
 public:
  using Describe = std::function<Result<ArraySpec>(const ArraySpec&)>;
  using Run = std::function<Bytes(const ArraySpec&, Bytes, const StageKey&, ArraySpec& result)>;

  TestStage(Describe describe, Run run) : describe_(std::move(describe)), run_(std::move(run)) {}

  std::string name() const override { return "test_stage"; }
  std::string identity() const override { return identity_; }
  std::string where() const override { return "in a test"; }
  Result<ArraySpec> describe(const ArraySpec& in) override { return describe_(in); }
  Status run(const ArraySpec& in, void* data, const StageKey& key, const Room& room) override {
    if (!running_) {
      return Error{.kind = ErrorKind::cancelled, .message = "not started", .advice = "", .place = {}};
    }
    const auto* bytes = static_cast<const std::uint8_t*>(data);
    ArraySpec result = in;
    const Bytes made = run_(in, {bytes, bytes + in.bytes()}, key, result);
    PENSTOCK_ASSIGN(void* const out, room(result));
    std::memcpy(out, made.data(), made.size());
    return {};
  }
  Status start(int) override {
    running_ = true;
    return {};
  }
  void stop() noexcept override { running_ = false; }

  std::string identity_ = "tests.test_stage";

 private:
  const Describe describe_;
  const Run run_;
  std::atomic<bool> running_{false};
};

Result<ArraySpec> same(const ArraySpec& in) { return in; }

std::shared_ptr<TestStage> inverter() {
  return std::make_shared<TestStage>(same, [](const ArraySpec&, Bytes in, const StageKey&, ArraySpec&) {
    std::transform(in.begin(), in.end(), in.begin(), [](std::uint8_t v) { return 255 - v; });
    return in;
  });
}

std::shared_ptr<const SampleTable> table() { return std::make_shared<MemoryTable>(12, some_images()); }

std::string epoch_of(FieldTransforms transforms, LoaderOptions options) {
  options.batch_size = 3;
  Loader loader = open_loader(table(), options, std::move(transforms));
  std::string all;
  for (const Batch& batch : take_epoch(loader)) {
    all += contents(batch);
  }
  return all;
}

FieldTransforms with(const std::shared_ptr<TestStage>& stage) {
  return {{"image",
           {transforms::RandomResizedCrop{.size = 16}, foreign_transform(stage),
            transforms::RandomHorizontalFlip{}, transforms::ToFloat{}}}};
}

TEST(ForeignChain, a_stage_that_changes_nothing_changes_nothing) {
  const auto unchanged = std::make_shared<TestStage>(
      same, [](const ArraySpec&, Bytes in, const StageKey&, ArraySpec&) { return in; });
  // Resize takes the stage's place, so that those behind it keep their numbers, and does nothing.
  const FieldTransforms without = {
      {"image",
       {transforms::RandomResizedCrop{.size = 16}, transforms::Resize{.size = {16, 16}},
        transforms::RandomHorizontalFlip{}, transforms::ToFloat{}}}};
  for (const MemoryFormat format : {MemoryFormat::channels_first, MemoryFormat::channels_last}) {
    const LoaderOptions options{.num_workers = 2, .memory_format = format};
    EXPECT_EQ(epoch_of(with(unchanged), options), epoch_of(without, options));
  }
}

TEST(ForeignChain, gives_the_same_rows_with_any_number_of_workers) {
  const auto keyed =
      std::make_shared<TestStage>(same, [](const ArraySpec&, Bytes in, const StageKey& key, ArraySpec&) {
        Draws draws({key.stream, 0, key.sample}, key.op);
        for (std::uint8_t& value : in) {
          value = static_cast<std::uint8_t>(value + draws.next32());
        }
        return in;
      });
  const std::string alone = epoch_of(with(keyed), {.shuffle = true, .num_workers = 0});
  for (const int workers : {1, 2, 4}) {
    EXPECT_EQ(epoch_of(with(keyed), {.shuffle = true, .num_workers = workers}), alone);
  }
  EXPECT_NE(epoch_of(with(keyed), {.shuffle = true, .num_workers = 0, .generator_seed = 5}), alone);
}

TEST(ForeignChain, images_of_any_size_make_a_list) {
  Loader loader = open_loader(table(), {.num_workers = 1}, {{"image", {foreign_transform(inverter())}}});
  Loader plain = open_loader(table(), {.num_workers = 1});
  const std::vector<Batch> inverted = take_epoch(loader);
  const std::vector<Batch> as_is = take_epoch(plain);
  const Column& a = *inverted[0].find("image");
  const Column& b = *as_is[0].find("image");
  ASSERT_TRUE(a.ragged());
  EXPECT_TRUE(a.format.has_value());
  for (std::size_t row = 0; row < inverted[0].rows(); ++row) {
    ASSERT_EQ(a.rows[row].shape, b.rows[row].shape);
    EXPECT_EQ(a.rows[row].data[0], 255 - b.rows[row].data[0]);
  }
}

TEST(ForeignChain, delivers_arrays_as_they_were_returned) {
  const auto sums = std::make_shared<TestStage>(
      [](const ArraySpec&) -> Result<ArraySpec> {
        return ArraySpec{Scalar::int16, {2, 5}};
      },
      [](const ArraySpec&, Bytes in, const StageKey&, ArraySpec& result) {
        result = {Scalar::int16, {2, 5}};
        return Bytes(20, in[0]);
      });
  Loader loader = open_loader(table(), {.num_workers = 2}, {{"image", {foreign_transform(sums)}}});
  const std::vector<Batch> batches = take_epoch(loader);
  const Column& column = *batches[0].find("image");
  EXPECT_FALSE(column.ragged());
  EXPECT_FALSE(column.format.has_value());
  EXPECT_EQ(column.spec, (ArraySpec{Scalar::int16, {2, 5}}));
  EXPECT_THAT(loader.plan(), HasSubstr("rows of int16 (2, 5)"));
  EXPECT_THAT(loader.plan(), HasSubstr("test_stage -> int16 (2, 5), in a test"));
}

TEST(ForeignChain, another_shape_than_planned_is_an_error_of_the_sample) {
  const auto moody = std::make_shared<TestStage>(
      same, [](const ArraySpec&, Bytes in, const StageKey& key, ArraySpec& result) {
        if (key.sample == 1) {
          result.shape = {4, 4, 3};
        }
        return Bytes(result.bytes(), in[0]);
      });
  Loader loader = open_loader(table(), {.num_workers = 1, .on_error = OnError::skip},
                              {{"image", {transforms::CenterCrop{.size = 8}, foreign_transform(moody)}}});
  take_epoch(loader);
  ASSERT_EQ(loader.errors().size(), 1U);
  const Error error = loader.errors()[0];
  EXPECT_EQ(error.kind, ErrorKind::invalid);
  EXPECT_EQ(error.place.index, 1U);
  EXPECT_EQ(error.place.stage, "test_stage");
  EXPECT_THAT(error.message, HasSubstr("uint8 (4, 4, 3), and uint8 (8, 8, 3) was planned"));
}

TEST(ForeignChain, a_batch_whose_stage_was_interrupted_is_made_again) {
  for (const OnError on_error : {OnError::raise, OnError::skip, OnError::replace}) {
    const LoaderOptions options{.batch_size = 3, .num_workers = 0, .on_error = on_error};
    Loader whole = open_loader(table(), options, with(inverter()));
    const std::vector<Batch> expected = take_epoch(whole);
    const auto stage = inverter();
    Loader loader = open_loader(table(), options, with(stage));
    const std::uint64_t ticket = loader.start_epoch().value();
    EXPECT_EQ(contents(*loader.next(ticket).value()), contents(expected[0]));
    const std::string state = loader.state().value();
    stage->stop();  // as Ctrl-C does to a function of the user in this thread
    EXPECT_EQ(loader.next(ticket).error().kind, ErrorKind::cancelled);
    EXPECT_EQ(loader.state().value(), state);
    EXPECT_TRUE(loader.errors().empty()) << "no fault of the samples";
    ASSERT_TRUE(stage->start(0));
    for (std::size_t link = 1; link < expected.size(); ++link) {
      EXPECT_EQ(contents(*loader.next(ticket).value()), contents(expected[link]));
    }
    EXPECT_FALSE(loader.next(ticket).value());
  }
}

TEST(ForeignChain, refuses_operations_that_cannot_follow) {
  const auto floats = std::make_shared<TestStage>(
      [](const ArraySpec& in) -> Result<ArraySpec> {
        ArraySpec out = in;
        out.type = Scalar::float32;
        return out;
      },
      nullptr);
  const Result<ImageChain> chain =
      compile_chain({transforms::CenterCrop{.size = 8}, foreign_transform(floats), transforms::ToFloat{}},
                    MemoryFormat::channels_first);
  ASSERT_FALSE(chain.ok());
  EXPECT_THAT(chain.error().message, HasSubstr("ToFloat cannot follow test_stage, which returns float32"));
}

TEST(ForeignChain, is_part_of_the_fingerprint) {
  const auto state_of = [](const char* identity) {
    const auto stage = inverter();
    stage->identity_ = identity;
    return open_loader(table(), {.num_workers = 0}, {{"image", {foreign_transform(stage)}}}).state().value();
  };
  EXPECT_EQ(state_of("a.f"), state_of("a.f"));
  EXPECT_NE(state_of("a.f"), state_of("a.g"));
}

}  // namespace
}  // namespace penstock::inline v0
