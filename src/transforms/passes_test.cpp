#include "transforms/passes.hpp"

#include <gtest/gtest.h>

namespace penstock::inline v0 {
namespace {

TEST(Passes, crops_resizes_and_mirrors_are_one_pass) {
  std::vector<Pass> passes;
  MirrorTest mirrors;
  plan_passes({100, 80},
              {CropEdit{{10, 10, 50, 50}}, ResizeEdit{{20, 20}}, CropEdit{{5, 5, 4, 4}}, FlipEdit{}},
              Fuse::exact, mirrors, passes);
  ASSERT_EQ(passes.size(), 1u);
  EXPECT_EQ(passes[0].box, (Rect{10, 10, 50, 50}));
  EXPECT_EQ(passes[0].keep, (Rect{5, 5, 4, 4}));
  EXPECT_TRUE(passes[0].flip);
  plan_passes({100, 80}, {FlipEdit{}, CropEdit{{0, 0, 10, 10}}}, Fuse::exact, mirrors, passes);
  ASSERT_EQ(passes.size(), 1u);
  EXPECT_EQ(passes[0].keep, (Rect{90, 0, 10, 10}));
  plan_passes({100, 80}, {FlipEdit{.down = true}, CropEdit{{0, 0, 10, 10}}, FlipEdit{.down = true}},
              Fuse::exact, mirrors, passes);
  ASSERT_EQ(passes.size(), 1u);
  EXPECT_EQ(passes[0].keep, (Rect{0, 70, 10, 10}));
  EXPECT_FALSE(passes[0].flip_down);
}

TEST(Passes, a_mirrored_image_is_resized_in_one_pass_where_weights_are_symmetric) {
  using transforms::Interpolation;
  std::vector<Pass> passes;
  MirrorTest mirrors;
  const auto passes_of = [&](int in, int out, Interpolation filter) {
    plan_passes({in, in}, {FlipEdit{}, FlipEdit{.down = true}, ResizeEdit{{out, out}, filter}}, Fuse::exact,
                mirrors, passes);
    return passes.size();
  };
  int apart = 0;
  for (int in = 1; in < 60; in += 3) {
    for (int out = 1; out < 60; out += 2) {
      for (const auto filter : {Interpolation::bilinear, Interpolation::hamming, Interpolation::bicubic,
                                Interpolation::lanczos}) {
        ASSERT_EQ(passes_of(in, out, filter), 1u) << in << " to " << out;
      }
      apart += passes_of(in, out, Interpolation::box) == 2 ? 1 : 0;
    }
  }
  EXPECT_GT(apart, 20) << "rounding of box is not symmetric";
  EXPECT_EQ(passes_of(10, 7, Interpolation::nearest), 2u);
  MirrorTest in_doubles(/*exact=*/false);
  EXPECT_FALSE(in_doubles.same(10, 7, Interpolation::bilinear));
}

}  // namespace
}  // namespace penstock::inline v0
