// RandomApply, RandomChoice, RandomOrder and Sequential of operations on whole batches.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transforms/batch/batch_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using test::make;
using testing::HasSubstr;

constexpr std::int64_t kClasses = 2;

TransformPtr mix_up(double alpha = 1.0) {
  return make("MixUp", {{"alpha", alpha}, {"num_classes", kClasses}});
}
TransformPtr cut_mix() { return make("CutMix", {{"num_classes", kClasses}}); }
Params holding(std::vector<TransformPtr> list) { return {{"transforms", HeldOperations{std::move(list)}}}; }

std::vector<std::int64_t> chosen_by(const TransformPtr& operation, std::uint64_t place) {
  return test::value_of<std::vector<std::int64_t>>(test::drawn_for_batch(operation, {8, 8}, place, 4),
                                                   "chosen");
}

TEST(BatchComposite, chooses_one_for_each_batch) {
  const TransformPtr choice = make("RandomChoice", holding({mix_up(), cut_mix()}));
  std::vector<TransformPtr> list = {transforms::ToFloat{}, choice};
  EXPECT_EQ(take_batch_operations(list).value().size(), 1u);
  EXPECT_EQ(test::batch_operation(choice).num_classes(), kClasses);
  int first = 0;
  for (std::uint64_t place = 0; place < 400; ++place) {
    const auto chosen = chosen_by(choice, place);
    ASSERT_EQ(chosen.size(), 1u);
    first += chosen[0] == 0 ? 1 : 0;
  }
  EXPECT_NEAR(first, 200, 45);
}

TEST(BatchComposite, happens_with_its_probability_also_inside_of_another) {
  Params params = holding({make("RandomOrder", holding({mix_up(), cut_mix()}))});
  params.emplace_back("p", 0.25);
  const TransformPtr apply = make("RandomApply", params);
  int done = 0;
  for (std::uint64_t place = 0; place < 400; ++place) {
    done += static_cast<int>(chosen_by(apply, place).size());
  }
  EXPECT_NEAR(done, 100, 39);
}

TEST(BatchComposite, runs_what_it_chose_with_what_that_drew) {
  const TransformPtr both = make("Sequential", holding({mix_up(), mix_up()}));
  const DrawnPtr drawn = both->make_drawn();
  const HeldDrawn shares{{{"MixUp", {{"lam", 0.5}}}, {"MixUp", {{"lam", 0.0}}}}};
  ASSERT_TRUE(
      drawn->set("Sequential", {{"chosen", std::vector<std::int64_t>{0, 1}}, {"transforms", shares}}).ok());
  std::vector<float> images = {1, 3, 11};
  std::vector<float> labels = {1, 0, 0, 1, 0, 1};
  const auto image_rows = test::rows_of(images, 3);
  const auto label_rows = test::rows_of(labels, 3);
  Scratch scratch;
  test::batch_operation(both).run_for(
      *drawn,
      {.images = {image_rows, {1, 1}, 1, sizeof(float), MemoryFormat::channels_first},
       .type = ElementType::float32,
       .labels = label_rows,
       .classes = kClasses},
      scratch);
  EXPECT_THAT(images, testing::ElementsAre(7, 6, 2)) << "the mean with the row before, then moved on by one";
  EXPECT_THAT(labels, testing::ElementsAre(0, 1, 0.5F, 0.5F, 0.5F, 0.5F));
}

TEST(BatchComposite, what_has_a_key_draws_alike_wherever_it_stands) {
  const auto share = [](const TransformPtr& operation) {
    const Params drawn = test::drawn_for_batch(operation, {8, 8}, 3, 4);
    return test::value_of<double>(test::value_of<HeldDrawn>(drawn, "transforms").list.back().values, "lam");
  };
  const TransformPtr keyed = make("MixUp", {{"num_classes", kClasses}, {"key", std::string("one")}});
  EXPECT_EQ(share(make("Sequential", holding({keyed}))),
            share(make("Sequential", holding({cut_mix(), keyed}))));
  EXPECT_NE(share(make("Sequential", holding({mix_up()}))),
            share(make("Sequential", holding({cut_mix(), mix_up()}))));
}

TEST(BatchComposite, refuses_what_it_cannot_hold) {
  EXPECT_THAT(test::refusal("RandomChoice", holding({mix_up(), transforms::ToFloat{}})),
              HasSubstr("RandomChoice: transforms[1]: ToFloat does not work on whole batches"));
  EXPECT_THAT(
      test::refusal("RandomChoice", holding({mix_up(), make("CutMix", {{"num_classes", std::int64_t{3}}})})),
      HasSubstr("differ in num_classes"));
  Params params = holding({mix_up()});
  params.emplace_back("p", 1.5);
  EXPECT_THAT(test::refusal("RandomApply", params), HasSubstr("p must be"));
  const TransformPtr choice = make("RandomChoice", holding({cut_mix(), mix_up()}));
  const BatchSpec spec{.images = {.size = {8, 8}, .type = ElementType::float16}, .classes = kClasses};
  EXPECT_THAT(test::batch_operation(choice).check_for(spec).error().to_string(),
              HasSubstr("MixUp mixes images of float32 or uint8"));
}

}  // namespace
}  // namespace penstock::inline v0
