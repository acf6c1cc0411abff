#include "transforms/upright.hpp"

#include <gtest/gtest.h>

#include "transforms/run_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using test::TestImage;

/// The image as Pillow's exif_transpose has it, pixel by pixel.
TestImage turned(TestImage image, int orientation) {
  const auto [w, h] = image.size;
  const bool swaps = orientation >= 5;
  TestImage out = TestImage::filled(swaps ? ImageSize{h, w} : image.size, 0, image.channels);
  for (int y = 0; y < out.size.height; ++y) {
    for (int x = 0; x < out.size.width; ++x) {
      const int places[8][2] = {{x, y}, {w - 1 - x, y}, {w - 1 - x, h - 1 - y}, {x, h - 1 - y},
                                {y, x}, {y, h - 1 - x}, {w - 1 - y, h - 1 - x}, {w - 1 - y, x}};
      const int* const from = places[orientation - 1];
      for (int c = 0; c < image.channels; ++c) {
        out.at(x, y, c) = image.at(from[0], from[1], c);
      }
    }
  }
  return out;
}

TEST(UprightReader, reads_boxes_of_the_image_as_it_is_meant_to_be_looked_at) {
  const std::pair<PixelLayout, int> layouts[] = {
      {PixelLayout::rgb, 3}, {PixelLayout::gray, 1}, {PixelLayout::gray_16, 2}, {PixelLayout::rgba, 4}};
  UprightReader reader;
  for (const auto& [layout, bytes] : layouts) {
    const TestImage stored = TestImage::noise({11, 7}, 3, bytes);
    for (int orientation = 1; orientation <= 8; ++orientation) {
      TestImage whole = turned(stored, orientation);
      ASSERT_EQ(reader.begin(stored.size, orientation), whole.size);
      for (const Rect box :
           {Rect{0, 0, whole.size.width, whole.size.height}, Rect{2, 1, 3, 5}, Rect{6, 0, 1, 1}}) {
        TestImage out = TestImage::filled({box.width, box.height}, 0, bytes);
        const PixelView view{.data = out.bytes.data(),
                             .stride = static_cast<std::size_t>(box.width * bytes),
                             .width = box.width,
                             .height = box.height,
                             .layout = layout};
        ASSERT_TRUE(reader.read(box, view, stored.reader()).ok());
        for (int y = 0; y < box.height; ++y) {
          for (int x = 0; x < box.width; ++x) {
            ASSERT_EQ(out.at(x, y, bytes - 1), whole.at(box.x + x, box.y + y, bytes - 1))
                << orientation << ": " << x << ", " << y;
          }
        }
      }
    }
  }
}

TEST(ExifTranspose, stands_first_and_says_how_the_image_was_turned) {
  const TransformPtr upright = test::make("ExifTranspose");
  const auto refusal_of = [](const std::vector<TransformPtr>& list) {
    const auto made = ImageProgram::compile(list, MemoryFormat::channels_first);
    return made.ok() ? std::string() : made.error().to_string();
  };
  EXPECT_NE(refusal_of({transforms::CenterCrop{.size = 4}, upright}).find("must be the first"),
            std::string::npos);
  EXPECT_NE(refusal_of({upright, upright}), "");
  EXPECT_NE(refusal_of({test::make("RandomApply", {{"transforms", HeldOperations{{upright}}}})}), "");
  const auto program = ImageProgram::compile({upright}, MemoryFormat::channels_first).value();
  EXPECT_TRUE(program.wants_upright());
  EXPECT_NE(program.describe().find("decode, turned as EXIF says"), std::string::npos) << program.describe();
  const auto workspace = program.make_workspace();
  ASSERT_TRUE(program.resolve(*workspace, {4, 6}, RandomKey{}, {}, 8).ok());
  EXPECT_EQ(test::value_of<std::int64_t>(workspace->drawn[0]->values(), "orientation"), 8);
}

TEST(ExifTranspose, keeps_the_size_of_square_images_alone) {
  const TransformPtr upright = test::make("ExifTranspose");
  const auto output = [&](ImageSize size) {
    return ImageProgram::compile({upright}, MemoryFormat::channels_first, Fuse::exact,
                                 {.input = {.size = size}})
        ->output()
        .size;
  };
  EXPECT_EQ(output({8, 8}), (ImageSize{8, 8}));
  EXPECT_EQ(output({8, 6}), (ImageSize{}));
}

}  // namespace
}  // namespace penstock::inline v0
